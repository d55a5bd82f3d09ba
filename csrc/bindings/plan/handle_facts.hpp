// What plans may know of a graph handle, and of this machine.
#pragma once

#include "bindings/graphs.hpp"
#include "core/memory/memory_budget.hpp"
#include "plan/plan.hpp"

#include <optional>
#include <string_view>

namespace warpgraph {

/// Returns the facts of a graph, which are found when a plan asks for them. All arguments outlive
/// them. `form`: the graph that is searched; nullptr if it has all edges both ways and must be
/// made. `known`: facts that Python holds, see named_facts(); functions find them on demand.
[[nodiscard]] plan::Facts facts_of(Graph& given, Graph* form, const plan::Request& request,
                                   const py::dict& known);

/// Makes the checks that a graph has deferred where it will be copied to devices in any case: on
/// its way there. So facts are found there, too. Returns whether this has copied the graph.
bool check_where_read(Graph& graph, std::string_view algorithm, const plan::Request& request,
                      const plan::Devices& devices, const py::dict& known);

/// The machine that this process runs on. The GPUs that callers may use are known to Python.
class ThisMachine final : public plan::Machine {
 public:
  /// gpu() returns a name or None, gpus() a list of names.
  ThisMachine(py::object gpu, py::object gpus);

  [[nodiscard]] std::optional<Device> gpu() const override;
  [[nodiscard]] double seconds_to_begin() const override;
  [[nodiscard]] std::vector<Device> gpus() const override;
  [[nodiscard]] std::size_t free_memory(Device device) const override;
  [[nodiscard]] bool has_memory(MemoryBudget budget, std::size_t bytes) const override;
  [[nodiscard]] bool share_memory(std::span<const Device> devices) const override;

 private:
  py::object gpu_;
  py::object gpus_;
};

}  // namespace warpgraph
