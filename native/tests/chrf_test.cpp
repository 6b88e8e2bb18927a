#include "chrf.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "check.hpp"

namespace tallystick {
namespace {

using Counts = std::vector<std::int64_t>;

/// Strings in one buffer.
struct Strings {
  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> offsets{0};

  explicit Strings(const std::vector<std::string>& strings) {
    for (const std::string& string : strings) {
      bytes.insert(bytes.end(), string.begin(), string.end());
      offsets.push_back(static_cast<std::int64_t>(bytes.size()));
    }
  }

  Texts view() const { return {bytes, offsets}; }
};

Counts count(const std::string& hypothesis, const std::vector<std::string>& references,
             const ChrfOptions& options) {
  const Strings hypotheses({hypothesis});
  const Strings all_references(references);
  const Counts spans{0, static_cast<std::int64_t>(references.size())};
  return count_char_ngrams({hypotheses.view(), all_references.view(), spans}, options);
}

void characters_are_code_points_without_spaces() {
  const ChrfOptions options{2, 0, false, 2, false, 1};
  check(count("\u00E9 \u00E9", {"\u00E9\u00E9\u3000\u00E9"}, options) == Counts{2, 3, 2, 1, 2, 1});
}

void spaces_count_where_they_are_wanted() {
  const ChrfOptions options{1, 0, true, 2, false, 1};
  check(count("a b", {" ab "}, options) == Counts{3, 4, 3});
}

void one_mark_is_cut_off_each_word() {
  const ChrfOptions options{0, 1, false, 2, false, 1};
  check(count("(hi) !a .", {"(hi ) ! a ."}, options) == Counts{5, 6, 4});
}

void the_hypothesis_counts_only_where_the_reference_does() {
  const ChrfOptions options{2, 0, false, 2, false, 1};
  check(count("ab", {"a"}, options) == Counts{2, 1, 1, 0, 0, 0});
  check(count("a", {"ab"}, options) == Counts{1, 2, 1, 0, 1, 0});
}

void the_first_of_the_best_references_counts() {
  const ChrfOptions options{1, 0, false, 2, false, 1};
  check(count("ab", {"x", "abc", "ab", "ba"}, options) == Counts{2, 2, 2});
  check(count("ab", {"", "xyz"}, options) == Counts{0, 0, 0});
}

}  // namespace

void test_chrf() {
  characters_are_code_points_without_spaces();
  spaces_count_where_they_are_wanted();
  one_mark_is_cut_off_each_word();
  the_hypothesis_counts_only_where_the_reference_does();
  the_first_of_the_best_references_counts();
}

}  // namespace tallystick
