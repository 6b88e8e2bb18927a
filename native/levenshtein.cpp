#include "levenshtein.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace tallystick {
namespace {

/// More than any distance, and far from wrapping around.
constexpr std::size_t unreached = std::numeric_limits<std::size_t>::max() / 4;

std::size_t count_common_start(const NumberPair& pair) {
  const auto ends = std::ranges::mismatch(pair.from, pair.to);
  return static_cast<std::size_t>(ends.in1 - pair.from.begin());
}

std::size_t count_common_end(const NumberPair& pair) {
  std::size_t n = 0;
  const std::size_t shorter = std::min(pair.from.size(), pair.to.size());
  while (n < shorter && pair.from[pair.from.size() - 1 - n] == pair.to[pair.to.size() - 1 - n]) ++n;
  return n;
}

NumberPair drop_start(const NumberPair& pair, std::size_t n) {
  return {pair.from.subspan(n), pair.to.subspan(n), pair.n_numbers};
}

NumberPair drop_end(const NumberPair& pair, std::size_t n) {
  return {pair.from.first(pair.from.size() - n), pair.to.first(pair.to.size() - n), pair.n_numbers};
}

/// Whether the whole matrix is recorded, by the limits of rapidfuzz: beyond them its choice among
/// the shortest paths depends on where the pair is divided.
bool fits(const NumberPair& pair, std::size_t bound) {
  constexpr std::size_t most_bytes = std::size_t{1} << 20;
  const std::size_t band_width = std::min(pair.from.size(), 2 * bound + 1);
  return pair.from.size() <= 64 || pair.to.size() < 10 ||
         2 * band_width * pair.to.size() / 8 < most_bytes;
}

}  // namespace

std::int64_t Levenshtein::measure(const NumberPair& pair) {
  const NumberPair ahead = drop_start(pair, count_common_start(pair));
  const NumberPair core = drop_end(ahead, count_common_end(ahead));
  const std::size_t longer = std::max(core.from.size(), core.to.size());
  std::size_t bound = find_least_bound(core);
  for (;;) {
    const auto found = static_cast<std::size_t>(sweep<false>(core, bound_band(core, bound)));
    // A band can only make the distance too great, and of one strip it leaves out nothing.
    if (strips_.size() <= 1 || found <= bound) return static_cast<std::int64_t>(found);
    bound = found <= longer / 16 ? found : std::min(found, 8 * bound);
  }
}

/// A narrower band would save little of a strip, or not reach the last cell.
std::size_t Levenshtein::find_least_bound(const NumberPair& pair) {
  const auto [shorter, longer] = std::minmax({pair.from.size(), pair.to.size()});
  return std::max(longer - shorter, strip_width);
}

/// A path of at most `bound` edits removes and inserts no more than this (Ukkonen, 1985).
Levenshtein::Band Levenshtein::bound_band(const NumberPair& pair, std::size_t bound) {
  return {(bound + pair.from.size() - pair.to.size()) / 2,
          (bound + pair.to.size() - pair.from.size()) / 2};
}

/// Fills the matrix strip by strip and returns the cell where the last row and the last strip end.
///
/// Where the band leaves cells out, their neighbours take them to be one more than the last known:
/// too much for some, too little for none, and right for all that shortest paths go through.
template <bool recorded>
std::int64_t Levenshtein::sweep(const NumberPair& pair, const Band& band) {
  edge_.assign(pair.to.size(), 1);
  row_.assign((pair.from.size() + 63) / 64, Block{});
  strips_.clear();
  std::size_t first = 0;
  std::int64_t corner = 0;
  for (std::size_t column = 0; column < pair.from.size(); column += strip_width) {
    const Strip strip = place_strip(pair, band, column);
    if (strip.first > 0 && strip.first >= pair.to.size()) break;
    corner += climb(first, strip.first) + static_cast<std::int64_t>(strip.width);
    first = strip.first;
    strips_.push_back(strip);
    fill_strip<recorded>(strip, pair);
  }
  return corner + climb(first, pair.to.size());
}

Levenshtein::Strip Levenshtein::place_strip(const NumberPair& pair, const Band& band,
                                            std::size_t column) const {
  const std::size_t width = std::min(strip_width, pair.from.size() - column);
  const std::size_t first = column > band.above ? column - band.above : 0;
  const std::size_t last = std::min(pair.to.size(), column + width + band.below);
  std::size_t stored = 0;
  if (!strips_.empty()) {
    const Strip& before = strips_.back();
    stored = before.stored + (before.last - before.first) * before.n_blocks();
  }
  return {column, width, first, last, stored};
}

template <bool recorded>
void Levenshtein::fill_strip(const Strip& strip, const NumberPair& pair) {
  const auto columns = pair.from.subspan(strip.column, strip.width);
  const std::size_t n_blocks = strip.n_blocks();
  watch_.spend((strip.last - strip.first) * n_blocks);
  const std::size_t n_matches = (pair.n_numbers + std::size_t{1}) * n_blocks;
  if (matches_.size() < n_matches) matches_.resize(n_matches);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    matches_[columns[c] * n_blocks + c / 64] |= std::uint64_t{1} << (c % 64);
  }
  if constexpr (recorded) {
    const std::size_t end = strip.stored + (strip.last - strip.first) * n_blocks;
    if (recorded_.size() < end) recorded_.resize(end);
  }
  switch (n_blocks) {
    case 1:
      fill_rows<1, recorded>(strip, pair);
      break;
    case 2:
      fill_rows<2, recorded>(strip, pair);
      break;
    case 3:
      fill_rows<3, recorded>(strip, pair);
      break;
    default:
      fill_rows<4, recorded>(strip, pair);
  }
  for (std::size_t c = 0; c < columns.size(); ++c) matches_[columns[c] * n_blocks + c / 64] = 0;
}

/// The names of the paper: D0, HP, HN with VP and VN for rises and falls (Hyyrö, 2003, figure 2),
/// the matrix being transposed.
template <std::size_t n_blocks, bool recorded>
void Levenshtein::fill_rows(const Strip& strip, const NumberPair& pair) {
  std::array<Block, n_blocks> blocks;
  Block* const last_row = &row_[strip.column / 64];
  std::copy_n(last_row, n_blocks, blocks.begin());
  const std::size_t last_bit = (strip.width - 1) % 64;
  Block* record = recorded ? recorded_.data() + strip.stored : nullptr;
  for (std::size_t r = strip.first; r < strip.last; ++r) {
    const std::uint64_t* const matches = &matches_[std::min(pair.to[r], pair.n_numbers) * n_blocks];
    std::uint64_t rise = edge_[r] & 1U;
    std::uint64_t fall = edge_[r] >> 1U;
    for (std::size_t b = 0; b < n_blocks; ++b) {
      Block& block = blocks[b];
      const std::uint64_t match = matches[b] | fall;
      const std::uint64_t d0 =
          (((match & block.rises) + block.rises) ^ block.rises) | match | block.falls;
      const std::uint64_t hp = block.falls | ~(d0 | block.rises);
      const std::uint64_t hn = d0 & block.rises;
      const std::uint64_t hp_shifted = hp << 1U | rise;
      block.rises = hn << 1U | fall | ~(d0 | hp_shifted);
      block.falls = hp_shifted & d0;
      const std::size_t end = b + 1 < n_blocks ? 63 : last_bit;
      rise = hp >> end & 1U;
      fall = hn >> end & 1U;
    }
    edge_[r] = static_cast<std::uint8_t>(rise | fall << 1U);
    if constexpr (recorded) record = std::copy_n(blocks.begin(), n_blocks, record);
  }
  std::copy_n(blocks.begin(), n_blocks, last_row);
}

/// How much the matrix grows along the edge in these rows.
std::int64_t Levenshtein::climb(std::size_t first, std::size_t last) const {
  std::int64_t sum = 0;
  for (std::size_t r = first; r < last; ++r) sum += (edge_[r] & 1) - (edge_[r] >> 1);
  return sum;
}

std::span<const Operation> Levenshtein::align(const NumberPair& pair) {
  path_.clear();
  const std::size_t longer = std::max(pair.from.size(), pair.to.size());
  std::size_t most = longer;
  if (pair.from.size() > 4 * strip_width) {
    const Band narrow = bound_band(pair, find_least_bound(pair));
    most = static_cast<std::size_t>(sweep<false>(pair, narrow));
  }
  align_part(pair, longer, most);
  return path_;
}

/// Appends the path of a pair whose distance is at most `most`; by `bound`, which is as much or
/// more, rapidfuzz divides the pair.
void Levenshtein::align_part(const NumberPair& pair, std::size_t bound, std::size_t most) {
  const std::size_t start = count_common_start(pair);
  const NumberPair ahead = drop_start(pair, start);
  const std::size_t end = count_common_end(ahead);
  const NumberPair core = drop_end(ahead, end);
  bound = std::min(bound, std::max(core.from.size(), core.to.size()));
  most = std::min(most, bound);
  path_.insert(path_.end(), start, Operation::equal);
  if (fits(core, bound)) {
    trace_back(core, most);
  } else {
    const Split middle = split(core, most);
    align_part({core.from.first(middle.column), core.to.first(middle.row), core.n_numbers},
               middle.left_distance, middle.left_distance);
    align_part({core.from.subspan(middle.column), core.to.subspan(middle.row), core.n_numbers},
               middle.right_distance, middle.right_distance);
  }
  path_.insert(path_.end(), end, Operation::equal);
}

/// Walks from the last cell to the first, and prefers to remove, then to insert.
void Levenshtein::trace_back(const NumberPair& pair, std::size_t bound) {
  sweep<true>(pair, bound_band(pair, bound));
  const auto path_start = static_cast<std::ptrdiff_t>(path_.size());
  std::size_t c = pair.from.size();
  std::size_t r = pair.to.size();
  while (c > 0 && r > 0) {
    const std::uint64_t bit = std::uint64_t{1} << ((c - 1) % 64);
    if ((find_block(r - 1, c - 1).rises & bit) != 0) {
      --c;
      path_.push_back(Operation::remove);
    } else if (r > 1 && (find_block(r - 2, c - 1).falls & bit) != 0) {
      --r;
      path_.push_back(Operation::insert);
    } else {
      --c;
      --r;
      path_.push_back(pair.from[c] == pair.to[r] ? Operation::equal : Operation::replace);
    }
  }
  path_.insert(path_.end(), c, Operation::remove);
  path_.insert(path_.end(), r, Operation::insert);
  std::reverse(path_.begin() + path_start, path_.end());
}

Levenshtein::Block Levenshtein::find_block(std::size_t row, std::size_t column) const {
  const Strip& strip = strips_[column / strip_width];
  if (row < strip.first || row >= strip.last) return {};
  return recorded_[strip.stored + (row - strip.first) * strip.n_blocks() +
                   column % strip_width / 64];
}

/// Finds the first column in which a shortest path may cross the middle row.
Levenshtein::Split Levenshtein::split(const NumberPair& pair, std::size_t bound) {
  const Band band = bound_band(pair, bound);
  const std::size_t n = pair.from.size();
  const std::size_t middle = pair.to.size() / 2;
  const auto right = pair.to.subspan(middle);
  from_reversed_.assign(pair.from.rbegin(), pair.from.rend());
  to_reversed_.assign(right.rbegin(), right.rend());
  score_last_row({pair.from, pair.to.first(middle), pair.n_numbers}, band, left_scores_);
  score_last_row({from_reversed_, to_reversed_, pair.n_numbers}, band, right_scores_);
  std::size_t best = 0;
  for (std::size_t c = 1; c <= n; ++c) {
    if (left_scores_[c] + right_scores_[n - c] < left_scores_[best] + right_scores_[n - best]) {
      best = c;
    }
  }
  return {best, middle, left_scores_[best], right_scores_[n - best]};
}

/// Replaces the scores by the last row of the matrix, from column 0; cells that the band leaves
/// out are unreached.
void Levenshtein::score_last_row(const NumberPair& pair, const Band& band,
                                 std::vector<std::size_t>& scores) {
  auto score = static_cast<std::size_t>(sweep<false>(pair, band));
  scores.assign(pair.from.size() + 1, unreached);
  scores[strips_.back().column + strips_.back().width] = score;
  for (std::size_t s = strips_.size(); s-- > 0 && strips_[s].last == pair.to.size();) {
    for (std::size_t c = strips_[s].column + strips_[s].width; c-- > strips_[s].column;) {
      score -= row_[c / 64].rises >> (c % 64) & 1U;
      score += row_[c / 64].falls >> (c % 64) & 1U;
      scores[c] = score;
    }
  }
}

}  // namespace tallystick
