// Exceptions that callers see. They carry data: a program need not read their sentences, and one
// whose vertices have names puts these where the sentences have numbers (NamedPlaces).
// bindings/module.cpp translates them for Python:
//   std::invalid_argument -> ValueError     std::overflow_error -> OverflowError
//   OutOfMemory -> MemoryError              NegativeCycle -> wg.NegativeCycleError
//   DeviceError, CudaError -> wg.DeviceError
#pragma once

#include "core/types.hpp"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace warpgraph {

/// A vertex in a sentence, "3", or the two ends of an arc, "(3, 5)": callers may know them by
/// names.
struct ByName {
  vertex_t vertex;            // of an arc, its tail
  vertex_t head = no_vertex;  // of a vertex alone: no_vertex
};

/// A part of a sentence: text, a number or a vertex. It refers to text that outlives it.
class SentencePart {
 public:
  SentencePart(std::string_view text) : kind_(Kind::text), text_(text) {}
  SentencePart(const std::string& text) : SentencePart(std::string_view(text)) {}
  SentencePart(const char* text) : SentencePart(std::string_view(text)) {}
  SentencePart(char letter) : kind_(Kind::letter), letter_(letter) {}
  SentencePart(ByName vertices) : kind_(Kind::by_name), by_name_(vertices) {}
  template <std::floating_point T>
  SentencePart(T number) : kind_(Kind::floating), floating_(number) {}
  template <std::signed_integral T>
  SentencePart(T number) : kind_(Kind::integer), integer_(number) {}
  template <std::unsigned_integral T>
  SentencePart(T number) : kind_(Kind::natural), natural_(number) {}

  /// Writes the part at the end of a sentence, a number as streams do.
  void add_to(std::string& sentence) const;
  /// Returns the vertex or the arc that the part is, or null.
  [[nodiscard]] const ByName* by_name() const {
    return kind_ == Kind::by_name ? &by_name_ : nullptr;
  }

 private:
  enum class Kind : std::uint8_t { text, letter, floating, integer, natural, by_name };

  Kind kind_;
  union {
    std::string_view text_;
    char letter_;
    double floating_;
    std::int64_t integer_;
    std::uint64_t natural_;
    ByName by_name_;
  };
};

/// Joins parts: as one function, since concat() is compiled for each sentence.
std::string joined(std::initializer_list<SentencePart> parts);

/// Builds a sentence from its parts: concat("vertex ", v, " is not in 0..", n - 1).
template <class... Parts>
std::string concat(const Parts&... parts) {
  return joined({SentencePart(parts)...});
}

/// A place of a sentence that has a vertex or an arc: the bytes from `begin` up to `end`.
struct NamedPlace {
  std::size_t begin;
  std::size_t end;
  ByName vertices;
};

/// The places of an error's sentence, what(), that have vertices, in ascending order. An error of
/// any type whose sentence has some is derived from this class, too.
class NamedPlaces {
 public:
  virtual ~NamedPlaces() = default;
  [[nodiscard]] const std::vector<NamedPlace>& places() const noexcept { return *places_; }

 protected:
  /// Finds the places in the sentence that joined(parts) returns.
  explicit NamedPlaces(std::initializer_list<SentencePart> parts);

 private:
  std::shared_ptr<const std::vector<NamedPlace>> places_;  // shared: copies of errors never throw
};

/// An error whose sentence has vertices: Naming<std::overflow_error>({"vertex ", ByName{v}, ...}).
template <class Error>
struct Naming : Error, NamedPlaces {
  Naming(std::initializer_list<SentencePart> parts) : Error(joined(parts)), NamedPlaces(parts) {}
};

/// Throws std::invalid_argument with the sentence of these parts: Naming if some are vertices.
[[noreturn]] void throw_invalid(std::initializer_list<SentencePart> parts);

struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct CudaError : DeviceError {
  using DeviceError::DeviceError;
};

struct OutOfMemory : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct NegativeCycle : Naming<std::invalid_argument> {
  explicit NegativeCycle(vertex_t on_cycle)
      : Naming({"the graph has a negative cycle through vertex ", ByName{on_cycle},
                ": shortest paths are not defined"}),
        vertex(on_cycle) {}
  vertex_t vertex;
};

}  // namespace warpgraph

/// Throws std::invalid_argument unless the condition holds: EXPECTS(k > 0, "k must be positive, got
/// ", k). The parts of the sentence are evaluated only when it fails.
#define EXPECTS(condition, ...)                                \
  do {                                                         \
    if (!(condition)) warpgraph::throw_invalid({__VA_ARGS__}); \
  } while (false)
