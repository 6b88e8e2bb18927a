/// Binds the kernels that tokenize texts and count n-grams.
#include <nanobind/stl/string_view.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "bind_checks.hpp"
#include "chrf.hpp"
#include "ngrams.hpp"
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

}  // namespace

void bind_ngrams(nb::module_& module) {
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
}

}  // namespace tallystick
