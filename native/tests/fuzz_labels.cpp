/// Random labels, scores, ranks and rows of bytes, counted by the kernels and their slow versions.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "fuzz.hpp"
#include "slow.hpp"

namespace tallystick {
namespace {

/// Mostly a few, and at times enough for what is done with many.
std::size_t draw_size(std::mt19937& random, std::size_t many) {
  const std::size_t few = random() % 2 == 0 ? 4 : 60;
  return random() % (random() % 16 == 0 ? many : few);
}

std::uint32_t draw_bound(std::mt19937& random) {
  return 1U + static_cast<std::uint32_t>(random()) % (random() % 4 == 0 ? 200U : 4U);
}

template <typename Code, typename Count>
void try_confusion(std::mt19937& random) {
  const std::size_t n = draw_size(random, 2000);
  const std::uint32_t n_labels = 1U + static_cast<std::uint32_t>(random()) % 5U;
  const std::uint32_t n_groups = 1U + static_cast<std::uint32_t>(random()) % 4U;
  const ConfusionShape shape{n_groups, n_labels};
  auto gold = draw_numbers<Code>(random, n, n_labels);
  const auto predicted = draw_numbers<Code>(random, n, n_labels);
  const auto groups = draw_numbers<Code>(random, random() % 2 == 0 ? n : 0, n_groups);
  const auto weights = draw_numbers<Count>(random, random() % 2 == 0 ? n : 0, 9);
  check_confusion<Code, Count>({gold, predicted, groups}, weights, shape);
  if (n == 0) return;
  gold[random() % n] = static_cast<Code>(n_labels + random() % 50U);
  const CodedExamples<Code> bad{gold, predicted, groups};
  check(refuses([&] { count_confusion<Code, Count>(bad, weights, shape); }));
}

/// A score of any finite bits; of few values, so that scores tie; or one at the end of a range.
double draw_score(std::mt19937& random) {
  using Limits = std::numeric_limits<float>;
  constexpr double ends[] = {0.0,           -0.0, Limits::max(), Limits::lowest(),
                             Limits::min(), 1.0,  0.5,           -Limits::denorm_min()};
  if (random() % 4 != 0) return static_cast<double>(random() % 7) / 4 - 0.5;
  if (random() % 2 == 0) return ends[random() % 8];
  const auto any = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
  return std::isfinite(any) ? any : 0.25;
}

template <typename Score>
std::vector<Score> draw_scores(std::mt19937& random, std::size_t n) {
  std::vector<Score> scores(n);
  for (Score& score : scores) score = static_cast<Score>(draw_score(random));
  return scores;
}

template <typename Score, typename Code, typename Weight>
void try_curve(std::mt19937& random) {
  const std::size_t n = draw_size(random, 700);
  const std::uint32_t n_cells = draw_bound(random);
  const auto scores = draw_scores<Score>(random, n);
  const auto cells = draw_numbers<Code>(random, n, n_cells);
  check_split(scores, cells, n_cells);
  const auto sorted = split_and_sort(scores, cells, n_cells);
  const auto weights = draw_numbers<Weight>(random, random() % 2 == 0 ? n : 0, 9);
  const WeightedRuns<Score, Weight> runs{sorted.scores, weights, sorted.offsets};
  const std::uint32_t n_columns = draw_bound(random) % 6U + 1U;
  check_merge(runs, draw_numbers<std::int64_t>(random, n_cells, n_columns), n_columns);
  auto sides = draw_numbers<std::int64_t>(random, n_cells, 3);
  for (std::int64_t& side : sides) --side;
  check_area(runs, sides);
}

void try_rows(std::mt19937& random) {
  const std::size_t n_rows = draw_size(random, 3000);
  const std::size_t width = random() % 20;
  const std::uint32_t n_values = random() % 2 == 0 ? 2 : 256;
  check_groups(draw_numbers<std::uint8_t>(random, n_rows * width, n_values), n_rows, width);
}

void try_keys(std::mt19937& random) {
  const std::uint32_t n_values = random() % 2 == 0 ? 2 : 256;
  const std::uint32_t longest = random() % 2 == 0 ? 2 : 20;
  const auto keys = draw_keys(random, draw_size(random, 700), n_values, longest);
  check_keys(keys, draw_keys(random, draw_size(random, 700), n_values, longest), random());
}

void try_concordance(std::mt19937& random) {
  const std::size_t n = draw_size(random, 400);
  const std::size_t n_resamples = random() % 20;
  const std::uint32_t n_ranks = draw_bound(random);
  auto left = draw_numbers<std::int64_t>(random, n, n_ranks);
  std::sort(left.begin(), left.end());
  auto right = draw_numbers<std::int64_t>(random, n, n_ranks);
  const auto weights = draw_numbers<double>(random, n * n_resamples, 9);
  const RankedCells cells{left, right, weights, n_resamples, n_ranks};
  check_concordance(cells);
  if (n == 0) return;
  right[random() % n] = random() % 2 == 0 ? static_cast<std::int64_t>(n_ranks) : -1;
  check(refuses([&] { count_concordance(cells); }));
}

}  // namespace

void try_labels(std::mt19937& random) {
  try_confusion<std::uint8_t, std::int64_t>(random);
  try_confusion<std::uint16_t, double>(random);
  try_confusion<std::uint32_t, std::int64_t>(random);
  try_curve<float, std::uint8_t, std::int64_t>(random);
  try_curve<float, std::uint32_t, double>(random);
  try_curve<double, std::uint16_t, std::int64_t>(random);
  try_curve<double, std::uint8_t, double>(random);
  try_rows(random);
  try_keys(random);
  try_concordance(random);
}

}  // namespace tallystick
