// An array that others own, too: NumPy, a library on a GPU, or a program of C++.
#pragma once

#include "core/device.hpp"
#include "core/error.hpp"
#include "plan/number.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace warpgraph {

/// A contiguous array in the memory of the host or of a CUDA device. Nobody writes to it while it
/// is shared. The owner frees the memory, on whichever thread is the last to share it.
struct SharedArray {
  Number type = Number::int32;
  const void* data = nullptr;
  std::int64_t size = 0;
  std::shared_ptr<const void> owner;
  Device device;

  template <class T>
  [[nodiscard]] bool has() const noexcept {
    return type == number_of<T>();
  }
  /// Returns the items. Throws std::invalid_argument if they are of another type.
  template <class T>
  [[nodiscard]] std::span<const T> items() const {
    EXPECTS(has<T>(), "an array of ", name_of(type), " where one of ", name_of(number_of<T>()),
            " is expected");
    return {static_cast<const T*>(data), static_cast<std::size_t>(size)};
  }
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(size) * bytes_of(type);
  }

  /// Shares a vector, which this owns.
  template <class Vector>
  [[nodiscard]] static SharedArray of(Vector&& items) {
    const auto owner = std::make_shared<Vector>(std::move(items));
    return {number_of<typename Vector::value_type>(),
            owner->data(),
            static_cast<std::int64_t>(owner->size()),
            owner,
            {}};
  }
};

}  // namespace warpgraph
