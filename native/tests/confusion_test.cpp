#include "confusion.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "check.hpp"

namespace tallystick {
namespace {

/// The obvious way: for every cell, look through all examples.
template <typename Code, typename Count>
std::vector<Count> count_slowly(const CodedExamples<Code>& examples, std::span<const Count> weights,
                                ConfusionShape shape) {
  std::vector<Count> counts;
  for (std::size_t group = 0; group < shape.groups; ++group) {
    for (std::size_t gold = 0; gold < shape.labels; ++gold) {
      for (std::size_t predicted = 0; predicted < shape.labels; ++predicted) {
        Count count{};
        for (std::size_t i = 0; i < examples.gold.size(); ++i) {
          const bool here = examples.gold[i] == gold && examples.predicted[i] == predicted &&
                            (examples.groups.empty() ? 0 : examples.groups[i]) == group;
          if (here) count += weights.empty() ? Count{1} : weights[i];
        }
        counts.push_back(count);
      }
    }
  }
  return counts;
}

template <typename Code, typename Count>
void counts_equal_the_slow_ones() {
  std::mt19937 random(1);
  for (const std::size_t n : {0U, 1U, 7U, 300U}) {
    const auto gold = draw_numbers<Code>(random, n, 4);
    const auto predicted = draw_numbers<Code>(random, n, 4);
    const auto groups = draw_numbers<Code>(random, n, 3);
    const auto weights = draw_numbers<Count>(random, n, 9);
    const CodedExamples<Code> grouped{gold, predicted, groups};
    const CodedExamples<Code> whole{gold, predicted, {}};
    const ConfusionShape shape{3, 4};
    check(count_slowly<Code, Count>(grouped, weights, shape) ==
          count_confusion<Code, Count>(grouped, weights, shape));
    check(count_slowly<Code, Count>(whole, {}, shape) ==
          count_confusion<Code, Count>(whole, {}, shape));
  }
}

void codes_out_of_range_are_refused() {
  const std::vector<std::uint8_t> low{0, 1};
  const std::vector<std::uint8_t> high{0, 2};
  const auto count = [](const CodedExamples<std::uint8_t>& examples, ConfusionShape shape) {
    return count_confusion<std::uint8_t, std::int64_t>(examples, {}, shape);
  };
  check(refuses([&] { count({high, low, low}, {2, 2}); }));
  check(refuses([&] { count({low, high, low}, {2, 2}); }));
  check(refuses([&] { count({low, low, high}, {2, 2}); }));
  check(refuses([&] { count({low, low, {}}, {0, 2}); }));
}

void sizes_that_wrap_around_are_refused() {
  const std::size_t half = std::numeric_limits<std::size_t>::max() / 2;
  check(refuses([&] { count_confusion<std::uint8_t, std::int64_t>({}, {}, {1, half}); }));
  check(refuses([&] { count_confusion<std::uint8_t, std::int64_t>({}, {}, {half, 2}); }));
}

}  // namespace

void test_confusion() {
  counts_equal_the_slow_ones<std::uint8_t, std::int64_t>();
  counts_equal_the_slow_ones<std::uint8_t, double>();
  counts_equal_the_slow_ones<std::uint16_t, std::int64_t>();
  counts_equal_the_slow_ones<std::uint16_t, double>();
  counts_equal_the_slow_ones<std::uint32_t, std::int64_t>();
  counts_equal_the_slow_ones<std::uint32_t, double>();
  codes_out_of_range_are_refused();
  sizes_that_wrap_around_are_refused();
}

}  // namespace tallystick
