// Copies of arrays on the host to devices.
#pragma once

#include "core/cuda/memory/buffer.hpp"
#include "core/function_ref.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpgraph::cuda {

/// Copies arrays from any memory to devices.
///
/// Large arrays in pageable memory go in pieces: threads fill some page-locked buffers while a
/// device copies others. The driver's own copy of such arrays uses one thread: it sends 8 GB/s to
/// an H100, which takes 55 from page-locked memory.
class Upload {
 public:
  /// Copies n items before the later work of a stream. The copy has begun after finish(), until
  /// which the stream must exist.
  template <class T>
  void copy(T* to, std::type_identity_t<const T*> from, std::size_t n, const Stream& stream) {
    add({to, from, n * sizeof(T), &stream, {}, {}, {}});
  }

  /// Copies n items, and lets look(std::span<const T>) read each part of them on the thread that
  /// has just read it, when it is in that core's cache. Threads look at the same time, until
  /// finish().
  template <class T, class Look>
  void copy(T* to, std::type_identity_t<const T*> from, std::size_t n, const Stream& stream,
            Look look) {
    add({to, from, n * sizeof(T), &stream, looking<T>(look), {}, {}});
  }

  /// Copies n items as another type, which the threads make on the way: move(from, to) writes the
  /// items of a part, a std::span<const From>, to page-locked memory.
  template <class To, class From, class Move>
  void copy_as(To* to, const From* from, std::size_t n, const Stream& stream, Move move) {
    auto move_bytes = [from, move](std::byte* slot, std::size_t first, std::size_t bytes) {
      move(std::span<const From>(from + first / sizeof(To), bytes / sizeof(To)),
           reinterpret_cast<To*>(slot));
    };
    add({to, from, n * sizeof(To), &stream, {}, {}, std::move(move_bytes)});
  }

  /// Copies n items to buffers on the device, where take(std::span<const T>, first) receives them
  /// in parts: it adds work to the stream that reads a part, whose first item is number `first`.
  /// Parts are looked at as in copy(), unless `look` is null. All arrays of an upload that are
  /// taken on a device have the same stream.
  template <class T, class Take, class Look>
  void take_parts(const T* from, std::size_t n, const Stream& stream, Take take, Look look) {
    auto take_bytes = [take](const void* part, std::size_t first, std::size_t bytes) {
      take(std::span<const T>(static_cast<const T*>(part), bytes / sizeof(T)), first / sizeof(T));
    };
    add({nullptr, from, n * sizeof(T), &stream, looking<T>(look), std::move(take_bytes), {}});
  }

  /// Begins all copies, and waits until the arrays on the host have been read. So they may change
  /// from then on, unless they are in page-locked memory or on a device: then wait for the stream.
  void finish() {
    finish([] { return false; });
  }
  /// Finishes while threads that have time call beside(), until that returns false.
  void finish(FunctionRef<bool()> beside);

 private:
  struct Array {
    void* to;
    const void* from;
    std::size_t bytes;  // on the device
    const Stream* stream;
    std::function<void(const void* part, std::size_t bytes)> look;  // may be empty
    // Receives the bytes from `first` on that lie at `part` on the device; empty if `to` does.
    std::function<void(const void* part, std::size_t first, std::size_t bytes)> take;
    // Writes the bytes from `first` on, as the device receives them, to a slot; empty if they are
    // those at `from`.
    std::function<void(std::byte* slot, std::size_t first, std::size_t bytes)> move;
  };
  class Ring;

  template <class T, class Look>
  static std::function<void(const void*, std::size_t)> looking(Look look) {
    if constexpr (std::is_null_pointer_v<Look>) {
      return {};
    } else {
      return [look](const void* part, std::size_t bytes) {
        look(std::span<const T>(static_cast<const T*>(part), bytes / sizeof(T)));
      };
    }
  }
  void add(const Array& array);

  std::vector<Array> arrays_;  // those that go in pieces
};

/// Returns a copy of n items of host memory on the stream's device. Asynchronous, as Upload is.
template <class T>
DeviceBuffer<T> to_device(const T* host, std::size_t n, const Stream& stream) {
  DeviceBuffer<T> buffer(n, stream);
  Upload upload;
  upload.copy(buffer.data(), host, n, stream);
  upload.finish();
  return buffer;
}
template <class T>
DeviceBuffer<T> to_device(std::span<const T> host, const Stream& stream) {
  return to_device(host.data(), host.size(), stream);
}

}  // namespace warpgraph::cuda
