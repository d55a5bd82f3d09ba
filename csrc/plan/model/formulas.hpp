// The formulas of the model of time. Each is a sum of terms: a size of the call times a coefficient
// that was fitted to measurements (coefficients.inc, written by make rates).
#pragma once

#include "plan/model/model.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpgraph::plan {

enum class Term : std::uint8_t {
  none,
  // Of a graph.
  call,
  waking,  // of threads, which small inputs do without
  vertex,
  vertex_beyond_caches,  // times the logarithm of the number of vertices beyond 2^16
  arc,
  source,
  source_vertex,
  source_vertex_beyond_caches,
  source_arc,
  // Of its shape.
  level,
  waking_on_roads,  // of threads, in a graph of many levels
  hub,              // the square of the longest row, divided by the number of arcs
  wide_level,       // of many vertices
  longest_row,
  source_level,
  source_longest_row,
  new_longest_row,
  source_arc_on_roads,  // in a graph of many levels
  source_arc_apart,     // where no paths meet: neither at a hub nor on roads
  // Of a graph.
  entry,          // of a table
  arc_of_degree,  // times the fourth power of the mean degree
  // Of points.
  coordinate,
  pair,  // of a query and a point
  pair_coordinate,
  point_in_boxes,  // times a power of the dimension
  // What a graph that is not kept, or not on a GPU, takes before: its check, and its copy.
  new_call,
  new_vertex,
  new_arc,
};

struct Coefficient {
  Term term = Term::none;
  double seconds = 0;
};

inline constexpr std::size_t most_coefficients = 12;

/// The seconds of a method on a machine: on so many threads of its host, or on its GPU.
struct Formula {
  std::string_view name;  // of the algorithm, and of the method if there are several
  Place place;
  int n_threads;
  std::array<Coefficient, most_coefficients> coefficients;
};

namespace detail {
using enum Term;
inline constexpr std::array formulas{
#include "plan/model/coefficients.inc"
};
}  // namespace detail

// The machines that were measured.
inline constexpr int few_threads = 2;
inline constexpr int many_threads = 16;

/// The formulas of a method; null where it does not run, or was not measured.
struct Formulas {
  const Formula* on_few_threads = nullptr;
  const Formula* on_many_threads = nullptr;
  const Formula* on_gpu = nullptr;

  [[nodiscard]] constexpr bool are_known() const noexcept {
    return on_few_threads != nullptr || on_gpu != nullptr;
  }
  /// Returns whether a term depends on the shape of the graph.
  [[nodiscard]] constexpr bool read_shape() const noexcept {
    for (const Formula* const formula : {on_few_threads, on_many_threads, on_gpu}) {
      if (formula == nullptr) continue;
      for (const Coefficient& each : formula->coefficients) {
        if (each.term >= Term::level && each.term <= Term::source_arc_apart) return true;
      }
    }
    return false;
  }
};

/// Returns the formulas of this name, of which there is one at least.
consteval Formulas formulas_of(std::string_view name) {
  const auto find = [name](Place place, int n_threads) -> const Formula* {
    for (const Formula& formula : detail::formulas) {
      if (formula.name == name && formula.place == place && formula.n_threads == n_threads) {
        return &formula;
      }
    }
    return nullptr;
  };
  const Formulas found{find(Place::cores, few_threads), find(Place::cores, many_threads),
                       find(Place::gpu, 0)};
  if (!found.are_known()) throw "the model of time has no formula of this name";
  return found;
}

/// Factors by which calls take longer on this machine than on those that were measured.
struct Scales {
  double cores = 1;
  double gpu = 1;
};
void set_scales(Scales scales) noexcept;
[[nodiscard]] Scales scales() noexcept;

/// Returns the expected seconds on one GPU, or on so many threads of the host; infinity where the
/// method has no formula.
[[nodiscard]] Seconds seconds_by(const Formulas& formulas, Place place, const Size& size,
                                 int n_threads);

}  // namespace warpgraph::plan
