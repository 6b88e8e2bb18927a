/// Splits scores into runs, merges sorted runs into a curve, and ranks positives over negatives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tallystick {

/// A view of sorted runs; without weights each score weighs 1.
///
/// That scores ascend is not checked: where they do not, the sums are wrong but nothing breaks.
template <typename Score, typename Weight>
struct WeightedRuns {
  std::span<const Score> scores;
  std::span<const Weight> weights;
  std::span<const std::int64_t> offsets;
};

/// The distinct scores, ascending, and one row of summed weights for each.
template <typename Score, typename Weight>
struct MergedRuns {
  std::vector<Score> scores;
  std::vector<Weight> counts;
};

/// Makes a run of the scores of each cell, in the order they came; -0.0 becomes 0.0.
///
/// Fills parts, which is as long as scores and lies elsewhere, and returns the runs' n_cells + 1
/// offsets in it. Score is float or double; Code is uint8, uint16 or uint32. Throws on a score that
/// is not finite and on a cell that is not below n_cells. Sorting is left to the caller: NumPy does
/// it with the vector instructions of the processor at hand, which no code compiled once for all
/// can use.
template <typename Score, typename Code>
std::vector<std::int64_t> split_runs(std::span<const Score> scores, std::span<const Code> cells,
                                     std::size_t n_cells, std::span<Score> parts);

/// Merges R runs of n scores in O(n log R); run r is summed into column columns[r].
///
/// Score is float or double; Weight is int64 or double. Columns must lie in [0, n_columns).
template <typename Score, typename Weight>
MergedRuns<Score, Weight> merge_runs(const WeightedRuns<Score, Weight>& runs,
                                     std::span<const std::int64_t> columns, std::size_t n_columns);

/// The Mann-Whitney U: over all pairs of a positive and a negative, the product of their weights
/// where the positive scores higher, and half of it where they tie.
///
/// sides[r] is 1 for a run of positives, 0 for negatives, -1 to leave the run out. Exact for
/// whole weights while all sums stay below 2^52.
template <typename Score, typename Weight>
double rank_area(const WeightedRuns<Score, Weight>& runs, std::span<const std::int64_t> sides);

}  // namespace tallystick
