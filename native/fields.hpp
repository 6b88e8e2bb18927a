/// Cuts lines into the fields that they hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tallystick {

/// Field i is bytes[offsets[i]] up to bytes[offsets[i + 1]], and stands in line lines[i] from 0.
struct Fields {
  std::vector<std::uint8_t> bytes;
  std::vector<std::int32_t> offsets;
  std::vector<std::int32_t> lines;
};

/// What parts fields: tabs alone, or spaces too. Ends of lines always do.
enum class Separators { tabs, spaces };

/// The fields of all lines, none of them empty, without what parts them.
///
/// Throws where the text has 2^31 bytes or more.
Fields cut_fields(std::span<const std::uint8_t> text, Separators separators);

}  // namespace tallystick
