// Allocations of the module, counted and made to fail, for tests.
#pragma once

#include <cstddef>
#include <cstdint>

namespace faults {

enum class Kind : std::uint8_t {
  host,    // malloc() and all that comes to it, operator new above all
  device,  // memory of CUDA devices, and page-locked memory
};

struct Usage {
  std::size_t blocks = 0;
  std::size_t bytes = 0;
  std::size_t peak_bytes = 0;
  std::int64_t allocations = 0;  // ever asked for
};

/// The k-th allocation from now on fails, on whatever thread; 0: none does. Returns how many were
/// left of the k of before: 0 if one failed.
std::int64_t fail(Kind kind, std::int64_t k);

/// What is allocated now. If `forget_peak`, the next peak is that from now on.
Usage usage(Kind kind, bool forget_peak);

}  // namespace faults
