/// Codes values by the distinct ones among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "mix.hpp"
#include "words_of_bytes.hpp"

namespace tallystick {

/// The cells of a column: that of row i is value codes[i], and value c is bytes[offsets[c]] up to
/// bytes[offsets[c + 1]]. Values stand in the order in which they come.
struct CodedColumn {
  std::vector<std::int32_t> codes;
  std::vector<std::uint8_t> bytes;
  std::vector<std::int32_t> offsets{0};
};

/// A value, and its first eight bytes or as many as it has and then zeros.
struct Cell {
  std::string_view text;
  std::uint64_t first;
};

/// A value in a text that stops at some place, which is not before the end of the value.
inline Cell make_cell(std::string_view value, const char* stop) {
  const std::uint64_t mask =
      value.size() < word_size ? (std::uint64_t{1} << (8 * value.size())) - 1 : ~std::uint64_t{0};
  return {value, load_word(value.data(), stop) & mask};
}

/// The distinct values of a column, in an open-addressing hash table.
class CodedValues {
 public:
  explicit CodedValues(std::uint64_t seed) : seed_(seed), table_(64) {}

  /// The code of a value, which is a new one where it has not come before.
  std::int32_t code(const Cell& cell, CodedColumn& column) {
    const std::string_view value = cell.text;
    std::uint64_t hash = mix(seed_ ^ cell.first ^ (std::uint64_t{value.size()} << 56));
    for (std::size_t at = word_size; at < value.size(); at += word_size) {
      hash = mix(hash ^ load_word(value.data() + at, value.data() + value.size()));
    }
    for (std::size_t place = hash & (table_.size() - 1);;
         place = (place + 1) & (table_.size() - 1)) {
      const Entry& entry = table_[place];
      if (entry.code < 0) return add(cell, hash, place, column);
      if (entry.hash == hash && equal(cell, entry, column)) return entry.code;
    }
  }

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::uint64_t first = 0;
    std::size_t size = 0;
    std::int32_t code = -1;
  };

  static bool equal(const Cell& cell, const Entry& entry, const CodedColumn& column) {
    const std::size_t size = cell.text.size();
    if (entry.first != cell.first || entry.size != size) return false;
    if (size <= word_size) return true;
    const auto start =
        static_cast<std::size_t>(column.offsets[static_cast<std::size_t>(entry.code)]);
    return std::memcmp(column.bytes.data() + start, cell.text.data(), size) == 0;
  }

  std::int32_t add(const Cell& cell, std::uint64_t hash, std::size_t place, CodedColumn& column) {
    const auto code = static_cast<std::int32_t>(column.offsets.size() - 1);
    column.bytes.insert(column.bytes.end(), cell.text.begin(), cell.text.end());
    column.offsets.push_back(static_cast<std::int32_t>(column.bytes.size()));
    table_[place] = {hash, cell.first, cell.text.size(), code};
    if (2 * column.offsets.size() > table_.size()) grow();
    return code;
  }

  void grow() {
    std::vector<Entry> former(4 * table_.size());
    std::swap(former, table_);
    for (const Entry& entry : former) {
      if (entry.code < 0) continue;
      std::size_t place = entry.hash & (table_.size() - 1);
      while (table_[place].code >= 0) place = (place + 1) & (table_.size() - 1);
      table_[place] = entry;
    }
  }

  std::uint64_t seed_;
  std::vector<Entry> table_;
};

}  // namespace tallystick
