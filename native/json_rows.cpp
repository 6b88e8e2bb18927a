#include "json_rows.hpp"

#include <cstddef>
#include <limits>
#include <utility>

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
    std::size_t size = 0;
    while (size < rest_.size() && is_plain(rest_[size])) ++size;
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return take('"');
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
  static bool is_plain(char byte) {
    return byte != '"' && byte != '\\' && static_cast<unsigned char>(byte) >= ' ';
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
  explicit Rows(std::span<const JsonKey> keys)
      : keys_(keys), columns_(keys.size()), rows_(keys.size()) {
    for (JsonColumn& column : columns_) column.offsets.push_back(0);
  }

  bool take_object(Line& line) {
    ++row_;
    if (!line.take('{')) return false;
    for (std::size_t place = 0; place < keys_.size(); ++place) {
      line.skip_spaces();
      if (place > 0 && !line.take(',')) return false;
      line.skip_spaces();
      if (!take_pair(line, place)) return false;
      line.skip_spaces();
    }
    return line.take('}') && line.take_end();
  }

  std::vector<JsonColumn> take_columns() { return std::move(columns_); }

 private:
  /// A key and its value; the key is mostly that of the same place.
  bool take_pair(Line& line, std::size_t place) {
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
    JsonColumn& column = columns_[key];
    column.bytes.insert(column.bytes.end(), text.begin(), text.end());
    column.offsets.push_back(static_cast<std::int32_t>(column.bytes.size()));
    return true;
  }

  std::size_t find_key(std::string_view name) const {
    std::size_t key = 0;
    while (key < keys_.size() && keys_[key].name != name) ++key;
    return key;
  }

  std::span<const JsonKey> keys_;
  std::vector<JsonColumn> columns_;
  std::vector<std::size_t> rows_;
  std::size_t row_ = 0;
};

}  // namespace

std::optional<std::vector<JsonColumn>> read_json_rows(std::string_view text,
                                                      std::span<const JsonKey> keys) {
  if (std::cmp_greater(text.size(), std::numeric_limits<std::int32_t>::max())) return std::nullopt;
  Rows rows(keys);
  Line line(text);
  while (!line.rest().empty()) {
    if (!rows.take_object(line)) return std::nullopt;
  }
  return rows.take_columns();
}

}  // namespace tallystick
