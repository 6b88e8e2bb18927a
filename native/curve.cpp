#include "curve.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "checks.hpp"

namespace tallystick {
namespace {

template <typename Score>
using Key = std::conditional_t<sizeof(Score) == 4, std::uint32_t, std::uint64_t>;

/// An integer that orders as the scores do.
template <typename Score>
Key<Score> key_of(Score score) {
  constexpr unsigned sign_bit = 8 * sizeof(Score) - 1;
  const auto bits = std::bit_cast<Key<Score>>(score);
  // Negative floats descend as their bits ascend: turn all their bits round, else only the sign.
  const auto negative = static_cast<Key<Score>>(Key<Score>{0} - (bits >> sign_bit));
  return bits ^ (negative | (Key<Score>{1} << sign_bit));
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

/// The rest of a run: the positions that are still to be visited.
struct Head {
  std::size_t run;
  std::size_t position;
  std::size_t end;
};

/// The heads of all runs that are wanted and not empty.
template <typename Wanted>
std::vector<Head> collect_heads(std::span<const std::int64_t> offsets, Wanted wanted) {
  std::vector<Head> heads;
  for (std::size_t run = 0; run + 1 < offsets.size(); ++run) {
    const auto begin = static_cast<std::size_t>(offsets[run]);
    const auto end = static_cast<std::size_t>(offsets[run + 1]);
    if (begin < end && wanted(run)) heads.push_back({run, begin, end});
  }
  return heads;
}

/// A tree of losers (Knuth, 5.4.1): finds the head with the lowest score, one match a level.
template <typename Score>
class Tournament {
 public:
  Tournament(std::span<const Score> scores, std::span<const Head> heads)
      : n_(heads.size()), losers_(n_) {
    std::vector<Contender> winners(2 * n_ + 2, over());
    for (std::size_t i = 0; i < n_; ++i) winners[n_ + i] = enter(scores[heads[i].position], i);
    for (std::size_t node = n_; node-- > 1;) {
      winners[node] = winners[2 * node];
      losers_[node] = winners[2 * node + 1];
      play(winners[node], losers_[node]);
    }
    winner_ = winners[1];
  }

  /// Whether all runs are at their end.
  bool is_over() const { return winner_.head == over().head; }

  /// Whether the lowest score is this one.
  bool ties(Score score) const { return winner_.key == enter(score, 0).key; }

  /// The index of the head whose score is the lowest; the first one of those that tie, so that
  /// sums of floats have one order.
  std::size_t head() const { return winner_.head; }

  /// Puts the next score of its run in the winner's place, or nothing at the end of the run.
  void replace_winner(std::optional<Score> next) {
    const std::size_t leaf = n_ + winner_.head;
    winner_ = next ? enter(*next, winner_.head) : over();
    for (std::size_t node = leaf / 2; node > 0; node /= 2) play(winner_, losers_[node]);
  }

 private:
  struct Contender {
    Key<Score> key;
    std::size_t head;
  };

  static Contender enter(Score score, std::size_t head) {
    // Adding 0.0 turns -0.0 into 0.0: both are one score.
    return {key_of(score + Score{0}), head};
  }

  /// What has no score left loses even against infinity.
  static constexpr Contender over() {
    return {std::numeric_limits<Key<Score>>::max(), std::numeric_limits<std::size_t>::max()};
  }

  /// Swaps the two where the loser should have won. Nobody can guess who wins, so the processor
  /// is given nothing to guess: no operator here is a branch.
  static void play(Contender& winner, Contender& loser) {
    const bool wrong =
        (loser.key < winner.key) | ((loser.key == winner.key) & (loser.head < winner.head));
    swap_if(wrong, winner.key, loser.key);
    swap_if(wrong, winner.head, loser.head);
  }

  template <typename Whole>
  static void swap_if(bool wrong, Whole& left, Whole& right) {
    const auto change = static_cast<Whole>((left ^ right) & (Whole{0} - Whole{wrong}));
    left ^= change;
    right ^= change;
  }

  std::size_t n_;
  std::vector<Contender> losers_;
  Contender winner_;
};

/// Visits every stretch of equal scores in one run, in ascending order, as visit(rank, head, end),
/// where the rank counts distinct scores; returns how many there are.
template <typename Score, typename Visit>
std::size_t walk_runs(std::span<const Score> scores, std::vector<Head> heads, Visit visit) {
  Tournament<Score> tournament(scores, heads);
  std::size_t rank = 0;
  for (; !tournament.is_over(); ++rank) {
    const Score score = scores[heads[tournament.head()].position];
    do {
      Head& head = heads[tournament.head()];
      std::size_t end = head.position + 1;
      while (end < head.end && scores[end] == score) ++end;
      visit(rank, head, end);
      head.position = end;
      tournament.replace_winner(end < head.end ? std::optional(scores[end]) : std::nullopt);
    } while (!tournament.is_over() && tournament.ties(score));
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
std::vector<std::int64_t> split_runs(std::span<const Score> scores, std::span<const Code> cells,
                                     std::size_t n_cells, std::span<Score> parts) {
  std::vector<std::int64_t> offsets = measure_cells(scores, cells, n_cells);
  std::vector<std::int64_t> next(offsets.begin(), offsets.end());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    // Adding 0.0 turns -0.0 into 0.0 and leaves every other number as it is.
    parts[static_cast<std::size_t>(next[cells[i]]++)] = scores[i] + Score{0};
  }
  return offsets;
}

template <typename Score, typename Weight>
MergedRuns<Score, Weight> merge_runs(const WeightedRuns<Score, Weight>& runs,
                                     std::span<const std::int64_t> columns, std::size_t n_columns) {
  const auto heads = collect_heads(runs.offsets, [](std::size_t) { return true; });
  // A first walk counts the distinct scores, so that the arrays never need to grow.
  const std::size_t n_scores = walk_runs(runs.scores, heads, [](auto&&...) {});
  MergedRuns<Score, Weight> merged{std::vector<Score>(n_scores),
                                   std::vector<Weight>(multiply_sizes(n_scores, n_columns))};
  walk_runs(runs.scores, heads, [&](std::size_t rank, const Head& head, std::size_t end) {
    const auto column = static_cast<std::size_t>(columns[head.run]);
    merged.scores[rank] = runs.scores[head.position];
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
  auto heads = collect_heads(runs.offsets, [&](std::size_t run) { return sides[run] != -1; });
  walk_runs(runs.scores, std::move(heads),
            [&](std::size_t rank, const Head& head, std::size_t end) {
              if (rank != tied_rank) close_tie();
              tied_rank = rank;
              const auto side = static_cast<std::size_t>(sides[head.run]);
              tied[side] += static_cast<double>(weigh(runs.weights, head.position, end));
            });
  close_tie();
  return area;
}

template std::vector<std::int64_t> split_runs(std::span<const float>, std::span<const std::uint8_t>,
                                              std::size_t, std::span<float>);
template std::vector<std::int64_t> split_runs(std::span<const float>,
                                              std::span<const std::uint16_t>, std::size_t,
                                              std::span<float>);
template std::vector<std::int64_t> split_runs(std::span<const float>,
                                              std::span<const std::uint32_t>, std::size_t,
                                              std::span<float>);
template std::vector<std::int64_t> split_runs(std::span<const double>,
                                              std::span<const std::uint8_t>, std::size_t,
                                              std::span<double>);
template std::vector<std::int64_t> split_runs(std::span<const double>,
                                              std::span<const std::uint16_t>, std::size_t,
                                              std::span<double>);
template std::vector<std::int64_t> split_runs(std::span<const double>,
                                              std::span<const std::uint32_t>, std::size_t,
                                              std::span<double>);

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
