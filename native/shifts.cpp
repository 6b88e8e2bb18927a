#include "shifts.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace tallystick {
namespace {

constexpr std::size_t longest_shift = 10;
constexpr std::size_t farthest_shift = 50;
constexpr std::size_t most_tried = 1000;

/// More than any cost, and far from overflow.
constexpr BeamMatrix::Cost unreached_cost = 1 << 29;

/// How far from the diagonal a row is filled; far enough that rows overlap, however steep it is.
double choose_beam(double slope) {
  constexpr double usual = 25;
  return slope / 2 > usual ? std::ceil(slope / 2 + usual) : usual;
}

}  // namespace

void BeamMatrix::lay_out(std::size_t n, std::span<const Number> reference) {
  const std::size_t m = reference.size();
  reference_.assign(1, absent);
  reference_.insert(reference_.end(), reference.begin(), reference.end());
  const double slope = static_cast<double>(m) / static_cast<double>(n);
  const double beam = choose_beam(slope);
  lows_.assign(n + 1, 0);
  highs_.assign(n + 1, m + 1);
  stride_ = 0;
  for (std::size_t i = 1; i <= n; ++i) {
    const double middle = std::floor(static_cast<double>(i) * slope);
    lows_[i] = static_cast<std::size_t>(std::max(middle - beam, 0.0));
    if (i < n) highs_[i] = std::min(m + 1, static_cast<std::size_t>(middle + beam));
    stride_ = std::max(stride_, highs_[i] - lows_[i - 1] + 1);
  }
  highs_[0] = highs_[1];
  if (cells_.size() < (n + 1) * stride_) cells_.resize((n + 1) * stride_);
  if (changed_rows_.size() < 2 * stride_) changed_rows_.resize(2 * stride_);
  cells_[0] = unreached_cost;
  for (std::size_t j = 0; j < highs_[0]; ++j) cells_[j + 1] = static_cast<Cost>(j);
}

BeamMatrix::Cost BeamMatrix::fill(std::span<const Number> hypothesis, std::size_t n_known) {
  for (std::size_t i = n_known + 1; i <= size(); ++i) {
    fill_row(i, hypothesis[i - 1], row(i - 1), row(i));
  }
  return cell(size(), reference_.size() - 1);
}

BeamMatrix::Cost BeamMatrix::measure(std::span<const Number> changed, std::size_t first,
                                     std::size_t last) {
  const Cost* above = row(first);
  for (std::size_t i = first + 1; i <= size(); ++i) {
    Cost* const next = &changed_rows_[i % 2 * stride_];
    fill_row(i, changed[i - 1], above, next);
    above = next;
    if (i < last) continue;
    // Where rows differ by a constant and the words after them are the same, so do all later ones.
    const Cost* const filled = row(i);
    const Cost gain = filled[1] - next[1];
    std::size_t k = 1;
    while (k <= width(i) && filled[k] - next[k] == gain) ++k;
    if (k > width(i)) return cell(size(), reference_.size() - 1) - gain;
  }
  return above[reference_.size() - lows_[size()]];
}

/// `above` and `row` begin one column before their low one.
void BeamMatrix::fill_row(std::size_t i, Number word, const Cost* above, Cost* row) const {
  above += lows_[i] - lows_[i - 1];
  const Number* const words = &reference_[lows_[i]];
  const std::size_t n = width(i);
  Cost left = unreached_cost;
  row[0] = left;
  for (std::size_t k = 0; k < n; ++k) {
    const Cost paired = above[k] + (words[k] == word ? 0 : 1);
    left = std::min({paired, above[k + 1] + 1, left + 1});
    row[k + 1] = left;
  }
  std::fill(row + n + 1, row + stride_, unreached_cost);
}

void BeamMatrix::align(std::span<const Number> hypothesis, Alignment& alignment) const {
  std::size_t i = size();
  std::size_t j = reference_.size() - 1;
  alignment.reached.resize(j);
  alignment.reference_errors.assign(j, 1);
  alignment.hypothesis_errors.assign(i, 1);
  while (i > 0 || j > 0) {
    const bool equal = i > 0 && j > 0 && hypothesis[i - 1] == reference_[j];
    const Cost cost = i > 0 ? cell(i, j) : 0;
    const bool paired = i > 0 && j > 0 && cell(i - 1, j - 1) + (equal ? 0 : 1) == cost;
    const bool dropped = !paired && i > 0 && (j == 0 || cell(i - 1, j) + 1 == cost);
    if (paired && equal) alignment.reference_errors[j - 1] = alignment.hypothesis_errors[i - 1] = 0;
    if (!dropped) alignment.reached[--j] = i;
    if (paired || dropped) --i;
  }
}

bool ShiftSearch::Best::beats(const Best& other) const {
  // More gain, then more words, then the earlier start, then the earlier target.
  return std::tie(gain, shift.length, other.shift.start, other.shift.target) >
         std::tie(other.gain, other.shift.length, shift.start, shift.target);
}

std::int64_t ShiftSearch::count_edits(std::span<const Number> hypothesis,
                                      std::span<const Number> reference) {
  if (hypothesis.empty() || reference.empty()) {
    return static_cast<std::int64_t>(hypothesis.size() + reference.size());
  }
  hypothesis_.assign(hypothesis.begin(), hypothesis.end());
  reference_ = reference;
  matrix_.lay_out(hypothesis.size(), reference);
  cost_ = matrix_.fill(hypothesis_, 0);
  n_tried_ = 0;
  for (std::int64_t n_shifts = 0;; ++n_shifts) {
    find_best();
    // A shift that was found when the tries ran out does not count.
    if (n_tried_ >= most_tried || best_.gain <= 0) return n_shifts + cost_;
    const Range changed = shift_words(best_.shift);
    std::swap(hypothesis_, shifted_);
    cost_ = matrix_.fill(hypothesis_, changed.first);
  }
}

/// Tries the shifts of all words that stand alike in hypothesis and reference.
void ShiftSearch::find_best() {
  watch_.spend(2 * farthest_shift * hypothesis_.size());
  matrix_.align(hypothesis_, alignment_);
  best_ = {};
  for (std::size_t start = 0; start < hypothesis_.size(); ++start) {
    const std::size_t first = start - std::min(start, farthest_shift);
    const std::size_t last = std::min(reference_.size(), start + farthest_shift + 1);
    for (std::size_t r = first; r < last; ++r) {
      if (reference_[r] != hypothesis_[start]) continue;
      try_lengths(start, r);
      if (n_tried_ >= most_tried) return;
    }
  }
}

/// Tries to shift more and more words from `start` on to where the reference has them, at r.
///
/// Words that stand right in the one or the other are left alone, and so are those that are
/// aligned with themselves.
void ShiftSearch::try_lengths(std::size_t start, std::size_t r) {
  const std::size_t longest =
      std::min({longest_shift, hypothesis_.size() - start, reference_.size() - r});
  bool hypothesis_errs = false;
  bool reference_errs = false;
  for (std::size_t k = 0; k < longest && hypothesis_[start + k] == reference_[r + k]; ++k) {
    hypothesis_errs = hypothesis_errs || alignment_.hypothesis_errors[start + k] != 0;
    reference_errs = reference_errs || alignment_.reference_errors[r + k] != 0;
    const bool within = start < alignment_.reached[r] && alignment_.reached[r] <= start + k + 1;
    if (!hypothesis_errs || !reference_errs || within) continue;
    try_targets(start, k + 1, r);
    if (n_tried_ >= most_tried) return;
  }
}

/// Tries to shift the words behind each word that stands before or among those of the reference.
void ShiftSearch::try_targets(std::size_t start, std::size_t length, std::size_t r) {
  std::size_t before = hypothesis_.size() + 1;
  for (std::size_t k = 0; k <= length; ++k) {
    const std::size_t target = r + k == 0 ? 0 : alignment_.reached[r + k - 1];
    if (target == before) continue;
    before = target;
    try_shift({start, length, target});
  }
}

void ShiftSearch::try_shift(const Shift& shift) {
  ++n_tried_;
  watch_.spend(hypothesis_.size() + reference_.size());
  const Range changed = shift_words(shift);
  const Best found{cost_ - matrix_.measure(shifted_, changed.first, changed.last), shift};
  if (found.gain > 0 && found.beats(best_)) best_ = found;
}

/// Writes the shifted words, and tells between which all that differs lies.
ShiftSearch::Range ShiftSearch::shift_words(const Shift& shift) {
  const auto [start, length, target] = shift;
  const std::size_t end = start + length;
  Range changed{start, target};
  if (target < start) {
    changed = {target, end};
  } else if (target <= end) {
    // A target among the words themselves: sacreBLEU then shifts them behind as many others.
    changed.last = std::min(target + length, hypothesis_.size());
  }
  shifted_.assign(hypothesis_.begin(), hypothesis_.end());
  const auto at = [&](std::size_t i) { return shifted_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::rotate(at(changed.first), at(target < start ? start : end), at(changed.last));
  return changed;
}

}  // namespace tallystick
