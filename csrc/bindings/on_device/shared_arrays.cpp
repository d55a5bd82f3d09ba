#include "bindings/on_device/shared_arrays.hpp"

#include "bindings/graphs.hpp"

namespace warpgraph {
namespace {

/// Lets an object of Python go.
struct LetGo {
  py::object object;
  void operator()(const void* /*data*/) {
    const py::gil_scoped_acquire gil;
    object = {};
  }
};

}  // namespace

SharedArray shared(const py::array& array) {
  return dispatch_weight(array.dtype(), [&]<class T>() -> SharedArray {
    const std::span<const T> items = readable<T>(array);
    return {number_of<T>(),
            items.data(),
            std::ssize(items),
            std::shared_ptr<const void>(items.data(), LetGo{array}),
            {}};
  });
}

SharedArray shared(const DeviceArray& array) {
  return dispatch_weight(array.dtype(), [&]<class T>() -> SharedArray {
    return {number_of<T>(), array.data(), array.length(), array.memory(), array.device()};
  });
}

py::array to_numpy(const SharedArray& array) {
  if (const LetGo* const given = std::get_deleter<LetGo>(array.owner)) return given->object;
  auto owner = std::make_unique<SharedArray>(array);
  const py::capsule base(owner.get(), [](void* it) { delete static_cast<SharedArray*>(it); });
  owner.release();  // the capsule frees it from here on
  return dispatch(array.type, [&]<class T>() -> py::array {
    return {py::dtype::of<T>(), {array.size}, array.data, base};
  });
}

}  // namespace warpgraph
