// The memory that PageRank by pushes asks for, for plans.
#include "algorithms/pagerank/push/push.hpp"
#include "bindings/plan/needs/planned_call.hpp"

namespace warpgraph::needs {

Needs of_pushes(const PlannedCall& call) {
  const CsrView<float> graph{call.given.shape(), nullptr};
  return only(need_of([&] { (void)pagerank_push_cpu(graph, {}, {}, {}); }));
}

}  // namespace warpgraph::needs
