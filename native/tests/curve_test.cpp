#include "curve.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "slow.hpp"

namespace tallystick {
namespace {

/// Scores of every size and sign; few steps make many ties.
template <typename Score>
std::vector<Score> draw_scores(std::mt19937& random, std::size_t n, std::uint32_t steps) {
  std::vector<Score> scores(n);
  for (Score& score : scores) {
    const auto magnitude = static_cast<Score>(random() % steps);
    score = std::ldexp(magnitude, static_cast<int>(random() % 5) - 2);
    if (random() % 2 == 0) score = -score;
  }
  return scores;
}

template <typename Score, typename Code>
void split_runs_equal_the_slow_ones() {
  std::mt19937 random(2);
  for (const std::size_t n : {0U, 1U, 60U, 3000U}) {
    for (const std::uint32_t n_cells : {1U, 3U, 200U}) {
      const auto cells = draw_numbers<Code>(random, n, n_cells);
      const auto scores = draw_scores<Score>(random, n, 1U << 10U);
      check_split(scores, cells, n_cells);
    }
  }
}

void negative_zero_becomes_zero() {
  for (const std::size_t n : {1U, 1000U}) {
    const std::vector<double> scores(n, -0.0);
    const std::vector<std::uint8_t> cells(n);
    for (const double score : split(scores, cells, 1).scores) {
      check(!std::signbit(score));
    }
  }
}

void bad_scores_and_cells_are_refused() {
  const std::vector<std::uint8_t> cells{0, 1};
  check(refuses([&] { split<float>({0.5F, std::numeric_limits<float>::quiet_NaN()}, cells, 2); }));
  check(refuses([&] { split<float>({-std::numeric_limits<float>::infinity(), 0.5F}, cells, 2); }));
  check(refuses([&] { split<float>({0.25F, 0.5F}, cells, 1); }));
}

/// Runs of random scores with a weight for each.
template <typename Score, typename Weight>
struct DrawnRuns {
  Runs<Score> sorted;
  std::vector<Weight> weights;

  DrawnRuns(std::mt19937& random, std::size_t n, std::uint32_t n_runs)
      : sorted(split_and_sort(draw_scores<Score>(random, n, 20),
                              draw_numbers<std::uint8_t>(random, n, n_runs), n_runs)),
        weights(draw_numbers<Weight>(random, n, 9)) {}

  WeightedRuns<Score, Weight> weighted() const { return {sorted.scores, weights, sorted.offsets}; }
  WeightedRuns<Score, Weight> unweighted() const { return {sorted.scores, {}, sorted.offsets}; }
};

template <typename Score, typename Weight>
void merges_and_areas_equal_the_slow_ones() {
  std::mt19937 random(3);
  for (const std::size_t n : {0U, 1U, 40U, 300U}) {
    for (const std::uint32_t n_runs : {1U, 2U, 9U}) {
      const DrawnRuns<Score, Weight> drawn(random, n, n_runs);
      const auto columns = draw_numbers<std::int64_t>(random, n_runs, 3);
      check_merge(drawn.weighted(), columns, 3);
      check_merge(drawn.unweighted(), columns, 3);
      auto sides = draw_numbers<std::int64_t>(random, n_runs, 3);
      for (std::int64_t& side : sides) --side;
      check_area(drawn.weighted(), sides);
      check_area(drawn.unweighted(), sides);
    }
  }
}

void no_runs_merge_to_nothing() {
  const std::vector<std::int64_t> offsets{0};
  const WeightedRuns<double, double> runs{{}, {}, offsets};
  check(merge_runs(runs, {}, 2).scores.empty());
  check(merge_runs(runs, {}, 2).counts.empty());
  check(rank_area(runs, {}) == 0);
}

void unsorted_runs_break_nothing() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> scores{3, nan, 1, nan, nan, 2};
  const std::vector<std::int64_t> offsets{0, 3, 6};
  const std::vector<std::int64_t> columns{0, 1};
  const WeightedRuns<double, std::int64_t> runs{scores, {}, offsets};
  const auto counts = merge_runs(runs, columns, 2).counts;
  std::int64_t total = 0;
  for (const std::int64_t count : counts) total += count;
  check(total == 6);
  check(std::isfinite(rank_area(runs, columns)));
}

template <typename Score>
void test_scores() {
  split_runs_equal_the_slow_ones<Score, std::uint8_t>();
  split_runs_equal_the_slow_ones<Score, std::uint16_t>();
  split_runs_equal_the_slow_ones<Score, std::uint32_t>();
  merges_and_areas_equal_the_slow_ones<Score, std::int64_t>();
  merges_and_areas_equal_the_slow_ones<Score, double>();
}

}  // namespace

void test_curve() {
  test_scores<float>();
  test_scores<double>();
  negative_zero_becomes_zero();
  bad_scores_and_cells_are_refused();
  no_runs_merge_to_nothing();
  unsorted_runs_break_nothing();
}

}  // namespace tallystick
