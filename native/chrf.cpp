#include "chrf.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "characters.hpp"
#include "checks.hpp"
#include "matches.hpp"
#include "parallel.hpp"

namespace tallystick {
namespace {

using Words = std::vector<std::string_view>;

bool is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

/// Replaces `words` by those of a text; one punctuation mark is cut off each, at the end if it
/// stands there, else at the start (Popovic 2017).
void read_words(std::string_view text, Words& scratch, Words& words) {
  split_words(text, scratch);
  words.clear();
  for (const std::string_view word : scratch) {
    std::size_t cut = 0;
    if (word.size() > 1 && is_ascii_punctuation(word.back())) {
      cut = word.size() - 1;
    } else if (word.size() > 1 && is_ascii_punctuation(word.front())) {
      cut = 1;
    }
    if (cut > 0) words.push_back(word.substr(0, cut));
    words.push_back(word.substr(cut));
  }
}

/// Counts n-grams of one kind of token in a hypothesis against one reference after the other.
class TokenCounter {
 public:
  TokenCounter(std::size_t order, Watch watch) : matcher_(watch), matches_(order) {}

  /// The numbers of the hypothesis's tokens, and of those of the reference under way.
  Sequence hypothesis;
  Sequence reference;

  /// Writes three counts for each order; the hypothesis's numbers lie below `bound`.
  void count(std::size_t bound, std::span<std::int64_t> counts) {
    matcher_.count_matches(hypothesis, {&reference, 1}, bound, matches_);
    for (std::size_t k = 0; k < matches_.size(); ++k) {
      const std::int64_t n_reference = count_ngrams(reference.size(), k);
      counts[3 * k] = n_reference > 0 ? count_ngrams(hypothesis.size(), k) : 0;
      counts[3 * k + 1] = n_reference;
      counts[3 * k + 2] = matches_[k];
    }
  }

 private:
  static std::int64_t count_ngrams(std::size_t n_tokens, std::size_t k) {
    return static_cast<std::int64_t>(n_tokens > k ? n_tokens - k : 0);
  }

  NgramMatcher matcher_;
  std::vector<std::int64_t> matches_;
};

/// The F of one example, from 0 to 100, in sacreBLEU's order of operations.
double score_counts(std::span<const std::int64_t> counts, double beta, bool eps_smoothing) {
  constexpr double eps = 1e-16;
  const double factor = beta * beta;
  double sum_f = 0;
  double precision = 0;
  double recall = 0;
  double effective_order = 0;
  for (std::size_t k = 0; k < counts.size(); k += 3) {
    const auto n_hypothesis = static_cast<double>(counts[k]);
    const auto n_reference = static_cast<double>(counts[k + 1]);
    const auto n_match = static_cast<double>(counts[k + 2]);
    const double p = n_hypothesis > 0 ? n_match / n_hypothesis : eps;
    const double r = n_reference > 0 ? n_match / n_reference : eps;
    const double denominator = factor * p + r;
    sum_f += denominator > 0 ? (1 + factor) * p * r / denominator : eps;
    if (n_hypothesis > 0 && n_reference > 0) {
      precision += p;
      recall += r;
      effective_order += 1;
    }
  }
  if (eps_smoothing) return 100 * sum_f / (static_cast<double>(counts.size()) / 3);
  if (precision + recall == 0) return 0;
  precision /= effective_order;
  recall /= effective_order;
  const double f = (1 + factor) * precision * recall / (factor * precision + recall);
  return 100 * f;
}

/// Counts one example after the other.
class ExampleCounter {
 public:
  explicit ExampleCounter(const ChrfOptions& options)
      : options_(options),
        of_characters_(options.char_order, Watch(options.interrupt)),
        of_words_(options.word_order, Watch(options.interrupt)),
        counts_(3 * (options.char_order + options.word_order)) {}

  void count(const Referred<Texts>& texts, std::size_t i, std::span<std::int64_t> row) {
    set_hypothesis(texts.hypotheses[i]);
    double best = -1;
    for (std::size_t r = texts.first_reference(i); r < texts.first_reference(i + 1); ++r) {
      count_reference(texts.references[r]);
      const double score = score_counts(counts_, options_.beta, options_.eps_smoothing);
      if (score <= best) continue;
      best = score;
      std::ranges::copy(counts_, row.begin());
    }
  }

 private:
  void set_hypothesis(std::string_view text) {
    characters_.number_all(text, of_characters_.hypothesis, options_.whitespace);
    if (options_.word_order == 0) return;
    read_words(text, uncut_, words_);
    number_tokens(words_, numbers_, of_words_.hypothesis);
  }

  void count_reference(std::string_view text) {
    const auto counts = std::span(counts_);
    characters_.find_all(text, of_characters_.reference, options_.whitespace);
    of_characters_.count(characters_.bound(), counts.first(3 * options_.char_order));
    if (options_.word_order == 0) return;
    read_words(text, uncut_, words_);
    find_tokens(words_, numbers_, of_words_.reference);
    of_words_.count(numbers_.size(), counts.last(3 * options_.word_order));
  }

  ChrfOptions options_;
  TokenCounter of_characters_;
  TokenCounter of_words_;
  CharacterNumbers characters_;
  WordNumbers numbers_;
  Words uncut_;
  Words words_;
  std::vector<std::int64_t> counts_;
};

}  // namespace

std::vector<std::int64_t> count_char_ngrams(const Referred<Texts>& texts,
                                            const ChrfOptions& options) {
  const std::size_t width = 3 * (options.char_order + options.word_order);
  std::vector<std::int64_t> counts(multiply_sizes(texts.size(), width));
  for_each_example(texts.size(), options.threads, options.interrupt, [&] {
    return [&, counter = ExampleCounter(options)](std::size_t i) mutable {
      counter.count(texts, i, std::span(counts).subspan(i * width, width));
    };
  });
  return counts;
}

}  // namespace tallystick
