/// Slow and obvious versions of the kernels for labels, with which the fast ones must agree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "check.hpp"
#include "concordance.hpp"
#include "confusion.hpp"
#include "curve.hpp"
#include "keys.hpp"
#include "rows.hpp"

namespace tallystick {

/// For every cell, look through all examples.
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
void check_confusion(const CodedExamples<Code>& examples, std::span<const Count> weights,
                     ConfusionShape shape) {
  check(count_slowly<Code, Count>(examples, weights, shape) ==
        count_confusion<Code, Count>(examples, weights, shape));
}

/// Scores one run after the other; run r is scores[offsets[r]] up to scores[offsets[r + 1]].
template <typename Score>
struct Runs {
  std::vector<Score> scores;
  std::vector<std::int64_t> offsets;
};

template <typename Score, typename Code>
Runs<Score> split(const std::vector<Score>& scores, const std::vector<Code>& cells,
                  std::size_t n_cells) {
  Runs<Score> runs{std::vector<Score>(scores.size()), {}};
  runs.offsets = split_runs<Score, Code>(scores, cells, n_cells, runs.scores);
  return runs;
}

/// What the kernel splits, with every run sorted, as the caller of the kernel does it.
template <typename Score, typename Code>
Runs<Score> split_and_sort(const std::vector<Score>& scores, const std::vector<Code>& cells,
                           std::size_t n_cells) {
  Runs<Score> runs = split(scores, cells, n_cells);
  for (std::size_t run = 0; run < n_cells; ++run) {
    std::sort(runs.scores.begin() + runs.offsets[run], runs.scores.begin() + runs.offsets[run + 1]);
  }
  return runs;
}

template <typename Score, typename Code>
void check_split(const std::vector<Score>& scores, const std::vector<Code>& cells,
                 std::size_t n_cells) {
  Runs<Score> expected{{}, {0}};
  for (std::size_t cell = 0; cell < n_cells; ++cell) {
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (cells[i] == cell) expected.scores.push_back(scores[i]);
    }
    expected.offsets.push_back(static_cast<std::int64_t>(expected.scores.size()));
  }
  const auto actual = split(scores, cells, n_cells);
  check(expected.scores == actual.scores);
  check(expected.offsets == actual.offsets);
}

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

inline void check_groups(const std::vector<std::uint8_t>& bytes, std::size_t n_rows,
                         std::size_t width) {
  std::map<std::vector<std::uint8_t>, std::int64_t> numbers;
  GroupedRows expected;
  for (std::size_t i = 0; i < n_rows; ++i) {
    std::vector<std::uint8_t> row;
    for (std::size_t j = 0; j < width; ++j) row.push_back(bytes[i * width + j]);
    const auto next = static_cast<std::int64_t>(numbers.size());
    const auto [place, is_new] = numbers.try_emplace(row, next);
    if (is_new) expected.first.push_back(static_cast<std::int64_t>(i));
    expected.inverse.push_back(place->second);
  }
  const GroupedRows actual = group_rows({bytes, n_rows, width});
  check(expected.first == actual.first);
  check(expected.inverse == actual.inverse);
}

inline void check_concordance(const RankedCells& cells) {
  const std::size_t wide = cells.n_resamples;
  std::vector<double> expected(cells.weights.size());
  for (std::size_t i = 0; i < cells.left.size(); ++i) {
    for (std::size_t j = 0; j < cells.left.size(); ++j) {
      if (cells.left[j] >= cells.left[i] || cells.right[j] == cells.right[i]) continue;
      const double sign = cells.right[j] < cells.right[i] ? 1 : -1;
      for (std::size_t own = 0; own < wide; ++own) {
        expected[i * wide + own] += sign * cells.weights[j * wide + own];
      }
    }
  }
  check(expected == count_concordance(cells));
}

/// Texts one after the other, which own their bytes.
struct Keys {
  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> offsets;

  Texts view() const { return {bytes, offsets}; }
};

/// n keys of at most `longest` bytes, each one of n_values.
inline Keys draw_keys(std::mt19937& random, std::size_t n, std::uint32_t n_values,
                      std::uint32_t longest) {
  Keys keys{{}, {0}};
  for (std::size_t i = 0; i < n; ++i) {
    const auto key = draw_numbers<std::uint8_t>(random, random() % (longest + 1), n_values);
    keys.bytes.insert(keys.bytes.end(), key.begin(), key.end());
    keys.offsets.push_back(static_cast<std::int64_t>(keys.bytes.size()));
  }
  return keys;
}

/// Looks for every sought key from the first one on, and for equal hashes of equal keys.
inline void check_keys(const Keys& keys, const Keys& sought, std::uint64_t seed) {
  const Texts texts = keys.view();
  const Texts asked = sought.view();
  const auto places = find_texts(texts, asked, seed);
  const auto hashes = hash_texts(texts);
  const auto asked_hashes = hash_texts(asked);
  check(places.size() == asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    std::size_t place = 0;
    while (place < texts.size() && texts[place] != asked[i]) ++place;
    const bool known = place < texts.size();
    check(places[i] == (known ? static_cast<std::int64_t>(place) : -1));
    check(!known || hashes[place] == asked_hashes[i]);
  }
}

}  // namespace tallystick
