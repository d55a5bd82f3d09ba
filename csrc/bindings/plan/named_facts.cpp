#include "bindings/plan/named_facts.hpp"

#include "bindings/device.hpp"

#include <pybind11/stl.h>

namespace warpgraph {

NamedFacts::NamedFacts(py::dict facts) : facts_(std::move(facts)) {
  n_vertices = fact_of<std::int64_t>(facts_, "n_vertices");
  n_arcs = fact_of<std::int64_t>(facts_, "n_arcs");
  given_arcs = n_arcs;
  set_if_among(facts_, "given_arcs", given_arcs);
  set_if_among(facts_, "bytes", bytes);
  set_if_among(facts_, "structure_bytes", structure_bytes);
  set_if_among(facts_, "is_on_devices", is_on_devices);
  set_if_among(facts_, "has_edge_lists", has_edge_lists);
  set_if_among(facts_, "has_hierarchy", has_hierarchy);
  set_if_among(facts_, "has_transposed", has_transposed);
  set_if_among(facts_, "n_directed_searches", n_directed_searches);
}

bool NamedFacts::has_negative() const { return fact_of<bool>(facts_, "has_negative"); }
std::int64_t NamedFacts::longest_row() const {
  return fact_of<std::int64_t>(facts_, "longest_row");
}
bool NamedFacts::is_mirrored() const { return fact_of<bool>(facts_, "is_mirrored"); }
bool NamedFacts::is_known_mirrored() const { return fact_of<bool>(facts_, "is_known_mirrored"); }

plan::Depth NamedFacts::depth_from_hub() const {
  return {fact_of<int>(facts_, "hops"), fact_of<bool>(facts_, "reaches_most")};
}

bool NamedFacts::is_shallow(vertex_t /*source*/, int levels, std::size_t /*memory_limit*/) const {
  return fact_of<int>(facts_, "levels") <= levels;
}

plan::Reach NamedFacts::reach_of_some() const {
  return {fact_of<double>(facts_, "reach"), fact_of<int>(facts_, "most_hops")};
}

plan::Sums NamedFacts::sums_of_apsp() const {
  sums_ = fact_of<std::string>(facts_, "sums");
  return {sums_, fact_of<bool>(facts_, "sums_are_exact")};
}

bool NamedFacts::has_exact_sums() const { return fact_of<bool>(facts_, "has_exact_sums"); }
bool NamedFacts::fits_float32() const { return fact_of<bool>(facts_, "fits_float32"); }

std::size_t NamedFacts::bytes_of_searches(std::string_view method, Device /*device*/) const {
  return fact_of<std::size_t>(facts_, concat("bytes of ", method).c_str());
}

NamedMachine::NamedMachine(py::dict facts) : facts_(std::move(facts)) {
  n_threads = fact_of<int>(facts_, "n_threads");
}

std::optional<Device> NamedMachine::gpu() const {
  const std::vector<Device> all = gpus();
  return all.empty() ? std::nullopt : std::optional(all[0]);
}

std::vector<Device> NamedMachine::gpus() const {
  return fact_of<std::vector<Device>>(facts_, "gpus");
}

std::size_t NamedMachine::free_memory(Device /*device*/) const {
  return fact_of<std::size_t>(facts_, "free_memory");
}

bool NamedMachine::has_memory(Device device, std::size_t bytes, std::size_t limit) const {
  return (limit == 0 || bytes <= limit) && bytes <= free_memory(device);
}

bool NamedMachine::share_memory(std::span<const Device> /*devices*/) const {
  return fact_of<bool>(facts_, "share_memory");
}

}  // namespace warpgraph
