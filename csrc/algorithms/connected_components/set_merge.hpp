// The links along which endpoints merge their sets: a binomial tree, whose root sends to the host.
#pragma once

#include "primitives/boruvka/canonical_labels.hpp"
#include "runtime/context.hpp"

#include <deque>
#include <optional>
#include <span>

namespace warpgraph {

/// The merge of the sets of all endpoints. An endpoint receives the parents of others, a vertex
/// each: with these trees' edges taken for arcs, its sets are those of all. Then it sends its own,
/// in which parents are roots.
class SetMerge {
 public:
  struct Links {
    runtime::Link& others;
    runtime::Link& next;
  };

  SetMerge(runtime::Context& context, std::size_t packet)
      : context_(context),
        packet_(packet),
        router_(context.router(static_cast<int>(context.endpoints().size()),
                               static_cast<int>(context.endpoints().size()) + 1,
                               runtime::tree_reduce(), "of the sets")),
        merged_(context.link(router_, context.host(), packet)) {}

  Links links(runtime::Endpoint endpoint) {
    return {context_.link(router_, endpoint, packet_), context_.link(endpoint, router_, packet_)};
  }

  /// Writes the roots of all vertices. The host calls this during the run.
  void receive(std::span<vertex_t> roots) {
    while (std::optional<runtime::PendingSegment> pending = merged_.receive()) {
      const std::size_t first = pending->description().offset;
      pending->wait_into(reinterpret_cast<std::byte*>(roots.data()) + first);
    }
  }

  /// Returns the first vertex of a segment of parents.
  static vertex_t first_vertex(const runtime::Segment& parents) {
    return static_cast<vertex_t>(parents.offset / sizeof(vertex_t));
  }

 private:
  runtime::Context& context_;
  const std::size_t packet_;
  runtime::Router& router_;
  runtime::Link& merged_;
};

}  // namespace warpgraph
