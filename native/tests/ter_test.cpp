#include "ter.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "check.hpp"
#include "levenshtein.hpp"
#include "shifts.hpp"

namespace tallystick {
namespace {

using Words = std::vector<Number>;

std::int64_t count_edits(const Words& hypothesis, const Words& reference) {
  ShiftSearch search;
  return search.count_edits(hypothesis, reference);
}

void a_block_is_shifted_at_once() {
  check(count_edits({0, 1, 2, 3}, {0, 1, 2, 3}) == 0);
  check(count_edits({2, 3, 0, 1}, {0, 1, 2, 3}) == 1);
  check(count_edits({2, 3, 0, 1, 4}, {0, 1, 2, 3, absent}) == 2);
  check(count_edits({}, {0, 1}) == 2);
  check(count_edits({0, 1, 0}, {}) == 3);
}

/// Short enough for the beam to hold the whole matrix.
void shifts_never_cost_more_than_edits() {
  std::mt19937 random(9);
  ShiftSearch search;
  Levenshtein levenshtein;
  for (std::size_t i = 0; i < 500; ++i) {
    const auto hypothesis = draw_numbers<Number>(random, random() % 24, 9);
    const auto reference = draw_numbers<Number>(random, random() % 24, 9);
    const auto path = levenshtein.align({hypothesis, reference, 9});
    check(search.count_edits(hypothesis, reference) <=
          std::ssize(path) - std::ranges::count(path, Operation::equal));
  }
}

void lengths_of_all_kinds_are_searched() {
  std::mt19937 random(10);
  ShiftSearch search;
  for (const std::size_t n : {1U, 2U, 7U, 60U, 200U}) {
    for (const std::size_t m : {1U, 25U, 60U, 149U, 900U}) {
      for (const std::uint32_t n_distinct : {1U, 3U, 40U}) {
        const auto hypothesis = draw_numbers<Number>(random, n, n_distinct);
        const auto reference = draw_numbers<Number>(random, m, n_distinct);
        const std::int64_t edits = search.count_edits(hypothesis, reference);
        check(edits >= static_cast<std::int64_t>(std::max(n, m) - std::min(n, m)));
        check(edits <= static_cast<std::int64_t>(n + m));
      }
    }
  }
}

TerCounts count_one(const std::string& hypothesis, const std::vector<std::string>& references,
                    const TerOptions& options) {
  std::string bytes = hypothesis;
  std::vector<std::int64_t> offsets{0, static_cast<std::int64_t>(bytes.size())};
  for (const std::string& reference : references) {
    bytes += reference;
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  const std::span<const std::uint8_t> data(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                           bytes.size());
  const std::span<const std::int64_t> bounds(offsets);
  const std::vector<std::int64_t> spans{0, static_cast<std::int64_t>(references.size())};
  return count_ter({{data, bounds.first(2)}, {data, bounds.subspan(1)}, spans}, options);
}

void the_best_reference_and_the_mean_length_count() {
  const TerCounts counts = count_one("a b c", {"a b d e", "a b c", ""}, {});
  check(counts.edits == std::vector<std::int64_t>{0});
  check(counts.lengths == std::vector<double>{7.0 / 3.0});
}

void texts_are_prepared() {
  const std::string hypothesis = "it's 1,5.";
  check(count_one(hypothesis, {"it 's 1,5 ."}, {true, false, false, 1}).edits.front() == 0);
  check(count_one(hypothesis, {"it's 15"}, {false, true, false, 1}).edits.front() == 0);
  check(count_one("中文。a", {"中 文 。 a"}, {true, false, true, 1}).edits.front() == 0);
  check(count_one("中文。a", {"中文a"}, {false, true, true, 1}).edits.front() == 0);
  check(count_one("中文。a", {"中文a"}, {false, true, false, 1}).edits.front() == 1);
}

}  // namespace

void test_ter() {
  a_block_is_shifted_at_once();
  shifts_never_cost_more_than_edits();
  lengths_of_all_kinds_are_searched();
  the_best_reference_and_the_mean_length_count();
  texts_are_prepared();
}

}  // namespace tallystick
