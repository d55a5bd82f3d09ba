// What plans may know of a graph handle, and of this machine.
#pragma once

#include "bindings/graph_handle.hpp"
#include "plan/plan.hpp"

#include <optional>

namespace warpgraph {

/// The facts of a graph, found when a plan asks for them.
class HandleFacts final : public plan::Facts {
 public:
  /// `form`: the graph that is searched; nullptr if it has all edges both ways and must be made.
  /// `known`: facts that Python holds, see NamedFacts; functions find them on demand.
  HandleFacts(GraphHandle& given, GraphHandle* form, const plan::Request& request,
              const py::dict& known);

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
  GraphHandle& given_;
  GraphHandle& form_;
  const plan::Request& request_;
  py::dict known_;
};

/// The machine that this process runs on. The GPUs that callers may use are known to Python.
class ThisMachine final : public plan::Machine {
 public:
  /// gpu() returns a name or None, gpus() a list of names.
  ThisMachine(py::object gpu, py::object gpus);

  [[nodiscard]] std::optional<Device> gpu() const override;
  [[nodiscard]] std::vector<Device> gpus() const override;
  [[nodiscard]] std::size_t free_memory(Device device) const override;
  [[nodiscard]] bool has_memory(Device device, std::size_t bytes, std::size_t limit) const override;
  [[nodiscard]] bool share_memory(std::span<const Device> devices) const override;

 private:
  py::object gpu_;
  py::object gpus_;
};

/// The request for distances of this dtype.
[[nodiscard]] plan::Request with_dtype(const plan::Request& given, const py::dtype& dtype);

}  // namespace warpgraph
