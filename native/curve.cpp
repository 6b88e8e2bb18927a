#include "curve.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "checks.hpp"

namespace tallystick {
namespace {

constexpr unsigned digit_bits = 8;
constexpr std::size_t n_digits = std::size_t{1} << digit_bits;
/// Below this size, comparing is faster than clearing and summing the histograms.
constexpr std::size_t smallest_radix_sort = 512;

using Histogram = std::array<std::size_t, n_digits>;

/// The digit of a score, least significant first, in an integer that orders as the scores do.
template <typename Score>
std::size_t digit_at(Score score, std::size_t place) {
  using Key = std::conditional_t<sizeof(Score) == 4, std::uint32_t, std::uint64_t>;
  constexpr unsigned sign_bit = 8 * sizeof(Key) - 1;
  const Key bits = std::bit_cast<Key>(score);
  // Negative floats descend as their bits ascend: turn all their bits round, else only the sign.
  const Key negative = static_cast<Key>(Key{0} - (bits >> sign_bit));
  const Key key = bits ^ (negative | (Key{1} << sign_bit));
  return static_cast<std::size_t>(key >> (place * digit_bits)) % n_digits;
}

/// How often each digit stands at each place: one reading of the scores serves all passes.
template <typename Score>
std::array<Histogram, sizeof(Score)> count_digits(std::span<const Score> scores) {
  std::array<Histogram, sizeof(Score)> histograms{};
  for (const Score score : scores) {
    for (std::size_t place = 0; place < sizeof(Score); ++place) {
      ++histograms[place][digit_at(score, place)];
    }
  }
  return histograms;
}

/// Sorts by the least significant digit first; a place where all digits agree costs nothing.
template <typename Score>
void radix_sort(std::span<Score> scores, std::span<Score> scratch) {
  std::array<Histogram, sizeof(Score)> histograms = count_digits<Score>(scores);
  std::span<Score> from = scores;
  std::span<Score> to = scratch.first(scores.size());
  for (std::size_t place = 0; place < sizeof(Score); ++place) {
    Histogram& starts = histograms[place];
    if (starts[digit_at(from.front(), place)] == from.size()) continue;
    std::exclusive_scan(starts.begin(), starts.end(), starts.begin(), std::size_t{0});
    for (const Score score : from) to[starts[digit_at(score, place)]++] = score;
    std::swap(from, to);
  }
  if (from.data() != scores.data()) std::ranges::copy(from, scores.begin());
}

template <typename Score, typename Code>
std::vector<std::int64_t> measure_cells(std::span<const Score> scores, std::span<const Code> cells,
                                        std::size_t n_cells) {
  std::vector<std::int64_t> offsets(n_cells + 1);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    check_code("cells", i, cells[i], n_cells);
    if (!std::isfinite(scores[i])) {
      throw std::invalid_argument("scores[" + std::to_string(i) + "] is " +
                                  std::to_string(scores[i]) + ": expected a finite number.");
    }
    ++offsets[cells[i] + std::size_t{1}];
  }
  std::inclusive_scan(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

template <typename Score, typename Code>
std::vector<Score> partition_scores(std::span<const Score> scores, std::span<const Code> cells,
                                    std::span<const std::int64_t> offsets) {
  std::vector<std::int64_t> next(offsets.begin(), offsets.end());
  std::vector<Score> parts(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    // Adding 0.0 turns -0.0 into 0.0 and leaves every other number as it is.
    parts[static_cast<std::size_t>(next[cells[i]]++)] = scores[i] + Score{0};
  }
  return parts;
}

/// Sorts each part on its own; the scratch memory serves one part after the other.
template <typename Score>
void sort_parts(std::span<Score> scores, std::span<const std::int64_t> offsets) {
  std::vector<Score> scratch;
  for (std::size_t cell = 0; cell + 1 < offsets.size(); ++cell) {
    const auto begin = static_cast<std::size_t>(offsets[cell]);
    const auto part = scores.subspan(begin, static_cast<std::size_t>(offsets[cell + 1]) - begin);
    if (part.size() < smallest_radix_sort) {
      std::ranges::sort(part);
    } else {
      if (scratch.size() < part.size()) scratch = std::vector<Score>(part.size());
      radix_sort<Score>(part, scratch);
    }
  }
}

/// The rest of a run: its next score, and the positions that are still to be visited.
template <typename Score>
struct Head {
  Score score;
  std::size_t run;
  std::size_t position;
  std::size_t end;

  /// Ties go by run, so that sums of floats have one order.
  bool precedes(const Head& other) const {
    return score != other.score ? score < other.score : run < other.run;
  }
};

/// Moves heads[root] down until it precedes its children, which already are heaps.
template <typename Score>
void sift_down(std::span<Head<Score>> heads, std::size_t root) {
  const Head<Score> sinking = heads[root];
  for (std::size_t child = 2 * root + 1; child < heads.size(); child = 2 * root + 1) {
    if (child + 1 < heads.size() && heads[child + 1].precedes(heads[child])) ++child;
    if (!heads[child].precedes(sinking)) break;
    heads[root] = heads[child];
    root = child;
  }
  heads[root] = sinking;
}

/// A heap of the heads of all runs that are wanted and not empty.
template <typename Score, typename Wanted>
std::vector<Head<Score>> collect_heads(std::span<const Score> scores,
                                       std::span<const std::int64_t> offsets, Wanted wanted) {
  std::vector<Head<Score>> heads;
  for (std::size_t run = 0; run + 1 < offsets.size(); ++run) {
    const auto begin = static_cast<std::size_t>(offsets[run]);
    const auto end = static_cast<std::size_t>(offsets[run + 1]);
    if (begin < end && wanted(run)) heads.push_back({scores[begin], run, begin, end});
  }
  for (std::size_t root = heads.size() / 2; root-- > 0;) sift_down<Score>(heads, root);
  return heads;
}

/// Moves the first head on to a position, and drops it at the end of its run.
template <typename Score>
void advance_first(std::span<const Score> scores, std::vector<Head<Score>>& heads,
                   std::size_t position) {
  Head<Score>& first = heads.front();
  if (position < first.end) {
    first.score = scores[position];
    first.position = position;
  } else {
    first = heads.back();
    heads.pop_back();
  }
  if (!heads.empty()) sift_down<Score>(heads, 0);
}

/// Visits every stretch of equal scores in one run, in ascending order, as visit(rank, head, end),
/// where the rank counts distinct scores; returns how many there are.
template <typename Score, typename Visit>
std::size_t walk_runs(std::span<const Score> scores, std::vector<Head<Score>> heads, Visit visit) {
  std::size_t rank = 0;
  for (; !heads.empty(); ++rank) {
    const Score score = heads.front().score;
    do {
      const Head<Score>& head = heads.front();
      std::size_t end = head.position + 1;
      while (end < head.end && scores[end] == score) ++end;
      visit(rank, head, end);
      advance_first(scores, heads, end);
    } while (!heads.empty() && heads.front().score == score);
  }
  return rank;
}

/// The summed weight of a stretch of positions.
template <typename Weight>
Weight weigh(std::span<const Weight> weights, std::size_t begin, std::size_t end) {
  if (weights.empty()) return static_cast<Weight>(end - begin);
  const auto stretch = weights.subspan(begin, end - begin);
  return std::accumulate(stretch.begin(), stretch.end(), Weight{0});
}

}  // namespace

template <typename Score, typename Code>
SortedRuns<Score> sort_runs(std::span<const Score> scores, std::span<const Code> cells,
                            std::size_t n_cells) {
  std::vector<std::int64_t> offsets = measure_cells(scores, cells, n_cells);
  std::vector<Score> parts = partition_scores<Score, Code>(scores, cells, offsets);
  sort_parts<Score>(parts, offsets);
  return {std::move(parts), std::move(offsets)};
}

template <typename Score, typename Weight>
MergedRuns<Score, Weight> merge_runs(const WeightedRuns<Score, Weight>& runs,
                                     std::span<const std::int64_t> columns, std::size_t n_columns) {
  const auto heads = collect_heads(runs.scores, runs.offsets, [](std::size_t) { return true; });
  // A first walk counts the distinct scores, so that the arrays never need to grow.
  const std::size_t n_scores = walk_runs(runs.scores, heads, [](auto&&...) {});
  MergedRuns<Score, Weight> merged{std::vector<Score>(n_scores),
                                   std::vector<Weight>(multiply_sizes(n_scores, n_columns))};
  walk_runs(runs.scores, heads, [&](std::size_t rank, const Head<Score>& head, std::size_t end) {
    const auto column = static_cast<std::size_t>(columns[head.run]);
    merged.scores[rank] = head.score;
    merged.counts[rank * n_columns + column] += weigh(runs.weights, head.position, end);
  });
  return merged;
}

template <typename Score, typename Weight>
double rank_area(const WeightedRuns<Score, Weight>& runs, std::span<const std::int64_t> sides) {
  double area = 0;
  double negatives_below = 0;
  std::array<double, 2> tied{};
  std::size_t tied_rank = 0;
  const auto close_tie = [&] {
    area += tied[1] * (negatives_below + tied[0] / 2);
    negatives_below += tied[0];
    tied = {};
  };
  auto heads =
      collect_heads(runs.scores, runs.offsets, [&](std::size_t run) { return sides[run] != -1; });
  walk_runs(runs.scores, std::move(heads),
            [&](std::size_t rank, const Head<Score>& head, std::size_t end) {
              if (rank != tied_rank) close_tie();
              tied_rank = rank;
              const auto side = static_cast<std::size_t>(sides[head.run]);
              tied[side] += static_cast<double>(weigh(runs.weights, head.position, end));
            });
  close_tie();
  return area;
}

template SortedRuns<float> sort_runs(std::span<const float>, std::span<const std::uint8_t>,
                                     std::size_t);
template SortedRuns<float> sort_runs(std::span<const float>, std::span<const std::uint16_t>,
                                     std::size_t);
template SortedRuns<float> sort_runs(std::span<const float>, std::span<const std::uint32_t>,
                                     std::size_t);
template SortedRuns<double> sort_runs(std::span<const double>, std::span<const std::uint8_t>,
                                      std::size_t);
template SortedRuns<double> sort_runs(std::span<const double>, std::span<const std::uint16_t>,
                                      std::size_t);
template SortedRuns<double> sort_runs(std::span<const double>, std::span<const std::uint32_t>,
                                      std::size_t);

template MergedRuns<float, std::int64_t> merge_runs(const WeightedRuns<float, std::int64_t>&,
                                                    std::span<const std::int64_t>, std::size_t);
template MergedRuns<float, double> merge_runs(const WeightedRuns<float, double>&,
                                              std::span<const std::int64_t>, std::size_t);
template MergedRuns<double, std::int64_t> merge_runs(const WeightedRuns<double, std::int64_t>&,
                                                     std::span<const std::int64_t>, std::size_t);
template MergedRuns<double, double> merge_runs(const WeightedRuns<double, double>&,
                                               std::span<const std::int64_t>, std::size_t);

template double rank_area(const WeightedRuns<float, std::int64_t>&, std::span<const std::int64_t>);
template double rank_area(const WeightedRuns<float, double>&, std::span<const std::int64_t>);
template double rank_area(const WeightedRuns<double, std::int64_t>&, std::span<const std::int64_t>);
template double rank_area(const WeightedRuns<double, double>&, std::span<const std::int64_t>);

}  // namespace tallystick
