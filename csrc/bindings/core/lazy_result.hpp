// Results that stay on a device until they are read, as objects of Python.
#pragma once

#include "bindings/arrays.hpp"
#include "bindings/hand_over.hpp"
#include "core/memory/lazy_array.hpp"

#include <memory>
#include <utility>
#include <vector>

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph {

/// A LazyArray with a shape and a dtype.
struct LazyResult {
  std::shared_ptr<LazyArray> array;
  std::vector<py::ssize_t> shape;
  py::dtype dtype;
};

#if defined(WARPGRAPH_HAS_CUDA)
/// Moves a buffer, whose items are there already, into a result. Make the buffer with a stream of
/// Lifetime::kept.
template <class T>
Owned<LazyResult> to_lazy(cuda::DeviceBuffer<T>&& items, std::vector<py::ssize_t> shape,
                          Device device) {
  const T* const data = items.data();
  const std::size_t bytes = items.bytes();
  const auto memory = std::make_shared<cuda::DeviceBuffer<T>>(std::move(items));
  const auto copy = [memory, data, bytes, device](std::byte* to) {
    const cuda::BorrowedStream stream(device);
    cuda::copy_out(to, reinterpret_cast<const std::byte*>(data), bytes, *stream);
  };
  return hand_over(std::make_unique<LazyResult>(LazyArray::make(data, bytes, device, copy),
                                                std::move(shape), py::dtype::of<T>()));
}
#endif

}  // namespace warpgraph
