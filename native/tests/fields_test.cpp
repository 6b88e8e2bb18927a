#include "fields.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"

namespace tallystick {
namespace {

Fields cut(std::string_view text, Separators separators) {
  return cut_fields({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, separators);
}

std::string field_at(const Fields& fields, std::size_t i) {
  const auto first = fields.bytes.begin() + fields.offsets[i];
  return {first, fields.bytes.begin() + fields.offsets[i + 1]};
}

void spaces_part_fields_only_where_they_are_asked_to() {
  const Fields words = cut("New York\tB-LOC\r\n\nx  O", Separators::spaces);
  check(words.lines == std::vector<std::int32_t>{0, 0, 0, 2, 2});
  check(field_at(words, 1) == "York");
  const Fields cells = cut("New York\tB-LOC\r\n\nx\tO", Separators::tabs);
  check(cells.lines == std::vector<std::int32_t>{0, 0, 2, 2});
  check(field_at(cells, 0) == "New York");
}

void no_field_is_empty_and_no_other_byte_is_lost() {
  std::mt19937 random(3);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    std::string text(random() % 20, ' ');
    for (char& one : text) one = "a \t\n\r"[random() % 5];
    const Fields fields = cut(text, Separators::spaces);
    check(fields.bytes.size() == static_cast<std::size_t>(std::ranges::count(text, 'a')));
    check(fields.offsets.size() == fields.lines.size() + 1);
    check(std::ranges::adjacent_find(fields.offsets) == fields.offsets.end());
    check(std::ranges::is_sorted(fields.lines));
  }
}

std::string_view value_at(const CodedColumn& column, std::size_t row) {
  const auto* const bytes = reinterpret_cast<const char*>(column.bytes.data());
  return {bytes + column.offsets[row], bytes + column.offsets[row + 1]};
}

void lines_of_as_many_fields_are_columns() {
  const auto found =
      code_fields("\n a  b\tO\r\n\nlonger \x0Bword B-X\nc d O", Separators::spaces, 10, 7);
  check(found.has_value() && found->n_lines == 4);
  check(found->starts == std::vector<std::int32_t>{0, 1, 3});
  check(found->first_lines == std::vector<std::int32_t>{1, 3});
  check(found->columns.size() == 3 && found->columns[0].codes.empty());
  check(found->columns[2].codes == std::vector<std::int32_t>{0, 1, 0});
  check(value_at(found->columns[0], 1) == "longer" && value_at(found->columns[1], 1) == "\x0Bword");
  check(code_fields("a b\tO\n", Separators::tabs, 10, 7)->columns.size() == 2);
  check(code_fields("a x\nb y\n", Separators::spaces, 1, 7)->columns[1].codes.empty());
  check(code_fields(" \n\n", Separators::spaces, 10, 7)->columns.empty());
  for (const std::string_view text : {"a O\nb\n", "a O\nb c O\n", "a O\n# O\n", "-DOCSTART- O\n"}) {
    check(!code_fields(text, Separators::spaces, 10, 7));
  }
}

void lines_lose_their_ends_alone() {
  const auto found = code_lines("a\r\n\n\"b\"\ra\na\n\na longer line\r", 4, 7);
  check(found.has_value() && found->codes == std::vector<std::int32_t>{0, 1, 2, 0, 1, 3});
  check(value_at(*found, 2) == "\"b\"\ra" && value_at(*found, 3) == "a longer line\r");
  check(value_at(*found, 1).empty());
  check(!code_lines("a\nb\nc\n", 2, 7));
  check(code_lines("", 2, 7)->codes.empty());
}

}  // namespace

void test_fields() {
  spaces_part_fields_only_where_they_are_asked_to();
  no_field_is_empty_and_no_other_byte_is_lost();
  lines_of_as_many_fields_are_columns();
  lines_lose_their_ends_alone();
}

}  // namespace tallystick
