#include "bindings/plan/handle_facts.hpp"

#include "algorithms/apsp/apsp.hpp"
#include "algorithms/bfs/bfs.hpp"
#include "bindings/call.hpp"
#include "bindings/device.hpp"
#include "bindings/plan/named_facts.hpp"
#include "core/memory/memory_budget.hpp"
#include "runtime/devices/topology.hpp"

#include <pybind11/stl.h>

#include <algorithm>

namespace warpgraph {
namespace {

/// Some vertices, spread evenly, and one of the largest degree.
std::vector<vertex_t> some_sources(GraphHandle& graph) {
  constexpr int n_sources = 8;
  const double last = graph.pattern().n_vertices - 1;
  std::vector<vertex_t> sources;
  for (int i = 0; i < n_sources; ++i) {
    sources.push_back(static_cast<vertex_t>(i * (last / (n_sources - 1))));
  }
  sources.back() = graph.pattern().n_vertices - 1;
  sources.push_back(graph.widest());
  return sources;
}

plan::Reach reach_from(const CsrPattern& graph, std::span<const vertex_t> sources) {
  std::vector<vertex_t> hops(static_cast<std::size_t>(graph.n_vertices));
  std::int64_t n_reached = 0;
  plan::Reach reach;
  for (const vertex_t source : sources) {
    BfsOptions options;
    options.source = source;
    bfs_cpu(graph, options, hops, {});
    n_reached += std::ranges::count_if(hops, [](vertex_t h) { return h >= 0; });
    reach.most_hops = std::max(reach.most_hops, std::ranges::max(hops));
  }
  reach.share = static_cast<double>(n_reached) / static_cast<double>(hops.size() * sources.size());
  return reach;
}

}  // namespace

HandleFacts::HandleFacts(GraphHandle& given, GraphHandle* form, const plan::Request& request,
                         const py::dict& known)
    : given_(given), form_(form == nullptr ? given : *form), request_(request), known_(known) {
  const CsrPattern& graph = given.pattern();
  n_vertices = graph.n_vertices;
  given_arcs = graph.n_arcs;
  n_arcs = form == nullptr ? 2 * graph.n_arcs : form->pattern().n_arcs;
  bytes = given.host_bytes();
  structure_bytes = form_.structure_bytes();
  is_on_devices = form != nullptr && form->device_bytes() > 0;
  const WeightFacts& kept = given.weight_facts();
  has_edge_lists = (kept.edge_lists.load() & bytes_of(request.distances)) != 0;
  n_directed_searches = kept.n_directed_searches.load();
  set_if_among(known_, "has_hierarchy", has_hierarchy);
  set_if_among(known_, "has_transposed", has_transposed);
}

bool HandleFacts::has_negative() const { return form_.unusual_weights().negative >= 0; }
std::int64_t HandleFacts::longest_row() const { return form_.longest_row(); }
bool HandleFacts::is_mirrored() const { return form_.has_mirrored_structure(); }
bool HandleFacts::is_known_mirrored() const {
  return form_.structure_facts().is_mirrored.if_known().value_or(false);
}

plan::Depth HandleFacts::depth_from_hub() const { return form_.depth_from_hub(); }

bool HandleFacts::is_shallow(vertex_t source, int levels, std::size_t memory_limit) const {
  const CsrPattern& graph = form_.pattern();
  BfsOptions options;
  options.source = source;
  options.limit = levels + 1;
  options.memory_limit = memory_limit;
  return run_released([&] {
    std::vector<vertex_t> hops(static_cast<std::size_t>(graph.n_vertices));
    bfs_cpu(graph, options, hops, {});
    return std::ranges::max(hops) <= levels;
  });
}

plan::Reach HandleFacts::reach_of_some() const {
  Fact<plan::Reach>& fact = form_.structure_facts().reach_of_some;
  if (const std::optional<plan::Reach> known = fact.if_known()) return *known;
  const std::vector<vertex_t> sources = some_sources(form_);
  return run_released(
      [&] { return fact.get([&] { return reach_from(form_.pattern(), sources); }); });
}

plan::Sums HandleFacts::sums_of_apsp() const {
  const auto weights = request_.unweighted ? form_.summary_of_ones() : form_.weight_summary();
  const auto sums = [&]<class R>() -> plan::Sums {
    const ApspSums found = warpgraph::sums_of_apsp<R>(weights, form_.pattern().n_vertices);
    return {found.type, found.are_exact};
  };
  switch (request_.distances) {
    case plan::Number::float32:
      return sums.operator()<float>();
    case plan::Number::int32:
      return sums.operator()<std::int32_t>();
    case plan::Number::int64:
      return sums.operator()<std::int64_t>();
    case plan::Number::float64:
      break;
  }
  return sums.operator()<double>();
}

bool HandleFacts::has_exact_sums() const {
  return shortest_paths::has_exact_sums<double>(form_.weight_summary());
}

bool HandleFacts::fits_float32() const {
  return fact_of<py::object>(known_, "fits_float32")().cast<bool>();
}

std::size_t HandleFacts::bytes_of_searches(std::string_view method, Device device) const {
  return fact_of<py::object>(known_, "bytes_of_searches")(method, device).cast<std::size_t>();
}

ThisMachine::ThisMachine(py::object gpu, py::object gpus)
    : gpu_(std::move(gpu)), gpus_(std::move(gpus)) {
  n_threads = configured_threads();
}

std::optional<Device> ThisMachine::gpu() const { return gpu_().cast<std::optional<Device>>(); }
std::vector<Device> ThisMachine::gpus() const { return gpus_().cast<std::vector<Device>>(); }
std::size_t ThisMachine::free_memory(Device device) const { return warpgraph::free_memory(device); }

bool ThisMachine::has_memory(Device device, std::size_t bytes, std::size_t limit) const {
  return MemoryBudget(device, limit).has(bytes);
}

bool ThisMachine::share_memory(std::span<const Device> devices) const {
  return runtime::share_memory(devices);
}

plan::Request with_dtype(const plan::Request& given, const py::dtype& dtype) {
  using plan::Number;
  plan::Request request = given;
  dispatch_weight(dtype, [&]<class W>() {
    constexpr bool is_wide = sizeof(W) == 8;
    request.distances = std::is_integral_v<W> ? (is_wide ? Number::int64 : Number::int32)
                                              : (is_wide ? Number::float64 : Number::float32);
  });
  return request;
}

}  // namespace warpgraph
