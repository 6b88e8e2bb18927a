#include "json_rows.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"

namespace tallystick {
namespace {

constexpr JsonKey keys[] = {{"name", JsonKind::string},
                            {"n", JsonKind::whole},
                            {"p", JsonKind::fraction},
                            {"ok", JsonKind::boolean}};

std::string_view value(const CodedColumn& column, std::size_t row) {
  const auto first = static_cast<std::size_t>(column.offsets[row]);
  const auto last = static_cast<std::size_t>(column.offsets[row + 1]);
  return {reinterpret_cast<const char*>(column.bytes.data()) + first, last - first};
}

/// Checks the values of each key, row by row.
void check_values(const std::optional<std::vector<CodedColumn>>& columns,
                  const std::vector<std::vector<std::string_view>>& expected) {
  check(columns.has_value());
  for (std::size_t key = 0; key < expected.size(); ++key) {
    for (std::size_t row = 0; row < expected[key].size(); ++row) {
      check(value((*columns)[key], row) == expected[key][row]);
    }
  }
}

void values_come_out_as_they_are_written() {
  const auto columns = read_json_rows(
      "{\"name\":\"\xC3\xA9 }\",\"n\":-0,\"p\":0.10,\"ok\":true}\r\n"
      "{ \"p\" : 1E+5 , \"ok\": false, \"name\":\"\",\t\"n\":12 } \n"
      "{\"name\":\"a\",\"n\":0,\"p\":-1.5e-3,\"ok\":true}",
      keys, 7);
  check_values(columns, {{"\xC3\xA9 }", "", "a"},
                         {"-0", "12", "0"},
                         {"0.10", "1E+5", "-1.5e-3"},
                         {"true", "false", "true"}});
}

void values_are_coded_or_left_out_where_that_is_asked_for() {
  const std::vector<JsonKey> asked = {{"a", JsonKind::string, JsonKept::codes},
                                      {"b", JsonKind::string, JsonKept::nothing}};
  std::string text;
  for (int row = 0; row < 500; ++row) {
    text += "{\"a\":\"label " + std::to_string(row % 300) + "\",\"b\":\"x\"}\n";
  }
  const auto columns = read_json_rows(text, asked, 7);
  check(columns.has_value());
  check((*columns)[0].codes.size() == 500 && (*columns)[0].offsets.size() == 301);
  check(value((*columns)[0], static_cast<std::size_t>((*columns)[0].codes[499])) == "label 199");
  check((*columns)[1].codes.empty() && (*columns)[1].bytes.empty());
}

/// A row whose value of n, or whatever else stands there, is another text.
std::string write_row(std::string_view rest) {
  return "{\"name\":\"a\",\"p\":0.5,\"ok\":true,\"n\":" + std::string(rest);
}

void escapes_stand_for_characters() {
  const auto columns = read_json_rows(
      "{\"name\":\"a\\n\\\"\\u00e9\\u20AC\\ud83d\\ude00\\/\",\"n\":1,\"p\":0.5,\"ok\":true}\n"
      "{\"name\":\"\\\\\",\"n\":2,\"p\":0.5,\"ok\":true}\n"
      "{\"name\":\"plain\",\"n\":3,\"p\":0.5,\"ok\":true}\n",
      keys, 7);
  check_values(columns, {{"a\n\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80/", "\\", "plain"}});
}

void what_is_not_kept_may_be_anything() {
  const std::vector<JsonKey> asked = {{"a", JsonKind::string},
                                      {"b", JsonKind::any, JsonKept::nothing}};
  const auto columns = read_json_rows(
      "{\"a\":\"x\",\"b\":{\"a\": [1, {}, \"]\\\"\", null] , \"c\":-1.5e3}}\n"
      "{\"b\":[ "
      "],\"a\":\"y\"}\n{\"b\":null,\"a\":\"z\"}\n{\"b\":false,\"a\":\"u\"}\n{\"a\":\"v\"}\n",
      asked, 7);
  check(columns.has_value());
  check(columns && (*columns)[0].offsets.size() == 6 && value((*columns)[0], 3) == "u");
  for (const std::string_view rest :
       {"{]", "[}", "[1 2]", "[1,]", "{\"a\"}", "{\"a\":}", "{,}", "nul", "01", "\"\\x\"",
        "\"\\u12g4\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0061\"", "\"", "[",
        "1,\"c\":1"}) {
    for (const std::string_view before : {"", "{\"a\":\"x\",\"b\":1}\n"}) {
      const std::string row = std::string(before) + "{\"a\":\"x\",\"b\":" + std::string(rest) + "}";
      check(!read_json_rows(row, asked, 7).has_value());
    }
  }
  const std::string deep =
      "{\"a\":\"x\",\"b\":" + std::string(100, '[') + std::string(100, ']') + "}";
  check(!read_json_rows(deep, asked, 7).has_value());
  check(!read_json_rows("{\"b\":1}\n", asked, 7).has_value());
  const std::vector<JsonKey> looked = {{"a", JsonKind::string, JsonKept::nothing}};
  check(read_json_rows("{\"a\":\"x\"}\n", looked, 7).has_value());
  check(!read_json_rows("{}\n", looked, 7).has_value());
}

void anything_is_kept_as_it_is_written() {
  const std::vector<JsonKey> asked = {{"a", JsonKind::any}, {"b", JsonKind::any}};
  const auto columns =
      read_json_rows("{\"a\":\"x\\n\",\"b\": [1, {}] }\n{\"a\":1}\n{\"a\":2}\n{}\n", asked, 7);
  check_values(columns, {{"\"x\\n\"", "1", "2", "null"}, {"[1, {}]", "null", "null", "null"}});
}

void anything_else_is_left_to_others() {
  check(read_json_rows(write_row("1}\n"), keys, 7).has_value());
  for (const std::string_view rest : {"01}", "1234567890123456789}", "1.0}", "1e1}", "-}", "+1}",
                                      "}", "1,}", "1,\"n\":1}", "1,\"x\":1}", "1}{}", "1", "\"1\"}",
                                      "null}", "1}x", "1}\n\n", "1}\n {", "1]", "1;\"n\":2}"}) {
    check(!read_json_rows(write_row(rest), keys, 7).has_value());
    // A row like the one before is read another way, and so is one that is almost like it.
    check(!read_json_rows(write_row("1}\n") + write_row(rest), keys, 7).has_value());
  }
  for (const std::string_view text :
       {"[]", "{}", "\n", " ", "{", "{\"na\\u006De\":\"a\",\"n\":1,\"p\":0.5,\"ok\":true}",
        "{\"name\":\"a\tb\",\"n\":1,\"p\":0.5,\"ok\":true}",
        "{\"name\":\"a\",\"n\":1,\"p\":.5,\"ok\":true}",
        "{\"name\":\"a\",\"n\":1,\"p\":5.,\"ok\":true}",
        "{\"name\":\"a\",\"n\":1,\"p\":1e100,\"ok\":true}",
        "{\"name\":\"a\",\"n\":1,\"p\":1e,\"ok\":true}",
        "{\"name\":\"a\",\"n\":1,\"p\":0.5,\"ok\":True}", "{\"name\":\"a\",\"n\":1,\"p\":0.5}",
        "{\"name\":\"a\",\"n\":1,\"p\":0.5,\"ok\":true \"x\":1}"}) {
    check(!read_json_rows(text, keys, 7).has_value());
    const std::string before = "{\"name\":\"b\",\"n\":1,\"p\":0.5,\"ok\":true}\n";
    check(!read_json_rows(before + std::string(text), keys, 7).has_value());
  }
}

}  // namespace

void test_json_rows() {
  values_come_out_as_they_are_written();
  values_are_coded_or_left_out_where_that_is_asked_for();
  escapes_stand_for_characters();
  what_is_not_kept_may_be_anything();
  anything_is_kept_as_it_is_written();
  anything_else_is_left_to_others();
}

}  // namespace tallystick
