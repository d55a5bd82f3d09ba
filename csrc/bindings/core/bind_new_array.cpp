// Arrays of the host for results, in memory of HostVector: see core/memory/kept_memory.hpp.
#include "bindings/call.hpp"
#include "bindings/core/new_array.hpp"
#include "bindings/graphs.hpp"
#include "core/error.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/copy_by_all.hpp"
#include "core/threads/parallel.hpp"

#include <pybind11/stl.h>

#include <limits>
#include <memory>

namespace warpgraph {
namespace {

using Memory = HostArray<std::byte>;
/// Returns the bytes of an array of this shape.
std::int64_t bytes_of(const std::vector<py::ssize_t>& shape, py::ssize_t item) {
  std::int64_t bytes = item;
  for (const py::ssize_t extent : shape) {
    if (extent != 0 && bytes > std::numeric_limits<std::int64_t>::max() / extent) {
      throw OutOfMemory("a result has more bytes than can be addressed");
    }
    bytes *= extent;
  }
  return bytes;
}

}  // namespace

py::array new_array(const std::vector<py::ssize_t>& shape, const py::dtype& dtype) {
  auto memory = std::make_unique<Memory>(bytes_of(shape, dtype.itemsize()));
  std::byte* const data = memory->get();
  const py::capsule base(memory.get(), [](void* of) { delete static_cast<Memory*>(of); });
  memory.release();  // the capsule frees it from here on
  return {dtype, shape, data, base};
}

namespace {

/// Makes an array of ones by all threads: one takes a second to fill 4 GB of new pages.
py::array ones(const std::vector<py::ssize_t>& shape, const py::dtype& dtype) {
  py::array made = new_array(shape, dtype);
  dispatch_weight(dtype, [&]<class T>() {
    T* const items = static_cast<T*>(made.mutable_data());
    const std::int64_t n = made.size();
    run_released([&] { parallel_for(n, [&](std::int64_t i) { items[i] = T{1}; }); });
  });
  return made;
}

/// Copies an array to another one of the same size by all threads.
void copy_to(py::array to, const py::array& from) {
  const bool fits = to.nbytes() == from.nbytes();
  EXPECTS(fits && (to.flags() & from.flags() & py::array::c_style) != 0, "arrays do not match");
  auto* const bytes = static_cast<std::byte*>(to.mutable_data());
  const auto* const source = static_cast<const std::byte*>(from.data());
  run_released([=, n = from.nbytes()] { copy_by_all(bytes, source, n); });
}

/// Copies an array, as numpy.copy does, by all threads.
py::array copied(const py::array& array) {
  py::array made = new_array({array.shape(), array.shape() + array.ndim()}, array.dtype());
  copy_to(made, array);
  return made;
}

}  // namespace

void init_new_array(py::module_& module) {
  module.def("new_array", &new_array, py::arg("shape"), py::arg("dtype"));
  module.def("ones", &ones, py::arg("shape"), py::arg("dtype"));
  module.def("copy_to", &copy_to, py::arg("to"), py::arg("source"));
  module.def("copied", &copied, py::arg("array"));
}

}  // namespace warpgraph
