// What plans may know of any graph and machine, as Python names it.
#pragma once

#include "bindings/arrays.hpp"
#include "core/memory/memory_budget.hpp"
#include "plan/plan.hpp"
#include "warpgraph/planning/client_facts.hpp"

#include <optional>
#include <string>

namespace warpgraph {

/// Returns the fact of this name, or throws an std::invalid_argument that names it.
template <class T>
T fact_of(const py::dict& facts, const char* name) {
  EXPECTS(facts.contains(name), "the plan asks for '", name, "', which is not among the facts");
  return facts[name].cast<T>();
}

template <class T>
void set_if_among(const py::dict& facts, const char* name, T& value) {
  if (facts.contains(name)) value = facts[name].cast<T>();
}

/// Returns facts of any graph or points, by name. A plan that asks for another one is an error.
[[nodiscard]] plan::Facts named_facts(const py::dict& facts);

/// Returns the sizes of an input that is no graph, by name.
[[nodiscard]] plan::Facts sizes_of(const py::dict& sizes);

/// Returns the facts that Python keeps beside a graph, by name. `known` must outlive them: they
/// call its functions, which need Python's lock.
[[nodiscard]] ClientFacts client_facts(const py::dict& known);

/// Any machine: n_threads, the names of its GPUs, the free bytes of each, whether they share
/// memory.
class NamedMachine final : public plan::Machine {
 public:
  explicit NamedMachine(py::dict facts);

  [[nodiscard]] std::optional<Device> gpu() const override;
  [[nodiscard]] double seconds_to_begin() const override;
  [[nodiscard]] std::vector<Device> gpus() const override;
  [[nodiscard]] std::size_t free_memory(Device device) const override;
  [[nodiscard]] bool has_memory(MemoryBudget budget, std::size_t bytes) const override;
  [[nodiscard]] bool share_memory(std::span<const Device> devices) const override;

 private:
  py::dict facts_;
};

}  // namespace warpgraph
