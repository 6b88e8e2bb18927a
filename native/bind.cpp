/// Binds the kernels to Python: checks every buffer, releases the GIL, calls; computes nothing.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "bind_checks.hpp"
#include "checks.hpp"
#include "concordance.hpp"
#include "keys.hpp"
#include "rows.hpp"
#include "tags.hpp"

namespace tallystick {
namespace {

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

/// The UTF-8 of a Python string, which the string keeps.
std::span<const std::uint8_t> encode(nb::handle text) {
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) nb::raise_python_error();
  return {reinterpret_cast<const std::uint8_t*>(bytes), static_cast<std::size_t>(size)};
}

nb::object bind_pack(const nb::list& strings) {
  std::vector<std::int64_t> offsets{0};
  offsets.reserve(strings.size() + 1);
  for (const nb::handle text : strings) {
    offsets.push_back(offsets.back() + static_cast<std::int64_t>(encode(text).size()));
  }
  std::vector<std::uint8_t> bytes;
  bytes.reserve(static_cast<std::size_t>(offsets.back()));
  for (const nb::handle text : strings) {
    const auto encoded = encode(text);
    bytes.insert(bytes.end(), encoded.begin(), encoded.end());
  }
  return nb::make_tuple(to_array(std::move(bytes)), to_array(std::move(offsets)));
}

Texts view_keys(const Array& data, const Array& offsets, const SliceNames& names) {
  const auto bytes = view<std::uint8_t>(data, names.values);
  return {bytes, view_slices(offsets, names.offsets, bytes.size())};
}

nb::object bind_hash_texts(const Array& data, const Array& offsets) {
  const Texts texts = view_keys(data, offsets, {"data", "offsets"});
  return to_array(call_without_gil([&] { return hash_texts(texts); }));
}

nb::object bind_find_texts(const Array& data, const Array& offsets, const Array& sought_data,
                           const Array& sought_offsets, std::uint64_t seed) {
  const Texts texts = view_keys(data, offsets, {"data", "offsets"});
  const Texts sought = view_keys(sought_data, sought_offsets, {"sought_data", "sought_offsets"});
  return to_array(call_without_gil([&] { return find_texts(texts, sought, seed); }));
}

}  // namespace
}  // namespace tallystick

NB_MODULE(_ext, module) {
  using namespace nb::literals;
  module.doc() = "The compiled kernels: buffers in, counts out.";

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

  module.def(
      "pack", &tallystick::bind_pack, "strings"_a,
      nb::sig("def pack(strings: list[str]) -> tuple[Bytes, Integers]"),
      R"(Put strings into one buffer: string i is the UTF-8 of data[offsets[i]:offsets[i + 1]].

Raises TypeError where one is not a string, UnicodeEncodeError where it holds a lone surrogate.)");

  module.def("hash_texts", &tallystick::bind_hash_texts, "data"_a, "offsets"_a,
             nb::sig("def hash_texts(data: Bytes, offsets: Integers) -> Hashes"),
             R"(Hash texts to 64 bits each: text i is data[offsets[i]:offsets[i + 1]].

The hashes are the same in every process, and on machines of one byte order.)");

  module.def("find_texts", &tallystick::bind_find_texts, "data"_a, "offsets"_a, "sought_data"_a,
             "sought_offsets"_a, "seed"_a,
             nb::sig("def find_texts(data: Bytes, offsets: Integers, sought_data: Bytes, "
                     "sought_offsets: Integers, seed: int) -> Integers"),
             R"(Find where each sought text first stands among others; -1 where it does not.

The seed is of 64 bits. It changes the time alone, and should be secret where others choose texts.

Raises ValueError where either are 2^32 texts or more.)");

  tallystick::bind_texts(module);
}
