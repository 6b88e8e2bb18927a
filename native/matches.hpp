/// Counts the n-grams that a hypothesis shares with its references, order by order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interrupt.hpp"
#include "numbers.hpp"

namespace tallystick {

/// Replaces `sequence` by the numbers of a hypothesis's tokens; no others are known afterwards.
template <typename Tokens, typename Numbers>
void number_tokens(const Tokens& tokens, Numbers& numbers, Sequence& sequence) {
  numbers.clear(tokens.size());
  sequence.resize(tokens.size());
  std::ranges::transform(tokens, sequence.begin(),
                         [&numbers](const auto& token) { return numbers.number(token); });
}

/// Replaces `sequence` by the numbers of a reference's tokens, where the hypothesis has them.
template <typename Tokens, typename Numbers>
void find_tokens(const Tokens& tokens, Numbers& numbers, Sequence& sequence) {
  sequence.resize(tokens.size());
  std::ranges::transform(tokens, sequence.begin(),
                         [&numbers](const auto& token) { return numbers.find(token); });
}

/// Counts matches exactly, for any order and any number of distinct tokens; keeps its memory.
///
/// An n-gram is given by the numbers of the two (n-1)-grams that overlap in it, so that each order
/// is one pass over pairs of numbers; and as an n-gram matches only where both of these matched,
/// each pass looks only at what the last one left. One reference that is short enough is a few
/// words of bits instead, with a bit for each of its tokens.
class NgramMatcher {
 public:
  explicit NgramMatcher(Watch watch = Watch()) : watch_(watch) {}

  /// Writes to matches[k] how many (k+1)-grams of the hypothesis match: each distinct one as often
  /// as it stands in the hypothesis, at most as often as in the reference that holds it most.
  ///
  /// Tokens of the hypothesis are numbered from 0 up to below n_tokens; tokens of a reference that
  /// the hypothesis lacks are `absent`.
  void count_matches(const Sequence& hypothesis, std::span<const Sequence> references,
                     std::size_t n_tokens, std::span<std::int64_t> matches);

 private:
  /// Where an n-gram begins that may still match, and its number among those of its order.
  struct Ngram {
    Number position;
    Number number;
  };

  /// How often one n-gram stands in the hypothesis, in the reference that holds it most, and in the
  /// one under way.
  struct Count {
    Number hypothesis = 0;
    Number most = 0;
    Number here = 0;
  };

  using Ngrams = std::vector<Ngram>;

  template <std::size_t Words>
  void match_bits(const Sequence& hypothesis, const Sequence& reference, std::size_t n_tokens,
                  std::span<std::int64_t> matches);
  static void list_tokens(const Sequence& sequence, Ngrams& ngrams);
  template <typename NumberPair>
  static void join_pairs(Ngrams& ngrams, NumberPair number_pair);
  void raise_order(std::span<Ngrams> references);
  std::int64_t clip(std::span<const Ngrams> references);

  Watch watch_;
  Ngrams hypothesis_;
  std::vector<Ngrams> references_;
  KeyNumbers pairs_;
  std::vector<Count> counts_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace tallystick
