#include "runtime/routing.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace warpgraph::runtime {
namespace {

bool contains(const EndpointList& list, Endpoint endpoint) {
  return std::find(list.begin(), list.end(), endpoint) != list.end();
}

std::size_t rank_in(const EndpointList& list, Endpoint endpoint) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), endpoint) - list.begin());
}

EndpointList all_outputs(Endpoint, const EndpointList&, const EndpointList& outputs) {
  return outputs;
}

EndpointList without(const EndpointList& list, const EndpointList& others) {
  EndpointList rest;
  for (const Endpoint endpoint : list) {
    if (!contains(others, endpoint)) rest.push_back(endpoint);
  }
  return rest;
}

/// Makes a policy where inputs send to the ranks that `lower` gives, rank 0 to the outputs that are
/// no inputs.
template <class Lower>
RoutingPolicy reduction(const char* name, Lower lower) {
  return {name,
          Delivery::any,
          [lower](Endpoint source, const EndpointList& inputs, const EndpointList& outputs) {
            const std::size_t rank = rank_in(inputs, source);
            if (rank == 0) return without(outputs, inputs);
            EndpointList reached;
            for (const std::size_t to : lower(rank)) {
              if (contains(outputs, inputs[to])) reached.push_back(inputs[to]);
            }
            return reached;
          },
          {},
          {},
          true};
}

}  // namespace

RoutingPolicy any_available() { return {"any_available", Delivery::any, &all_outputs, {}, {}}; }

RoutingPolicy scatter() {
  return {"scatter",
          Delivery::any,
          &all_outputs,
          [](const Segment& segment, Endpoint, const EndpointList& reachable) {
            const auto i = static_cast<std::size_t>(segment.number) % reachable.size();
            return EndpointList{reachable[i]};
          },
          {}};
}

RoutingPolicy gather() {
  return {"gather",
          Delivery::any,
          [](Endpoint, const EndpointList&, const EndpointList& outputs) {
            EXPECTS(outputs.size() == 1, "the policy gather needs one output, but the router has ",
                    outputs.size());
            return outputs;
          },
          {},
          {}};
}

RoutingPolicy broadcast() {
  return {"broadcast",
          Delivery::all,
          [](Endpoint source, const EndpointList&, const EndpointList& outputs) {
            return without(outputs, {source});
          },
          {},
          {}};
}

RoutingPolicy ring() {
  return {"ring",
          Delivery::any,
          [](Endpoint source, const EndpointList&, const EndpointList& outputs) {
            const std::size_t rank = rank_in(outputs, source);
            if (rank == outputs.size()) return outputs;
            return EndpointList{outputs[(rank + 1) % outputs.size()]};
          },
          {},
          {},
          true};
}

RoutingPolicy all_to_all() {
  return {"all_to_all",
          Delivery::any,
          &all_outputs,
          [](const Segment& segment, Endpoint, const EndpointList& reachable) {
            const auto n = static_cast<std::int64_t>(reachable.size());
            EXPECTS(segment.metadata >= 0 && segment.metadata < n,
                    "under the policy all_to_all the metadata of a segment is the rank of an "
                    "output, 0..",
                    n - 1, ", got ", segment.metadata);
            return EndpointList{reachable[static_cast<std::size_t>(segment.metadata)]};
          },
          {}};
}

RoutingPolicy one_way_reduce() {
  return reduction("one_way_reduce", [](std::size_t rank) {
    std::vector<std::size_t> lower(rank);
    for (std::size_t i = 0; i < rank; ++i) lower[i] = i;
    return lower;
  });
}

RoutingPolicy tree_reduce() {
  return reduction("tree_reduce",
                   [](std::size_t rank) { return std::vector<std::size_t>{rank & (rank - 1)}; });
}

RoutingPolicy table(std::vector<std::pair<Endpoint, EndpointList>> routes, Delivery delivery) {
  EndpointList sources;
  for (const auto& [from, to] : routes) sources.push_back(from);
  return {"table",
          delivery,
          [routes = std::move(routes)](Endpoint source, const EndpointList&, const EndpointList&) {
            EndpointList reached;
            for (const auto& [from, to] : routes) {
              if (from == source) reached.insert(reached.end(), to.begin(), to.end());
            }
            return reached;
          },
          {},
          std::move(sources)};
}

RoutingPolicy function(
    std::function<EndpointList(const Segment&, Endpoint, const EndpointList&)> choose,
    Delivery delivery) {
  return {"function", delivery, &all_outputs, std::move(choose), {}};
}

}  // namespace warpgraph::runtime
