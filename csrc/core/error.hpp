// Exceptions that callers see. bindings/module.cpp translates them for Python:
//   std::invalid_argument -> ValueError     std::overflow_error -> OverflowError
//   OutOfMemory -> MemoryError              NegativeCycle -> wg.NegativeCycleError
//   DeviceError, CudaError -> wg.DeviceError
#pragma once

#include "core/types.hpp"

#include <sstream>
#include <stdexcept>
#include <string>

namespace warpgraph {

/// Builds a sentence from its parts: concat("vertex ", v, " is not in 0..", n - 1).
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream sentence;
  (sentence << ... << parts);
  return sentence.str();
}

struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct CudaError : DeviceError {
  using DeviceError::DeviceError;
};

struct OutOfMemory : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct NegativeCycle : std::invalid_argument {
  explicit NegativeCycle(vertex_t on_cycle)
      : std::invalid_argument(concat("the graph has a negative cycle through vertex ", on_cycle,
                                     ": shortest paths are not defined")),
        vertex(on_cycle) {}
  vertex_t vertex;
};

}  // namespace warpgraph

/// Throws std::invalid_argument unless the condition holds: EXPECTS(k > 0, "k must be positive, got
/// ", k). The parts of the sentence are evaluated only when it fails.
#define EXPECTS(condition, ...)                                                    \
  do {                                                                             \
    if (!(condition)) throw std::invalid_argument(warpgraph::concat(__VA_ARGS__)); \
  } while (false)
