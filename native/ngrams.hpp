/// Counts what BLEU is made of: lengths, and the n-grams that match, by order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interrupt.hpp"
#include "text.hpp"
#include "tokenize.hpp"

namespace tallystick {

/// How n-grams are counted: orders 1 up to and with `order`; 0 threads are as many as the machine
/// runs at once, and the counts are the same for any number.
struct NgramOptions {
  std::size_t order;
  unsigned threads;
  Interrupt* interrupt = nullptr;
};

/// The statistics of BLEU (Papineni et al. 2002), a row of 2 + 2 * order for each example: the
/// length of the hypothesis, that of the closest reference (the shorter of two), the n-grams that
/// match and all n-grams of the hypothesis, by order.
///
/// Every example has at least one reference.
std::vector<std::int64_t> count_ngrams(const Referred<Texts>& texts, Tokenizer tokenizer,
                                       const NgramOptions& options);

/// The same over token ids.
std::vector<std::int64_t> count_id_ngrams(const Referred<Ids>& ids, const NgramOptions& options);

}  // namespace tallystick
