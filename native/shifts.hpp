/// Searches the shifts of words that make a hypothesis more like its reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interrupt.hpp"
#include "numbers.hpp"

namespace tallystick {

/// The least edits from hypotheses of one length to a reference, within a beam about the diagonal.
///
/// Cell (i, j) is the cost of the first i words of the hypothesis against the first j of the
/// reference. The beam is that of sacreBLEU 2.6: columns lows_[i] up to below highs_[i] of row i.
class BeamMatrix {
 public:
  using Cost = std::int32_t;

  /// How many words of the hypothesis stand before or beside each word of the reference, and
  /// which words of either have no equal beside them.
  struct Alignment {
    std::vector<std::size_t> reached;
    std::vector<char> reference_errors;
    std::vector<char> hypothesis_errors;
  };

  /// Lays out the matrix for a reference and hypotheses of n words.
  void lay_out(std::size_t n, std::span<const Number> reference);

  /// Fills the rows after the first n_known, and returns the last cell.
  Cost fill(std::span<const Number> hypothesis, std::size_t n_known);

  /// The last cell for a hypothesis that differs from the one filled in from word `first` up to
  /// below word `last`.
  Cost measure(std::span<const Number> changed, std::size_t first, std::size_t last);

  /// Walks the filled matrix back from its last cell; prefers to pair words, then to drop a word
  /// of the hypothesis.
  void align(std::span<const Number> hypothesis, Alignment& alignment) const;

 private:
  std::size_t size() const { return lows_.size() - 1; }
  std::size_t width(std::size_t i) const { return highs_[i] - lows_[i]; }
  Cost* row(std::size_t i) { return &cells_[i * stride_]; }
  Cost cell(std::size_t i, std::size_t j) const { return cells_[i * stride_ + (j + 1 - lows_[i])]; }
  void fill_row(std::size_t i, Number word, const Cost* above, Cost* row) const;

  /// The words of the reference, from index 1.
  std::vector<Number> reference_;
  std::vector<std::size_t> lows_;
  std::vector<std::size_t> highs_;
  /// Rows begin one column before their low one, and end in columns that are not reached.
  std::size_t stride_ = 0;
  std::vector<Cost> cells_;
  std::vector<Cost> changed_rows_;
};

/// The greedy search of tercom, as sacreBLEU 2.6 runs it and with its limits.
class ShiftSearch {
 public:
  explicit ShiftSearch(Watch watch = Watch()) : watch_(watch) {}

  /// Shifts of up to 10 words plus remaining edits.
  ///
  /// Tries no more than about 1,000 shifts, so that the time grows linearly with the words.
  std::int64_t count_edits(std::span<const Number> hypothesis, std::span<const Number> reference);

 private:
  /// Words start up to below start + length move to stand before word `target`.
  struct Shift {
    std::size_t start;
    std::size_t length;
    std::size_t target;
  };

  struct Best {
    BeamMatrix::Cost gain;
    Shift shift;

    bool beats(const Best& other) const;
  };

  /// Words first up to below last.
  struct Range {
    std::size_t first;
    std::size_t last;
  };

  void find_best();
  void try_lengths(std::size_t start, std::size_t r);
  void try_targets(std::size_t start, std::size_t length, std::size_t r);
  void try_shift(const Shift& shift);
  Range shift_words(const Shift& shift);

  Watch watch_;
  std::span<const Number> reference_;
  std::vector<Number> hypothesis_;
  std::vector<Number> shifted_;
  BeamMatrix matrix_;
  BeamMatrix::Alignment alignment_;
  BeamMatrix::Cost cost_ = 0;
  Best best_{};
  std::size_t n_tried_ = 0;
};

}  // namespace tallystick
