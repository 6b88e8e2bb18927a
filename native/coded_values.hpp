/// Codes values by the distinct ones among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "mix.hpp"
#include "numbers.hpp"
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
///
/// A call of it would pass through memory, and reading that at once takes as long as all the rest.
[[gnu::always_inline]] inline Cell make_cell(std::string_view value, const char* stop) {
  const std::uint64_t mask =
      value.size() < word_size ? (std::uint64_t{1} << (8 * value.size())) - 1 : ~std::uint64_t{0};
  return {value, load_word(value.data(), stop) & mask};
}

/// The distinct values of a column.
class CodedValues {
 public:
  explicit CodedValues(std::uint64_t seed) : seed_(seed) { slots_.clear(n_expected); }

  /// The code of a value, which is a new one where it has not come before.
  std::int32_t code(const Cell& cell, CodedColumn& column) {
    const std::string_view value = cell.text;
    std::uint64_t hash = mix(seed_ ^ cell.first ^ (std::uint64_t{value.size()} << 56));
    for (std::size_t at = word_size; at < value.size(); at += word_size) {
      hash = mix(hash ^ load_word(value.data() + at, value.data() + value.size()));
    }
    Entry& entry = slots_.find(
        hash, [&](const Entry& one) { return one.digest == hash && holds(one, cell, column); });
    if (entry.number != absent) return static_cast<std::int32_t>(entry.number);
    const auto number = static_cast<Number>(column.offsets.size() - 1);
    column.bytes.insert(column.bytes.end(), value.begin(), value.end());
    column.offsets.push_back(static_cast<std::int32_t>(column.bytes.size()));
    slots_.fill(entry, {hash, cell.first, value.size(), number});
    return static_cast<std::int32_t>(number);
  }

 private:
  static constexpr std::size_t n_expected = 32;

  struct Entry {
    std::uint64_t digest = 0;
    std::uint64_t first = 0;
    std::size_t size = 0;
    Number number = absent;

    std::uint64_t hash() const { return digest; }
  };

  static bool holds(const Entry& entry, const Cell& cell, const CodedColumn& column) {
    const std::size_t size = cell.text.size();
    if (entry.first != cell.first || entry.size != size) return false;
    if (size <= word_size) return true;
    const auto start = static_cast<std::size_t>(column.offsets[entry.number]);
    return std::memcmp(column.bytes.data() + start, cell.text.data(), size) == 0;
  }

  std::uint64_t seed_;
  Slots<Entry> slots_;
};

}  // namespace tallystick
