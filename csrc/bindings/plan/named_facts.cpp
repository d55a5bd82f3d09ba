#include "bindings/plan/named_facts.hpp"

#include "bindings/device.hpp"
#include "bindings/graphs.hpp"
#include "bindings/keywords.hpp"
#include "bindings/primitives/metric.hpp"

#include <pybind11/stl.h>

namespace warpgraph {

plan::Facts named_facts(const py::dict& known) {
  plan::Facts facts;
  set_if_among(known, "n_vertices", facts.n_vertices);
  set_if_among(known, "n_arcs", facts.n_arcs);
  facts.given_arcs = facts.n_arcs;
  set_if_among(known, "given_arcs", facts.given_arcs);
  set_if_among(known, "bytes", facts.bytes);
  set_if_among(known, "structure_bytes", facts.structure_bytes);
  set_if_among(known, "is_on_devices", facts.is_on_devices);
  set_if_among(known, "has_edge_lists", facts.has_edge_lists);
  set_if_among(known, "has_hierarchy", facts.has_hierarchy);
  set_if_among(known, "has_landmarks", facts.has_landmarks);
  set_if_among(known, "has_transposed", facts.has_transposed);
  set_if_among(known, "n_directed_searches", facts.n_directed_searches);
  set_if_among(known, "n_gathers", facts.n_gathers);
  set_if_among(known, "is_used", facts.is_used);
  set_if_among(known, "lost", facts.lost);
  set_if_among(known, "lost_searching", facts.lost_searching);
  set_if_among(known, "n_dimensions", facts.n_dimensions);
  set_if_among(known, "n_centres", facts.n_centres);
  set_if_among(known, "n_new", facts.n_new);
  set_if_among(known, "n_neighbors", facts.n_neighbors);
  set_if_among(known, "n_iterations", facts.n_iterations);
  set_if_among(known, "finds_start", facts.finds_start);
  // These are functions: plans call them for the facts that they ask for, which must be known.
  const auto fact = [known]<class T>(const char* name) {
    return [known, name](const auto&...) { return fact_of<T>(known, name); };
  };
  facts.has_negative = fact.operator()<bool>("has_negative");
  facts.longest_row = fact.operator()<std::int64_t>("longest_row");
  facts.is_mirrored = fact.operator()<bool>("is_mirrored");
  facts.is_known_mirrored = fact.operator()<bool>("is_known_mirrored");
  facts.depth_from_hub = [known]() -> plan::Depth {
    return {fact_of<int>(known, "hops"), fact_of<bool>(known, "reaches_most")};
  };
  facts.levels = fact.operator()<double>("levels");
  facts.locality = [known]() -> Locality {
    return {fact_of<double>(known, "at_hubs"), fact_of<double>(known, "near")};
  };
  facts.sums_of_apsp = [known]() -> plan::Sums {
    return {fact_of<std::string_view>(known, "sums"), fact_of<bool>(known, "sums_are_exact")};
  };
  facts.has_exact_sums = fact.operator()<bool>("has_exact_sums");
  facts.fits_float32 = fact.operator()<bool>("fits_float32");
  facts.bytes_of_searches = [known](const plan::Request&, std::string_view method,
                                    Device /*device*/) {
    return fact_of<std::size_t>(known, concat("bytes of ", method).c_str());
  };
  facts.has_sorted_edges = fact.operator()<bool>("has_sorted_edges");
  return facts;
}

plan::Facts sizes_of(const py::dict& sizes) {
  using plan::Facts;
  Facts facts;
  set_named(facts, sizes, keyword("n_vertices", &Facts::n_vertices),
            keyword("n_arcs", &Facts::n_arcs), keyword("n_dimensions", &Facts::n_dimensions),
            keyword("n_centres", &Facts::n_centres), keyword("n_new", &Facts::n_new),
            keyword("n_iterations", &Facts::n_iterations), keyword("n_runs", &Facts::n_runs),
            keyword("finds_start", &Facts::finds_start), keyword("n_uniforms", &Facts::n_uniforms),
            keyword("min_samples", &Facts::min_samples), keyword("alpha", &Facts::alpha),
            keyword("n_neighbors", &Facts::n_neighbors), keyword("metric", &Facts::metric),
            keyword("finds_farthest", &Facts::finds_farthest));
  facts.given_arcs = facts.n_arcs;
  return facts;
}

ClientFacts client_facts(const py::dict& known) {
  ClientFacts facts;
  if (known.contains("hierarchy")) {
    const auto [dtype, n, n_core] =
        fact_of<std::tuple<py::dtype, vertex_t, vertex_t>>(known, "hierarchy");
    facts.hierarchy = HierarchySizes{number_of(dtype), n, n_core};
  }
  set_if_among(known, "has_landmarks", facts.has_landmarks);
  set_if_among(known, "has_transposed", facts.has_transposed);
  facts.fits_float32 = [&known] {
    return fact_of<py::object>(known, "fits_float32")().cast<bool>();
  };
  return facts;
}

NamedMachine::NamedMachine(py::dict facts) : facts_(std::move(facts)) {
  n_threads = fact_of<int>(facts_, "n_threads");
}

std::optional<Device> NamedMachine::gpu() const {
  const std::vector<Device> all = gpus();
  return all.empty() ? std::nullopt : std::optional(all[0]);
}

double NamedMachine::seconds_to_begin() const {
  double seconds = 0;
  set_if_among(facts_, "seconds_to_begin", seconds);
  return seconds;
}

std::vector<Device> NamedMachine::gpus() const {
  return fact_of<std::vector<Device>>(facts_, "gpus");
}

std::size_t NamedMachine::free_memory(Device /*device*/) const {
  return fact_of<std::size_t>(facts_, "free_memory");
}

bool NamedMachine::has_memory(MemoryBudget budget, std::size_t bytes) const {
  return bytes <= budget.left() && bytes <= free_memory(budget.device());
}

bool NamedMachine::share_memory(std::span<const Device> /*devices*/) const {
  return fact_of<bool>(facts_, "share_memory");
}

}  // namespace warpgraph
