#include "weighted_lcs.hpp"

#include <algorithm>
#include <cmath>

namespace tallystick {
namespace {

std::size_t count_words(std::size_t n) { return (n + 63) / 64; }

}  // namespace

void WeightedSubsequence::weigh(double power, std::size_t longest) {
  if (power != power_) weights_.clear();
  power_ = power;
  for (std::size_t k = weights_.size(); k <= longest; ++k) {
    weights_.push_back(std::pow(static_cast<double>(k), power));
  }
}

double WeightedSubsequence::measure(std::span<const Number> reference,
                                    std::span<const Number> hypothesis) {
  row_.assign(hypothesis.size() + 1, {});
  fill(reference, hypothesis, false);
  return row_.back().value;
}

void WeightedSubsequence::mark(std::span<const Number> reference,
                               std::span<const Number> hypothesis, Marks& marks) {
  const std::size_t width = hypothesis.size() + 1;
  const std::size_t height = std::max<std::size_t>(most_cells_ / width, 1);
  row_.assign(width, {});
  kept_.clear();
  std::size_t first = 0;
  for (; first + height < reference.size(); first += height) {
    kept_.insert(kept_.end(), row_.begin(), row_.end());
    fill(reference.subspan(first, height), hypothesis, false);
  }
  std::size_t i = reference.size();
  std::size_t j = hypothesis.size();
  while (i > 0 && j > 0) {
    fill(reference.subspan(first, i - first), hypothesis, true);
    while (i > first && j > 0) {
      const std::size_t row = (i - 1 - first) * count_words(hypothesis.size());
      if (reference[i - 1] == hypothesis[j - 1]) {
        marks.set(--i);
        --j;
      } else if ((drops_[row + (j - 1) / 64] >> ((j - 1) % 64) & 1U) != 0) {
        --i;
      } else {
        --j;
      }
    }
    if (first == 0) break;
    first -= height;
    row_.assign(kept_.end() - static_cast<std::ptrdiff_t>(width), kept_.end());
    kept_.resize(kept_.size() - width);
  }
}

/// Fills the rows below the last one.
void WeightedSubsequence::fill(std::span<const Number> reference,
                               std::span<const Number> hypothesis, bool recorded) {
  const std::size_t n_words = count_words(hypothesis.size());
  if (recorded) drops_.assign(reference.size() * n_words, 0);
  for (std::size_t i = 0; i < reference.size(); ++i) {
    watch_.spend(hypothesis.size());
    Cell diagonal;
    double left = 0;
    for (std::size_t j = 0; j < hypothesis.size(); ++j) {
      Cell& cell = row_[j + 1];
      const Cell above = cell;
      if (reference[i] == hypothesis[j]) {
        // The order of these operations decides which of two sums is the greater.
        cell.value = diagonal.value + weights_[diagonal.run + 1] - weights_[diagonal.run];
        cell.run = diagonal.run + 1;
      } else {
        if (recorded && above.value >= left) {
          drops_[i * n_words + j / 64] |= std::uint64_t{1} << (j % 64);
        }
        cell = {std::max(above.value, left), 0};
      }
      diagonal = above;
      left = cell.value;
    }
  }
}

}  // namespace tallystick
