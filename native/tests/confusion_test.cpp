#include "confusion.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"
#include "slow.hpp"

namespace tallystick {
namespace {

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
    check_confusion<Code, Count>(grouped, weights, shape);
    check_confusion<Code, Count>(whole, {}, shape);
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
