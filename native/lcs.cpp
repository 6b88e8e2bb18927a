#include "lcs.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace tallystick {
namespace {

constexpr std::size_t none = ~std::size_t{0};

/// The highest bit that is set below `end`, or none.
std::size_t find_last(const std::uint64_t* words, std::size_t end) {
  if (end == 0) return none;
  std::size_t b = (end - 1) / 64;
  std::uint64_t word = words[b] & ~std::uint64_t{0} >> (63 - (end - 1) % 64);
  while (word == 0) {
    if (b == 0) return none;
    word = words[--b];
  }
  return 64 * b + 63 - static_cast<std::size_t>(std::countl_zero(word));
}

}  // namespace

std::size_t CommonSubsequence::measure(std::span<const Number> reference,
                                       std::span<const Number> hypothesis, std::size_t n_numbers) {
  const std::array ends{hypothesis.size()};
  carries_.assign(hypothesis.size(), 0);
  std::size_t length = 0;
  for (std::size_t strip = 0; strip * strip_width < reference.size(); ++strip) {
    place_strip(reference, n_numbers, strip);
    length += fill_strip<false>(hypothesis, ends, carries_.data(), carries_.data());
    clear_strip();
  }
  return length;
}

void CommonSubsequence::mark(std::span<const Number> reference, const Passage& hypothesis,
                             std::size_t n_numbers, Marks& marks) {
  marks.clear(reference.size());
  if (reference.empty()) return;
  const std::size_t n_rows = hypothesis.tokens.size();
  const std::size_t last = (reference.size() - 1) / strip_width;
  carries_.assign((last + 2) * n_rows, 0);
  const auto fill = [&]<bool recorded>(std::bool_constant<recorded>, std::size_t strip) {
    place_strip(reference, n_numbers, strip);
    std::uint8_t* const carry = carries_.data() + strip * n_rows;
    fill_strip<recorded>(hypothesis.tokens, hypothesis.ends, carry, carry + n_rows);
  };
  for (std::size_t strip = 0; strip < last; ++strip) {
    fill(std::false_type{}, strip);
    clear_strip();
  }
  rows_ = hypothesis.ends;
  for (std::size_t strip = last + 1; strip-- > 0;) {
    fill(std::true_type{}, strip);
    trace_strip(hypothesis, strip * strip_width, marks);
    clear_strip();
  }
}

void CommonSubsequence::place_strip(std::span<const Number> reference, std::size_t n_numbers,
                                    std::size_t strip) {
  columns_ = reference.subspan(strip * strip_width);
  columns_ = columns_.first(std::min(columns_.size(), strip_width));
  n_blocks_ = (columns_.size() + 63) / 64;
  if (matches_.size() < n_numbers * n_blocks_) matches_.resize(n_numbers * n_blocks_);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i] == absent) continue;
    matches_[columns_[i] * n_blocks_ + i / 64] |= std::uint64_t{1} << (i % 64);
  }
}

void CommonSubsequence::clear_strip() {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i] != absent) matches_[columns_[i] * n_blocks_ + i / 64] = 0;
  }
}

/// Fills the rows of each sentence; returns how often the last row of the last one rises.
template <bool recorded>
std::size_t CommonSubsequence::fill_strip(std::span<const Number> tokens,
                                          std::span<const std::size_t> ends,
                                          const std::uint8_t* carry_in, std::uint8_t* carry_out) {
  if (recorded && steps_.size() < tokens.size() * n_blocks_) {
    steps_.resize(tokens.size() * n_blocks_);
  }
  switch (n_blocks_) {
    case 1:
      return fill_rows<1, recorded>(tokens, ends, carry_in, carry_out);
    case 2:
      return fill_rows<2, recorded>(tokens, ends, carry_in, carry_out);
    case 3:
      return fill_rows<3, recorded>(tokens, ends, carry_in, carry_out);
    default:
      return fill_rows<4, recorded>(tokens, ends, carry_in, carry_out);
  }
}

/// V of the paper is `level`: its bits are clear where a row rises (Hyyrö, 2004, figure 4).
template <std::size_t n_blocks, bool recorded>
std::size_t CommonSubsequence::fill_rows(std::span<const Number> tokens,
                                         std::span<const std::size_t> ends,
                                         const std::uint8_t* carry_in, std::uint8_t* carry_out) {
  std::array<std::uint64_t, n_blocks> level{};
  std::size_t r = 0;
  for (const std::size_t end : ends) {
    level.fill(~std::uint64_t{0});
    for (; r < end; ++r) {
      const std::uint64_t* const matches = &matches_[tokens[r] * n_blocks];
      std::uint64_t carry = carry_in[r];
      for (std::size_t b = 0; b < n_blocks; ++b) {
        const std::uint64_t common = level[b] & matches[b];
        const std::uint64_t sum = level[b] + common;
        const std::uint64_t carried = sum + carry;
        carry =
            static_cast<std::uint64_t>(sum < common) | static_cast<std::uint64_t>(carried < sum);
        level[b] = carried | (level[b] & ~matches[b]);
        if constexpr (recorded) steps_[r * n_blocks + b] = ~level[b] | matches[b];
      }
      carry_out[r] = static_cast<std::uint8_t>(carry);
    }
  }
  std::size_t rises = 0;
  for (const std::uint64_t word : level) {
    rises += static_cast<std::size_t>(std::popcount(~word));
  }
  return rises;
}

/// Follows the path of each sentence through the recorded strip, whose first column is `offset`.
///
/// Where tokens differ, a cell equals the one to its left unless the row rises there, and then the
/// one above: so from a cell the path goes left to the next rise or match, along a match to the
/// cell before both tokens, and from a rise to the row above.
void CommonSubsequence::trace_strip(const Passage& hypothesis, std::size_t offset, Marks& marks) {
  std::size_t first = 0;
  for (std::size_t s = 0; s < rows_.size(); ++s) {
    std::size_t end = columns_.size();
    std::size_t& row = rows_[s];
    while (row > first) {
      const std::size_t column = find_last(&steps_[(row - 1) * n_blocks_], end);
      if (column == none) break;
      --row;
      end = column + 1;
      if (columns_[column] == hypothesis.tokens[row]) {
        marks.set(offset + column);
        end = column;
      }
    }
    first = hypothesis.ends[s];
  }
}

}  // namespace tallystick
