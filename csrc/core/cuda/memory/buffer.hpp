// Owners of device and pinned host memory, and the copies between them.
//
// Device buffers come from the stream-ordered memory pools of a device: allocating and freeing one
// takes microseconds and never synchronises the device. Use a buffer on the stream that it was made
// with, or on another stream after waiting for that one.
#pragma once

#include "core/cuda/memory/pinned_memory.hpp"
#include "core/cuda/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <utility>
#include <vector>

namespace warpgraph::cuda {

/// Uninitialised bytes on a device: the part of buffers that does not depend on the type.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(std::size_t bytes, const Stream& stream);
  ~DeviceMemory() {
    if (data_ != nullptr) cudaFreeAsync(data_, stream_);
  }
  DeviceMemory(DeviceMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), stream_(other.stream_) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(stream_, other.stream_);
    return *this;
  }

  [[nodiscard]] void* data() const noexcept { return data_; }

 private:
  void* data_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  /// Allocates uninitialised memory for n items.
  DeviceBuffer(std::size_t n, const Stream& stream) : memory_(n * sizeof(T), stream), n_(n) {}
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : memory_(std::move(other.memory_)), n_(std::exchange(other.n_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(n_, other.n_);
    return *this;
  }

  [[nodiscard]] T* data() const noexcept { return static_cast<T*>(memory_.data()); }
  [[nodiscard]] std::size_t size() const noexcept { return n_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return n_ * sizeof(T); }

 private:
  DeviceMemory memory_;
  std::size_t n_ = 0;
};

/// Places several arrays in one block of memory. Freeing a buffer takes one or two microseconds at
/// the next synchronisation, which matters to a call that has ten. Without memory it only counts
/// bytes.
class BumpAllocator {
 public:
  static constexpr std::size_t alignment = 256;

  explicit BumpAllocator(std::byte* memory = nullptr) : memory_(memory) {}
  /// Returns memory for n items, valid as long as the block.
  template <class T>
  T* take(std::size_t n) {
    T* const array = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + bytes_);
    bytes_ += (n * sizeof(T) + alignment - 1) / alignment * alignment;
    return array;
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::byte* memory_;
  std::size_t bytes_ = 0;
};

/// Page-locked host memory from a pool: copies to and from it are asynchronous. Wait for them
/// before the destructor, which returns the memory to the pool. Only during stack unwinding may
/// copies be in flight; then the memory is freed.
template <class T>
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t n) : n_(n) {
    if (n != 0) block_ = borrow_pinned(n * sizeof(T));
  }
  ~PinnedBuffer() {
    if (block_.memory == nullptr) return;
    if (std::uncaught_exceptions() > n_exceptions_) {
      free_pinned(block_);
    } else {
      return_pinned(block_);
    }
  }
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : block_(std::exchange(other.block_, {})), n_(std::exchange(other.n_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(block_, other.block_);
    std::swap(n_, other.n_);
    return *this;
  }

  [[nodiscard]] T* data() const noexcept { return static_cast<T*>(block_.memory); }
  [[nodiscard]] std::size_t size() const noexcept { return n_; }
  T& operator[](std::size_t i) const noexcept { return data()[i]; }

 private:
  PinnedBlock block_;
  std::size_t n_ = 0;
  // Number of exceptions in flight at construction.
  const int n_exceptions_ = std::uncaught_exceptions();
};

// Memory of a pool can only be copied and filled while the stream's device is the current one.

void copy_bytes(void* to, const void* from, std::size_t bytes, const Stream& stream);
/// Copies rows that start `pitch` bytes apart, in device memory.
void copy_rows_of_bytes(void* to, const void* from, std::size_t pitch, std::int64_t n_rows,
                        std::size_t width, const Stream& stream);
void fill_bytes_of(void* to, int byte, std::size_t bytes, const Stream& stream);

/// Copies n items between host and device memory, in any direction. Asynchronous.
template <class T>
void copy(T* to, const T* from, std::size_t n, const Stream& stream) {
  copy_bytes(to, from, n * sizeof(T), stream);
}

/// Copies rows of `width` items that start `stride` items apart, in device memory. Asynchronous.
template <class T>
void copy_rows(T* to, const T* from, std::int64_t stride, std::int64_t n_rows, std::int64_t width,
               const Stream& stream) {
  copy_rows_of_bytes(to, from, static_cast<std::size_t>(stride) * sizeof(T), n_rows,
                     static_cast<std::size_t>(width) * sizeof(T), stream);
}

/// Sets every byte of n items. Asynchronous.
template <class T>
void fill_bytes(T* to, int byte, std::size_t n, const Stream& stream) {
  fill_bytes_of(to, byte, n * sizeof(T), stream);
}

/// Waits for the stream and returns n items of device memory in a vector of the given type.
template <class Vector>
Vector to_host(const typename Vector::value_type* device, std::size_t n, const Stream& stream) {
  Vector host(n);
  copy(host.data(), device, n, stream);
  stream.synchronize();
  return host;
}

/// Waits for the stream and returns the item at `place`.
template <class T>
T read_back(const T* place, const Stream& stream) {
  T value;
  stream.map_pages_while_busy();  // the copy waits, too
  copy(&value, place, 1, stream);
  stream.synchronize();
  return value;
}

}  // namespace warpgraph::cuda
