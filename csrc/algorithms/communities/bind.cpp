#include "algorithms/communities/communities.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graphs.hpp"

WARPGRAPH_NAMES(warpgraph::CommunityMethod, {"leiden", leiden}, {"louvain", louvain},
                {"label_propagation", label_propagation});
WARPGRAPH_NAMES(warpgraph::PartitionQuality, {"modularity", modularity}, {"cpm", cpm});

namespace warpgraph {
namespace {

/// Labels the vertices by communities, and returns their number and the quality. `graph` has each
/// edge both ways, with weights of `dtype` if they are read.
Tuple<vertex_t, double> find_communities(const CommunitiesOptions& options, const Graph& graph,
                                         const py::dtype& dtype, bool unweighted,
                                         std::span<vertex_t> labels, Progress progress) {
  return dispatch_weight(dtype, [&]<class W>() -> Tuple<vertex_t, double> {
    CsrView<W> view{graph.pattern(), nullptr};
    if (!unweighted) view = graph.view<W>();
    const CommunitiesResult found =
        run_released(std::move(progress), [&] { return communities_cpu(view, options, labels); });
    return py::make_tuple(found.n_communities, found.quality);
  });
}

}  // namespace

void init_communities(py::module_& module) {
  define(module, "communities", &find_communities,
         {"graph", "dtype", "unweighted", "labels", "progress"},
         keyword("quality", &CommunitiesOptions::quality),
         keyword("resolution", &CommunitiesOptions::resolution),
         keyword("method", &CommunitiesOptions::method),
         keyword("n_iterations", &CommunitiesOptions::n_iterations),
         keyword("seed", &CommunitiesOptions::seed),
         keyword("ledger", &CommunitiesOptions::budget));
}

}  // namespace warpgraph
