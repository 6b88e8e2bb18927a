/// Finds the spans that the tags of tokens, such as B-PER and O, stand for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tallystick {

/// What a transition between two tags means for spans.
enum TagRule : std::uint8_t {
  begins = 1,  ///< A span begins with the second tag, if none is open.
  ends = 2,    ///< The open span ends with the first tag.
  sound = 4,   ///< A span may end with the second tag.
  broken = 8,  ///< The span that ends with the first tag breaks the scheme.
};

/// How many letters tags have, and how many transitions: letter, letter before, same type or not.
inline constexpr std::size_t n_letters = 6;
inline constexpr std::size_t n_transitions = n_letters * n_letters * 2;

/// Distinct tags by their letter (0: outside) and their type, and what transitions mean.
///
/// The last tag is O, which stands before the first token and after the last one of an example.
struct TagScheme {
  std::span<const std::uint8_t> letters;
  std::span<const std::int32_t> types;
  std::span<const std::uint8_t> rules;
  /// Whether tags may belong to no span. Else the span that began last is always open, and another
  /// begins wherever one may.
  bool strict;
};

/// The spans of example i are those from offsets[i] up to offsets[i + 1].
struct TaggedSpans {
  std::vector<std::int64_t> offsets;
  /// The first token of each in its example, the one after its last, and the type of its last.
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> ends;
  std::vector<std::int32_t> types;
  /// The transition to each token, and which of all there are.
  std::vector<std::uint8_t> steps;
  std::vector<std::uint8_t> seen = std::vector<std::uint8_t>(n_transitions);
};

/// The spans of examples whose tokens are codes[offsets[i]] up to codes[offsets[i + 1]].
///
/// Throws on a code that is not below the number of tags.
TaggedSpans find_spans(std::span<const std::uint32_t> codes, std::span<const std::int64_t> offsets,
                       const TagScheme& scheme);

}  // namespace tallystick
