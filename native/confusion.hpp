/// Counts how often each gold label was predicted as each label, by group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tallystick {

/// Label and group codes of the examples; without groups every example is in group 0.
template <typename Code>
struct CodedExamples {
  std::span<const Code> gold;
  std::span<const Code> predicted;
  std::span<const Code> groups;
};

/// How many groups and labels there are: codes lie below these.
struct ConfusionShape {
  std::size_t groups;
  std::size_t labels;
};

/// Sums of weights by [group, gold, predicted], row by row; without weights each example weighs 1.
///
/// Code is uint8, uint16 or uint32; Count is int64 or double. Throws on a code out of range.
template <typename Code, typename Count>
std::vector<Count> count_confusion(const CodedExamples<Code>& examples,
                                   std::span<const Count> weights, ConfusionShape shape);

}  // namespace tallystick
