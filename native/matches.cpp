#include "matches.hpp"

#include <algorithm>

namespace tallystick {
namespace {

/// To look a token up takes longer than most steps.
constexpr std::size_t steps_per_token = 16;

}  // namespace

void NgramMatcher::count_matches(const Sequence& hypothesis, std::span<const Sequence> references,
                                 std::size_t n_tokens, std::span<std::int64_t> matches) {
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
