/// Reads lines that all hold a JSON object of the same keys and of plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tallystick {

/// What the values of a key are: strings, whole numbers, numbers with a fraction or an exponent, or
/// booleans.
enum class JsonKind : std::uint8_t { string, whole, fraction, boolean };

/// A key of every object.
struct JsonKey {
  std::string_view name;
  JsonKind kind;
};

/// The values of a key: that of row i is bytes[offsets[i]] up to bytes[offsets[i + 1]], the text of
/// a string without quotes or that of another value.
struct JsonColumn {
  std::vector<std::uint8_t> bytes;
  std::vector<std::int32_t> offsets;
};

/// The columns of all keys; nothing where a line holds anything but one object with each key once.
///
/// The text is valid UTF-8. Strings with escapes are not read, nor are blank lines, lines that
/// begin with a space, or 2^31 bytes and more.
std::optional<std::vector<JsonColumn>> read_json_rows(std::string_view text,
                                                      std::span<const JsonKey> keys);

}  // namespace tallystick
