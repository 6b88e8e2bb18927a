/// Finds common subsequences in which a run of k matches weighs k to a power.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interrupt.hpp"
#include "passage.hpp"

namespace tallystick {

/// Compares a sentence of a reference with one of a hypothesis; its scratch memory serves one pair
/// after the other.
///
/// The table is that of Lin (2004), which prolongs a run wherever it can: the value is not always
/// the greatest there is. Time grows with the product of both lengths.
class WeightedSubsequence {
 public:
  /// Up to `most_cells` cells are recorded at once: a bit each.
  explicit WeightedSubsequence(Watch watch = Watch(),
                               std::size_t most_cells = std::size_t{1} << 28U)
      : watch_(watch), most_cells_(most_cells) {}

  /// Prepares weights for runs of up to `longest` matches.
  void weigh(double power, std::size_t longest);

  /// The weight of a run of k matches.
  double operator[](std::size_t k) const { return weights_[k]; }

  /// The last cell of the table. Memory is linear.
  double measure(std::span<const Number> reference, std::span<const Number> hypothesis);

  /// Adds marks to the tokens of the reference's sentence on the path to the last cell, where a
  /// token of the reference is dropped rather than one of the hypothesis if both are as good.
  ///
  /// Memory is a bit for each cell up to 32 MiB, beyond that the rows of the table are filled twice
  /// and some of them kept: 50 MB for two sentences of 100,000 tokens.
  void mark(std::span<const Number> reference, std::span<const Number> hypothesis, Marks& marks);

 private:
  struct Cell {
    double value = 0;
    Number run = 0;
  };

  void fill(std::span<const Number> reference, std::span<const Number> hypothesis, bool recorded);

  Watch watch_;
  std::size_t most_cells_;
  double power_ = 0;
  std::vector<double> weights_;
  /// The last row that was filled, by tokens of the hypothesis.
  std::vector<Cell> row_;
  std::vector<Cell> kept_;
  /// For each recorded cell a bit: whether dropping the token of the reference is as good.
  std::vector<std::uint64_t> drops_;
};

}  // namespace tallystick
