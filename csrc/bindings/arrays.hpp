// NumPy arrays as spans, and vectors as NumPy arrays. Nothing is copied. The Python layer has to
// pass the right dtype and layout, aligned to the dtype; a wrong one is a TypeError. Arrays of
// callers get this layout from validate.in_place().
#pragma once

#include "core/error.hpp"
#include "core/memory/host_vector.hpp"

#include <pybind11/numpy.h>
#include <pybind11/typing.h>

#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace warpgraph {

namespace py = pybind11;

template <class... Types>
using Tuple = py::typing::Tuple<Types...>;

/// Returns whether an array begins at a multiple of the alignment of its items, as do those that
/// NumPy makes; those that lie in files, packets or packed records may not.
[[nodiscard]] inline bool is_aligned(const py::array& array) {
  return (array.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0;
}

template <class T>
void expect_array(const py::array& array) {
  if (!py::isinstance<py::array_t<T>>(array) || !(array.flags() & py::array::c_style) ||
      !is_aligned(array)) {
    throw py::type_error(concat("expected an aligned, C-contiguous array of ",
                                py::str(py::dtype::of<T>()).cast<std::string>(), ", got ",
                                py::str(array.dtype()).cast<std::string>()));
  }
}

template <class T>
std::span<const T> readable(const py::array& array) {
  expect_array<T>(array);
  return {static_cast<const T*>(array.data()), static_cast<std::size_t>(array.size())};
}

/// Throws ValueError if the array is read-only.
template <class T>
std::span<T> writable(py::array& array) {
  expect_array<T>(array);
  return {static_cast<T*>(array.mutable_data()), static_cast<std::size_t>(array.size())};
}

/// Frees a vector and its memory without its destructor, which would visit all items, though these
/// need no destruction: with -O1, which bindings are compiled with, loops that do nothing are not
/// removed.
template <class Vector>
void free_vector(void* memory) noexcept {
  static_assert(std::is_trivially_destructible_v<typename Vector::value_type>);
  auto* const vector = static_cast<Vector*>(memory);
  auto allocator = vector->get_allocator();
  if (vector->capacity() > 0) allocator.deallocate(vector->data(), vector->capacity());
  std::allocator<Vector>().deallocate(vector, 1);
}

/// A vector for a result whose owner in Python exists before it is filled, so that other objects
/// can refer to it from the start. Copies share the vector.
template <class T>
class OwnedVector {
 public:
  OwnedVector() {
    auto values = std::make_unique<HostVector<T>>();
    owner_ = py::capsule(values.get(), &free_vector<HostVector<T>>);
    values_ = values.release();  // the capsule frees it from here on
  }
  HostVector<T>& operator*() const noexcept { return *values_; }
  [[nodiscard]] const py::capsule& owner() const noexcept { return owner_; }
  [[nodiscard]] py::array_t<T> array() const {
    return py::array_t<T>(static_cast<py::ssize_t>(values_->size()), values_->data(), owner_);
  }

 private:
  HostVector<T>* values_;
  py::capsule owner_;
};

/// Moves a vector into a NumPy array, without a copy.
template <class T, class Allocator>
py::array_t<T> to_array(std::vector<T, Allocator>&& values) {
  using Owner = std::vector<T, Allocator>;
  auto owner = std::make_unique<Owner>(std::move(values));
  T* data = owner->data();
  const auto size = static_cast<py::ssize_t>(owner->size());
  const py::capsule base(owner.get(), &free_vector<Owner>);
  owner.release();  // the capsule frees it from here on
  return py::array_t<T>(size, data, base);
}

/// Moves a vector into a NumPy array with two items in a row, such as the ends of edges.
template <class Vector>
py::array to_pairs(Vector&& values) {
  const auto n = static_cast<py::ssize_t>(values.size() / 2);
  return to_array(std::move(values)).reshape({n, py::ssize_t{2}});
}

/// Calls f.operator()<T>() for float, or for double with any other dtype, which readable() refuses.
template <class F>
auto dispatch_real(const py::dtype& dtype, F&& f) {
  return dtype.equal(py::dtype::of<float>()) ? f.template operator()<float>()
                                             : f.template operator()<double>();
}

}  // namespace warpgraph

/// Conversion of an argument that was passed as an array to a span; pybind11 holds the array until
/// the function returns.
template <class T>
struct pybind11::detail::type_caster<std::span<T>> {
  using Item = std::remove_const_t<T>;
  PYBIND11_TYPE_CASTER(std::span<T>, const_name("numpy.typing.NDArray[") +
                                         npy_format_descriptor<Item>::name + const_name("]"));

  bool load(handle source, bool) {
    if (!isinstance<array>(source)) return false;
    auto given = reinterpret_borrow<array>(source);
    if constexpr (std::is_const_v<T>) {
      value = warpgraph::readable<Item>(given);
    } else {
      value = warpgraph::writable<Item>(given);
    }
    return true;
  }
};
