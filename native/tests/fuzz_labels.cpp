/// Random labels, scores, ranks and rows of bytes, counted by the kernels and their slow versions.
#include <algorithm>
#include <cstddef>
#include <cstdint>
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
  try_rows(random);
  try_keys(random);
  try_concordance(random);
}

}  // namespace tallystick
