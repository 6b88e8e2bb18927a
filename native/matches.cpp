#include "matches.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tallystick {
namespace {

/// To look a token up takes longer than most steps.
constexpr std::size_t steps_per_token = 16;

/// Longer n-grams are never matched by bits.
constexpr std::size_t most_orders = 16;

/// A bit for each token of a reference.
template <std::size_t Words>
using Bits = std::array<std::uint64_t, Words>;

/// The bits of the tokens that follow.
template <std::size_t Words>
Bits<Words> shift(const Bits<Words>& bits) {
  Bits<Words> shifted;
  std::uint64_t carried = 0;
  for (std::size_t w = 0; w < Words; ++w) {
    shifted[w] = bits[w] << 1 | carried;
    carried = bits[w] >> 63;
  }
  return shifted;
}

/// Adds the first bit that is found and not yet taken to those that are; whether there was one.
template <std::size_t Words>
bool take_one(const Bits<Words>& found, Bits<Words>& taken) {
  for (std::size_t w = 0; w < Words; ++w) {
    const std::uint64_t free = found[w] & ~taken[w];
    if (free == 0) continue;
    taken[w] |= free & (~free + 1);
    return true;
  }
  return false;
}

template <std::size_t Words>
bool any(const Bits<Words>& bits) {
  std::uint64_t all = 0;
  for (const std::uint64_t word : bits) all |= word;
  return all != 0;
}

}  // namespace

void NgramMatcher::count_matches(const Sequence& hypothesis, std::span<const Sequence> references,
                                 std::size_t n_tokens, std::span<std::int64_t> matches) {
  const bool is_plain = references.size() == 1 && matches.size() <= most_orders;
  const std::size_t n_words = is_plain ? (references[0].size() + 63) / 64 : absent;
  if (n_words <= 1) return match_bits<1>(hypothesis, references[0], n_tokens, matches);
  if (n_words <= 2) return match_bits<2>(hypothesis, references[0], n_tokens, matches);
  if (n_words <= 4) return match_bits<4>(hypothesis, references[0], n_tokens, matches);
  if (n_words <= 8) return match_bits<8>(hypothesis, references[0], n_tokens, matches);
  list_tokens(hypothesis, hypothesis_);
  if (references_.size() < references.size()) references_.resize(references.size());
  const auto ngrams = std::span(references_).first(references.size());
  for (std::size_t r = 0; r < references.size(); ++r) list_tokens(references[r], ngrams[r]);
  std::size_t n_distinct = n_tokens;
  for (std::size_t k = 0; k < matches.size(); ++k) {
    watch_.spend(steps_per_token * hypothesis_.size());
    if (k > 0) {
      raise_order(ngrams);
      n_distinct = pairs_.size();
    }
    counts_.assign(n_distinct, {});
    matches[k] = clip(ngrams);
  }
}

/// Shift-And (Baeza-Yates and Gonnet 1992): bit j of ends[k] tells whether the (k+1)-gram that ends
/// here in the hypothesis ends at token j of the reference. Each takes one of these that no equal
/// one before it took, until none is left.
template <std::size_t Words>
void NgramMatcher::match_bits(const Sequence& hypothesis, const Sequence& reference,
                              std::size_t n_tokens, std::span<std::int64_t> matches) {
  watch_.spend(steps_per_token * hypothesis.size());
  std::array<Bits<Words>, most_orders> ends{};
  std::array<Bits<Words>, most_orders> taken{};
  bits_.assign(n_tokens * Words, 0);
  for (std::size_t j = 0; j < reference.size(); ++j) {
    if (reference[j] == absent) continue;
    bits_[reference[j] * Words + j / 64] |= std::uint64_t{1} << j % 64;
  }
  std::ranges::fill(matches, 0);
  std::size_t n_matched = 0;
  for (const Number token : hypothesis) {
    Bits<Words> here;
    std::copy_n(bits_.begin() + static_cast<std::ptrdiff_t>(token * Words), Words, here.begin());
    const std::size_t highest = std::min(matches.size(), n_matched + 1);
    std::size_t k = 0;
    for (Bits<Words> found = here; k < highest && any(found); ++k) {
      matches[k] += take_one(found, taken[k]) ? 1 : 0;
      found = shift(std::exchange(ends[k], found));
      for (std::size_t w = 0; w < Words; ++w) found[w] &= here[w];
    }
    n_matched = k;
  }
}

void NgramMatcher::list_tokens(const Sequence& sequence, Ngrams& ngrams) {
  ngrams.resize(sequence.size());
  std::size_t n = 0;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    ngrams[n] = {static_cast<Number>(i), sequence[i]};
    n += sequence[i] == absent ? 0U : 1U;
  }
  ngrams.resize(n);
}

/// Replaces n-grams by the (n+1)-grams that begin where they do and have a number.
template <typename NumberPair>
void NgramMatcher::join_pairs(Ngrams& ngrams, NumberPair number_pair) {
  std::size_t n = 0;
  for (std::size_t i = 1; i < ngrams.size(); ++i) {
    const auto [position, left] = ngrams[i - 1];
    const auto [next, right] = ngrams[i];
    if (next != position + 1) continue;
    const Number number = number_pair(std::uint64_t{left} << 32 | std::uint64_t{right});
    ngrams[n] = {position, number};
    n += number == absent ? 0U : 1U;
  }
  ngrams.resize(n);
}

void NgramMatcher::raise_order(std::span<Ngrams> references) {
  pairs_.clear(hypothesis_.size());
  join_pairs(hypothesis_, [this](std::uint64_t pair) { return pairs_.number(pair); });
  for (Ngrams& reference : references) {
    join_pairs(reference, [this](std::uint64_t pair) { return pairs_.find(pair); });
  }
}

std::int64_t NgramMatcher::clip(std::span<const Ngrams> references) {
  for (const Ngram& ngram : hypothesis_) ++counts_[ngram.number].hypothesis;
  std::int64_t matches = 0;
  for (std::size_t r = 0; r < references.size(); ++r) {
    if (r > 0) {
      for (Count& count : counts_) count.here = 0;
    }
    for (const Ngram& ngram : references[r]) {
      Count& count = counts_[ngram.number];
      if (++count.here <= count.most) continue;
      count.most = count.here;
      matches += count.most <= count.hypothesis ? 1 : 0;
    }
  }
  std::erase_if(hypothesis_,
                [this](const Ngram& ngram) { return counts_[ngram.number].most == 0; });
  return matches;
}

}  // namespace tallystick
