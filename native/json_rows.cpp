#include "json_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "words_of_bytes.hpp"

namespace tallystick {
namespace {

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

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

  /// A string, without its quotes; one with escapes is none.
  bool take_string(std::string_view& text) {
    if (!take('"')) return false;
    take_letters(text);
    return take('"');
  }

  /// What comes before the next quote, backslash or control character.
  void take_letters(std::string_view& text) {
    const std::size_t size = find_special();
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
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
      : keys_(keys), stop_(text.data() + text.size()), rows_(keys.size()) {
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
    for (std::size_t place = 0; place < keys_.size(); ++place) {
      line.skip_spaces();
      if (place > 0 && !line.take(',')) return false;
      line.skip_spaces();
      if (!take_pair(line, place, start)) return false;
      line.skip_spaces();
    }
    if (!line.take('}') || !line.take_end()) return false;
    end_ = {start, line.rest().data()};
    for (const Pair& pair : pairs_) keep(pair.key, pair.value);
    return true;
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
      if (!own.take(pair.before)) return false;
      const JsonKind kind = keys_[pair.key].kind;
      if (kind == JsonKind::string) {
        own.take_letters(pair.value);
      } else if (!own.take_value(kind, pair.value)) {
        return false;
      }
    }
    if (!own.take(end_)) return false;
    line = own;
    for (const Pair& pair : pairs_) keep(pair.key, pair.value);
    return true;
  }

  /// A key and its value; the key is mostly that of the same place. What is before the value began
  /// at `start`, which becomes the end of the value.
  bool take_pair(Line& line, std::size_t place, const char*& start) {
    std::string_view name;
    if (!line.take_string(name)) return false;
    line.skip_spaces();
    if (!line.take(':')) return false;
    line.skip_spaces();
    const std::size_t key = keys_[place].name == name ? place : find_key(name);
    if (key == keys_.size() || rows_[key] == row_) return false;
    rows_[key] = row_;
    std::string_view text;
    const bool string = keys_[key].kind == JsonKind::string;
    if (!(string ? line.take_string(text) : line.take_value(keys_[key].kind, text))) return false;
    pairs_.push_back({key, {start, text.data()}, text});
    start = text.data() + text.size();
    return true;
  }

  void keep(std::size_t key, std::string_view text) {
    if (keys_[key].kept != JsonKept::nothing) columns_[key].add(make_cell(text, stop_));
  }

  std::size_t find_key(std::string_view name) const {
    std::size_t key = 0;
    while (key < keys_.size() && keys_[key].name != name) ++key;
    return key;
  }

  std::span<const JsonKey> keys_;
  const char* stop_;
  std::vector<Column> columns_;
  std::vector<std::size_t> rows_;
  std::size_t row_ = 0;
  /// The last row that was not like the one before it, with the values of the last one.
  std::vector<Pair> pairs_;
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
