/// Binds what packs Python's strings into one buffer, cuts lines, and matches keys.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bind_checks.hpp"
#include "coded_values.hpp"
#include "fields.hpp"
#include "keys.hpp"

namespace tallystick {
namespace {

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

nb::object bind_cut_fields(const Array& text, bool at_spaces) {
  const auto bytes = view<std::uint8_t>(text, "text");
  const auto separators = at_spaces ? Separators::spaces : Separators::tabs;
  auto fields = call_without_gil([&] { return cut_fields(bytes, separators); });
  return nb::make_tuple(to_array(std::move(fields.bytes)), to_array(std::move(fields.offsets)),
                        to_array(std::move(fields.lines)));
}

/// The codes, bytes and offsets of a column.
nb::object to_column(CodedColumn column) {
  return nb::make_tuple(to_array(std::move(column.codes)), to_array(std::move(column.bytes)),
                        to_array(std::move(column.offsets)));
}

/// Codes strings by their distinct values; of an object that recurs only its address is looked at.
class CodedStrings {
 public:
  explicit CodedStrings(std::uint64_t seed) : values_(seed) {}

  /// Codes all items, which live as long as this; false where one is no string of whole characters.
  template <typename Items>
  bool add_all(const Items& items) {
    for (const nb::handle item : items) {
      Seen& seen = seen_[(reinterpret_cast<std::uintptr_t>(item.ptr()) >> 4) % seen_.size()];
      if (seen.item != item.ptr() && !code(item.ptr(), seen)) return false;
      column_.codes.push_back(seen.code);
    }
    return true;
  }

  CodedColumn take() { return std::move(column_); }

 private:
  struct Seen {
    PyObject* item = nullptr;
    std::int32_t code = 0;
  };

  bool code(PyObject* item, Seen& seen) {
    Py_ssize_t size = 0;
    const char* const bytes =
        PyUnicode_Check(item) ? PyUnicode_AsUTF8AndSize(item, &size) : nullptr;
    PyErr_Clear();
    if (bytes == nullptr) return false;
    const std::string_view text(bytes, static_cast<std::size_t>(size));
    seen = {item, values_.code(make_cell(text, bytes + size), column_)};
    return true;
  }

  CodedColumn column_;
  CodedValues values_;
  std::array<Seen, 256> seen_{};
};

nb::object bind_code_strings(const nb::list& rows, std::uint64_t seed) {
  CodedStrings strings(seed);
  std::vector<std::int64_t> sizes;
  sizes.reserve(rows.size());
  for (const nb::handle row : rows) {
    const bool coded = nb::isinstance<nb::list>(row) ? strings.add_all(nb::borrow<nb::list>(row))
                       : nb::isinstance<nb::tuple>(row)
                           ? strings.add_all(nb::borrow<nb::tuple>(row))
                           : false;
    if (!coded) return nb::none();
    sizes.push_back(PyObject_Size(row.ptr()));
  }
  return nb::make_tuple(to_array(std::move(sizes)), to_column(strings.take()));
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

void bind_texts(nb::module_& module) {
  using namespace nb::literals;

  module.def(
      "pack", &bind_pack, "strings"_a,
      nb::sig("def pack(strings: list[str]) -> tuple[Bytes, Integers]"),
      R"(Put strings into one buffer: string i is the UTF-8 of data[offsets[i]:offsets[i + 1]].

Raises TypeError where one is not a string, UnicodeEncodeError where it holds a lone surrogate.)");

  module.def("cut_fields", &bind_cut_fields, "text"_a, "at_spaces"_a,
             nb::sig("def cut_fields(text: Bytes, at_spaces: bool) "
                     "-> tuple[Bytes, Ids, Ids]"),
             R"(Cut lines into the fields that tabs part, or spaces and tabs; none of them is empty.

Field i is data[offsets[i]:offsets[i + 1]] and stands in line lines[i], counted from 0. Returns
data, offsets and lines.

Raises ValueError where there are 2^31 bytes or more, TypeError for a wrong dtype.)");

  module.def("code_strings", &bind_code_strings, "rows"_a, "seed"_a,
             nb::sig("def code_strings(rows: list[object], seed: int) -> "
                     "tuple[Integers, tuple[Ids, Bytes, Ids]] | None"),
             R"(Code the strings of lists and tuples by their distinct values.

Returns how many each of them has, and codes, data and offsets of all together: string i is
data[offsets[c]:offsets[c + 1]] for its code c. The seed is of 64 bits. It changes the time alone,
and should be secret where others choose texts.

Returns None where one is anything else, or holds anything but strings, or one with a lone
surrogate.)");

  module.def("hash_texts", &bind_hash_texts, "data"_a, "offsets"_a,
             nb::sig("def hash_texts(data: Bytes, offsets: Integers) -> Hashes"),
             R"(Hash texts to 64 bits each: text i is data[offsets[i]:offsets[i + 1]].

The hashes are the same in every process, and on machines of one byte order.)");

  module.def("find_texts", &bind_find_texts, "data"_a, "offsets"_a, "sought_data"_a,
             "sought_offsets"_a, "seed"_a,
             nb::sig("def find_texts(data: Bytes, offsets: Integers, sought_data: Bytes, "
                     "sought_offsets: Integers, seed: int) -> Integers"),
             R"(Find where each sought text first stands among others; -1 where it does not.

The seed is of 64 bits. It changes the time alone, and should be secret where others choose texts.

Raises ValueError where either are 2^32 texts or more.)");
}

}  // namespace tallystick
