/// Counts the edits between hypotheses and references, over characters, words or ids.
///
/// An interrupt, where there is one, stops a count within a pair, by throwing Interrupted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interrupt.hpp"
#include "text.hpp"

namespace tallystick {

/// What an edit replaces, removes or inserts.
enum class Unit {
  /// Code points.
  characters,
  /// Code points of the text without the white space at its ends: jiwer's characters.
  stripped,
  /// Words as jiwer 4 splits them by default: at a space and at two or more of any white space.
  words,
};

/// One row for each example: hits, substitutions, deletions and insertions on the path from the
/// reference to the hypothesis.
std::vector<std::int64_t> count_edits(const Texts& hypotheses, const Texts& references, Unit unit,
                                      unsigned threads, Interrupt* interrupt = nullptr);
std::vector<std::int64_t> count_edits(const Ids& hypotheses, const Ids& references,
                                      unsigned threads, Interrupt* interrupt = nullptr);

/// One row for each pair: its Levenshtein distance, and the longer of its two lengths.
std::vector<std::int64_t> measure_distances(const Texts& a, const Texts& b, Unit unit,
                                            unsigned threads, Interrupt* interrupt = nullptr);

/// One row for each step from a to b: the operation (0 equal, 1 replace, 2 delete, 3 insert) and
/// the positions in a and b before it.
std::vector<std::int64_t> align_ids(std::span<const std::int32_t> a,
                                    std::span<const std::int32_t> b,
                                    Interrupt* interrupt = nullptr);

}  // namespace tallystick
