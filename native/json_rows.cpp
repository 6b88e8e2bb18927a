#include "json_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "words_of_bytes.hpp"

namespace tallystick {
namespace {

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

void append_utf8(std::uint32_t code_point, std::string& text) {
  const auto add = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto add_rest = [&](unsigned shift) { add(0x80 | ((code_point >> shift) & 0x3F)); };
  if (code_point < 0x80) return add(code_point);
  if (code_point < 0x800) {
    add(0xC0 | code_point >> 6U);
  } else if (code_point < 0x10000) {
    add(0xE0 | code_point >> 12U);
    add_rest(6);
  } else {
    add(0xF0 | code_point >> 18U);
    add_rest(12);
    add_rest(6);
  }
  add_rest(0);
}

/// What is left of a line; each function takes something off, and tells whether it was there.
class Line {
 public:
  explicit Line(std::string_view rest) : rest_(rest) {}

  bool take(char byte) {
    if (rest_.empty() || rest_.front() != byte) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  void skip_spaces() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) {
      rest_.remove_prefix(1);
    }
  }

  /// A key, without its quotes; one with escapes is none.
  bool take_key(std::string_view& text) {
    if (!take('"')) return false;
    take_letters(text);
    return take('"');
  }

  /// What comes before the closing quote of a string, which a buffer holds where it has escapes.
  bool take_string(std::string_view& text, std::string& buffer) {
    take_letters(text);
    if (rest_.empty() || rest_.front() != '\\') return true;
    buffer = text;
    while (take('\\')) {
      if (!take_escape(buffer)) return false;
      take_letters(text);
      buffer += text;
    }
    text = buffer;
    return true;
  }

  /// Any value; what strings hold goes into a buffer.
  bool skip_value(std::string& buffer, int depth = 0) {
    constexpr int most = 64;
    if (rest_.empty() || depth == most) return false;
    std::string_view text;
    switch (rest_.front()) {
      case '"':
        return take('"') && take_string(text, buffer) && take('"');
      case '{':
      case '[':
        return skip_items(buffer, depth);
      case 't':
        return take("true");
      case 'f':
        return take("false");
      case 'n':
        return take("null");
      default:
        bool fraction = false;
        return take_number(fraction);
    }
  }

  /// A number or a boolean of a kind.
  bool take_value(JsonKind kind, std::string_view& text) {
    const std::string_view before = rest_;
    bool taken = false;
    if (kind == JsonKind::boolean) {
      taken = take("true") || take("false");
    } else {
      bool fraction = false;
      taken = take_number(fraction) && fraction == (kind == JsonKind::fraction);
    }
    text = before.substr(0, before.size() - rest_.size());
    return taken;
  }

  /// The end of the line.
  bool take_end() {
    skip_spaces();
    take('\r');
    return take('\n') || rest_.empty();
  }

  std::string_view rest() const { return rest_; }

 private:
  /// What comes before the next quote, backslash or control character.
  void take_letters(std::string_view& text) {
    const std::size_t size = find_special();
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }

  /// What an escape stands for, after its backslash; a lone surrogate stands for nothing.
  bool take_escape(std::string& text) {
    constexpr std::string_view names = "\"\\/bfnrt";
    constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
    if (rest_.empty()) return false;
    const std::size_t at = names.find(rest_.front());
    if (at != names.npos) {
      text += meant[at];
      rest_.remove_prefix(1);
      return true;
    }
    std::uint32_t unit = 0;
    if (!take_unit(unit)) return false;
    if (unit >= 0xD800 && unit < 0xE000) {
      std::uint32_t low = 0;
      if (unit >= 0xDC00 || !take('\\') || !take_unit(low)) return false;
      if (low < 0xDC00 || low >= 0xE000) return false;
      unit = 0x10000 + ((unit - 0xD800) << 10U) + (low - 0xDC00);
    }
    append_utf8(unit, text);
    return true;
  }

  /// The `u` of an escape and its four digits.
  bool take_unit(std::uint32_t& unit) {
    if (!take('u') || rest_.size() < 4) return false;
    const char* const stop = rest_.data() + 4;
    if (std::from_chars(rest_.data(), stop, unit, 16).ptr != stop) return false;
    rest_.remove_prefix(4);
    return true;
  }

  /// The pairs of an object, or the values of a list.
  bool skip_items(std::string& buffer, int depth) {
    const char close = rest_.front() == '{' ? '}' : ']';
    rest_.remove_prefix(1);
    skip_spaces();
    if (take(close)) return true;
    while (true) {
      if (close == '}') {
        std::string_view name;
        if (!take('"') || !take_string(name, buffer) || !take('"')) return false;
        skip_spaces();
        if (!take(':')) return false;
        skip_spaces();
      }
      if (!skip_value(buffer, depth + 1)) return false;
      skip_spaces();
      if (take(close)) return true;
      if (!take(',')) return false;
      skip_spaces();
    }
  }

  /// Where the next quote, backslash or control character stands; the end where none does.
  std::size_t find_special() const {
    const char* const start = rest_.data();
    const char* const stop = start + rest_.size();
    for (const char* place = start; place < stop; place += word_size) {
      const std::uint64_t word = load_word(place, stop);
      const std::uint64_t marks =
          mark_equal(word, repeat('"')) | mark_equal(word, repeat('\\')) | mark_below(word, ' ');
      if (marks == 0) continue;
      return std::min(rest_.size(), static_cast<std::size_t>(place - start) + find_mark(marks));
    }
    return rest_.size();
  }

  std::size_t take_digits() {
    const std::size_t before = rest_.size();
    while (!rest_.empty() && is_digit(rest_.front())) rest_.remove_prefix(1);
    return before - rest_.size();
  }

  /// A number that 64 bits hold: a whole one of at most 18 digits, or a finite one.
  bool take_number(bool& fraction) {
    take('-');
    const std::size_t digits = take('0') ? 1 : take_digits();
    const bool point = take('.');
    if (digits == 0 || (point && take_digits() == 0)) return false;
    const bool exponent = take('e') || take('E');
    fraction = point || exponent;
    if (!exponent) return digits <= (fraction ? most_digits : 18);
    if (!take('-')) take('+');
    const std::size_t power = take_digits();
    return digits <= most_digits && power >= 1 && power <= 2;
  }

  /// So many digits before the point are below the largest double, even times 10^99.
  static constexpr std::size_t most_digits = 200;

  std::string_view rest_;
};

class Rows {
 public:
  Rows(std::span<const JsonKey> keys, std::string_view text, std::uint64_t seed)
      : keys_(keys),
        n_bytes_(text.size()),
        stop_(text.data() + text.size()),
        rows_(keys.size()),
        buffers_(keys.size()) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    for (const JsonKey& key : keys) {
      columns_.emplace_back(key.kept == JsonKept::texts, text.size(), most, seed);
    }
  }

  bool take_object(Line& line) {
    ++row_;
    if (take_alike(line)) return true;
    pairs_.clear();
    const char* start = line.rest().data();
    if (!line.take('{')) return false;
    line.skip_spaces();
    while (!line.take('}')) {
      if (!pairs_.empty() && !line.take(',')) return false;
      line.skip_spaces();
      if (!take_pair(line, start)) return false;
      line.skip_spaces();
    }
    if (!line.take_end()) return false;
    end_ = {start, line.rest().data()};
    return find_lacking() && keep_all();
  }

  std::vector<CodedColumn> take_columns() { return take_all(columns_); }

 private:
  /// A key, its value without quotes, and what stands between the value before and this one.
  struct Pair {
    std::size_t key;
    std::string_view before;
    std::string_view value;
  };

  /// A row that has what the last one has that was not like the one before it, but for values.
  bool take_alike(Line& line) {
    if (pairs_.empty()) return false;
    Line own = line;
    for (Pair& pair : pairs_) {
      if (!own.take(pair.before) || !take_value(own, pair)) return false;
    }
    if (!own.take(end_)) return false;
    line = own;
    return keep_all();
  }

  /// A key and its value; the key is mostly that of the same place. What is before the value began
  /// at `start`, which becomes the end of the value.
  bool take_pair(Line& line, const char*& start) {
    std::string_view name;
    if (!line.take_key(name)) return false;
    line.skip_spaces();
    if (!line.take(':')) return false;
    line.skip_spaces();
    const std::size_t place = pairs_.size();
    const bool usual = place < keys_.size() && keys_[place].name == name;
    const std::size_t key = usual ? place : find_key(name);
    if (key == keys_.size() || rows_[key] == row_) return false;
    rows_[key] = row_;
    const bool string = keys_[key].kind == JsonKind::string;
    if (string && !line.take('"')) return false;
    Pair pair{key, {start, line.rest().data()}, {}};
    if (!take_value(line, pair)) return false;
    start = line.rest().data();
    if (string && !line.take('"')) return false;
    pairs_.push_back(pair);
    return true;
  }

  /// A value of the kind of its key; that of a string without its quotes.
  bool take_value(Line& line, Pair& pair) {
    const JsonKind kind = keys_[pair.key].kind;
    if (kind == JsonKind::string) return line.take_string(pair.value, buffers_[pair.key]);
    if (kind != JsonKind::any) return line.take_value(kind, pair.value);
    const char* const start = line.rest().data();
    if (!line.skip_value(buffers_[pair.key])) return false;
    pair.value = {start, line.rest().data()};
    return true;
  }

  bool keeps(std::size_t key) const { return keys_[key].kept != JsonKept::nothing; }

  /// The keys to keep that the row does not have, which may be keys of any values alone.
  bool find_lacking() {
    lacking_.clear();
    for (std::size_t key = 0; key < keys_.size(); ++key) {
      if (rows_[key] == row_) continue;
      if (keys_[key].kind != JsonKind::any) return false;
      if (keeps(key)) lacking_.push_back(key);
    }
    return true;
  }

  bool keep_all() {
    constexpr std::string_view null = "null";
    for (const auto& [key, before, value] : pairs_) {
      if (!keeps(key)) continue;
      const bool buffered = value.data() == buffers_[key].data();
      columns_[key].add(make_cell(value, buffered ? value.data() + value.size() : stop_));
    }
    for (const std::size_t key : lacking_) {
      columns_[key].add(make_cell(null, null.data() + null.size()));
    }
    // Rows that have next to none of the keys could take more memory than there is.
    n_lacking_ += lacking_.size();
    return n_lacking_ <= n_bytes_;
  }

  std::size_t find_key(std::string_view name) const {
    std::size_t key = 0;
    while (key < keys_.size() && keys_[key].name != name) ++key;
    return key;
  }

  std::span<const JsonKey> keys_;
  std::size_t n_bytes_;
  const char* stop_;
  std::vector<Column> columns_;
  std::vector<std::size_t> rows_;
  std::size_t row_ = 0;
  /// The last value of each key that had escapes.
  std::vector<std::string> buffers_;
  /// The last row that was not like the one before it, with the values of the last one.
  std::vector<Pair> pairs_;
  /// The keys to keep that it lacks, and how many all rows lack.
  std::vector<std::size_t> lacking_;
  std::size_t n_lacking_ = 0;
  std::string_view end_;
};

}  // namespace

std::optional<std::vector<CodedColumn>> read_json_rows(std::string_view text,
                                                       std::span<const JsonKey> keys,
                                                       std::uint64_t seed) {
  if (std::cmp_greater(text.size(), std::numeric_limits<std::int32_t>::max())) return std::nullopt;
  Rows rows(keys, text, seed);
  Line line(text);
  while (!line.rest().empty()) {
    if (!rows.take_object(line)) return std::nullopt;
  }
  return rows.take_columns();
}

}  // namespace tallystick
