/// Reads lines that all hold a JSON object, some of whose keys have plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "coded_values.hpp"

namespace tallystick {

/// What the values of a key are: strings, whole numbers, numbers with a fraction or an exponent,
/// booleans, or anything.
enum class JsonKind : std::uint8_t { string, whole, fraction, boolean, any };

/// What is kept of the values of a key: nothing, each as text, or their codes.
enum class JsonKept : std::uint8_t { nothing, texts, codes };

/// A key of objects, which all of them have unless its values are anything.
struct JsonKey {
  std::string_view name;
  JsonKind kind;
  JsonKept kept = JsonKept::texts;
};

/// The columns of all keys: the text of strings without quotes and escapes, and that of other
/// values, or `null` for anything that is missing; nothing where a line holds anything but one
/// object with each key once. Where values are not coded, that of row i is value i, and there are
/// no codes.
///
/// The text is valid UTF-8. Escaped keys and lone surrogates are not read, nor are blank lines,
/// lines that begin with a space, or 2^31 bytes and more. The seed changes the time alone.
std::optional<std::vector<CodedColumn>> read_json_rows(std::string_view text,
                                                       std::span<const JsonKey> keys,
                                                       std::uint64_t seed);

}  // namespace tallystick
