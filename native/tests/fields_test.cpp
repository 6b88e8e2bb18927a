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

}  // namespace

void test_fields() {
  spaces_part_fields_only_where_they_are_asked_to();
  no_field_is_empty_and_no_other_byte_is_lost();
}

}  // namespace tallystick
