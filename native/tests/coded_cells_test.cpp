#include "coded_cells.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"

namespace tallystick {
namespace {

using Columns = std::optional<std::vector<CodedColumn>>;

Columns read(std::string_view text, std::size_t n_fields, const std::vector<std::int64_t>& kept,
             std::size_t most = 1000) {
  const std::vector<std::uint8_t> spelled(kept.size());
  return code_cells(text, {',', n_fields, kept, spelled}, most, 7);
}

std::string cell_at(const CodedColumn& column, std::size_t row) {
  const auto code = column.codes.empty() ? row : static_cast<std::size_t>(column.codes[row]);
  const auto first = column.bytes.begin();
  return {first + column.offsets[code], first + column.offsets[code + 1]};
}

void columns_that_are_kept_have_the_values_of_their_cells() {
  const auto found = read("a,b,c\n\n1,,a longer value\r\n1,x,a longer valuE\n", 3, {0, 2});
  check(found.has_value());
  check(found->size() == 2);
  check((*found)[0].codes == std::vector<std::int32_t>{0, 1, 1});
  check(cell_at((*found)[1], 1) == "a longer value");
  check(cell_at((*found)[1], 2) == "a longer valuE");
}

void quotes_around_cells_are_no_part_of_them() {
  const auto found = read("\"a\",b\n\"1, 2\n3\",\"\"\r\n\"\",x\n", 2, {0, 1});
  check(found.has_value());
  check(cell_at((*found)[0], 1) == "1, 2\n3");
  check(cell_at((*found)[0], 2).empty());
  check((*found)[1].codes == std::vector<std::int32_t>{0, 1, 2});
}

void whatever_is_not_plain_is_left_to_others() {
  check(!read("a,b\n1\n", 2, {0}));
  check(!read("a,b\n1,2,3\n", 2, {0}));
  check(!read("a,b\n1\"1,2\n", 2, {1}));
  check(!read("a,b\n\"1\"\"\",2\n", 2, {1}));
  check(!read("a,b\n\"1\"1,2\n", 2, {1}));
  check(!read("a,b\n1,\"2\n", 2, {0}));
  check(!read("a,b\n1,\"2\"", 2, {0}));
  check(!read("a,b\n1\r,2\n", 2, {1}));
  check(!read(std::string_view("a,b\n1,\0\n", 8), 2, {0}));
}

void columns_of_many_values_are_spelled() {
  const auto found = read("a,b\n1,b\n\"a\",b\n2,b\n", 2, {0, 1}, 2);
  check(found.has_value() && (*found)[0].codes.empty() && (*found)[1].codes.size() == 4);
  for (std::size_t row = 0; row < 4; ++row) {
    check(cell_at((*found)[0], row) == std::vector<std::string>{"a", "1", "a", "2"}[row]);
  }
  const std::vector<std::int64_t> kept{0, 1};
  const std::vector<std::uint8_t> spelled{0, 1};
  const auto other = code_cells("a,b\na,\n", {',', 2, kept, spelled}, 2, 7);
  check((*other)[0].codes.size() == 2 && (*other)[1].codes.empty());
  check(cell_at((*other)[1], 0) == "b" && cell_at((*other)[1], 1).empty());
}

void lines_lose_their_ends_alone() {
  const auto found = code_lines("a\r\n\n\"b\"\ra\na\n\na longer line\r", 4, 7);
  check(found.has_value() && found->codes == std::vector<std::int32_t>{0, 1, 2, 0, 1, 3});
  check(cell_at(*found, 2) == "\"b\"\ra" && cell_at(*found, 5) == "a longer line\r");
  check(cell_at(*found, 1).empty());
  check(!code_lines("a\nb\nc\n", 2, 7));
  check(code_lines("", 2, 7)->codes.empty());
}

void any_cells_come_back_as_they_were() {
  std::mt19937 random(5);
  for (int repeat = 0; repeat < 300; ++repeat) {
    const std::size_t n_fields = 1 + random() % 3;
    std::vector<std::vector<std::string>> rows(random() % 200);
    std::string text;
    for (auto& row : rows) {
      for (std::size_t field = 0; field < n_fields; ++field) {
        std::string cell(1 + random() % 20, 'a');
        for (char& one : cell) one = "ab\xC3\t "[random() % 5];
        text += (random() % 2 == 0 ? cell : '"' + cell + '"') +
                (field + 1 == n_fields ? (random() % 2 == 0 ? "\n" : "\r\n") : ",");
        row.push_back(cell);
      }
    }
    const auto found = read(text, n_fields, {0}, 10000);
    const auto few = read(text, n_fields, {0}, 5);
    check(found.has_value() && (*found)[0].codes.size() == rows.size() && few.has_value());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      check(cell_at((*found)[0], row) == rows[row][0]);
      check(cell_at((*few)[0], row) == rows[row][0]);
    }
  }
}

}  // namespace

void test_coded_cells() {
  columns_that_are_kept_have_the_values_of_their_cells();
  quotes_around_cells_are_no_part_of_them();
  whatever_is_not_plain_is_left_to_others();
  columns_of_many_values_are_spelled();
  lines_lose_their_ends_alone();
  any_cells_come_back_as_they_were();
}

}  // namespace tallystick
