// Fixtures of tests on CUDA devices: skipped without a device, with a stream, and copies of graphs.
#pragma once

#include "core/cuda/copies/upload.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/stream_pool.hpp"
#include "graph/csr.hpp"
#include "graph/device_csr.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <span>
#include <vector>

namespace warpgraph::test {

/// A copy of a graph on a stream's device, without weights if the graph has none.
template <class W>
class CopiedGraph {
 public:
  CopiedGraph(const CsrView<W>& graph, const cuda::Stream& stream)
      : pattern_(graph, stream),
        weights_(cuda::to_device(
            graph.weights, graph.weights == nullptr ? 0 : static_cast<std::size_t>(graph.n_arcs),
            stream)) {}
  [[nodiscard]] CsrView<W> view() const {
    return with_weights<W>(pattern_.view(), weights_.data());
  }

 private:
  DevicePattern pattern_;
  cuda::DeviceBuffer<W> weights_;
};

template <class Test>
class OnDeviceOf : public Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << cuda_unavailable_reason();
    borrowed_.emplace(device_);
  }
  [[nodiscard]] Device device() const { return device_; }
  [[nodiscard]] const cuda::Stream& stream() const { return **borrowed_; }

  /// Copies `n` items from the device, after the stream's work, and waits.
  template <class T, class Size>
  [[nodiscard]] std::vector<T> fetched(const T* data, Size n) const {
    std::vector<T> host(static_cast<std::size_t>(n));
    cuda::copy(host.data(), data, host.size(), stream());
    stream().synchronize();
    return host;
  }
  template <class T>
  [[nodiscard]] std::vector<T> fetched(const cuda::DeviceBuffer<T>& buffer) const {
    return fetched(static_cast<const T*>(buffer.data()), buffer.size());
  }

 private:
  const Device device_ = Device::parse("cuda");
  std::optional<cuda::BorrowedStream> borrowed_;
};

using OnDevice = OnDeviceOf<testing::Test>;
template <class Parameter>
using OnDeviceWith = OnDeviceOf<testing::TestWithParam<Parameter>>;

}  // namespace warpgraph::test
