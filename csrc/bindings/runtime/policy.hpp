// Routing policies from Python: a name, routes or a function, and whether each destination gets a
// segment.
#pragma once

#include "bindings/runtime/python_threads.hpp"
#include "core/error.hpp"
#include "runtime/routing.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace warpgraph::runtime {

namespace py = pybind11;

inline EndpointList endpoints(const std::vector<int>& ids) {
  EndpointList list;
  for (const int id : ids) list.push_back({id});
  return list;
}

inline RoutingPolicy policy_of(const std::string& name, const py::object& given, bool to_all) {
  const Delivery delivery = to_all ? Delivery::all : Delivery::any;
  if (name == "table") {
    std::vector<std::pair<Endpoint, EndpointList>> routes;
    for (const auto& [source, ids] : given.cast<std::map<int, std::vector<int>>>()) {
      routes.emplace_back(Endpoint{source}, endpoints(ids));
    }
    return table(std::move(routes), delivery);
  }
  if (name == "function") {
    // The thread that forwards a segment does so without the GIL.
    const auto choose = [given](const Segment& segment, Endpoint source,
                                const EndpointList& outputs) {
      EndpointList chosen;
      with_gil([&] {
        std::vector<int> ids;
        for (const Endpoint output : outputs) ids.push_back(output.id);
        const std::size_t first = segment.offset / segment.item_bytes;
        const std::size_t n = segment.bytes / segment.item_bytes;
        const py::object answer = given(first, n, segment.metadata, source.id, ids);
        chosen = endpoints(answer.cast<std::vector<int>>());
      });
      return chosen;
    };
    return function(choose, delivery);
  }
  for (RoutingPolicy (*make)() : {&any_available, &scatter, &gather, &broadcast, &ring, &all_to_all,
                                  &one_way_reduce, &tree_reduce}) {
    if (RoutingPolicy policy = make(); policy.name == name) return policy;
  }
  throw std::invalid_argument(concat("there is no routing policy '", name, "'"));
}

}  // namespace warpgraph::runtime
