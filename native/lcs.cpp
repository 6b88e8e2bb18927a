#include "lcs.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace tallystick {

std::size_t CommonSubsequence::measure(std::span<const Number> reference,
                                       std::span<const Number> hypothesis, std::size_t n_numbers) {
  const std::array ends{hypothesis.size()};
  const bool carried = reference.size() > strip_width;
  carries_.assign(carried ? hypothesis.size() : 0, 0);
  std::uint8_t* const carry = carried ? carries_.data() : nullptr;
  std::size_t length = 0;
  for (std::size_t strip = 0; strip * strip_width < reference.size(); ++strip) {
    place_strip(reference, n_numbers, strip);
    length += fill_strip({hypothesis, ends, carry, carry}, false);
    clear_strip();
  }
  return length;
}

void CommonSubsequence::mark(const Passage& reference, const Passage& hypothesis,
                             std::size_t n_numbers, Marks& marks) {
  marks.clear(reference.tokens.size());
  const std::span<const std::size_t> ends = reference.ends;
  std::size_t first = 0;
  for (std::size_t s = 0; s < ends.size();) {
    // As many sentences as a strip has columns for, or one that is longer.
    std::size_t n = 1;
    while (s + n < ends.size() && ends[s + n] - first <= strip_width) ++n;
    if (ends[s + n - 1] > first) {
      mark_part(reference, {first, ends.subspan(s, n)}, hypothesis, n_numbers, marks);
    }
    first = ends[s + n - 1];
    s += n;
  }
}

void CommonSubsequence::mark_part(const Passage& reference, const Part& part,
                                  const Passage& hypothesis, std::size_t n_numbers, Marks& marks) {
  const auto tokens = reference.part(part.first, part.ends.back());
  const std::size_t n_rows = hypothesis.tokens.size();
  const std::size_t last = (tokens.size() - 1) / strip_width;
  carries_.assign(last == 0 ? 0 : (last + 2) * n_rows, 0);
  lasts_.fill(0);
  for (const std::size_t end : part.ends) {
    const std::size_t column = end - part.first - 1;
    if (last == 0 && end > part.first) lasts_[column / 64] |= std::uint64_t{1} << (column % 64);
  }
  const auto fill = [&](std::size_t strip, bool recorded) {
    place_strip(tokens, n_numbers, strip);
    std::uint8_t* const carry = last == 0 ? nullptr : carries_.data() + strip * n_rows;
    std::uint8_t* const carry_out = last == 0 ? nullptr : carry + n_rows;
    fill_strip({hypothesis.tokens, hypothesis.ends, carry, carry_out}, recorded);
  };
  for (std::size_t strip = 0; strip < last; ++strip) {
    fill(strip, false);
    clear_strip();
  }
  rows_ = hypothesis.ends;
  for (std::size_t strip = last + 1; strip-- > 0;) {
    fill(strip, true);
    std::size_t start = 0;
    for (const std::size_t end : part.ends) {
      const std::size_t stop = last == 0 ? end - part.first : columns_.size();
      if (last == 0) rows_ = hypothesis.ends;
      if (stop > start) {
        trace_strip(hypothesis, {start, stop, part.first + strip * strip_width}, marks);
      }
      start = stop;
    }
    clear_strip();
  }
}

void CommonSubsequence::place_strip(std::span<const Number> reference, std::size_t n_numbers,
                                    std::size_t strip) {
  columns_ = reference.subspan(strip * strip_width);
  columns_ = columns_.first(std::min(columns_.size(), strip_width));
  n_blocks_ = (columns_.size() + 63) / 64;
  n_numbers_ = n_numbers;
  const std::size_t n_matches = (n_numbers + 1) * n_blocks_;
  if (matches_.size() < n_matches) matches_.resize(n_matches);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    find_matches(columns_[i])[i / 64] |= std::uint64_t{1} << (i % 64);
  }
}

void CommonSubsequence::clear_strip() {
  for (std::size_t i = 0; i < columns_.size(); ++i) find_matches(columns_[i])[i / 64] = 0;
}

/// Fills the rows of each sentence; returns how often the last row of the last one rises.
std::size_t CommonSubsequence::fill_strip(const Rows& rows, bool recorded) {
  watch_.spend(rows.tokens.size() * n_blocks_);
  switch (n_blocks_) {
    case 1:
      return fill_blocks<1>(rows, recorded);
    case 2:
      return fill_blocks<2>(rows, recorded);
    case 3:
      return fill_blocks<3>(rows, recorded);
    default:
      return fill_blocks<4>(rows, recorded);
  }
}

template <std::size_t n_blocks>
std::size_t CommonSubsequence::fill_blocks(const Rows& rows, bool recorded) {
  const std::size_t n_steps = rows.tokens.size() * n_blocks;
  if (recorded && steps_.size() < n_steps) steps_.resize(n_steps);
  if (rows.carry_in != nullptr) {
    return recorded ? fill_rows<n_blocks, true, true>(rows)
                    : fill_rows<n_blocks, false, true>(rows);
  }
  return recorded ? fill_rows<n_blocks, true, false>(rows)
                  : fill_rows<n_blocks, false, false>(rows);
}

/// V of the paper is `level`: its bits are clear where a row rises (Hyyrö, 2004, figure 4).
template <std::size_t n_blocks, bool recorded, bool carried>
std::size_t CommonSubsequence::fill_rows(const Rows& rows) {
  std::array<std::uint64_t, n_blocks> level{};
  std::size_t r = 0;
  for (const std::size_t end : rows.ends) {
    level.fill(~std::uint64_t{0});
    for (; r < end; ++r) {
      const std::uint64_t* const matches = &matches_[rows.tokens[r] * n_blocks];
      std::uint64_t carry = carried ? rows.carry_in[r] : 0;
      for (std::size_t b = 0; b < n_blocks; ++b) {
        const std::uint64_t common = level[b] & matches[b];
        // The last column of a sentence is added without what it would carry into the next one.
        const std::uint64_t lasts = recorded ? lasts_[b] : 0;
        const std::uint64_t added = common & ~lasts;
        const std::uint64_t sum = (level[b] & ~lasts) + added;
        const std::uint64_t carried_sum = sum + carry;
        carry = (sum < added || carried_sum < sum) ? 1 : 0;
        const std::uint64_t total = carried_sum ^ ((level[b] ^ common) & lasts);
        level[b] = total | (level[b] & ~matches[b]);
        if constexpr (recorded) steps_[r * n_blocks + b] = ~level[b] | matches[b];
      }
      if constexpr (carried) rows.carry_out[r] = static_cast<std::uint8_t>(carry);
    }
  }
  std::size_t rises = 0;
  for (const std::uint64_t word : level) rises += static_cast<std::size_t>(std::popcount(~word));
  return rises;
}

void CommonSubsequence::trace_strip(const Passage& hypothesis, const Columns& columns,
                                    Marks& marks) {
  switch (n_blocks_) {
    case 1:
      return trace_rows<1>(hypothesis, columns, marks);
    case 2:
      return trace_rows<2>(hypothesis, columns, marks);
    case 3:
      return trace_rows<3>(hypothesis, columns, marks);
    default:
      return trace_rows<4>(hypothesis, columns, marks);
  }
}

/// Follows the path of each sentence of the hypothesis through columns of the recorded strip.
///
/// Where tokens differ, a cell equals the one to its left unless the row rises there, and then the
/// one above: so from a cell the path goes left to the next rise or match, along a match to the
/// cell before both tokens, and from a rise to the row above. `open` are the columns to its left.
template <std::size_t n_blocks>
void CommonSubsequence::trace_rows(const Passage& hypothesis, const Columns& columns,
                                   Marks& marks) {
  const std::size_t lowest = columns.start / 64;
  const std::uint64_t from_start = ~std::uint64_t{0} << columns.start % 64;
  std::size_t first = 0;
  for (std::size_t s = 0; s < rows_.size(); ++s) {
    std::size_t& row = rows_[s];
    std::size_t b = (columns.stop - 1) / 64;
    std::uint64_t reach = b == lowest ? from_start : ~std::uint64_t{0};
    std::uint64_t open = reach & ~std::uint64_t{0} >> (63 - (columns.stop - 1) % 64);
    std::uint64_t found = 0;
    while (row > first) {
      const std::uint64_t steps = steps_[(row - 1) * n_blocks + b] & open;
      if (steps == 0) {
        if (b == lowest) break;
        marks.set_all(columns.offset + 64 * b, found);
        found = 0;
        --b;
        open = reach = b == lowest ? from_start : ~std::uint64_t{0};
        continue;
      }
      --row;
      const std::uint64_t step = std::bit_floor(steps);
      const std::uint64_t match = matches_[hypothesis.tokens[row] * n_blocks + b] & step;
      found |= match;
      open = (((step << 1U) - 1) ^ match) & reach;
    }
    marks.set_all(columns.offset + 64 * b, found);
    first = hypothesis.ends[s];
  }
}

}  // namespace tallystick
