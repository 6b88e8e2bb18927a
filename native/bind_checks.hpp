/// What the files that bind kernels share: checks of buffers, views of them, and results as arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "interrupt.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace tallystick {

/// Adds the kernels of texts to the module.
void bind_texts(nb::module_& module);

using Array = nb::ndarray<nb::ro, nb::device::cpu>;

inline std::string describe_type(nb::dlpack::dtype type) {
  const std::string bits = std::to_string(type.bits);
  if (type == nb::dtype<bool>()) return "bool";
  if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int)) return "int" + bits;
  if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt)) return "uint" + bits;
  if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float)) return "float" + bits;
  return "another type of " + bits + " bits";
}

template <typename Value>
bool holds(const Array& array) {
  return array.dtype() == nb::dtype<Value>();
}

template <typename Value>
[[noreturn]] void refuse_type(const Array& array, const char* name) {
  const std::string message = std::string(name) + " has dtype " + describe_type(array.dtype()) +
                              ": expected " + describe_type(nb::dtype<Value>()) + ".";
  throw nb::type_error(message.c_str());
}

inline void check_layout(const Array& array, const char* name, std::size_t n_dimensions) {
  if (array.ndim() != n_dimensions) {
    throw std::invalid_argument(std::string(name) + " has ndim " + std::to_string(array.ndim()) +
                                ": expected " + std::to_string(n_dimensions) + ".");
  }
  if (array.size() == 0) return;
  bool whole = reinterpret_cast<std::uintptr_t>(array.data()) % array.itemsize() == 0;
  std::int64_t stride = 1;
  for (std::size_t d = n_dimensions; d-- > 0;) {
    whole = whole && (array.shape(d) == 1 || array.stride(d) == stride);
    stride *= static_cast<std::int64_t>(array.shape(d));
  }
  if (!whole) {
    throw std::invalid_argument(std::string(name) +
                                " is strided or unaligned: pass numpy.ascontiguousarray of it.");
  }
}

template <typename Value>
std::span<const Value> view(const Array& array, const char* name) {
  if (!holds<Value>(array)) refuse_type<Value>(array, name);
  check_layout(array, name, 1);
  return {static_cast<const Value*>(array.data()), array.size()};
}

template <typename Value>
std::span<const Value> view(const Array& array, const char* name, std::size_t size) {
  const auto values = view<Value>(array, name);
  if (values.size() != size) {
    throw std::invalid_argument(std::string(name) + " has length " + std::to_string(values.size()) +
                                ": expected " + std::to_string(size) + ".");
  }
  return values;
}

[[noreturn]] inline void refuse_value(const char* name, std::size_t position, std::int64_t value,
                                      const std::string& expected) {
  throw std::invalid_argument(std::string(name) + "[" + std::to_string(position) + "] is " +
                              std::to_string(value) + ": expected " + expected + ".");
}

/// Refuses offsets that descend, and an empty array of them.
inline void check_ascending(std::span<const std::int64_t> offsets, const char* name) {
  if (offsets.empty()) {
    throw std::invalid_argument(std::string(name) + " is empty: expected at least a 0.");
  }
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) {
      refuse_value(name, i, offsets[i], "at least " + std::to_string(offsets[i - 1]));
    }
  }
}

/// Views ascending offsets into an array of n values; they need not cover all of it.
inline std::span<const std::int64_t> view_slices(const Array& array, const char* name,
                                                 std::size_t n) {
  const auto offsets = view<std::int64_t>(array, name);
  check_ascending(offsets, name);
  if (offsets.front() < 0) refuse_value(name, 0, offsets.front(), "at least 0");
  if (std::cmp_greater(offsets.back(), n)) {
    refuse_value(name, offsets.size() - 1, offsets.back(), "at most " + std::to_string(n));
  }
  return offsets;
}

template <typename Kernel>
auto call_without_gil(Kernel kernel) {
  const nb::gil_scoped_release release;
  return kernel();
}

/// Calls a kernel with an interrupt that stops it where Python has a signal to handle, such as that
/// of Ctrl-C; what the handler raises is thrown.
template <typename Kernel>
auto call_stoppable(Kernel kernel) {
  Interrupt interrupt([] {
    const nb::gil_scoped_acquire acquire;
    return PyErr_CheckSignals() != 0;
  });
  try {
    return call_without_gil([&] { return kernel(&interrupt); });
  } catch (const Interrupted&) {
    throw nb::python_error();
  }
}

/// Hands a vector over to a new NumPy array, without a copy.
template <typename Value>
nb::object to_array(std::vector<Value> values, std::initializer_list<std::size_t> shape) {
  auto owned = std::make_unique<std::vector<Value>>(std::move(values));
  Value* data = owned->data();
  const nb::capsule owner(
      owned.get(), [](void* memory) noexcept { delete static_cast<std::vector<Value>*>(memory); });
  owned.release();
  return nb::ndarray<nb::numpy, Value>(data, shape, owner).cast();
}

template <typename Value>
nb::object to_array(std::vector<Value> values) {
  const std::size_t size = values.size();
  return to_array(std::move(values), {size});
}

/// What an array of strings or sequences is called in messages.
struct SliceNames {
  const char* values;
  const char* offsets;
};

inline constexpr SliceNames hypothesis_texts = {"hyp_data", "hyp_offsets"};
inline constexpr SliceNames reference_texts = {"ref_data", "ref_offsets"};

/// Kernels count what stands in one string or sequence in 32 bits.
inline void check_lengths(std::span<const std::int64_t> offsets, const char* name) {
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] - offsets[i - 1] > std::numeric_limits<std::int32_t>::max()) {
      refuse_value(name, i, offsets[i], "at most 2147483647 beyond the one before");
    }
  }
}

/// Views strings, after checking that each is valid UTF-8.
inline Texts view_texts(const Array& data, const Array& offsets, const SliceNames& names) {
  const auto bytes = view<std::uint8_t>(data, names.values);
  const Texts texts{bytes, view_slices(offsets, names.offsets, bytes.size())};
  check_lengths(texts.offsets, names.offsets);
  call_without_gil([&] { validate(texts, names.values); });
  return texts;
}

/// Views sequences of token ids.
inline Ids view_ids(const Array& ids, const Array& offsets, const SliceNames& names) {
  const auto values = view<std::int32_t>(ids, names.values);
  const Ids sequences{values, view_slices(offsets, names.offsets, values.size())};
  check_lengths(sequences.offsets, names.offsets);
  return sequences;
}

/// Views which of m references belong to each of n examples; each must have at least one.
inline std::span<const std::int64_t> view_spans(const Array& array, std::size_t n, std::size_t m) {
  const auto spans = view_slices(array, "spans", m);
  if (spans.size() != n + 1) {
    throw std::invalid_argument("spans has length " + std::to_string(spans.size()) + ": expected " +
                                std::to_string(n + 1) + ".");
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (spans[i] == spans[i + 1]) {
      throw std::invalid_argument("Example " + std::to_string(i) +
                                  " has no reference: expected at least one.");
    }
  }
  return spans;
}

}  // namespace tallystick
