#include "coded_cells.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "mix.hpp"

namespace tallystick {
namespace {

constexpr std::uint64_t ones = 0x0101010101010101;
constexpr std::uint64_t high_bits = ones << 7;

/// The next eight bytes, or as many as there are, the first one lowest.
std::uint64_t load(const char* place, const char* stop) {
  std::uint64_t word = 0;
  const auto left = static_cast<std::size_t>(stop - place);
  if (left >= word_size) {
    std::memcpy(&word, place, word_size);
  } else {
    std::memcpy(&word, place, left);
  }
  if constexpr (std::endian::native == std::endian::big) {
    std::uint64_t turned = 0;
    for (std::size_t i = 0; i < word_size; ++i) turned = turned << 8 | (word >> (8 * i) & 0xFF);
    return turned;
  }
  return word;
}

/// A high bit for each byte that equals the one that fills the pattern; bits above the lowest may
/// be wrong.
std::uint64_t find_byte(std::uint64_t word, std::uint64_t pattern) {
  const std::uint64_t other = word ^ pattern;
  return (other - ones) & ~other & high_bits;
}

/// A field, and its first eight bytes or as many as it has.
struct Cell {
  std::string_view text;
  std::uint64_t first;
};

/// The distinct values of a column, in an open-addressing hash table.
class Values {
 public:
  explicit Values(std::uint64_t seed) : seed_(seed), table_(64) {}

  /// The code of a value, which is a new one where it has not come before.
  std::int32_t code(const Cell& cell, CodedColumn& column) {
    const std::string_view value = cell.text;
    std::uint64_t hash = mix(seed_ ^ cell.first ^ mix(value.size()));
    for (std::size_t at = word_size; at < value.size(); at += word_size) {
      hash = mix(hash ^ load(value.data() + at, value.data() + value.size()));
    }
    for (std::size_t place = hash & (table_.size() - 1);;
         place = (place + 1) & (table_.size() - 1)) {
      const Entry& entry = table_[place];
      if (entry.code < 0) return add(value, hash, place, column);
      if (entry.hash == hash && equal(value, entry.code, column)) return entry.code;
    }
  }

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::int32_t code = -1;
  };

  static bool equal(std::string_view value, std::int32_t code, const CodedColumn& column) {
    const auto at = static_cast<std::size_t>(code);
    const auto start = static_cast<std::size_t>(column.offsets[at]);
    const auto stop = static_cast<std::size_t>(column.offsets[at + 1]);
    return stop - start == value.size() &&
           std::memcmp(column.bytes.data() + start, value.data(), value.size()) == 0;
  }

  std::int32_t add(std::string_view value, std::uint64_t hash, std::size_t place,
                   CodedColumn& column) {
    const auto code = static_cast<std::int32_t>(column.offsets.size() - 1);
    column.bytes.insert(column.bytes.end(), value.begin(), value.end());
    column.offsets.push_back(static_cast<std::int32_t>(column.bytes.size()));
    table_[place] = {hash, code};
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

/// Reads lines from the front of a text.
class Reader {
 public:
  Reader(std::string_view text, char delimiter)
      : place_(text.data()),
        stop_(text.data() + text.size()),
        delimiter_(ones * static_cast<unsigned char>(delimiter)) {}

  bool at_end() const { return place_ == stop_; }

  /// Passes over a line without anything in it, if one comes.
  bool skip_empty() {
    const std::size_t returned = *place_ == '\r';
    if (place_ + returned == stop_ || place_[returned] != '\n') return false;
    n_returns_ += returned;
    place_ += returned + 1;
    return true;
  }

  /// The next field, in quotes or not; nothing where it ends a line and should not, or the other
  /// way round.
  std::optional<Cell> next(bool last) {
    const bool quoted = *place_ == '"';
    const char* const start = place_ + quoted;
    const char* stop = quoted ? seek(start, quote, quote) : seek(start, delimiter_, line_feed);
    if (stop == stop_) return std::nullopt;
    const char* end = stop + quoted;
    if (quoted && last && *end == '\r') ++end, ++n_returns_;
    if (end == stop_ || (*end == '\n') != last) return std::nullopt;
    if (!last && quoted && static_cast<unsigned char>(*end) != (delimiter_ & 0xFF)) {
      return std::nullopt;
    }
    place_ = end + 1;
    n_quotes_ += 2 * quoted;
    if (!quoted && last && stop > start && stop[-1] == '\r') --stop, ++n_returns_;
    const auto size = static_cast<std::size_t>(stop - start);
    const std::uint64_t mask = size < word_size ? (std::uint64_t{1} << (8 * size)) - 1 : ~0ULL;
    return Cell{{start, size}, load(start, stop_) & mask};
  }

  /// How many lines so far ended with a carriage return.
  std::size_t n_returns() const { return n_returns_; }

  /// How many quotes stood around fields.
  std::size_t n_quotes() const { return n_quotes_; }

 private:
  static constexpr std::uint64_t line_feed = ones * '\n';
  static constexpr std::uint64_t quote = ones * '"';

  /// Where the first byte stands that fills one of two patterns; the end where none does.
  const char* seek(const char* place, std::uint64_t one, std::uint64_t other) const {
    for (; place < stop_; place += word_size) {
      const std::uint64_t word = load(place, stop_);
      const std::uint64_t found = find_byte(word, one) | find_byte(word, other);
      if (found != 0) return place + static_cast<std::size_t>(std::countr_zero(found)) / 8;
    }
    return stop_;
  }

  const char* place_;
  const char* stop_;
  std::uint64_t delimiter_;
  std::size_t n_returns_ = 0;
  std::size_t n_quotes_ = 0;
};

}  // namespace

std::optional<std::vector<CodedColumn>> code_cells(std::string_view text, const CellLayout& layout,
                                                   std::size_t most, std::uint64_t seed) {
  if (!text.empty() && text.back() != '\n') return std::nullopt;
  if (text.find('\0') != text.npos) return std::nullopt;
  const auto n_quotes = static_cast<std::size_t>(std::ranges::count(text, '"'));
  const auto n_returns = static_cast<std::size_t>(std::ranges::count(text, '\r'));
  std::vector<CodedColumn> columns(layout.kept.size());
  std::vector<Values> values(layout.kept.size(), Values(seed));
  Reader reader(text, layout.delimiter);
  while (!reader.at_end()) {
    if (reader.skip_empty()) continue;
    std::size_t column = 0;
    for (std::size_t field = 0; field < layout.n_fields; ++field) {
      const auto cell = reader.next(field + 1 == layout.n_fields);
      if (!cell) return std::nullopt;
      if (column == columns.size() || !std::cmp_equal(layout.kept[column], field)) continue;
      CodedColumn& own = columns[column];
      own.codes.push_back(values[column].code(*cell, own));
      if (own.offsets.size() > most + 1) return std::nullopt;
      ++column;
    }
  }
  if (reader.n_returns() != n_returns || reader.n_quotes() != n_quotes) return std::nullopt;
  return columns;
}

}  // namespace tallystick
