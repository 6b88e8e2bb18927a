/// Binds the kernels that count edits: Levenshtein's, and those of the translation edit rate.
#include <nanobind/stl/string_view.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "bind_checks.hpp"
#include "edits.hpp"
#include "ter.hpp"

namespace tallystick {
namespace {

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
  const Ids hypotheses = view_ids(hyp_ids, hyp_offsets, {"hyp_ids", "hyp_offsets"});
  const Ids references = view_ids(ref_ids, ref_offsets, {"ref_ids", "ref_offsets"});
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
  const Texts hypotheses = view_texts(hyp_data, hyp_offsets, hypothesis_texts);
  const Texts references = view_texts(ref_data, ref_offsets, reference_texts);
  const Referred<Texts> texts = {hypotheses, references,
                                 view_spans(spans, hypotheses.size(), references.size())};
  TerCounts counts = call_stoppable([&](Interrupt* interrupt) {
    return count_ter(texts, {normalized, no_punct, asian_support, threads, interrupt});
  });
  return nb::make_tuple(to_array(std::move(counts.edits)), to_array(std::move(counts.lengths)));
}

}  // namespace

void bind_edits(nb::module_& module) {
  using namespace nb::literals;

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

A row holds both. Strings, units and threads are as in count_edits.

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
}

}  // namespace tallystick
