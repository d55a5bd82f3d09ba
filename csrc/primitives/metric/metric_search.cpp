#include "primitives/metric/metric_search.hpp"

#include "primitives/kd_tree/knn_search_leaves.hpp"

namespace warpgraph {

WARPGRAPH_METRIC_SEARCHES(template, Manhattan)
WARPGRAPH_METRIC_SEARCHES(template, Chebyshev)
WARPGRAPH_METRIC_SEARCH(template, Minkowski, 0)

}  // namespace warpgraph
