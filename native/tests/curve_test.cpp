#include "curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "check.hpp"

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
SortedRuns<Score> sort_slowly(const std::vector<Score>& scores, const std::vector<Code>& cells,
                              std::size_t n_cells) {
  SortedRuns<Score> runs{{}, {0}};
  for (std::size_t cell = 0; cell < n_cells; ++cell) {
    std::vector<Score> part;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (cells[i] == cell) part.push_back(scores[i]);
    }
    std::ranges::sort(part);
    runs.scores.insert(runs.scores.end(), part.begin(), part.end());
    runs.offsets.push_back(static_cast<std::int64_t>(runs.scores.size()));
  }
  return runs;
}

template <typename Score, typename Code>
void check_sort(const std::vector<Score>& scores, const std::vector<Code>& cells,
                std::size_t n_cells) {
  const auto expected = sort_slowly(scores, cells, n_cells);
  const auto actual = sort_runs<Score, Code>(scores, cells, n_cells);
  check(expected.scores == actual.scores);
  check(expected.offsets == actual.offsets);
}

template <typename Score, typename Code>
void sorted_runs_equal_the_slow_ones() {
  std::mt19937 random(2);
  for (const std::size_t n : {0U, 1U, 60U, 511U, 512U, 3000U}) {
    // The more steps, the more digits differ and the more passes the sort makes; where signs
    // differ, all digits do.
    for (const std::uint32_t steps : {1U, 2U, 9U, 1U << 10U, 1U << 20U}) {
      for (const std::uint32_t n_cells : {1U, 3U, 200U}) {
        const auto cells = draw_numbers<Code>(random, n, n_cells);
        check_sort(draw_scores<Score>(random, n, steps), cells, n_cells);
        check_sort(draw_numbers<Score>(random, n, steps), cells, n_cells);
      }
    }
  }
}

template <typename Score>
void extreme_scores_are_sorted() {
  using Limits = std::numeric_limits<Score>;
  const std::vector<Score> ends{
      Limits::lowest(), Limits::max(), Limits::denorm_min(), -Limits::denorm_min(), Limits::min(),
      Score{0},         Score{-1}};
  std::vector<Score> scores;
  for (int repeat = 0; repeat < 100; ++repeat) {
    scores.insert(scores.end(), ends.begin(), ends.end());
  }
  const std::vector<std::uint8_t> cells(scores.size());
  check_sort(scores, cells, 1);
}

void negative_zero_becomes_zero() {
  for (const std::size_t n : {1U, 1000U}) {
    const std::vector<double> scores(n, -0.0);
    const std::vector<std::uint8_t> cells(n);
    for (const double score : sort_runs<double, std::uint8_t>(scores, cells, 1).scores) {
      check(!std::signbit(score));
    }
  }
}

void bad_scores_and_cells_are_refused() {
  const std::vector<std::uint8_t> cells{0, 1};
  const auto sort = [&](std::vector<float> scores, std::size_t n_cells) {
    return sort_runs<float, std::uint8_t>(scores, cells, n_cells);
  };
  check(refuses([&] { sort({0.5F, std::numeric_limits<float>::quiet_NaN()}, 2); }));
  check(refuses([&] { sort({-std::numeric_limits<float>::infinity(), 0.5F}, 2); }));
  check(refuses([&] { sort({0.25F, 0.5F}, 1); }));
}

/// Runs of random scores with a weight for each.
template <typename Score, typename Weight>
struct DrawnRuns {
  SortedRuns<Score> sorted;
  std::vector<Weight> weights;

  DrawnRuns(std::mt19937& random, std::size_t n, std::uint32_t n_runs)
      : sorted(sort_runs<Score, std::uint8_t>(draw_scores<Score>(random, n, 20),
                                              draw_numbers<std::uint8_t>(random, n, n_runs),
                                              n_runs)),
        weights(draw_numbers<Weight>(random, n, 9)) {}

  WeightedRuns<Score, Weight> weighted() const { return {sorted.scores, weights, sorted.offsets}; }
  WeightedRuns<Score, Weight> unweighted() const { return {sorted.scores, {}, sorted.offsets}; }
};

/// Calls visit(run, score, weight) for every score, run by run.
template <typename Score, typename Weight, typename Visit>
void visit_scores(const WeightedRuns<Score, Weight>& runs, Visit visit) {
  for (std::size_t run = 0; run + 1 < runs.offsets.size(); ++run) {
    for (auto i = static_cast<std::size_t>(runs.offsets[run]);
         std::cmp_less(i, runs.offsets[run + 1]); ++i) {
      visit(run, runs.scores[i], runs.weights.empty() ? Weight{1} : runs.weights[i]);
    }
  }
}

template <typename Score, typename Weight>
void check_merge(const WeightedRuns<Score, Weight>& runs, const std::vector<std::int64_t>& columns,
                 std::size_t n_columns) {
  std::map<Score, std::vector<Weight>> rows;
  visit_scores(runs, [&](std::size_t run, Score score, Weight weight) {
    auto& row = rows.try_emplace(score, n_columns).first->second;
    row[static_cast<std::size_t>(columns[run])] += weight;
  });
  MergedRuns<Score, Weight> expected;
  for (const auto& [score, row] : rows) {
    expected.scores.push_back(score);
    expected.counts.insert(expected.counts.end(), row.begin(), row.end());
  }
  const auto actual = merge_runs(runs, columns, n_columns);
  check(expected.scores == actual.scores);
  check(expected.counts == actual.counts);
}

template <typename Score, typename Weight>
void check_area(const WeightedRuns<Score, Weight>& runs, const std::vector<std::int64_t>& sides) {
  double expected = 0;
  visit_scores(runs, [&](std::size_t run, Score positive, Weight weight) {
    if (sides[run] != 1) return;
    visit_scores(runs, [&](std::size_t other, Score negative, Weight other_weight) {
      if (sides[other] != 0 || negative > positive) return;
      const double won = negative == positive ? 0.5 : 1.0;
      expected += won * static_cast<double>(weight) * static_cast<double>(other_weight);
    });
  });
  check(expected == rank_area(runs, sides));
}

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
  sorted_runs_equal_the_slow_ones<Score, std::uint8_t>();
  sorted_runs_equal_the_slow_ones<Score, std::uint16_t>();
  sorted_runs_equal_the_slow_ones<Score, std::uint32_t>();
  extreme_scores_are_sorted<Score>();
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
