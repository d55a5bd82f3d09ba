// Copies of results from devices to any memory.
#pragma once

#include "core/cuda/events/event_pool.hpp"
#include "core/cuda/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <type_traits>

namespace warpgraph::cuda {

/// An array on a device and its destination. On the device its rows have no gaps; on the host they
/// start `pitch` bytes apart.
struct OutputArray {
  /// Number of bytes on the host of each byte on the device.
  enum Form : std::size_t { as_they_are = 1, widened = 4 };

  void* to;
  const void* from;
  std::size_t bytes;  // on the device
  Form form = as_they_are;
  std::size_t row = bytes;  // bytes on the device
  std::size_t pitch = 0;

  /// Stores `n` bytes of a buffer that are those of the device's array from `first` on.
  void store(const std::byte* buffer, std::size_t first, std::size_t n) const;
};

/// Copies arrays from devices to pageable host memory, or to other devices.
///
/// Large arrays come in pieces: a device fills some page-locked buffers while threads copy others
/// to their destination. Page-locking the destination would take longer than the copy.
///
/// Cost model, for 256 MiB on H100s and 64 cores: one sends 55 GB/s, four send 159, and 16 cores
/// write 140 GB/s past their caches. So it takes 4.9 ms from one, 1.9 from four; measured are 5.2
/// and 2.5.
class CopyOut {
 public:
  /// Copies n items of a device after the earlier work of a stream. They are complete after
  /// finish(), until which the source must exist.
  template <class T>
  void copy(T* to, std::type_identity_t<const T*> from, std::size_t n, const Stream& stream) {
    add({to, from, n * sizeof(T)}, stream);
  }
  /// Copies rows without gaps to rows that start `stride` items apart on the host.
  template <class T>
  void copy_rows(T* to, std::int64_t stride, std::type_identity_t<const T*> from,
                 std::int64_t n_rows, std::int64_t width, const Stream& stream) {
    const auto n = static_cast<std::size_t>(n_rows * width);
    if (stride == width) return copy(to, from, n, stream);
    add({.to = to,
         .from = from,
         .bytes = n * sizeof(T),
         .row = static_cast<std::size_t>(width) * sizeof(T),
         .pitch = static_cast<std::size_t>(stride) * sizeof(T)},
        stream);
  }
  /// Copies bytes to integers of 32 bits, as widen_past_caches() does.
  void copy_widened(std::int32_t* to, const std::uint8_t* from, std::size_t n,
                    const Stream& stream) {
    add({to, from, n, OutputArray::widened}, stream);
  }

  /// Waits for all copies. Until the device's results are ready, maps the pages of their
  /// destinations.
  void finish();

 private:
  struct Awaited {
    OutputArray array;
    BorrowedEvent ready;
    Device device;
    Awaited(const OutputArray& of, Device on) : array(of), ready(on), device(on) {}
  };

  void add(const OutputArray& array, const Stream& stream);
  void copy_arrays(std::size_t n_devices, std::size_t bytes, bool widens);

  std::deque<Awaited> arrays_;        // arrays whose copies have not begun
  std::deque<BorrowedEvent> copied_;  // events of the copies that have begun
};

/// Copies n items from a device to any memory, and waits until they are there.
template <class T>
void copy_out(T* to, std::type_identity_t<const T*> from, std::size_t n, const Stream& stream) {
  CopyOut out;
  out.copy(to, from, n, stream);
  out.finish();
}

}  // namespace warpgraph::cuda
