/// Finds longest common subsequences, 64 cells of the matrix at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interrupt.hpp"
#include "passage.hpp"

namespace tallystick {

/// Compares a reference with a hypothesis; its scratch memory serves one after the other.
///
/// Cell (i, j) of the matrix is the length for the first i tokens of the reference and the first j
/// of the hypothesis. A row j is kept as a bit vector that tells where it rises from one i to the
/// next (Crochemore et al., 2001; Hyyrö, 2004). Strips of 256 columns are filled one by one.
class CommonSubsequence {
 public:
  explicit CommonSubsequence(Watch watch = Watch()) : watch_(watch) {}

  /// The length of the longest common subsequence of a reference and a hypothesis, whose tokens
  /// are numbered below n_numbers. Memory is linear.
  std::size_t measure(std::span<const Number> reference, std::span<const Number> hypothesis,
                      std::size_t n_numbers);

  /// Marks the tokens of a reference that lie on a longest common subsequence of their sentence
  /// with some sentence of the hypothesis: of several the one that is found from the end by
  /// dropping tokens of the reference rather than those of the hypothesis.
  ///
  /// Memory is one byte for each 256 cells, and some 40 for each token.
  void mark(const Passage& reference, const Passage& hypothesis, std::size_t n_numbers,
            Marks& marks);

 private:
  static constexpr std::size_t strip_blocks = 4;
  static constexpr std::size_t strip_width = 64 * strip_blocks;

  /// The rows of a strip, and what their additions carry: none where there is one strip.
  struct Rows {
    std::span<const Number> tokens;
    std::span<const std::size_t> ends;
    const std::uint8_t* carry_in;
    std::uint8_t* carry_out;
  };

  /// Sentences of a reference: its first token, and the ends of all.
  struct Part {
    std::size_t first;
    std::span<const std::size_t> ends;
  };

  /// The columns of a sentence, or of as much of it as the strip has, whose first one is token
  /// `offset` of the reference.
  struct Columns {
    std::size_t start;
    std::size_t stop;
    std::size_t offset;
  };

  /// The columns where a number stands; all that the hypothesis lacks share a place.
  std::uint64_t* find_matches(Number number) {
    return &matches_[std::min<std::size_t>(number, n_numbers_) * n_blocks_];
  }

  void mark_part(const Passage& reference, const Part& part, const Passage& hypothesis,
                 std::size_t n_numbers, Marks& marks);
  void place_strip(std::span<const Number> reference, std::size_t n_numbers, std::size_t strip);
  void clear_strip();
  std::size_t fill_strip(const Rows& rows, bool recorded);
  template <std::size_t n_blocks>
  std::size_t fill_blocks(const Rows& rows, bool recorded);
  template <std::size_t n_blocks, bool recorded, bool carried>
  std::size_t fill_rows(const Rows& rows);
  void trace_strip(const Passage& hypothesis, const Columns& columns, Marks& marks);
  template <std::size_t n_blocks>
  void trace_rows(const Passage& hypothesis, const Columns& columns, Marks& marks);

  Watch watch_;
  /// The part of the reference that the strip under way is about, and how many blocks it takes.
  std::span<const Number> columns_;
  std::size_t n_blocks_ = 0;
  std::size_t n_numbers_ = 0;
  /// The last columns of sentences, where a strip has several.
  std::array<std::uint64_t, strip_blocks> lasts_{};
  /// For each number and block of the strip, the columns where the number stands.
  std::vector<std::uint64_t> matches_;
  /// What the additions of each row carry into each strip but the first.
  std::vector<std::uint8_t> carries_;
  /// For each row and block of a recorded strip, the columns where the row rises or matches.
  std::vector<std::uint64_t> steps_;
  /// How many rows of each sentence its path has not yet left.
  std::vector<std::size_t> rows_;
};

}  // namespace tallystick
