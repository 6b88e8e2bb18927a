#include "rouge.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "checks.hpp"
#include "example_words.hpp"
#include "lcs.hpp"
#include "matches.hpp"
#include "numbers.hpp"
#include "parallel.hpp"
#include "passage.hpp"
#include "skips.hpp"
#include "vocabulary.hpp"
#include "weighted_lcs.hpp"
#include "words.hpp"

namespace tallystick {
namespace {

/// Numbers the words of one hypothesis and its references after the other.
class LineReader {
 public:
  /// About `n_expected` distinct words are to come.
  LineReader(const Texts& stop_words, bool stem, std::size_t n_expected) {
    if (stem || stop_words.size() > 0) vocabulary_.emplace(stop_words, stem, n_expected);
  }

  void read_hypothesis(std::string_view text, Passage& passage) {
    split_alphanumerics(text, hypothesis_);
    if (vocabulary_) {
      if (vocabulary_->forget_if_full()) stems_.clear();
      ++example_;
      n_tokens_ = 0;
      read_stems(hypothesis_, passage, [this](Known& known) {
        // Without a branch, as about every other word is new.
        const bool is_new = known.example != example_;
        known = {example_, is_new ? n_tokens_ : known.number};
        n_tokens_ += is_new ? 1 : 0;
        return known.number;
      });
    } else {
      words_.clear(hypothesis_);
      n_tokens_ = words_.number_all(hypothesis_, passage.tokens);
      passage.ends = hypothesis_.line_ends;
    }
  }

  void read_reference(std::string_view text, Passage& passage) {
    split_alphanumerics(text, reference_);
    if (vocabulary_) {
      read_stems(reference_, passage, [this](const Known& known) {
        return known.example == example_ ? known.number : absent;
      });
    } else {
      words_.find_all(reference_, passage.tokens);
      passage.ends = reference_.line_ends;
    }
  }

  std::size_t n_tokens() const { return n_tokens_; }

 private:
  /// The number that a stem has in an example, the last one that had it.
  struct Known {
    std::uint32_t example = 0;
    Number number = absent;
  };

  template <typename Resolve>
  void read_stems(const Alphanumerics& words, Passage& passage, Resolve resolve) {
    passage.ends = words.line_ends;
    passage.tokens.resize(words.size());
    std::size_t n = 0;
    std::size_t i = 0;
    for (std::size_t& end : passage.ends) {
      for (; i < end; ++i) {
        const Number stem = vocabulary_->number(words, i);
        if (stem == Vocabulary::dropped) continue;
        if (stem >= stems_.size()) stems_.resize(2 * stem + 1024);
        passage.tokens[n++] = resolve(stems_[stem]);
      }
      end = n;
    }
    passage.tokens.resize(n);
  }

  /// Where words are stemmed, or some of them dropped.
  std::optional<Vocabulary> vocabulary_;
  Alphanumerics hypothesis_;
  Alphanumerics reference_;
  ExampleWords words_;
  std::vector<Known> stems_;
  std::uint32_t example_ = 0;
  Number n_tokens_ = 0;
};

/// Numbers the ids of sentences.
class SentenceReader {
 public:
  void read_hypothesis(const Sentences& text, Passage& passage) {
    join(text, passage.ends);
    number_tokens(keys_, numbers_, passage.tokens);
  }

  void read_reference(const Sentences& text, Passage& passage) {
    join(text, passage.ends);
    find_tokens(keys_, numbers_, passage.tokens);
  }

  std::size_t n_tokens() const { return numbers_.size(); }

 private:
  void join(const Sentences& text, std::vector<std::size_t>& ends) {
    keys_.clear();
    ends.clear();
    for (std::int64_t s = text.offsets[0]; s < text.offsets[1]; ++s) {
      for (const std::int32_t id : text.sentences[static_cast<std::size_t>(s)]) {
        keys_.push_back(static_cast<std::uint32_t>(id));
      }
      ends.push_back(keys_.size());
    }
  }

  std::vector<std::uint32_t> keys_;
  KeyNumbers numbers_;
};

double count_ngrams_of(std::size_t length, std::size_t order) {
  return length < order ? 0 : static_cast<double>(length - order + 1);
}

/// Compares one reference after the other with a hypothesis.
class OverlapCounter {
 public:
  explicit OverlapCounter(const OverlapOptions& options)
      : measures_(options.measures),
        matcher_(Watch(options.interrupt)),
        lcs_(Watch(options.interrupt)),
        weighted_(Watch(options.interrupt)),
        skips_(Watch(options.interrupt)) {
    std::size_t highest = 0;
    for (const Measure& measure : measures_) {
      if (measure.overlap != Overlap::ngrams) continue;
      highest = std::max(highest, static_cast<std::size_t>(measure.amount));
    }
    ngram_matches_.resize(highest);
  }

  /// Writes three numbers for each measure.
  void count(const Passage& hypothesis, const Passage& reference, std::size_t n_tokens,
             std::span<double> row) {
    pair_ = {&hypothesis, &reference, n_tokens};
    has_ngrams_ = false;
    for (std::size_t m = 0; m < measures_.size(); ++m) {
      const std::array<double, 3> counts = evaluate(measures_[m]);
      std::ranges::copy(counts, row.begin() + static_cast<std::ptrdiff_t>(3 * m));
    }
  }

 private:
  struct Pair {
    const Passage* hypothesis;
    const Passage* reference;
    std::size_t n_tokens;
  };

  using Counts = std::array<double, 3>;

  Counts evaluate(const Measure& measure) {
    const auto ours = std::span<const Number>(pair_.hypothesis->tokens);
    const auto theirs = std::span<const Number>(pair_.reference->tokens);
    const auto n = static_cast<double>(ours.size());
    const auto m = static_cast<double>(theirs.size());
    switch (measure.overlap) {
      case Overlap::ngrams: {
        const auto order = static_cast<std::size_t>(measure.amount);
        return {static_cast<double>(match_ngrams(order)), count_ngrams_of(ours.size(), order),
                count_ngrams_of(theirs.size(), order)};
      }
      case Overlap::lcs:
        return {static_cast<double>(lcs_.measure(theirs, ours, pair_.n_tokens)), n, m};
      case Overlap::union_lcs:
        return {count_union(), n, m};
      case Overlap::weighted_lcs:
        weighted_.weigh(measure.amount, std::min(ours.size(), theirs.size()));
        return {weighted_.measure(theirs, ours), n, m};
      case Overlap::union_weighted_lcs:
        return count_weighted_union(measure.amount);
      case Overlap::skips:
      case Overlap::skips_and_words:
      case Overlap::skips_and_first_words:
        return count_pairs(measure);
    }
    return {};
  }

  /// Short texts' words and pairs are counted in tables, without a search and without a branch.
  std::int64_t match_ngrams(std::size_t order) {
    constexpr std::size_t most_tokens = 255;
    if (order == 1) return match_words(pair_.hypothesis->tokens, pair_.reference->tokens);
    if (order == 2 && pair_.n_tokens <= most_tokens) return match_bigrams();
    if (!has_ngrams_) {
      matcher_.count_matches(pair_.hypothesis->tokens, {&pair_.reference->tokens, 1},
                             pair_.n_tokens, ngram_matches_);
    }
    has_ngrams_ = true;
    return ngram_matches_[order - 1];
  }

  std::int64_t match_bigrams() {
    const Sequence& ours = pair_.hypothesis->tokens;
    const Sequence& theirs = pair_.reference->tokens;
    const std::size_t width = pair_.n_tokens + 1;
    if (bigrams_.size() < width * width) bigrams_.resize(width * width);
    for (std::size_t i = 1; i < ours.size(); ++i) ++bigrams_[ours[i - 1] * width + ours[i]];
    std::int64_t matches = 0;
    for (std::size_t i = 1; i < theirs.size(); ++i) {
      const std::size_t left = place(theirs[i - 1]);
      matches += take_one(bigrams_[left * width + place(theirs[i])]);
    }
    for (std::size_t i = 1; i < ours.size(); ++i) bigrams_[ours[i - 1] * width + ours[i]] = 0;
    return matches;
  }

  /// Where a token is counted; all that the hypothesis lacks share a place, which stays empty.
  std::size_t place(Number token) const { return std::min<std::size_t>(token, pair_.n_tokens); }

  static std::int64_t take_one(Number& count) {
    const Number taken = count != 0 ? 1 : 0;
    count -= taken;
    return taken;
  }

  /// Makes tokens of the hypothesis ready to be matched.
  void lay_out(std::span<const Number> tokens) {
    left_.assign(pair_.n_tokens + 1, 0);
    for (const Number token : tokens) ++left_[token];
  }

  /// Takes a token of the hypothesis for a match, if one is left; how many it took.
  std::int64_t take(Number token) { return take_one(left_[place(token)]); }

  double count_union() {
    const Passage& reference = *pair_.reference;
    lay_out(pair_.hypothesis->tokens);
    lcs_.mark(reference, *pair_.hypothesis, pair_.n_tokens, marks_);
    std::int64_t hits = 0;
    marks_.for_each([&](std::size_t i) { hits += take(reference.tokens[i]); });
    return static_cast<double>(hits);
  }

  Counts count_weighted_union(double power) {
    lay_out(pair_.hypothesis->tokens);
    double hits = 0;
    double base = 0;
    pair_.reference->for_each_sentence([&](std::size_t first, std::size_t last) {
      const auto sentence = pair_.reference->part(first, last);
      weighted_.weigh(power, sentence.size());
      base += weighted_[sentence.size()];
      mark_weighted(sentence);
      hits = add_runs(sentence, hits);
    });
    return {hits, static_cast<double>(pair_.hypothesis->tokens.size()), base};
  }

  void mark_weighted(std::span<const Number> sentence) {
    marks_.clear(sentence.size());
    pair_.hypothesis->for_each_sentence([&](std::size_t first, std::size_t last) {
      weighted_.mark(sentence, pair_.hypothesis->part(first, last), marks_);
    });
  }

  /// A run ends where the next token is not marked; where its own last token is used up it goes on
  /// to the next run of the sentence, as in ROUGE-1.5.5.
  double add_runs(std::span<const Number> sentence, double hits) {
    std::size_t run = 0;
    marks_.for_each([&](std::size_t i) {
      if (take(sentence[i]) == 0) return;
      ++run;
      if (i + 1 < sentence.size() && marks_[i + 1]) return;
      hits += weighted_[run];
      run = 0;
    });
    return hits;
  }

  Counts count_pairs(const Measure& measure) {
    auto ours = std::span<const Number>(pair_.hypothesis->tokens);
    auto theirs = std::span<const Number>(pair_.reference->tokens);
    const std::size_t longer = std::max(ours.size(), theirs.size());
    const auto gap =
        static_cast<std::size_t>(std::min(measure.amount, static_cast<double>(longer)));
    std::int64_t matches = skips_.count_matches(ours, theirs, pair_.n_tokens, gap);
    std::int64_t hypothesis = count_skips(ours.size(), gap);
    std::int64_t reference = count_skips(theirs.size(), gap);
    if (measure.overlap != Overlap::skips) {
      if (measure.overlap == Overlap::skips_and_first_words) {
        ours = ours.first(ours.size() - (ours.empty() ? 0 : 1));
        theirs = theirs.first(theirs.size() - (theirs.empty() ? 0 : 1));
      }
      matches += match_words(ours, theirs);
      hypothesis += static_cast<std::int64_t>(ours.size());
      reference += static_cast<std::int64_t>(theirs.size());
    }
    return {static_cast<double>(matches), static_cast<double>(hypothesis),
            static_cast<double>(reference)};
  }

  std::int64_t match_words(std::span<const Number> ours, std::span<const Number> theirs) {
    lay_out(ours);
    std::int64_t matches = 0;
    for (const Number token : theirs) matches += take(token);
    return matches;
  }

  const std::vector<Measure>& measures_;
  Pair pair_{};
  /// How many n-grams match, by order, where they have been counted for the pair.
  std::vector<std::int64_t> ngram_matches_;
  bool has_ngrams_ = false;
  /// How often each pair of tokens stands in the hypothesis; all 0 from one pair to the next.
  std::vector<Number> bigrams_;
  NgramMatcher matcher_;
  CommonSubsequence lcs_;
  WeightedSubsequence weighted_;
  SkipMatcher skips_;
  Marks marks_;
  /// How many of each token of the hypothesis have not been matched.
  std::vector<Number> left_;
};

/// `make_reader` is called once in each thread.
template <typename Texts, typename MakeReader>
std::vector<double> count_all(const Referred<Texts>& texts, MakeReader make_reader,
                              const OverlapOptions& options) {
  const std::size_t width = 3 * options.measures.size();
  std::vector<double> counts(multiply_sizes(texts.references.size(), width));
  for_each_example(texts.size(), options.threads, options.interrupt, [&] {
    return [&, reader = make_reader(), counter = OverlapCounter(options), hypothesis = Passage(),
            reference = Passage()](std::size_t i) mutable {
      reader.read_hypothesis(texts.hypotheses[i], hypothesis);
      for (std::size_t r = texts.first_reference(i); r < texts.first_reference(i + 1); ++r) {
        reader.read_reference(texts.references[r], reference);
        counter.count(hypothesis, reference, reader.n_tokens(),
                      std::span(counts).subspan(r * width, width));
      }
    };
  });
  return counts;
}

}  // namespace

std::optional<Overlap> find_overlap(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Overlap>, 8> names = {
      {{"ngrams", Overlap::ngrams},
       {"lcs", Overlap::lcs},
       {"union_lcs", Overlap::union_lcs},
       {"weighted_lcs", Overlap::weighted_lcs},
       {"union_weighted_lcs", Overlap::union_weighted_lcs},
       {"skips", Overlap::skips},
       {"skips_and_words", Overlap::skips_and_words},
       {"skips_and_first_words", Overlap::skips_and_first_words}}};
  const auto found = std::ranges::find(names, name, &std::pair<std::string_view, Overlap>::first);
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

std::vector<double> count_overlaps(const Referred<Texts>& texts, const Texts& stop_words, bool stem,
                                   const OverlapOptions& options) {
  // A table too small grows, and one too large costs time to clear.
  const std::size_t n_expected = texts.hypotheses.bytes.size() / 32;
  return count_all(texts, [&] { return LineReader(stop_words, stem, n_expected); }, options);
}

std::vector<double> count_id_overlaps(const Referred<Sentences>& texts,
                                      const OverlapOptions& options) {
  return count_all(texts, [] { return SentenceReader(); }, options);
}

}  // namespace tallystick
