/// Binds the kernels that count what ROUGE is made of.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bind_checks.hpp"
#include "porter.hpp"
#include "rouge.hpp"

namespace tallystick {
namespace {

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
  const Texts hypotheses = view_texts(hyp_data, hyp_offsets, {"hyp_data", "hyp_offsets"});
  const Texts references = view_texts(ref_data, ref_offsets, {"ref_data", "ref_offsets"});
  const Texts stop_words = view_texts(stop_data, stop_offsets, {"stop_data", "stop_offsets"});
  const Referred<Texts> texts = {hypotheses, references,
                                 view_spans(spans, hypotheses.size(), references.size())};
  return to_array(call_stoppable([&](Interrupt* interrupt) {
                    options.interrupt = interrupt;
                    return count_overlaps(texts, stop_words, stem, options);
                  }),
                  {references.size(), measures.size(), 3});
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

void bind_rouge(nb::module_& module) {
  using namespace nb::literals;

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
