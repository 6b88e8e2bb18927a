/// Cuts lines into the fields that they hold, and reads whole lines as codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "coded_values.hpp"

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

/// Fields of lines that have equally many.
struct CodedFields {
  /// The last one as codes, and the others spelled.
  std::vector<CodedColumn> columns;
  /// The first row behind each empty line, and how many rows there are at the end.
  std::vector<std::int32_t> starts;
  /// The line of each of these rows, and how many lines end.
  std::vector<std::int32_t> first_lines;
  std::int32_t n_lines = 0;
};

/// The fields of the lines that have any, parted by tabs or, if asked for, spaces too; nothing
/// where they have different numbers of them, or one begins with # or -DOCSTART-.
///
/// The last column is spelled too where it has more than `most` values.
std::optional<CodedFields> code_fields(std::string_view text, Separators separators,
                                       std::size_t most, std::uint64_t seed);

/// The lines of a text without their ends, which are line feeds and the carriage returns before
/// them; nothing where there are more than `most` different ones. The last line may lack its end.
/// The seed changes the time alone, and should be secret where others choose the text.
std::optional<CodedColumn> code_lines(std::string_view text, std::size_t most, std::uint64_t seed);

}  // namespace tallystick
