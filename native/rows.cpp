#include "rows.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mix.hpp"

namespace tallystick {
namespace {

using Row = std::span<const std::uint8_t>;

Row row_at(const ByteRows& rows, std::size_t i) {
  return rows.bytes.subspan(i * rows.width, rows.width);
}

/// An open-addressing hash table of the distinct rows met so far; it holds their numbers.
class RowTable {
 public:
  explicit RowTable(const ByteRows& rows) : rows_(rows), slots_(smallest_table, empty) {}

  /// The number of the distinct row that row i equals; a row not met before gets the next one.
  std::int64_t number_row(std::size_t i) {
    const Row row = row_at(rows_, i);
    const std::uint64_t hash = hash_row(row);
    const std::size_t slot = find_slot(row, hash);
    if (slots_[slot] != empty) return slots_[slot];
    const auto number = static_cast<std::int64_t>(first_.size());
    slots_[slot] = number;
    first_.push_back(static_cast<std::int64_t>(i));
    hashes_.push_back(hash);
    if (2 * first_.size() > slots_.size()) grow();
    return number;
  }

  /// Where each distinct row first stands; the table is done with.
  std::vector<std::int64_t> take_first() { return std::move(first_); }

 private:
  static constexpr std::int64_t empty = -1;
  /// Sizes are powers of two, so that a mask finds the slot of a hash.
  static constexpr std::size_t smallest_table = 64;

  /// The slot that holds the row's number, or the empty one where it belongs.
  std::size_t find_slot(Row row, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    while (slots_[slot] != empty && !matches(slots_[slot], row, hash)) slot = (slot + 1) & mask;
    return slot;
  }

  bool matches(std::int64_t number, Row row, std::uint64_t hash) const {
    const auto k = static_cast<std::size_t>(number);
    return hashes_[k] == hash &&
           std::ranges::equal(row, row_at(rows_, static_cast<std::size_t>(first_[k])));
  }

  void grow() {
    slots_.assign(2 * slots_.size(), empty);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t k = 0; k < hashes_.size(); ++k) {
      std::size_t slot = hashes_[k] & mask;
      while (slots_[slot] != empty) slot = (slot + 1) & mask;
      slots_[slot] = static_cast<std::int64_t>(k);
    }
  }

  ByteRows rows_;
  std::vector<std::int64_t> slots_;
  std::vector<std::int64_t> first_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace

std::uint64_t hash_row(std::span<const std::uint8_t> row) {
  std::uint64_t hash = 0;
  while (!row.empty()) {
    const std::size_t step = std::min(row.size(), sizeof(std::uint64_t));
    std::uint64_t word = 0;
    std::memcpy(&word, row.data(), step);
    hash = mix(hash ^ word);
    row = row.subspan(step);
  }
  return hash;
}

GroupedRows group_rows(const ByteRows& rows) {
  RowTable table(rows);
  std::vector<std::int64_t> inverse(rows.n_rows);
  for (std::size_t i = 0; i < rows.n_rows; ++i) inverse[i] = table.number_row(i);
  return {table.take_first(), std::move(inverse)};
}

}  // namespace tallystick
