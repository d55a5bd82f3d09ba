// Exceptions that callers see. bindings/module.cpp translates them for Python:
//   std::invalid_argument -> ValueError     std::overflow_error -> OverflowError
//   OutOfMemory -> MemoryError              NegativeCycle -> wg.NegativeCycleError
//   DeviceError, CudaError -> wg.DeviceError
#pragma once

#include "core/types.hpp"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

namespace warpgraph {

/// A part of a sentence: text or a number. It refers to text that outlives it.
class SentencePart {
 public:
  SentencePart(std::string_view text) : kind_(Kind::text), text_(text) {}
  SentencePart(const std::string& text) : SentencePart(std::string_view(text)) {}
  SentencePart(const char* text) : SentencePart(std::string_view(text)) {}
  SentencePart(char letter) : kind_(Kind::letter), letter_(letter) {}
  template <std::floating_point T>
  SentencePart(T number) : kind_(Kind::floating), floating_(number) {}
  template <std::signed_integral T>
  SentencePart(T number) : kind_(Kind::integer), integer_(number) {}
  template <std::unsigned_integral T>
  SentencePart(T number) : kind_(Kind::natural), natural_(number) {}

  /// Writes the part at the end of a sentence, a number as streams do.
  void add_to(std::string& sentence) const;

 private:
  enum class Kind : std::uint8_t { text, letter, floating, integer, natural };

  Kind kind_;
  union {
    std::string_view text_;
    char letter_;
    double floating_;
    std::int64_t integer_;
    std::uint64_t natural_;
  };
};

/// Joins parts: as one function, since concat() is compiled for each sentence.
std::string joined(std::initializer_list<SentencePart> parts);

/// Builds a sentence from its parts: concat("vertex ", v, " is not in 0..", n - 1).
template <class... Parts>
std::string concat(const Parts&... parts) {
  return joined({SentencePart(parts)...});
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
