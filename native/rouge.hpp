/// Counts what ROUGE is made of: what a hypothesis and a reference have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "interrupt.hpp"
#include "text.hpp"

namespace tallystick {

/// What is counted, in the hypothesis, in the reference, and of both what matches.
///
/// - ngrams: of as many tokens as the amount says, each as often as the side has it that has it
///   less often.
/// - lcs: the tokens of a longest common subsequence.
/// - union_lcs: the tokens of the reference that lie on a longest common subsequence of their
///   sentence with some sentence of the hypothesis, each token as often at most as the hypothesis
///   has it.
/// - weighted_lcs: the value of the table of Lin (2004), a run of k matches weighing k to the power
///   of the amount; lengths are not weighted.
/// - union_weighted_lcs: the weighted runs in the reference as ROUGE-1.5.5 counts them; in the
///   reference the sum of the weighted lengths of its sentences.
/// - skips: pairs with at most as many tokens between them as the amount says.
/// - skips_and_words, skips_and_first_words: these and all tokens, or all but the last.
enum class Overlap {
  ngrams,
  lcs,
  union_lcs,
  weighted_lcs,
  union_weighted_lcs,
  skips,
  skips_and_words,
  skips_and_first_words
};

/// The overlap of this name.
std::optional<Overlap> find_overlap(std::string_view name);

struct Measure {
  Overlap overlap;
  double amount;
};

/// What is measured; 0 threads are as many as the machine runs at once, and the counts are the same
/// for any number.
struct OverlapOptions {
  std::vector<Measure> measures;
  unsigned threads;
  Interrupt* interrupt = nullptr;
};

/// Sentences of token ids: those of text i are number offsets[i] up to offsets[i + 1].
struct Sentences {
  Ids sentences;
  std::span<const std::int64_t> offsets;

  std::size_t size() const { return offsets.size() - 1; }

  Sentences operator[](std::size_t i) const { return {sentences, offsets.subspan(i, 2)}; }
};

/// Three numbers for each reference and measure: what matches, and what the hypothesis and the
/// reference have. Tokens are runs of ASCII letters and digits, sentences are lines.
///
/// Tokens that are one of `stop_words` are dropped; with `stem` those of four characters on are
/// stemmed.
std::vector<double> count_overlaps(const Referred<Texts>& texts, const Texts& stop_words, bool stem,
                                   const OverlapOptions& options);

/// The same over sentences of token ids.
std::vector<double> count_id_overlaps(const Referred<Sentences>& texts,
                                      const OverlapOptions& options);

}  // namespace tallystick
