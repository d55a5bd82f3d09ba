// Routing policies: which outputs of a router a segment may go to.
//
// A policy is data: two plain functions and their properties. `reach` is evaluated once, when the
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

/// Receivers of a segment: the first available one of the destinations, or each of them.
enum class Delivery { any, all };

struct RoutingPolicy {
  std::string name;
  Delivery delivery = Delivery::any;
  /// Function that returns all outputs that segments of `source` may go to.
  std::function<EndpointList(Endpoint source, const EndpointList& inputs,
                             const EndpointList& outputs)>
      reach;
  /// Function that returns the reachable outputs that this segment may go to. Sending threads call
  /// it concurrently. If it is empty, a segment may go to all of them, and the router divides
  /// messages by itself, which is faster.
  std::function<EndpointList(const Segment& segment, Endpoint source,
                             const EndpointList& reachable)>
      choose;
  /// Inputs that the policy names.
  EndpointList sources = {};
  /// True if lists are in the order of a ring, so that neighbours are near to each other.
  bool in_ring_order = false;
};

/// Makes a policy by which each output may get a segment, the first one that is available: dynamic
/// load balancing.
RoutingPolicy any_available();
/// Makes a policy that sends segment i of a message to output i mod n: static load balancing.
RoutingPolicy scatter();
/// Makes a policy by which all inputs send to the only output.
RoutingPolicy gather();
/// Makes a policy by which each output except the source gets every segment.
RoutingPolicy broadcast();
/// Makes a policy by which each output sends to the next one, the last one to the first. Other
/// sources, such as the host, send to any of them.
RoutingPolicy ring();
/// Makes a policy that sends a segment to the output whose rank is the segment's metadata.
RoutingPolicy all_to_all();
/// Makes a policy by which the input of rank i sends to any output of lower rank that is an input
/// as well, and rank 0 to the outputs that are no inputs (the host, as a rule).
RoutingPolicy one_way_reduce();
/// Makes a policy by which the input of rank i sends to the one of rank i without its lowest 1 bit,
/// and rank 0 as above: a binomial tree of log2(n) levels.
RoutingPolicy tree_reduce();
/// Makes a policy from a user's table of pairs of a source and its destinations.
RoutingPolicy table(std::vector<std::pair<Endpoint, EndpointList>> routes,
                    Delivery delivery = Delivery::any);
/// Makes a policy from a user's function, which returns the destinations of a segment among all
/// outputs.
RoutingPolicy function(std::function<EndpointList(const Segment& segment, Endpoint source,
                                                  const EndpointList& outputs)>
                           choose,
                       Delivery delivery = Delivery::any);

}  // namespace warpgraph::runtime
