#include "algorithms/metric_points/pair_states.hpp"

#include <numeric>
#include <string>

namespace warpgraph {

NeighbourRows rows_within(ComparePairs compare, std::int64_t n, const RadiusOptions& options,
                          std::size_t needed, MemoryBudget budget) {
  NeighbourRows rows;
  rows.offsets.resize(at(n) + 1);
  rows.offsets[0] = 0;
  compare(RadiusState(options, rows.offsets.data() + 1, rows), 0, 2 * n);
  std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
  const std::size_t found = at(rows.offsets.back());
  budget.require("storing " + std::to_string(found) + " neighbours",
                 needed + found * bytes_of_neighbour, "choose a smaller radius");
  rows.ids.resize(found);
  if (options.with_distances) rows.distances.resize(found);
  compare(RadiusState(options, nullptr, rows), n, 2 * n);
  return rows;
}

}  // namespace warpgraph
