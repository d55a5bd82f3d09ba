// What the client of a graph keeps beside it, until the graph keeps it.
#pragma once

#include "core/types.hpp"
#include "plan/number.hpp"

#include <functional>
#include <optional>

namespace warpgraph {

struct HierarchySizes {
  plan::Number distances;
  vertex_t n_vertices;
  vertex_t n_core;
};

struct ClientFacts {
  std::optional<HierarchySizes> hierarchy = {};  // that may take the call's paths
  bool has_landmarks = false;
  bool has_transposed = false;
  std::function<bool()> fits_float32 = {};  // whether a hierarchy takes the weights as float32
};

}  // namespace warpgraph
