/// Codes values by the distinct ones among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
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
  /// How many bytes of the text there are from the value on.
  std::size_t room;
};

/// A value in a text that stops at some place, which is not before the end of the value.
///
/// A call of it would pass through memory, and reading that at once takes as long as all the rest.
[[gnu::always_inline]] inline Cell make_cell(std::string_view value, const char* stop) {
  const std::uint64_t mask =
      value.size() < word_size ? (std::uint64_t{1} << (8 * value.size())) - 1 : ~std::uint64_t{0};
  return {value, load_word(value.data(), stop) & mask,
          static_cast<std::size_t>(stop - value.data())};
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

/// The cells of a column, as codes or, once these are too many, as they are.
class Column {
 public:
  /// A column of a text of so many bytes.
  Column(bool spelled, std::size_t size, std::size_t most, std::uint64_t seed)
      : spelled_(spelled), most_(most), values_(seed) {
    // What is not used of it is never touched.
    if (spelled) column_.bytes.reserve(size);
  }

  /// Makes room for so many cells.
  void reserve(std::size_t n) {
    if (spelled_) return column_.offsets.reserve(n + 1);
    column_.codes.reserve(n);
  }

  void add(const Cell& cell) {
    if (spelled_) return spell_cell(cell);
    column_.codes.push_back(values_.code(cell, column_));
    if (column_.offsets.size() - 1 > most_) spell_all();
  }

  /// The column, without the room that was made for more.
  CodedColumn take() {
    column_.bytes.shrink_to_fit();
    return std::move(column_);
  }

 private:
  static void spell(CodedColumn& column, std::string_view text) {
    column.bytes.insert(column.bytes.end(), text.begin(), text.end());
    column.offsets.push_back(static_cast<std::int32_t>(column.bytes.size()));
  }

  /// Copies sixteen bytes at once where as many may be read; what is too much is cut off again.
  void spell_cell(const Cell& cell) {
    const std::size_t size = column_.bytes.size() + cell.text.size();
    const auto* const first = reinterpret_cast<const std::uint8_t*>(cell.text.data());
    if (cell.text.size() <= 16 && cell.room >= 16) {
      column_.bytes.insert(column_.bytes.end(), first, first + 16);
      column_.bytes.resize(size);
      column_.offsets.push_back(static_cast<std::int32_t>(size));
    } else {
      spell(column_, cell.text);
    }
  }

  void spell_all() {
    CodedColumn spelled;
    const auto* const bytes = reinterpret_cast<const char*>(column_.bytes.data());
    for (const std::int32_t code : column_.codes) {
      const auto at = static_cast<std::size_t>(code);
      const auto start = static_cast<std::size_t>(column_.offsets[at]);
      spell(spelled, {bytes + start, static_cast<std::size_t>(column_.offsets[at + 1]) - start});
    }
    column_ = std::move(spelled);
    spelled_ = true;
  }

  bool spelled_;
  std::size_t most_;
  CodedColumn column_;
  CodedValues values_;
};

/// What columns hold, which they are done with.
inline std::vector<CodedColumn> take_all(std::vector<Column>& columns) {
  std::vector<CodedColumn> found;
  for (Column& one : columns) found.push_back(one.take());
  return found;
}

}  // namespace tallystick
