// Device memory that other devices access directly, over NVLink or PCIe, after
// enable_peer_access(). It comes from cudaMalloc, not from a pool. Allocating and freeing it waits
// for the device, so do neither while a kernel runs that waits for another one.
#pragma once

#include "core/cuda/device_guard.hpp"

#include <cstddef>
#include <utility>

namespace warpgraph::cuda {

template <class T>
class PeerBuffer {
 public:
  PeerBuffer() = default;
  /// Allocates uninitialised memory for n items.
  PeerBuffer(std::size_t n, Device device) : n_(n) {
    if (n == 0) return;
    const DeviceGuard guard(device);
    void* memory = nullptr;
    CUDA_TRY(cudaMalloc(&memory, n * sizeof(T)));
    data_ = static_cast<T*>(memory);
  }
  ~PeerBuffer() {
    if (data_ != nullptr) cudaFree(data_);
  }
  PeerBuffer(PeerBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), n_(std::exchange(other.n_, 0)) {}
  PeerBuffer& operator=(PeerBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(n_, other.n_);
    return *this;
  }

  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return n_; }

 private:
  T* data_ = nullptr;
  std::size_t n_ = 0;
};

}  // namespace warpgraph::cuda
