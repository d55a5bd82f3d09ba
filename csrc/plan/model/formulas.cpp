#include "plan/model/formulas.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace warpgraph::plan {
namespace {

bool has_many_levels(const Size& size) {
  constexpr double levels_of_roads = 3;  // times the logarithm of the number of vertices
  return size.shape.levels > levels_of_roads * std::log2(std::max(size.vertices, 1.0));
}

/// Returns whether searches from many sources meet, so that a batch of them gains: at a hub, or on
/// roads, where sources are near each other for most of the way.
bool meet(const Size& size) {
  constexpr double degrees_of_a_hub = 16;
  return size.shape.longest_row * size.vertices > degrees_of_a_hub * size.arcs ||
         has_many_levels(size);
}

double amount_of(Term term, const Size& size) {
  // Boxes that a search in a tree of points visits, as the neighbours of uniform points showed.
  constexpr double boxes_of_a_dimension = 1.4;
  constexpr double log2_of_vertices_in_caches = 16;
  const double n = size.vertices;
  switch (term) {
    case Term::none:
      return 0;
    case Term::call:
    case Term::new_call:
      return 1;
    case Term::waking: {
      constexpr double size_that_wakes_all = 4000;
      return std::min((n + size.arcs) / size_that_wakes_all, 1.0);
    }
    case Term::waking_on_roads:
      return has_many_levels(size) ? amount_of(Term::waking, size) : 0;
    case Term::hub:
      return size.shape.longest_row * size.shape.longest_row / std::max(size.arcs, 1.0);
    case Term::vertex:
    case Term::new_vertex:
      return n;
    case Term::vertex_beyond_caches:
      return n * std::max(std::log2(std::max(n, 1.0)) - log2_of_vertices_in_caches, 0.0);
    case Term::arc:
    case Term::new_arc:
      return size.arcs;
    case Term::level:
      return size.shape.levels;
    case Term::wide_level: {
      constexpr double width = 64;  // vertices of a level that threads share
      return std::min(size.shape.levels, n / width);
    }
    case Term::longest_row:
    case Term::new_longest_row:
      return size.shape.longest_row;
    case Term::source:
      return size.sources;
    case Term::source_vertex:
      return size.sources * n;
    case Term::source_vertex_beyond_caches:
      return size.sources * amount_of(Term::vertex_beyond_caches, size);
    case Term::source_arc:
      return size.sources * size.arcs;
    case Term::source_level:
      return size.sources * size.shape.levels;
    case Term::source_longest_row:
      return size.sources * size.shape.longest_row;
    case Term::source_arc_apart:
      return meet(size) ? 0 : size.sources * size.arcs;
    case Term::source_arc_on_roads:
      return has_many_levels(size) ? size.sources * size.arcs : 0;
    case Term::entry:
      return size.sources * size.columns;
    case Term::arc_of_degree:
      return size.arcs * std::pow(size.arcs / std::max(n, 1.0), 4);
    case Term::coordinate:
      return n * size.dimensions;
    case Term::pair:
      return n * size.queries;
    case Term::pair_coordinate:
      return n * size.queries * size.dimensions;
    case Term::point_in_boxes:
      return size.queries * std::min(std::pow(boxes_of_a_dimension, size.dimensions), n);
  }
  return 0;
}

bool is_of_preparing(Term term) { return term >= Term::new_call || term == Term::new_longest_row; }

Seconds seconds_of(const Formula& formula, const Size& size, double scale) {
  Seconds found;
  for (const auto& [term, seconds_each] : formula.coefficients) {
    if (term == Term::none) break;
    (is_of_preparing(term) ? found.preparing : found.running) +=
        scale * seconds_each * amount_of(term, size);
  }
  return found;
}

/// Returns the seconds on a number of threads between, or beyond, those that were measured: they
/// fall by the same factor from each number to its double. `share`: 0 for few threads, 1 for many.
double between(double on_few, double on_many, double share) {
  if (on_few <= 0 || on_many <= 0) return std::max(on_few, on_many);
  return on_few * std::pow(on_many / on_few, share);
}

std::atomic<double> scale_of_cores{1};
std::atomic<double> scale_of_gpu{1};

}  // namespace

void set_scales(Scales scales) noexcept {
  scale_of_cores = scales.cores;
  scale_of_gpu = scales.gpu;
}

Scales scales() noexcept { return {scale_of_cores, scale_of_gpu}; }

Seconds seconds_by(const Formulas& formulas, Place place, const Size& size, int n_threads) {
  constexpr Seconds never{0, std::numeric_limits<double>::infinity()};
  if (place == Place::gpu) {
    return formulas.on_gpu == nullptr ? never : seconds_of(*formulas.on_gpu, size, scale_of_gpu);
  }
  if (formulas.on_many_threads == nullptr) return never;
  if (n_threads >= many_threads) return seconds_of(*formulas.on_many_threads, size, scale_of_cores);
  const Seconds few = seconds_of(*formulas.on_few_threads, size, scale_of_cores);
  if (n_threads == few_threads) return few;
  const Seconds many = seconds_of(*formulas.on_many_threads, size, scale_of_cores);
  constexpr double doublings = 3;  // from few threads to many
  static_assert(few_threads << 3 == many_threads);
  const double share =
      std::log2(static_cast<double>(std::max(n_threads, 1)) / few_threads) / doublings;
  return {between(few.preparing, many.preparing, share), between(few.running, many.running, share)};
}

}  // namespace warpgraph::plan
