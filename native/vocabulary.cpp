#include "vocabulary.hpp"

#include <algorithm>

#include "porter.hpp"

namespace tallystick {
namespace {

/// Some 10 MB of words.
constexpr std::size_t most_words = std::size_t{1} << 17;

/// Shorter words are not stemmed, as in rouge_score and ROUGE-1.5.5.
constexpr std::size_t shortest_stemmed = 4;

}  // namespace

Vocabulary::Vocabulary(const Texts& stop_words, bool stem, std::size_t n_expected)
    : stop_words_(stop_words), stem_(stem), n_expected_(n_expected) {
  forget();
}

bool Vocabulary::forget_if_full() {
  if (n_words_ < most_words) return false;
  forget();
  return true;
}

void Vocabulary::forget() {
  slots_.clear(n_expected_);
  stems_.clear(0);
  long_words_.clear();
  memory_.release();
  n_words_ = 0;
  Alphanumerics split;
  for (std::size_t i = 0; i < stop_words_.size(); ++i) {
    split_alphanumerics(stop_words_[i], split);
    // What the tokenizer would split, or spell otherwise, never stands in a text.
    if (split.size() != 1 || split[0] != stop_words_[i]) continue;
    const std::string_view word = split[0];
    const std::uint64_t digest = digest_word(word);
    Entry& entry = slots_.find(digest, [&](const Entry& one) { return holds(one, digest, word); });
    if (entry.number == absent) insert(word, digest, entry, absent);
  }
}

Number Vocabulary::add(std::string_view word, std::uint64_t digest, Entry& slot) {
  const Number stem = number_stem(word);
  insert(word, digest, slot, stem);
  return stem;
}

void Vocabulary::insert(std::string_view word, std::uint64_t digest, Entry& slot, Number stem) {
  Number number = short_word;
  if (word.size() > 8) {
    number = static_cast<Number>(long_words_.size());
    const std::span<char> kept = keep(word);
    long_words_.emplace_back(kept.data(), kept.size());
  }
  slots_.fill(slot, {digest, number, stem});
  ++n_words_;
}

Number Vocabulary::number_stem(std::string_view word) {
  if (!stem_) return static_cast<Number>(n_words_);
  std::span<char> stem = keep(word);
  if (word.size() >= shortest_stemmed) stem = stem.first(stem_ascii(stem));
  return stems_.number({stem.data(), stem.size()});
}

std::span<char> Vocabulary::keep(std::string_view word) {
  auto* const copy = static_cast<char*>(memory_.allocate(word.size(), 1));
  std::ranges::copy(word, copy);
  return {copy, word.size()};
}

}  // namespace tallystick
