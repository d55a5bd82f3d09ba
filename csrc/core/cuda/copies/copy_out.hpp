// Copies of results from devices to any memory.
#pragma once

#include "core/cuda/events/event_pool.hpp"
#include "core/cuda/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <type_traits>

namespace warpgraph::cuda {

/// An array of a device and its destination: rows without gaps, and on the host `pitch` bytes from
/// the start of each to that of the next.
struct OutputArray {
  /// What becomes of a byte of the device: a number of bytes of the host.
  enum Form : std::size_t { as_they_are = 1, widened = 4 };

  void* to;
  const void* from;
  std::size_t bytes;  // on the device
  Form form = as_they_are;
  std::size_t row = bytes;  // bytes on the device
  std::size_t pitch = 0;

  /// `n` bytes, of those on the device from `first` on, come from a buffer.
  void store(const std::byte* buffer, std::size_t first, std::size_t n) const;
};

/// Copies arrays from devices to pageable host memory, or to other devices.
///
/// Large ones come in pieces to page-locked buffers: a device fills some while threads copy others
/// to their destination. Page-locking the destination would take longer than the copy.
///
/// Cost model, for 256 MiB on H100s and 64 cores: one of them sends 55 GB/s, four 159, and 16 cores
/// write 140 GB/s past their caches: 4.9 ms from one, 1.9 from four. Measured are 5.2 and 2.5.
class CopyOut {
 public:
  /// n items of a device, after the earlier work of a stream of that. They are there after
  /// finish(), and until then the array must be, too.
  template <class T>
  void copy(T* to, std::type_identity_t<const T*> from, std::size_t n, const Stream& stream) {
    add({to, from, n * sizeof(T)}, stream);
  }
  /// The same for rows without gaps, which on the host start `stride` items apart.
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
  /// The same for bytes, which come to the host as integers of 32 bits: see widen_past_caches.
  void copy_widened(std::int32_t* to, const std::uint8_t* from, std::size_t n,
                    const Stream& stream) {
    add({to, from, n, OutputArray::widened}, stream);
  }

  /// Waits for all copies. Until the arrays are there, maps the pages of their destinations.
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

  std::deque<Awaited> arrays_;        // whose copies have not begun
  std::deque<BorrowedEvent> copied_;  // the others
};

/// Copies n items from a device to any memory, and waits for that.
template <class T>
void copy_out(T* to, std::type_identity_t<const T*> from, std::size_t n, const Stream& stream) {
  CopyOut out;
  out.copy(to, from, n, stream);
  out.finish();
}

}  // namespace warpgraph::cuda
