/// Counts what chrF is made of: n-grams of characters and of words, by order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "interrupt.hpp"
#include "text.hpp"

namespace tallystick {

/// How chrF counts; `beta` and `smoothing` only decide which reference is the best.
struct ChrfOptions {
  /// The highest orders of n-grams of characters and of words; not both 0.
  std::size_t char_order;
  std::size_t word_order;
  /// Whether spaces are characters like all others, or left out.
  bool whitespace;
  double beta;
  /// Whether an order without n-grams counts with a tiny F, instead of not at all.
  bool eps_smoothing;
  /// 0 are as many as the machine runs at once; the counts are the same for any number.
  unsigned threads;
  Interrupt* interrupt = nullptr;
};

/// The statistics of chrF (Popovic 2015) and chrF++ (Popovic 2017), a row of 3 for each order of
/// each example, orders of characters first: the n-grams of the hypothesis (0 where the reference
/// has none of that order), those of the reference, and those that match.
///
/// Of several references the one with the highest F counts, of equals the first. Every example
/// has at least one reference.
std::vector<std::int64_t> count_char_ngrams(const Referred<Texts>& texts,
                                            const ChrfOptions& options);

}  // namespace tallystick
