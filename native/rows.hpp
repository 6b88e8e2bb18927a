/// Finds the distinct rows of a table of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tallystick {

/// A table of n_rows rows of `width` bytes each, one after the other.
struct ByteRows {
  std::span<const std::uint8_t> bytes;
  std::size_t n_rows;
  std::size_t width;
};

/// first[k] is where distinct row k first stands; row i equals distinct row inverse[i].
struct GroupedRows {
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> inverse;
};

/// The hash by which distinct rows are looked up; the same on machines of one byte order.
std::uint64_t hash_row(std::span<const std::uint8_t> row);

/// Numbers the distinct rows in order of first appearance, in expected linear time.
///
/// Rows are compared whole: two rows that only hash alike stay two.
GroupedRows group_rows(const ByteRows& rows);

}  // namespace tallystick
