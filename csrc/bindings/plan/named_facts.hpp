// What plans may know of any graph and machine, as Python names it.
#pragma once

#include "bindings/arrays.hpp"
#include "plan/plan.hpp"

#include <optional>
#include <string>

namespace warpgraph {

/// The fact of this name, or an std::invalid_argument that names it.
template <class T>
T fact_of(const py::dict& facts, const char* name) {
  EXPECTS(facts.contains(name), "the plan asks for '", name, "', which is not among the facts");
  return facts[name].cast<T>();
}

template <class T>
void set_if_among(const py::dict& facts, const char* name, T& value) {
  if (facts.contains(name)) value = facts[name].cast<T>();
}

/// Facts of any graph, by name. A plan that asks for another one is an error.
class NamedFacts final : public plan::Facts {
 public:
  explicit NamedFacts(py::dict facts);

  [[nodiscard]] bool has_negative() const override;
  [[nodiscard]] std::int64_t longest_row() const override;
  [[nodiscard]] bool is_mirrored() const override;
  [[nodiscard]] bool is_known_mirrored() const override;
  [[nodiscard]] plan::Depth depth_from_hub() const override;
  [[nodiscard]] bool is_shallow(vertex_t source, int levels,
                                std::size_t memory_limit) const override;
  [[nodiscard]] plan::Reach reach_of_some() const override;
  [[nodiscard]] plan::Sums sums_of_apsp() const override;
  [[nodiscard]] bool has_exact_sums() const override;
  [[nodiscard]] bool fits_float32() const override;
  [[nodiscard]] std::size_t bytes_of_searches(std::string_view method,
                                              Device device) const override;

 private:
  py::dict facts_;
  mutable std::string sums_;
};

/// Any machine: n_threads, the names of its GPUs, the free bytes of each, whether they share
/// memory.
class NamedMachine final : public plan::Machine {
 public:
  explicit NamedMachine(py::dict facts);

  [[nodiscard]] std::optional<Device> gpu() const override;
  [[nodiscard]] std::vector<Device> gpus() const override;
  [[nodiscard]] std::size_t free_memory(Device device) const override;
  [[nodiscard]] bool has_memory(Device device, std::size_t bytes, std::size_t limit) const override;
  [[nodiscard]] bool share_memory(std::span<const Device> devices) const override;

 private:
  py::dict facts_;
};

}  // namespace warpgraph
