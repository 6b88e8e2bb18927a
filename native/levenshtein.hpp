/// Measures edit distances and finds shortest edit paths, 64 cells of the matrix at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interrupt.hpp"
#include "numbers.hpp"

namespace tallystick {

/// What a step of a path does to the one sequence to make it the other.
enum class Operation : std::uint8_t { equal, replace, remove, insert };

using Numbers = std::span<const Number>;

/// Two sequences of numbers: those of `from` lie below n_numbers, others match nothing.
struct NumberPair {
  Numbers from;
  Numbers to;
  Number n_numbers;
};

/// Compares pairs of sequences; its scratch memory serves one pair after the other.
///
/// Cell (r, c) of the matrix is the distance of the first r numbers of `to` and the first c of
/// `from`. A row is kept as bit vectors that tell where it rises and where it falls from one
/// column to the next (Myers, 1999; Hyyrö, 2003).
class Levenshtein {
 public:
  explicit Levenshtein(Watch watch = Watch()) : watch_(watch) {}

  /// The least number of replacements, removals and insertions; memory is linear, and time grows
  /// with the length times the distance (Ukkonen, 1985).
  std::int64_t measure(const NumberPair& pair);

  /// A shortest path, valid until the next call: of several, the one that rapidfuzz 3.14 finds.
  ///
  /// The path is read off the bit vectors (Hyyrö, 2004). Where they would take 1 MiB or more, the
  /// pair is divided first (Hirschberg, 1975): memory stays below 1 MiB plus some 100 bytes for
  /// each number of the pair.
  std::span<const Operation> align(const NumberPair& pair);

 private:
  static constexpr std::size_t strip_blocks = 4;
  static constexpr std::size_t strip_width = 64 * strip_blocks;

  /// Where 64 columns of a row rise and fall.
  struct Block {
    std::uint64_t rises = ~std::uint64_t{0};
    std::uint64_t falls = 0;
  };

  /// Cells outside lie on no path of interest: c - r is at most `above` and at least -below.
  struct Band {
    std::size_t above;
    std::size_t below;
  };

  /// Columns that are filled together, in the rows from first up to below last.
  struct Strip {
    std::size_t column;
    std::size_t width;
    std::size_t first;
    std::size_t last;
    std::size_t stored;

    std::size_t n_blocks() const { return (width + 63) / 64; }
  };

  struct Split {
    std::size_t column;
    std::size_t row;
    std::size_t left_distance;
    std::size_t right_distance;
  };

  static std::size_t find_least_bound(const NumberPair& pair);
  static Band bound_band(const NumberPair& pair, std::size_t bound);

  template <bool recorded>
  std::int64_t sweep(const NumberPair& pair, const Band& band);
  Strip place_strip(const NumberPair& pair, const Band& band, std::size_t column) const;
  template <bool recorded>
  void fill_strip(const Strip& strip, const NumberPair& pair);
  template <std::size_t n_blocks, bool recorded>
  void fill_rows(const Strip& strip, const NumberPair& pair);
  std::int64_t climb(std::size_t first, std::size_t last) const;

  void align_part(const NumberPair& pair, std::size_t bound, std::size_t most);
  void trace_back(const NumberPair& pair, std::size_t bound);
  Block find_block(std::size_t row, std::size_t column) const;
  Split split(const NumberPair& pair, std::size_t bound);
  void score_last_row(const NumberPair& pair, const Band& band, std::vector<std::size_t>& scores);

  Watch watch_;
  /// For each number and block of the strip, the columns where the number stands.
  std::vector<std::uint64_t> matches_;
  /// How the matrix changes from one row to the next at the right end of the strip: bit 0 for a
  /// rise, bit 1 for a fall.
  std::vector<std::uint8_t> edge_;
  std::vector<Strip> strips_;
  /// The last row that was filled of each strip.
  std::vector<Block> row_;
  std::vector<Block> recorded_;
  std::vector<Operation> path_;
  std::vector<Number> from_reversed_;
  std::vector<Number> to_reversed_;
  std::vector<std::size_t> left_scores_;
  std::vector<std::size_t> right_scores_;
};

}  // namespace tallystick
