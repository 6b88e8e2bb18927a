/// Reads lines, and columns of plain CSV, whose values recur, as codes into these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "coded_values.hpp"

namespace tallystick {

/// What lines are made of.
struct CellLayout {
  char delimiter;
  std::size_t n_fields;
  /// The places of the fields that are read, ascending.
  std::span<const std::int64_t> kept;
  /// Which of these are read as they are, and not as codes: not 0.
  std::span<const std::uint8_t> spelled;
};

/// The columns that are kept; nothing where a line has another number of fields, a NUL is
/// anywhere, a quote is within a field, or a carriage return does not end a line.
///
/// A column of more than `most` values is spelled too: it has no codes, and a value for each row.
///
/// Lines end with a line feed, the last one too. Empty lines are passed over. The seed changes the
/// time alone, and should be secret where others choose the text.
std::optional<std::vector<CodedColumn>> code_cells(std::string_view text, const CellLayout& layout,
                                                   std::size_t most, std::uint64_t seed);

/// The lines of a text without their ends, which are line feeds and the carriage returns before
/// them; nothing where there are more than `most` different ones. The last line may lack its end.
std::optional<CodedColumn> code_lines(std::string_view text, std::size_t most, std::uint64_t seed);

}  // namespace tallystick
