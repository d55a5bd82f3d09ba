// Routing policies: which outputs of a router a segment may go to.
//
// A policy is data: two plain functions and how they are meant. `reach` is evaluated once, when the
// data-flow graph is built; its result is the router's table. The table says from which inputs
// segments can still come to an output, and thus when the output's receiver has seen the last one.
// `choose` is evaluated for each segment.
//
// In the lists of inputs and outputs endpoints are in the order in which they were linked, or in
// that of a ring round the machine's devices (topology.hpp); an endpoint's rank is its index in
// such a list.
#pragma once

#include "runtime/segment.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace warpgraph::runtime {

/// Whether the first available of the destinations gets a segment, or each of them.
enum class Delivery { any, all };

struct RoutingPolicy {
  std::string name;
  Delivery delivery = Delivery::any;
  /// All outputs that segments of `source` may go to.
  std::function<EndpointList(Endpoint source, const EndpointList& inputs,
                             const EndpointList& outputs)>
      reach;
  /// Those of the reachable ones that this segment may go to. Called by the sending thread, by
  /// several at a time. Empty: all of them, and the router divides messages by itself, which is
  /// faster.
  std::function<EndpointList(const Segment& segment, Endpoint source,
                             const EndpointList& reachable)>
      choose;
  /// Inputs that the policy names.
  EndpointList sources = {};
  /// Lists are in the order of a ring, so that neighbours are near to each other.
  bool in_ring_order = false;
};

/// Every output, the first one that is available: dynamic load balancing.
RoutingPolicy any_available();
/// Segment i of a message goes to output i mod n: static load balancing.
RoutingPolicy scatter();
/// All inputs send to the only output.
RoutingPolicy gather();
/// Each output except the source gets every segment.
RoutingPolicy broadcast();
/// Each output sends to the next one, the last one to the first. Other sources, such as the host,
/// send to any of them.
RoutingPolicy ring();
/// A segment goes to the output whose rank is the segment's metadata.
RoutingPolicy all_to_all();
/// The input of rank i sends to any of lower rank that is an output, and that of rank 0 to the
/// outputs that are no inputs (the host, as a rule).
RoutingPolicy one_way_reduce();
/// The same, but the input of rank i sends to that of rank i without its lowest 1 bit: a binomial
/// tree of log2(n) levels.
RoutingPolicy tree_reduce();
/// What a user's table says, as pairs of a source and its destinations.
RoutingPolicy table(std::vector<std::pair<Endpoint, EndpointList>> routes,
                    Delivery delivery = Delivery::any);
/// What a user's own function says: the destinations of a segment among all outputs.
RoutingPolicy function(std::function<EndpointList(const Segment& segment, Endpoint source,
                                                  const EndpointList& outputs)>
                           choose,
                       Delivery delivery = Delivery::any);

}  // namespace warpgraph::runtime
