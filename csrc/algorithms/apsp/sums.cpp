// The type of the sums, which decides about the time of Floyd and Warshall's method.
#include "algorithms/apsp/accumulator.hpp"
#include "algorithms/apsp/apsp.hpp"

namespace warpgraph {
namespace {

using apsp_detail::Accumulator;

std::string_view name_of(Accumulator accumulator) {
  switch (accumulator) {
    case Accumulator::uint16:
      return "uint16";
    case Accumulator::int32:
      return "int32";
    case Accumulator::int64:
    case Accumulator::saturating_int64:
      return "int64";
    case Accumulator::float32:
      return "float32";
    case Accumulator::float64:
      break;
  }
  return "float64";
}

}  // namespace

template <class R>
ApspSums sums_of_apsp(const shortest_paths::WeightSummary& weights, vertex_t n_vertices) {
  return {name_of(apsp_detail::accumulator_for<R>(weights, n_vertices, weights.bound())),
          shortest_paths::has_exact_sums<R>(weights)};
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(sums_of_apsp)

}  // namespace warpgraph
