#include "coded_cells.hpp"

#include <algorithm>
#include <utility>

#include "words_of_bytes.hpp"

namespace tallystick {
namespace {

constexpr std::uint64_t line_feed = repeat('\n');
constexpr std::uint64_t quote = repeat('"');

/// Reads lines from the front of a text.
class Reader {
 public:
  Reader(std::string_view text, char delimiter)
      : place_(text.data()),
        stop_(text.data() + text.size()),
        delimiter_(repeat(static_cast<unsigned char>(delimiter))) {}

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
    const char* stop =
        quoted ? seek(start, stop_, quote, quote) : seek(start, stop_, delimiter_, line_feed);
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
    return make_cell({start, static_cast<std::size_t>(stop - start)}, stop_);
  }

  /// How many lines so far ended with a carriage return.
  std::size_t n_returns() const { return n_returns_; }

  /// How many quotes stood around fields.
  std::size_t n_quotes() const { return n_quotes_; }

 private:
  const char* place_;
  const char* stop_;
  std::uint64_t delimiter_;
  std::size_t n_returns_ = 0;
  std::size_t n_quotes_ = 0;
};

/// How often a byte occurs; to find that it does not takes less than to count.
std::size_t count_bytes(std::string_view text, char byte) {
  // So few at once that sums of single bytes hold them.
  constexpr std::size_t most = 255;
  std::size_t total = 0;
  if (text.find(byte) == text.npos) return total;
  for (; !text.empty(); text.remove_prefix(std::min(most, text.size()))) {
    std::uint8_t n = 0;
    for (const char one : text.substr(0, most)) n = static_cast<std::uint8_t>(n + (one == byte));
    total += n;
  }
  return total;
}

}  // namespace

std::optional<std::vector<CodedColumn>> code_cells(std::string_view text, const CellLayout& layout,
                                                   std::size_t most, std::uint64_t seed) {
  if (!text.empty() && text.back() != '\n') return std::nullopt;
  if (text.find('\0') != text.npos) return std::nullopt;
  const std::size_t n_quotes = count_bytes(text, '"');
  const std::size_t n_returns = count_bytes(text, '\r');
  std::vector<Column> columns;
  for (const std::uint8_t spelled : layout.spelled)
    columns.emplace_back(spelled != 0, text.size(), most, seed);
  Reader reader(text, layout.delimiter);
  while (!reader.at_end()) {
    if (reader.skip_empty()) continue;
    std::size_t column = 0;
    for (std::size_t field = 0; field < layout.n_fields; ++field) {
      const auto cell = reader.next(field + 1 == layout.n_fields);
      if (!cell) return std::nullopt;
      if (column == columns.size() || !std::cmp_equal(layout.kept[column], field)) continue;
      columns[column++].add(*cell);
    }
  }
  if (reader.n_returns() != n_returns || reader.n_quotes() != n_quotes) return std::nullopt;
  return take_all(columns);
}

std::optional<CodedColumn> code_lines(std::string_view text, std::size_t most, std::uint64_t seed) {
  CodedColumn lines;
  CodedValues values(seed);
  const char* const stop = text.data() + text.size();
  for (const char* place = text.data(); place != stop;) {
    const char* const feed = seek(place, stop, line_feed, line_feed);
    const bool ended = feed != stop;
    const bool returned = ended && feed > place && feed[-1] == '\r';
    const auto size = static_cast<std::size_t>(feed - place) - (returned ? 1 : 0);
    lines.codes.push_back(values.code(make_cell({place, size}, stop), lines));
    if (lines.offsets.size() > most + 1) return std::nullopt;
    place = feed + (ended ? 1 : 0);
  }
  return lines;
}

}  // namespace tallystick
