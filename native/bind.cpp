/// Binds the kernels to Python: checks every buffer, releases the GIL, calls; computes nothing.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "bind_checks.hpp"
#include "checks.hpp"
#include "concordance.hpp"
#include "confusion.hpp"
#include "curve.hpp"
#include "rows.hpp"
#include "tags.hpp"

namespace tallystick {
namespace {

template <typename Visit>
nb::object visit_code_type(const Array& codes, const char* name, Visit visit) {
  return visit_type<std::uint8_t, std::uint16_t, std::uint32_t>(codes, name, visit);
}

template <typename Visit>
nb::object visit_score_type(const Array& scores, Visit visit) {
  return visit_type<float, double>(scores, "scores", visit);
}

/// Examples without weights are counted in int64.
template <typename Visit>
nb::object visit_weight_type(const std::optional<Array>& weights, Visit visit) {
  if (!weights) return visit(std::type_identity<std::int64_t>{});
  return visit_type<std::int64_t, double>(*weights, "weights", visit);
}

/// Views the offsets of runs that must cover exactly n scores.
std::span<const std::int64_t> view_offsets(const Array& array, std::size_t n) {
  const auto offsets = view<std::int64_t>(array, "offsets");
  check_ascending(offsets, "offsets");
  if (offsets.front() != 0) refuse_value("offsets", 0, offsets.front(), "0");
  if (std::cmp_not_equal(offsets.back(), n)) {
    refuse_value("offsets", offsets.size() - 1, offsets.back(),
                 std::to_string(n) + ", the number of scores");
  }
  return offsets;
}

/// Views one number for each run, all of which must lie in [lowest, bound).
std::span<const std::int64_t> view_run_numbers(const Array& array, const char* name,
                                               std::size_t n_runs, std::int64_t lowest,
                                               std::size_t bound) {
  const auto numbers = view<std::int64_t>(array, name, n_runs);
  for (std::size_t run = 0; run < n_runs; ++run) {
    if (numbers[run] < lowest || std::cmp_greater_equal(numbers[run], bound)) {
      refuse_value(name, run, numbers[run],
                   "at least " + std::to_string(lowest) + " and below " + std::to_string(bound));
    }
  }
  return numbers;
}

template <typename Score, typename Weight>
WeightedRuns<Score, Weight> view_runs(const Array& scores, const std::optional<Array>& weights,
                                      const Array& offsets) {
  const auto values = view<Score>(scores, "scores");
  return {values, view<Weight>(weights, "weights", values.size()),
          view_offsets(offsets, values.size())};
}

nb::object bind_count_confusion(const Array& gold, const Array& predicted,
                                const std::optional<Array>& groups,
                                const std::optional<Array>& weights, std::size_t n_labels,
                                std::size_t n_groups) {
  return visit_code_type(gold, "gold", [&]<typename Code>(std::type_identity<Code>) {
    return visit_weight_type(weights, [&]<typename Count>(std::type_identity<Count>) {
      const auto codes = view<Code>(gold, "gold");
      const std::size_t n = codes.size();
      const CodedExamples<Code> examples{codes, view<Code>(predicted, "predicted", n),
                                         view<Code>(groups, "groups", n)};
      const auto weight_of = view<Count>(weights, "weights", n);
      return to_array(call_without_gil([&] {
                        return count_confusion<Code, Count>(examples, weight_of,
                                                            {n_groups, n_labels});
                      }),
                      {n_groups, n_labels, n_labels});
    });
  });
}

/// An array that a kernel fills. NumPy asks for large pages, so its memory costs half as much as a
/// vector's where there is much of it.
template <typename Score>
nb::object make_empty(std::size_t size) {
  return nb::module_::import_("numpy").attr("empty")(size, sizeof(Score) == 4 ? "f4" : "f8");
}

nb::object bind_split_runs(const Array& scores, const Array& cells, std::size_t n_cells) {
  return visit_score_type(scores, [&]<typename Score>(std::type_identity<Score>) {
    return visit_code_type(cells, "cells", [&]<typename Code>(std::type_identity<Code>) {
      const auto values = view<Score>(scores, "scores");
      const auto codes = view<Code>(cells, "cells", values.size());
      const nb::object array = make_empty<Score>(values.size());
      const auto parts = nb::cast<nb::ndarray<Score, nb::ndim<1>, nb::c_contig>>(array);
      const std::span<Score> filled{parts.data(), parts.size()};
      auto offsets = call_without_gil([&] { return split_runs(values, codes, n_cells, filled); });
      return nb::object(nb::make_tuple(array, to_array(std::move(offsets))));
    });
  });
}

nb::object bind_merge_runs(const Array& scores, const std::optional<Array>& weights,
                           const Array& offsets, const Array& columns, std::size_t n_columns) {
  return visit_score_type(scores, [&]<typename Score>(std::type_identity<Score>) {
    return visit_weight_type(weights, [&]<typename Weight>(std::type_identity<Weight>) {
      const auto runs = view_runs<Score, Weight>(scores, weights, offsets);
      const auto column_of =
          view_run_numbers(columns, "columns", runs.offsets.size() - 1, 0, n_columns);
      auto merged = call_without_gil([&] { return merge_runs(runs, column_of, n_columns); });
      const std::size_t n_scores = merged.scores.size();
      return nb::object(nb::make_tuple(to_array(std::move(merged.scores)),
                                       to_array(std::move(merged.counts), {n_scores, n_columns})));
    });
  });
}

nb::object bind_rank_area(const Array& scores, const std::optional<Array>& weights,
                          const Array& offsets, const Array& sides) {
  return visit_score_type(scores, [&]<typename Score>(std::type_identity<Score>) {
    return visit_weight_type(weights, [&]<typename Weight>(std::type_identity<Weight>) {
      const auto runs = view_runs<Score, Weight>(scores, weights, offsets);
      const auto side_of = view_run_numbers(sides, "sides", runs.offsets.size() - 1, -1, 2);
      return nb::object(nb::float_(call_without_gil([&] { return rank_area(runs, side_of); })));
    });
  });
}

nb::object bind_group_rows(const Array& rows) {
  if (!holds<std::uint8_t>(rows)) refuse_type<std::uint8_t>(rows, "rows");
  check_layout(rows, "rows", 2);
  const ByteRows table{
      {static_cast<const std::uint8_t*>(rows.data()), rows.size()}, rows.shape(0), rows.shape(1)};
  auto grouped = call_without_gil([&] { return group_rows(table); });
  return nb::make_tuple(to_array(std::move(grouped.first)), to_array(std::move(grouped.inverse)));
}

nb::object bind_count_concordance(const Array& left, const Array& right, const Array& weights,
                                  std::size_t n_right) {
  const auto left_of = view<std::int64_t>(left, "left");
  const auto right_of = view<std::int64_t>(right, "right", left_of.size());
  if (!holds<double>(weights)) refuse_type<double>(weights, "weights");
  check_layout(weights, "weights", 2);
  if (weights.shape(0) != left_of.size()) {
    throw std::invalid_argument("weights has " + std::to_string(weights.shape(0)) +
                                " rows: expected " + std::to_string(left_of.size()) + ".");
  }
  const RankedCells cells{left_of,
                          right_of,
                          {static_cast<const double*>(weights.data()), weights.size()},
                          weights.shape(1),
                          n_right};
  return to_array(call_without_gil([&] { return count_concordance(cells); }),
                  {weights.shape(0), weights.shape(1)});
}

nb::object bind_find_spans(const Array& codes, const Array& offsets, const Array& letters,
                           const Array& types, const Array& rules, bool strict) {
  const auto tags = view<std::uint32_t>(codes, "codes");
  const auto examples = view_slices(offsets, "offsets", tags.size());
  const auto letter_of = view<std::uint8_t>(letters, "letters");
  if (letter_of.empty()) throw std::invalid_argument("letters is empty: expected at least O's.");
  for (std::size_t tag = 0; tag < letter_of.size(); ++tag) {
    check_code("letters", tag, letter_of[tag], n_letters);
  }
  const TagScheme scheme{letter_of, view<std::int32_t>(types, "types", letter_of.size()),
                         view<std::uint8_t>(rules, "rules", n_transitions), strict};
  auto found = call_without_gil([&] { return find_spans(tags, examples, scheme); });
  return nb::make_tuple(to_array(std::move(found.offsets)), to_array(std::move(found.starts)),
                        to_array(std::move(found.ends)), to_array(std::move(found.types)),
                        to_array(std::move(found.steps)), to_array(std::move(found.seen)));
}

}  // namespace
}  // namespace tallystick

NB_MODULE(_ext, module) {
  using namespace nb::literals;
  module.doc() = "The compiled kernels: buffers in, counts out.";

  module.def("count_confusion", &tallystick::bind_count_confusion, "gold"_a, "predicted"_a,
             "groups"_a.none(), "weights"_a.none(), "n_labels"_a, "n_groups"_a,
             nb::sig("def count_confusion(gold: Codes, predicted: Codes, groups: Codes | None, "
                     "weights: Weights | None, n_labels: int, n_groups: int) -> Counts"),
             R"(Count how often each gold label was predicted as each label, by group.

Codes are of one dtype and one length; without groups every example is in group 0. Cell
[g, i, j] of the result sums the weights of the examples of group g with gold label i and
predicted label j: int64 where weights is None (each 1) or int64, else float64.

Raises ValueError where a code is out of range or lengths differ, TypeError for a wrong dtype.)");

  module.def("split_runs", &tallystick::bind_split_runs, "scores"_a, "cells"_a, "n_cells"_a,
             nb::sig("def split_runs(scores: NDArray[Score], cells: Codes, n_cells: int) "
                     "-> tuple[NDArray[Score], Integers]"),
             R"(Put the scores of each cell side by side, in their order; -0.0 comes out as 0.0.

Returns the scores and n_cells + 1 offsets: cell c is scores[offsets[c]:offsets[c + 1]].

Raises ValueError where a score is not finite or a cell is out of range.)");

  module.def("merge_runs", &tallystick::bind_merge_runs, "scores"_a, "weights"_a.none(),
             "offsets"_a, "columns"_a, "n_columns"_a,
             nb::sig("def merge_runs(scores: NDArray[Score], weights: Weights | None, "
                     "offsets: Integers, columns: Integers, n_columns: int) "
                     "-> tuple[NDArray[Score], Counts]"),
             R"(Merge sorted runs into their distinct scores, ascending, and the weight of each.

Run r is scores[offsets[r]:offsets[r + 1]] and adds to column columns[r] of the weights, which
are of shape (distinct scores, n_columns): int64 where weights is None (each 1) or int64, else
float64. That each run ascends is not checked.

Raises ValueError where offsets do not cover the scores or a column is out of range.)");

  module.def(
      "rank_area", &tallystick::bind_rank_area, "scores"_a, "weights"_a.none(), "offsets"_a,
      "sides"_a,
      nb::sig("def rank_area(scores: NDArray[Score], weights: Weights | None, "
              "offsets: Integers, sides: Integers) -> float"),
      R"(Sum the weights of all pairs in which a positive outscores a negative; ties count half.

This is the Mann-Whitney U. Run r is scores[offsets[r]:offsets[r + 1]]; sides[r] is 1 where it
holds positives, 0 where negatives, -1 where it is left out. That each run ascends is not
checked.

Raises ValueError where offsets do not cover the scores or a side is none of these.)");

  module.def("group_rows", &tallystick::bind_group_rows, "rows"_a,
             nb::sig("def group_rows(rows: Bytes) -> tuple[Integers, Integers]"),
             R"(Number the distinct rows of a uint8 array (n, width) in order of first appearance.

Returns the index of each distinct row's first appearance, and for every row the number of the
distinct row that it equals.)");

  module.def("count_concordance", &tallystick::bind_count_concordance, "left"_a, "right"_a,
             "weights"_a, "n_right"_a,
             nb::sig("def count_concordance(left: Integers, right: Integers, weights: Reals, "
                     "n_right: int) -> Reals"),
             R"(Sum the weights of the cells of lower left rank, those of higher right rank negated.

Weights are of shape (cells, resamples), and so is the result: for each cell the weight of the
cells that have both ranks lower, less that of those with a lower left and a higher right rank.
Right ranks are below n_right. That left ranks ascend is not checked.

Raises ValueError where a right rank is out of range or lengths differ, TypeError for a wrong
dtype.)");

  module.def("find_spans", &tallystick::bind_find_spans, "codes"_a, "offsets"_a, "letters"_a,
             "types"_a, "rules"_a, "strict"_a,
             nb::sig("def find_spans(codes: Codes, offsets: Integers, letters: Bytes, "
                     "types: Ids, rules: Bytes, strict: bool) "
                     "-> tuple[Integers, Integers, Integers, Ids, Bytes, Bytes]"),
             R"(Find the spans that the tags of tokens, such as B-PER and O, stand for.

The tokens of example i are codes[offsets[i]:offsets[i + 1]]. Of each distinct tag letters has the
letter, from 0 (outside) to 5, and types the type; the last tag is O, which stands around each
example. A transition has the number (letter * 6 + letter before) * 2 + (1 where both types are
equal), and its rule is a sum: 1 where a span begins with the second tag, 2 where the open one ends
with the first, 4 where a span may end with the second, 8 where the one that ends with the first
breaks the scheme. Strict, a span begins where none is open, and else wherever one may; then the one
that began last is always open.

Returns offsets, starts, ends and types, where the spans of example i are those from offsets[i] up
to offsets[i + 1], counted in its tokens, and of the type of their last tag; the transition to each
token, and for each transition 1 where there is such a token, else 0.

Raises ValueError where a code or letter is out of range or lengths differ, TypeError for a wrong
dtype.)");

  tallystick::bind_texts(module);
  tallystick::bind_ngrams(module);
  tallystick::bind_edits(module);
  tallystick::bind_rouge(module);
}
