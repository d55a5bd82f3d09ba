// Device memory that other devices access directly, over NVLink or PCIe.
//
// It comes from cudaMalloc: memory of stream-ordered pools is not covered by
// cudaDeviceEnablePeerAccess. Allocating and freeing it waits for the device, so do neither while a
// kernel runs that waits for another one.
#pragma once

#include "core/cuda/device_guard.hpp"

#include <cstddef>
#include <utility>

namespace warpgraph::cuda {

/// From now on kernels on `device` can access the PeerBuffers of `peer`. Throws DeviceError if the
/// two have no such connection.
inline void enable_peer_access(Device device, Device peer) {
  if (device.index == peer.index) return;
  int possible = 0;
  CUDA_TRY(cudaDeviceCanAccessPeer(&possible, device.index, peer.index));
  if (possible == 0) {
    throw DeviceError(concat(device.name(), " cannot access the memory of ", peer.name()));
  }
  const DeviceGuard guard(device);
  const cudaError_t status = cudaDeviceEnablePeerAccess(peer.index, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();
    return;
  }
  CUDA_TRY(status);
}

/// Throws DeviceError if atomic operations of kernels on `device` on memory of `peer` are not
/// atomic to others: over NVLink they are, over PCIe they are not.
inline void require_peer_atomics(Device device, Device peer) {
  if (device.index == peer.index) return;
  int possible = 0;
  CUDA_TRY(cudaDeviceGetP2PAttribute(&possible, cudaDevP2PAttrNativeAtomicSupported, device.index,
                                     peer.index));
  if (possible != 0) return;
  throw DeviceError(concat("atomic operations of ", device.name(), " on the memory of ",
                           peer.name(), " are not possible: they need NVLink"));
}

template <class T>
class PeerBuffer {
 public:
  PeerBuffer() = default;
  /// Uninitialised memory for n items.
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
