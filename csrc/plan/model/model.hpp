// The model of time: what the seconds of a call depend on. formulas.hpp has them.
#pragma once

namespace warpgraph::plan {

enum class Place { cores, gpu };

/// The shape of a graph, which takes a look at it.
struct Shape {
  double levels = 1;       // of a breadth-first search
  double longest_row = 1;  // the most arcs of a vertex
};

/// The bounds of any shape, which is cut to the size of a graph.
inline constexpr Shape least_shape{1, 1};
inline constexpr Shape most_shape{1e18, 1e18};

/// The sizes of a call, which terms are made of.
struct Size {
  double vertices = 0;  // or points
  double arcs = 0;
  Shape shape = {};
  double sources = 1;
  double columns = 0;  // of a result of many sources
  double queries = 0;  // points whose neighbours are found
  double dimensions = 0;
};

/// The seconds of a call: of what has to be made first, as copies to a GPU, and of the rest.
struct Seconds {
  double preparing = 0;
  double running = 0;
};

}  // namespace warpgraph::plan
