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
  words_.clear(n_expected_);
  longer_.clear(0);
  stems_.clear(0);
  memory_.release();
  n_words_ = 0;
  Alphanumerics split;
  for (std::size_t i = 0; i < stop_words_.size(); ++i) {
    split_alphanumerics(stop_words_[i], split);
    // What the tokenizer would split, or spell otherwise, never stands in a text.
    if (split.size() != 1 || split[0] != stop_words_[i]) continue;
    const Letters letters = find_letters(split, 0);
    Entry& entry = find(letters);
    if (entry.number == absent) words_.fill(entry, {letters, dropped});
  }
}

Number Vocabulary::add(std::string_view word, const Letters& letters, Entry& slot) {
  const Number number = stem_ ? number_stem(word) : static_cast<Number>(n_words_);
  words_.fill(slot, {letters, number});
  ++n_words_;
  return number;
}

Number Vocabulary::number_longer(std::string_view word) {
  const Number known = longer_.find(word);
  if (known != absent) return known;
  const std::span<char> kept = keep(word);
  return longer_.number({kept.data(), kept.size()});
}

Number Vocabulary::number_stem(std::string_view word) {
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
