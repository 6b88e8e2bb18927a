/// Binds what packs Python's strings into one buffer.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bind_checks.hpp"

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
  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> offsets{0};
  offsets.reserve(strings.size() + 1);
  for (const nb::handle text : strings) {
    const auto encoded = encode(text);
    bytes.insert(bytes.end(), encoded.begin(), encoded.end());
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  return nb::make_tuple(to_array(std::move(bytes)), to_array(std::move(offsets)));
}

}  // namespace

void bind_texts(nb::module_& module) {
  using namespace nb::literals;

  module.def(
      "pack", &bind_pack, "strings"_a,
      nb::sig("def pack(strings: list[str]) -> tuple[Bytes, Integers]"),
      R"(Put strings into one buffer: string i is the UTF-8 of data[offsets[i]:offsets[i + 1]].

Raises TypeError where one is not a string, UnicodeEncodeError where it holds a lone surrogate.)");
}

}  // namespace tallystick
