#include "ngrams.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "numbers.hpp"
#include "parallel.hpp"

namespace tallystick {
namespace {

using TokenIds = std::vector<std::int32_t>;
using Bag = std::map<TokenIds, std::int64_t>;

/// Sequences of random lengths, all in one buffer; some are longer than any that is matched by
/// bits.
struct DrawnIds {
  TokenIds ids;
  std::vector<std::int64_t> offsets{0};

  DrawnIds(std::mt19937& random, std::size_t n, std::uint32_t n_distinct) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t longest = random() % 8 == 0 ? 600 : 30;
      const auto sequence = draw_numbers<std::int32_t>(random, random() % longest, n_distinct);
      ids.insert(ids.end(), sequence.begin(), sequence.end());
      offsets.push_back(static_cast<std::int64_t>(ids.size()));
    }
  }

  Ids view() const { return {ids, offsets}; }
};

Bag count_bag(std::span<const std::int32_t> ids, std::size_t order) {
  Bag bag;
  for (std::size_t i = 0; i + order <= ids.size(); ++i) {
    ++bag[TokenIds(ids.begin() + static_cast<std::ptrdiff_t>(i),
                   ids.begin() + static_cast<std::ptrdiff_t>(i + order))];
  }
  return bag;
}

std::int64_t match_slowly(const Referred<Ids>& examples, std::size_t i, std::size_t order) {
  Bag most;
  for (std::size_t r = examples.first_reference(i); r < examples.first_reference(i + 1); ++r) {
    for (const auto& [ngram, n] : count_bag(examples.references[r], order)) {
      most[ngram] = std::max(most[ngram], n);
    }
  }
  std::int64_t matches = 0;
  for (const auto& [ngram, n] : count_bag(examples.hypotheses[i], order)) {
    matches += std::min(n, most[ngram]);
  }
  return matches;
}

void matches_equal_the_slow_ones() {
  constexpr std::size_t n = 200;
  constexpr std::size_t order = 6;
  std::mt19937 random(5);
  for (const std::uint32_t n_distinct : {1U, 2U, 4U, 1000U}) {
    const DrawnIds hypotheses(random, n, n_distinct);
    std::vector<std::int64_t> spans{0};
    for (std::size_t i = 0; i < n; ++i)
      spans.push_back(spans.back() + 1 + static_cast<int>(random() % 3));
    const DrawnIds references(random, static_cast<std::size_t>(spans.back()), n_distinct);
    const Referred<Ids> examples{hypotheses.view(), references.view(), spans};
    const auto counts = count_id_ngrams(examples, {order, 1});
    check(counts == count_id_ngrams(examples, {order, 3}));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < order; ++k) {
        check(counts[i * (2 + 2 * order) + 2 + k] == match_slowly(examples, i, k + 1));
      }
    }
  }
}

void many_words_stay_distinct() {
  std::vector<std::string> words{""};
  for (std::size_t i = 0; i < 100'000; ++i) {
    words.push_back(std::to_string(i));
    words.push_back(std::string(i % 20, '\0'));
    words.back() += std::to_string(i);
  }
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  WordNumbers numbers;
  numbers.clear(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) check(numbers.number(words[i]) == i);
  for (std::size_t i = 0; i < words.size(); ++i) check(numbers.find(words[i]) == i);
  check(numbers.find("none of these") == absent);
}

void the_first_failure_is_rethrown() {
  for (const unsigned threads : {0U, 1U, 4U}) {
    std::string message;
    try {
      for_each_example(1000, threads, nullptr, [] {
        return [](std::size_t i) {
          if (i >= 300) throw std::runtime_error(std::to_string(i));
        };
      });
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    check(message == "300");
  }
}

}  // namespace

void test_ngrams() {
  matches_equal_the_slow_ones();
  many_words_stay_distinct();
  the_first_failure_is_rethrown();
}

}  // namespace tallystick
