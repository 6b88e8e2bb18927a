/// Binds the kernels of texts: tokens, n-grams, edits and what ROUGE is made of.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bind_checks.hpp"
#include "chrf.hpp"
#include "edits.hpp"
#include "ngrams.hpp"
#include "porter.hpp"
#include "rouge.hpp"
#include "ter.hpp"
#include "tokenize.hpp"

namespace tallystick {
namespace {

constexpr SliceNames hypothesis_ids = {"hyp_ids", "hyp_offsets"};
constexpr SliceNames reference_ids = {"ref_ids", "ref_offsets"};

Tokenizer choose_tokenizer(std::string_view name) {
  if (const auto tokenizer = find_tokenizer(name)) return *tokenizer;
  throw std::invalid_argument(
      "tokenizer is '" + std::string(name) +
      "': expected none, whitespace, char, 13a, intl, zh, latex, rouge or words.");
}

void check_range(const char* name, std::size_t value, std::size_t lowest, std::size_t highest) {
  if (value >= lowest && value <= highest) return;
  throw std::invalid_argument(std::string(name) + " is " + std::to_string(value) + ": expected " +
                              std::to_string(lowest) + " to " + std::to_string(highest) + ".");
}

Referred<Texts> view_referred_texts(const Array& hyp_data, const Array& hyp_offsets,
                                    const Array& ref_data, const Array& ref_offsets,
                                    const Array& spans) {
  const Texts hypotheses = view_texts(hyp_data, hyp_offsets, hypothesis_texts);
  const Texts references = view_texts(ref_data, ref_offsets, reference_texts);
  return {hypotheses, references, view_spans(spans, hypotheses.size(), references.size())};
}

nb::object bind_tokenize(const Array& data, const Array& offsets, std::string_view tokenizer) {
  const Tokenizer chosen = choose_tokenizer(tokenizer);
  const Texts texts = view_texts(data, offsets, {"data", "offsets"});
  TokenizedTexts tokenized = call_without_gil([&] { return tokenize_all(chosen, texts); });
  return nb::make_tuple(to_array(std::move(tokenized.bytes)),
                        to_array(std::move(tokenized.offsets)));
}

nb::object bind_count_ngrams(const Array& hyp_data, const Array& hyp_offsets, const Array& ref_data,
                             const Array& ref_offsets, const Array& spans,
                             std::string_view tokenizer, std::size_t order, unsigned threads) {
  check_range("order", order, 1, 16);
  const Tokenizer chosen = choose_tokenizer(tokenizer);
  const auto texts = view_referred_texts(hyp_data, hyp_offsets, ref_data, ref_offsets, spans);
  return to_array(call_stoppable([&](Interrupt* interrupt) {
                    return count_ngrams(texts, chosen, {order, threads, interrupt});
                  }),
                  {texts.size(), 2 + 2 * order});
}

nb::object bind_count_id_ngrams(const Array& hyp_ids, const Array& hyp_offsets,
                                const Array& ref_ids, const Array& ref_offsets, const Array& spans,
                                std::size_t order, unsigned threads) {
  check_range("order", order, 1, 16);
  const Ids hypotheses = view_ids(hyp_ids, hyp_offsets, hypothesis_ids);
  const Ids references = view_ids(ref_ids, ref_offsets, reference_ids);
  const Referred<Ids> ids = {hypotheses, references,
                             view_spans(spans, hypotheses.size(), references.size())};
  return to_array(call_stoppable([&](Interrupt* interrupt) {
                    return count_id_ngrams(ids, {order, threads, interrupt});
                  }),
                  {ids.size(), 2 + 2 * order});
}

nb::object bind_count_char_ngrams(const Array& hyp_data, const Array& hyp_offsets,
                                  const Array& ref_data, const Array& ref_offsets,
                                  const Array& spans, std::size_t char_order,
                                  std::size_t word_order, bool whitespace, double beta,
                                  bool eps_smoothing, unsigned threads) {
  check_range("char_order", char_order, 0, 16);
  check_range("word_order", word_order, char_order == 0 ? 1 : 0, 16);
  const auto texts = view_referred_texts(hyp_data, hyp_offsets, ref_data, ref_offsets, spans);
  return to_array(call_stoppable([&](Interrupt* interrupt) {
                    return count_char_ngrams(texts, {char_order, word_order, whitespace, beta,
                                                     eps_smoothing, threads, interrupt});
                  }),
                  {texts.size(), 3 * (char_order + word_order)});
}

Unit choose_unit(std::string_view name) {
  if (name == "characters") return Unit::characters;
  if (name == "stripped") return Unit::stripped;
  if (name == "words") return Unit::words;
  throw std::invalid_argument("unit is '" + std::string(name) +
                              "': expected characters, stripped or words.");
}

void check_paired(const char* name, std::size_t n_offsets, std::size_t expected) {
  if (n_offsets == expected) return;
  throw std::invalid_argument(std::string(name) + " has length " + std::to_string(n_offsets) +
                              ": expected " + std::to_string(expected) + ".");
}

nb::object bind_count_edits(const Array& hyp_data, const Array& hyp_offsets, const Array& ref_data,
                            const Array& ref_offsets, std::string_view unit, unsigned threads) {
  const Unit chosen = choose_unit(unit);
  const Texts hypotheses = view_texts(hyp_data, hyp_offsets, hypothesis_texts);
  const Texts references = view_texts(ref_data, ref_offsets, reference_texts);
  check_paired("ref_offsets", references.offsets.size(), hypotheses.offsets.size());
  return to_array(call_stoppable([&](Interrupt* interrupt) {
                    return count_edits(hypotheses, references, chosen, threads, interrupt);
                  }),
                  {references.size(), 4});
}

nb::object bind_count_id_edits(const Array& hyp_ids, const Array& hyp_offsets, const Array& ref_ids,
                               const Array& ref_offsets, unsigned threads) {
  const Ids hypotheses = view_ids(hyp_ids, hyp_offsets, hypothesis_ids);
  const Ids references = view_ids(ref_ids, ref_offsets, reference_ids);
  check_paired("ref_offsets", references.offsets.size(), hypotheses.offsets.size());
  return to_array(call_stoppable([&](Interrupt* interrupt) {
                    return count_edits(hypotheses, references, threads, interrupt);
                  }),
                  {references.size(), 4});
}

nb::object bind_edit_distances(const Array& a_data, const Array& a_offsets, const Array& b_data,
                               const Array& b_offsets, std::string_view unit, unsigned threads) {
  const Unit chosen = choose_unit(unit);
  const Texts a = view_texts(a_data, a_offsets, {"a_data", "a_offsets"});
  const Texts b = view_texts(b_data, b_offsets, {"b_data", "b_offsets"});
  check_paired("b_offsets", b.offsets.size(), a.offsets.size());
  return to_array(call_stoppable([&](Interrupt* interrupt) {
                    return measure_distances(a, b, chosen, threads, interrupt);
                  }),
                  {a.size(), 2});
}

nb::object bind_align_ids(const Array& a_ids, const Array& b_ids) {
  const auto a = view<std::int32_t>(a_ids, "a_ids");
  const auto b = view<std::int32_t>(b_ids, "b_ids");
  auto rows = call_stoppable([&](Interrupt* interrupt) { return align_ids(a, b, interrupt); });
  const std::size_t n_rows = rows.size() / 3;
  return to_array(std::move(rows), {n_rows, 3});
}

nb::object bind_count_ter(const Array& hyp_data, const Array& hyp_offsets, const Array& ref_data,
                          const Array& ref_offsets, const Array& spans, bool normalized,
                          bool no_punct, bool asian_support, unsigned threads) {
  const auto texts = view_referred_texts(hyp_data, hyp_offsets, ref_data, ref_offsets, spans);
  TerCounts counts = call_stoppable([&](Interrupt* interrupt) {
    return count_ter(texts, {normalized, no_punct, asian_support, threads, interrupt});
  });
  return nb::make_tuple(to_array(std::move(counts.edits)), to_array(std::move(counts.lengths)));
}

using NamedMeasures = std::vector<std::pair<std::string, double>>;

void refuse_amount(const std::string& name, double amount, const char* expected) {
  throw std::invalid_argument("The amount of " + name + " is " + std::to_string(amount) +
                              ": expected " + expected + ".");
}

std::vector<Measure> choose_measures(const NamedMeasures& named) {
  std::vector<Measure> measures;
  for (const auto& [name, amount] : named) {
    const auto overlap = find_overlap(name);
    if (!overlap) throw std::invalid_argument("There is no overlap '" + name + "'.");
    switch (*overlap) {
      case Overlap::ngrams:
        if (!(amount >= 1 && amount <= 16)) refuse_amount(name, amount, "1 to 16");
        break;
      case Overlap::lcs:
      case Overlap::union_lcs:
        break;
      case Overlap::weighted_lcs:
      case Overlap::union_weighted_lcs:
        if (!(amount > 0)) refuse_amount(name, amount, "more than 0");
        break;
      case Overlap::skips:
      case Overlap::skips_and_words:
      case Overlap::skips_and_first_words:
        if (!(amount >= 0)) refuse_amount(name, amount, "at least 0");
        break;
    }
    measures.push_back({*overlap, amount});
  }
  return measures;
}

Sentences view_sentences(const Array& ids, const Array& sentences, const Array& offsets,
                         const SliceNames& names, const char* text_offsets) {
  const Ids viewed = view_ids(ids, sentences, names);
  return {viewed, view_slices(offsets, text_offsets, viewed.size())};
}

nb::object bind_count_overlaps(const Array& hyp_data, const Array& hyp_offsets,
                               const Array& ref_data, const Array& ref_offsets, const Array& spans,
                               const Array& stop_data, const Array& stop_offsets, bool stem,
                               const NamedMeasures& measures, unsigned threads) {
  OverlapOptions options = {choose_measures(measures), threads};
  const auto texts = view_referred_texts(hyp_data, hyp_offsets, ref_data, ref_offsets, spans);
  const Texts stop_words = view_texts(stop_data, stop_offsets, {"stop_data", "stop_offsets"});
  return to_array(call_stoppable([&](Interrupt* interrupt) {
                    options.interrupt = interrupt;
                    return count_overlaps(texts, stop_words, stem, options);
                  }),
                  {texts.references.size(), measures.size(), 3});
}

nb::object bind_count_id_overlaps(const Array& hyp_ids, const Array& hyp_sentences,
                                  const Array& hyp_offsets, const Array& ref_ids,
                                  const Array& ref_sentences, const Array& ref_offsets,
                                  const Array& spans, const NamedMeasures& measures,
                                  unsigned threads) {
  OverlapOptions options = {choose_measures(measures), threads};
  const Sentences hypotheses = view_sentences(hyp_ids, hyp_sentences, hyp_offsets,
                                              {"hyp_ids", "hyp_sentences"}, "hyp_offsets");
  const Sentences references = view_sentences(ref_ids, ref_sentences, ref_offsets,
                                              {"ref_ids", "ref_sentences"}, "ref_offsets");
  const Referred<Sentences> texts = {hypotheses, references,
                                     view_spans(spans, hypotheses.size(), references.size())};
  return to_array(call_stoppable([&](Interrupt* interrupt) {
                    options.interrupt = interrupt;
                    return count_id_overlaps(texts, options);
                  }),
                  {references.size(), measures.size(), 3});
}

nb::object bind_stem_words(const Array& data, const Array& offsets) {
  const Texts words = view_texts(data, offsets, {"data", "offsets"});
  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> ends{0};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string stem = stem_word(words[i]);
    bytes.insert(bytes.end(), stem.begin(), stem.end());
    ends.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  return nb::make_tuple(to_array(std::move(bytes)), to_array(std::move(ends)));
}

}  // namespace

void bind_texts(nb::module_& module) {
  using namespace nb::literals;

  module.def("tokenize", &bind_tokenize, "data"_a, "offsets"_a, "tokenizer"_a,
             nb::sig("def tokenize(data: Bytes, offsets: Integers, tokenizer: str) "
                     "-> tuple[Bytes, Integers]"),
             R"(Write the tokens of each string with one space between them.

String i is the UTF-8 of data[offsets[i]:offsets[i + 1]], and so it is in the result. The
tokenizers none, char, 13a, intl and zh are those of sacreBLEU, spaces at the end dropped first.
The tokens of latex are control sequences, words, numbers with their decimals, and all other
symbols one by one; comments and spaces are dropped.

Raises ValueError where a string is not valid UTF-8 or the tokenizer is none of these.)");

  module.def("count_ngrams", &bind_count_ngrams, "hyp_data"_a, "hyp_offsets"_a, "ref_data"_a,
             "ref_offsets"_a, "spans"_a, "tokenizer"_a, "order"_a, "threads"_a,
             nb::sig("def count_ngrams(hyp_data: Bytes, hyp_offsets: Integers, ref_data: Bytes, "
                     "ref_offsets: Integers, spans: Integers, tokenizer: str, order: int, "
                     "threads: int) -> Integers"),
             R"(Count what BLEU is made of, in one row for each example.

The references of example i are the strings spans[i] up to spans[i + 1]. A row holds the length
of the hypothesis in tokens, that of the closest reference (of two, the shorter), the n-grams of
orders 1 to `order` that match, and all n-grams of the hypothesis of these orders. With 0 threads
as many run as the machine has; the counts are the same for any number. The order is 1 to 16.

Raises ValueError where a string is not valid UTF-8 or an example has no reference.)");

  module.def("count_id_ngrams", &bind_count_id_ngrams, "hyp_ids"_a, "hyp_offsets"_a, "ref_ids"_a,
             "ref_offsets"_a, "spans"_a, "order"_a, "threads"_a,
             nb::sig("def count_id_ngrams(hyp_ids: Ids, hyp_offsets: Integers, ref_ids: Ids, "
                     "ref_offsets: Integers, spans: Integers, order: int, threads: int) "
                     "-> Integers"),
             R"(Count what count_ngrams counts, over the ids of tokens.

Sequence i is ids[offsets[i]:offsets[i + 1]]; any int32 may be an id.)");

  module.def("count_char_ngrams", &bind_count_char_ngrams, "hyp_data"_a, "hyp_offsets"_a,
             "ref_data"_a, "ref_offsets"_a, "spans"_a, "char_order"_a, "word_order"_a,
             "whitespace"_a, "beta"_a, "eps_smoothing"_a, "threads"_a,
             nb::sig("def count_char_ngrams(hyp_data: Bytes, hyp_offsets: Integers, "
                     "ref_data: Bytes, ref_offsets: Integers, spans: Integers, char_order: int, "
                     "word_order: int, whitespace: bool, beta: float, eps_smoothing: bool, "
                     "threads: int) -> Integers"),
             R"(Count what chrF is made of, in one row for each example.

A row holds three counts for each order of characters, then for each of words: the n-grams of the
hypothesis (0 where the reference has none of that order), those of the reference, and those that
match. Of several references the one with the highest F counts, and only this choice depends on
beta and eps_smoothing. Orders are 0 to 16, not both 0. Strings, spans and threads are as in
count_ngrams.

Raises ValueError where a string is not valid UTF-8 or an example has no reference.)");

  module.def("count_edits", &bind_count_edits, "hyp_data"_a, "hyp_offsets"_a, "ref_data"_a,
             "ref_offsets"_a, "unit"_a, "threads"_a,
             nb::sig("def count_edits(hyp_data: Bytes, hyp_offsets: Integers, ref_data: Bytes, "
                     "ref_offsets: Integers, unit: str, threads: int) -> Integers"),
             R"(Count the edits that make each reference its hypothesis, in one row for each pair.

A row holds the hits, substitutions, deletions and insertions of the shortest path that rapidfuzz
finds: a deletion is a unit of the reference that the hypothesis lacks. String i is the UTF-8 of
data[offsets[i]:offsets[i + 1]]. The units are characters (code points), stripped (the same
without the white space at both ends: the characters of jiwer 4) and words (those of jiwer 4: a
lone tab or no-break space parts none). With 0 threads as many run as the machine has; the counts
are the same for any number. Time grows with the product of the two lengths, memory with their
sum.

Raises ValueError where a string is not valid UTF-8, the unit is none of these or the numbers of
strings differ.)");

  module.def("count_id_edits", &bind_count_id_edits, "hyp_ids"_a, "hyp_offsets"_a, "ref_ids"_a,
             "ref_offsets"_a, "threads"_a,
             nb::sig("def count_id_edits(hyp_ids: Ids, hyp_offsets: Integers, ref_ids: Ids, "
                     "ref_offsets: Integers, threads: int) -> Integers"),
             R"(Count what count_edits counts, over the ids of tokens.

Sequence i is ids[offsets[i]:offsets[i + 1]]; any int32 may be an id.)");

  module.def(
      "edit_distances", &bind_edit_distances, "a_data"_a, "a_offsets"_a, "b_data"_a, "b_offsets"_a,
      "unit"_a, "threads"_a,
      nb::sig("def edit_distances(a_data: Bytes, a_offsets: Integers, b_data: Bytes, "
              "b_offsets: Integers, unit: str, threads: int) -> Integers"),
      R"(Measure the Levenshtein distance of each pair of strings, and the longer of its lengths.

A row contains both. Strings, units and threads are as in count_edits.

Raises ValueError where a string is not valid UTF-8, the unit is none of these or the numbers of
strings differ.)");

  module.def("align_ids", &bind_align_ids, "a_ids"_a, "b_ids"_a,
             nb::sig("def align_ids(a_ids: Ids, b_ids: Ids) -> Integers"),
             R"(List the steps of a shortest path from a to b, as rapidfuzz finds it.

A row holds the operation (0 equal, 1 replace, 2 delete, 3 insert) and the positions in a and b
that it begins at. Time grows with the product of the two lengths; memory stays below 1 MiB plus
some 150 bytes for each id, because the pair is divided where it would take more.)");

  module.def("count_ter", &bind_count_ter, "hyp_data"_a, "hyp_offsets"_a, "ref_data"_a,
             "ref_offsets"_a, "spans"_a, "normalized"_a, "no_punct"_a, "asian_support"_a,
             "threads"_a,
             nb::sig("def count_ter(hyp_data: Bytes, hyp_offsets: Integers, ref_data: Bytes, "
                     "ref_offsets: Integers, spans: Integers, normalized: bool, no_punct: bool, "
                     "asian_support: bool, threads: int) -> tuple[Integers, Reals]"),
             R"(Count what TER is made of: the edits of each example and its mean reference length.

The edits are shifts, insertions, deletions and substitutions of words, the fewest that sacreBLEU's
search finds for any of the references spans[i] up to spans[i + 1]; nothing is lower-cased. The
search tries some 1,000 shifts at most, within a beam of 50 words, so that time grows with the
number of words, as memory does, by some 250 bytes for each. Strings and threads are as in
count_edits.

Raises ValueError where a string is not valid UTF-8 or an example has no reference.)");

  module.def("count_overlaps", &bind_count_overlaps, "hyp_data"_a, "hyp_offsets"_a, "ref_data"_a,
             "ref_offsets"_a, "spans"_a, "stop_data"_a, "stop_offsets"_a, "stem"_a, "measures"_a,
             "threads"_a,
             nb::sig("def count_overlaps(hyp_data: Bytes, hyp_offsets: Integers, ref_data: Bytes, "
                     "ref_offsets: Integers, spans: Integers, stop_data: Bytes, "
                     "stop_offsets: Integers, stem: bool, measures: list[tuple[str, float]], "
                     "threads: int) -> Reals"),
             R"(Count what ROUGE is made of, for each reference and measure.

The result is of shape (references, measures, 3): what matches, what the hypothesis has, and what
the reference has. The references of example i are the strings spans[i] up to spans[i + 1]. Tokens
are runs of ASCII letters and digits in lower case, as rouge_score has them, without those among
the stop words; with `stem` those of four characters on are stemmed. Sentences are lines.

A measure is a name and an amount: ngrams (how many tokens they have, 1 to 16), lcs, union_lcs
(of sentences), weighted_lcs and union_weighted_lcs (the power of a run), skips, skips_and_words
and skips_and_first_words (how many tokens may stand between two). weighted_lcs is the table of
Lin (2004), the other one what ROUGE-1.5.5 counts. With 0 threads as many run as the machine has;
the counts are the same for any number. Memory and time of two texts of m and n tokens: lcs takes
m n / 64 steps and m + n memory; union_lcs as many, and m n / 256 bytes where sentences are longer
than 256 tokens; weighted_lcs m n steps; skips as many as there are pairs.

Raises ValueError where a string is not valid UTF-8, an example has no reference, or there is no
such measure.)");

  module.def("count_id_overlaps", &bind_count_id_overlaps, "hyp_ids"_a, "hyp_sentences"_a,
             "hyp_offsets"_a, "ref_ids"_a, "ref_sentences"_a, "ref_offsets"_a, "spans"_a,
             "measures"_a, "threads"_a,
             nb::sig("def count_id_overlaps(hyp_ids: Ids, hyp_sentences: Integers, "
                     "hyp_offsets: Integers, ref_ids: Ids, ref_sentences: Integers, "
                     "ref_offsets: Integers, spans: Integers, "
                     "measures: list[tuple[str, float]], threads: int) -> Reals"),
             R"(Count what count_overlaps counts, over the ids of tokens.

Sentence s is ids[sentences[s]:sentences[s + 1]], and text i has the sentences offsets[i] up to
offsets[i + 1]; any int32 may be an id.)");

  module.def("stem_words", &bind_stem_words, "data"_a, "offsets"_a,
             nb::sig("def stem_words(data: Bytes, offsets: Integers) -> tuple[Bytes, Integers]"),
             R"(Stem lower-case words as NLTK's PorterStemmer does in its default mode.

Word i is the UTF-8 of data[offsets[i]:offsets[i + 1]], and so it is in the result.

Raises ValueError where a word is not valid UTF-8.)");
}

}  // namespace tallystick
