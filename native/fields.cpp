#include "fields.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "words_of_bytes.hpp"

namespace tallystick {
namespace {

constexpr auto most_bytes = std::numeric_limits<std::int32_t>::max();

bool parts_fields(char byte, Separators separators) {
  const bool parts = byte == '\t' || byte == '\n' || byte == '\r';
  return parts || (byte == ' ' && separators == Separators::spaces);
}

/// Where the field ends that begins here.
const char* find_end(const char* place, const char* stop, Separators separators) {
  while (place < stop) {
    const std::uint64_t found = mark_below(load_word(place, stop), ' ' + 1);
    if (found == 0) {
      place += word_size;
      continue;
    }
    place += find_mark(found);
    if (place >= stop || parts_fields(*place, separators)) break;
    ++place;
  }
  return std::min(place, stop);
}

/// How many fields the first line has that has any.
std::size_t count_fields(std::string_view text, Separators separators) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (parts_fields(text[i], separators)) {
      if (text[i] == '\n' && n > 0) break;
    } else if (i == 0 || parts_fields(text[i - 1], separators)) {
      ++n;
    }
  }
  return n;
}

}  // namespace

Fields cut_fields(std::span<const std::uint8_t> text, Separators separators) {
  if (std::cmp_greater(text.size(), most_bytes)) {
    throw std::invalid_argument("text has " + std::to_string(text.size()) +
                                " bytes: expected fewer than 2^31.");
  }
  Fields fields;
  fields.bytes.reserve(text.size());
  // Room for the most fields there can be; what is not used of it is never touched.
  fields.offsets.reserve(text.size() / 2 + 2);
  fields.lines.reserve(text.size() / 2 + 1);
  fields.offsets.push_back(0);
  std::int32_t line = 0;
  std::size_t start = 0;
  const auto close = [&](std::size_t stop) {
    if (stop == start) return;
    const auto field = text.subspan(start, stop - start);
    fields.bytes.insert(fields.bytes.end(), field.begin(), field.end());
    fields.offsets.push_back(static_cast<std::int32_t>(fields.bytes.size()));
    fields.lines.push_back(line);
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!parts_fields(static_cast<char>(text[i]), separators)) continue;
    close(i);
    start = i + 1;
    line += text[i] == '\n';
  }
  close(text.size());
  return fields;
}

std::optional<CodedFields> code_fields(std::string_view text, Separators separators,
                                       std::size_t most, std::uint64_t seed) {
  if (std::cmp_greater(text.size(), most_bytes)) return std::nullopt;
  const std::size_t width = count_fields(text, separators);
  std::vector<Column> columns;
  for (std::size_t place = 1; place <= width; ++place) {
    columns.emplace_back(place < width, text.size(), most, seed);
  }
  CodedFields found;
  std::size_t n = 0;
  const auto end_line = [&] {
    if (n != 0) found.lines.push_back(found.n_lines);
    return n == 0 || n == width;
  };
  const char* const stop = text.data() + text.size();
  for (const char* place = text.data(); place < stop;) {
    if (parts_fields(*place, separators)) {
      if (*place++ != '\n') continue;
      if (!end_line()) return std::nullopt;
      n = 0;
      ++found.n_lines;
      continue;
    }
    const char* const end = find_end(place, stop, separators);
    const std::string_view field(place, static_cast<std::size_t>(end - place));
    if (n == width) return std::nullopt;
    if (n == 0 && (field[0] == '#' || field.starts_with("-DOCSTART-"))) return std::nullopt;
    columns[n++].add(make_cell(field, stop));
    place = end;
  }
  if (!end_line()) return std::nullopt;
  found.columns = take_all(columns);
  return found;
}

}  // namespace tallystick
