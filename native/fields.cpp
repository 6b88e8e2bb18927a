#include "fields.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "words_of_bytes.hpp"

namespace tallystick {
namespace {

constexpr auto most_bytes = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t most_marks = 64;

bool parts_fields(char byte, Separators separators) {
  const bool parts = byte == '\t' || byte == '\n' || byte == '\r';
  return parts || (byte == ' ' && separators == Separators::spaces);
}

/// A bit for each of the next 64 bytes, or of as many as there are, that is a space or below it.
std::uint64_t mark_blanks(const char* place, const char* stop) {
  const std::size_t size = std::min(static_cast<std::size_t>(stop - place), most_marks);
  std::uint64_t marks = 0;
  for (std::size_t at = 0; at < size; at += word_size) {
    const std::uint64_t word = load_word(place + at, stop);
    const std::uint64_t above = ((word & repeat(0x7F)) + repeat(0x7F - ' ')) | word;
    // The multiplication gathers the lowest bits of all bytes in the highest byte.
    marks |= ((~above >> 7 & repeat(1)) * 0x0102040810204080) >> 56 << at;
  }
  return size < most_marks ? marks & ((std::uint64_t{1} << size) - 1) : marks;
}

/// Visits the fields of a text, and the line feeds among them; false where a visit ends it.
template <typename VisitField, typename EndLine>
bool visit_fields(std::string_view text, Separators separators, VisitField visit_field,
                  EndLine end_line) {
  const char* const stop = text.data() + text.size();
  const char* start = text.data();
  for (std::size_t first = 0; first <= text.size(); first += most_marks) {
    const char* const window = text.data() + first;
    std::uint64_t marks = mark_blanks(window, stop);
    // The end of the text parts fields too.
    if (text.size() - first < most_marks) marks |= std::uint64_t{1} << (text.size() - first);
    for (; marks != 0; marks &= marks - 1) {
      const char* const place = window + std::countr_zero(marks);
      const char mark = place < stop ? *place : '\t';
      if (!parts_fields(mark, separators)) continue;
      if (place > start && !visit_field(std::string_view(start, place))) return false;
      if (mark == '\n' && !end_line()) return false;
      start = place + 1;
    }
  }
  return true;
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
  visit_fields(
      {reinterpret_cast<const char*>(text.data()), text.size()}, separators,
      [&](std::string_view field) {
        fields.bytes.insert(fields.bytes.end(), field.begin(), field.end());
        fields.offsets.push_back(static_cast<std::int32_t>(fields.bytes.size()));
        fields.lines.push_back(line);
        return true;
      },
      [&] {
        ++line;
        return true;
      });
  return fields;
}

}  // namespace tallystick
