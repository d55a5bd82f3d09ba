// A graph: the arrays of a CSR matrix, used in place, their copies on CUDA devices, made on first
// use and kept, and what is known of it.
#pragma once

#include "core/device.hpp"
#include "core/device_copies.hpp"
#include "core/function_ref.hpp"
#include "graph/checks/checks.hpp"
#include "graph/csr.hpp"
#include "warpgraph/given_on_device.hpp"
#include "warpgraph/kept_facts.hpp"
#include "warpgraph/shared_array.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace warpgraph {

class DevicePartition;
namespace cuda {
class DerivedCache;
}

class Graph {
 public:
  /// Makes a graph from indptr of int32 or int64 and indices of int32. Checks that they are a CSR
  /// structure. If it defers checks, the heads and the weights that are set first are checked when
  /// the graph is first read: by the host, or on its way to a device. Then indices may be of int64,
  /// too, which are narrowed there.
  Graph(SharedArray indptr, SharedArray indices, bool defers_checks = false);
  /// Makes a graph of arrays that lie on a CUDA device, where they are checked and used in place.
  /// `indptr` has the offsets on the host. Heads come there when something reads them.
  Graph(SharedArray indptr, const SharedArray& indptr_on_device, const SharedArray& indices);
  ~Graph();
  /// Returns a new graph of the same structure, without weights and without copies on devices.
  /// Running calls keep this graph and its copies alive.
  [[nodiscard]] std::unique_ptr<Graph> structure_only() const;
  /// Returns a new graph of the same structure, without weights. Both share the data that depend
  /// on the structure alone: the copies of it on devices, also those that one of them makes later,
  /// and its facts.
  [[nodiscard]] std::unique_ptr<Graph> with_structure() const;

  [[nodiscard]] const CsrPattern& pattern() const {
    check();
    return host_pattern();
  }
  /// Returns the pattern without a check of its heads, for those who do not read them.
  [[nodiscard]] const CsrPattern& shape() const noexcept { return pattern_; }
  /// Sets the weights of one of the four types, and replaces earlier ones of that type. The weights
  /// that are set first are the caller's, which the facts describe.
  void set_weights(SharedArray weights);
  /// Sets the caller's weights, which lie on the device of the structure. They are checked there.
  void use_weights(SharedArray weights);
  [[nodiscard]] edge_t n_arcs() const noexcept { return pattern_.n_arcs; }
  /// Returns whether the host has the heads, of 32 bits: shape() has them then.
  [[nodiscard]] bool has_heads_on_host() const noexcept { return pattern_.heads != nullptr; }
  /// Returns the heads, and the caller's weights, on the host.
  [[nodiscard]] SharedArray heads_on_host() const;
  [[nodiscard]] SharedArray weights_on_host() const;
  /// Returns the type of the caller's weights, if they have been set.
  [[nodiscard]] std::optional<Number> type_of_caller() const noexcept { return type_of_caller_; }
  /// Calls f.operator()<W>() for the type of the caller's weights, which must have been set.
  template <class F>
  auto with_type_of_caller(F&& f) const;
  /// Makes the checks that have been deferred.
  void check() const {
    check_heads();
    check_weights();
  }
  /// Copies the structure to a CUDA device, and the caller's weights if they are read, where checks
  /// have been deferred: so that no array is read twice. Does nothing where memory lacks. With
  /// `measures_depth`, finds depth_from_hub() while the weights arrive, if plans ask for it.
  void check_on(Device device, bool reads_weights, bool measures_depth = false);
  /// Copies the structure to a CUDA device as check_on() does, with weights as lengths of type W.
  template <class W>
  void check_lengths_on(Device device);
  /// Returns whether check_on() makes deferred checks on a device, which has memory for so many
  /// bytes, or would have made them.
  [[nodiscard]] bool is_checked_where_read(Device device, std::size_t bytes) const;
  /// Copies the parts of a graph as check_on() does, each to one of several CUDA devices. Returns
  /// whether this has copied them.
  bool check_on_parts(const std::vector<Device>& devices, bool reads_weights);
  /// Returns the graph with weights of type W, which must have been set.
  template <class W>
  [[nodiscard]] CsrView<W> view() const;
  /// Returns whether weights of type W have been set.
  template <class W>
  [[nodiscard]] bool has_weights() const noexcept {
    return weights_of<W>().size == pattern_.n_arcs || on_device<W>();
  }

  /// Returns the structure on a CUDA device, copied there on first use. Throws DeviceError in a CPU
  /// build.
  [[nodiscard]] CsrPattern pattern_on(Device device);
  template <class W>
  [[nodiscard]] CsrView<W> view_on(Device device);
  /// Makes lengths of type W on a CUDA device from the caller's weights, unless it has weights of
  /// that type, so that view_on() needs none on the host. Returns false, and makes none, if a
  /// weight does not fit, and in a CPU build.
  template <class W>
  [[nodiscard]] bool convert_on(Device device);
  /// Returns whether lengths of type W were made on a device.
  template <class W>
  [[nodiscard]] bool has_converted() const noexcept {
    return (converted_types_.load(std::memory_order_relaxed) & bit_of<W>) != 0;
  }

  /// Returns the structures that algorithms have derived from the copy on a device; clear() frees
  /// both. Not in a build without CUDA.
  [[nodiscard]] cuda::DerivedCache& derived_on(Device device);

  /// Returns the graph divided among CUDA devices; nullptr if one of them is the host. It is kept,
  /// too: each list of devices that calls name has copies of all rows, until this handle is
  /// destroyed.
  [[nodiscard]] DevicePartition* parts_on(const std::vector<Device>& devices);
  /// Returns the graph divided as another one is, on the same CUDA devices. It is kept: call this
  /// for one other graph only, the transposed one.
  [[nodiscard]] DevicePartition* parts_like(const DevicePartition& other);

  /// Returns the bytes of the arrays of the structure and of the caller's weights.
  [[nodiscard]] std::size_t host_bytes() const;
  [[nodiscard]] std::size_t structure_bytes() const;
  /// Returns the bytes of the copies on devices and of the structures derived from them.
  [[nodiscard]] std::size_t device_bytes() const;
  /// Returns a device that has a copy of the whole structure; the host if there is none.
  [[nodiscard]] Device device_of_copy() const;
  [[nodiscard]] bool has_copy_on(Device device) const { return residents_.has(device.index); }
  /// Returns whether a device has a copy with weights of type W.
  template <class W>
  [[nodiscard]] bool has_weights_on(Device device);

  // Facts, found on first use, by run_as_call().

  /// Returns max_degree_vertex() of the structure; no_vertex if there are no vertices.
  [[nodiscard]] vertex_t widest();
  /// Returns find_hub() of the structure; no_vertex if there are no vertices.
  [[nodiscard]] vertex_t hub();
  [[nodiscard]] edge_t longest_row();
  /// Returns whether every arc is stored both ways: with any weights, and with equal weights.
  [[nodiscard]] bool has_mirrored_structure();
  [[nodiscard]] bool is_mirrored();
  /// Returns the depth of a search from widest().
  [[nodiscard]] plan::Depth depth_from_hub();
  /// Returns the levels of a breadth-first search, as estimate_levels() does.
  [[nodiscard]] double levels();
  [[nodiscard]] Locality locality();
  [[nodiscard]] UnusualWeights unusual_weights();
  /// Returns the position of the first weight that is 0 or negative, or -1.
  [[nodiscard]] edge_t first_not_positive();
  [[nodiscard]] shortest_paths::WeightSummary weight_summary();
  /// Returns weight_summary() of the structure with arcs of weight 1.
  [[nodiscard]] shortest_paths::WeightSummary summary_of_ones();
  /// Returns the facts that were found before.
  [[nodiscard]] StructureFacts& structure_facts() const noexcept;
  [[nodiscard]] WeightFacts& weight_facts() noexcept { return weight_facts_; }

 private:
  struct Shared;
  struct Resident;
  struct Parts;
  /// Makes a graph without heads, and checks the offsets.
  Graph(SharedArray indptr, edge_t n_arcs);
  Graph(const Graph& other, std::shared_ptr<Shared> shared);
  /// Calls use(resident), one thread at a time. A copy that is made calls beside() meanwhile.
  template <class Use>
  decltype(auto) with_resident(Device device, Use&& use, FunctionRef<bool()> beside);
  template <class Use>
  decltype(auto) with_resident(Device device, Use&& use);
  /// Calls use(resident, weights where copies can read them, their check or nullptr), and accepts
  /// the weights of the caller, whose type is W, if they were checked.
  template <class W, class Use>
  decltype(auto) with_given_weights(Device device, Use&& use);
  /// Returns the parts on CUDA devices, unchecked.
  [[nodiscard]] DevicePartition& parts_of(const std::vector<Device>& devices);
  void copy_parts(DevicePartition& parts, FunctionRef<bool()> beside);
  /// Returns the structure on a CUDA device, where a copy that is made calls beside() meanwhile.
  [[nodiscard]] CsrPattern structure_on(Device device, FunctionRef<bool()> beside);
  /// Copies the structure, then lets the device search from widest() while copy_weights() runs.
  void measure_depth_beside(Device device, FunctionRef<void()> copy_weights);
  /// Returns the pattern with heads on the host, unchecked.
  [[nodiscard]] const CsrPattern& host_pattern() const {
    return has_heads_on_host() ? pattern_ : pattern_with_heads();
  }
  /// Returns the pattern with heads that come from a device, or are narrowed, when first asked for.
  [[nodiscard]] const CsrPattern& pattern_with_heads() const;
  /// Checks the heads of a structure that was given on a device, and makes its resident graph.
  void refer_to_structure();
  /// Returns whether all heads of a structure on a device are vertices.
  [[nodiscard]] bool has_vertices_on_device() const;
  /// Returns the weights of type W on the host, which are empty if none have been set.
  template <class W>
  [[nodiscard]] const SharedArray& weights_of() const noexcept {
    return weights_[static_cast<std::size_t>(number_of<W>())];
  }
  /// Returns whether W is the type of the caller's weights.
  template <class W>
  [[nodiscard]] bool is_of_caller() const noexcept {
    return type_of_caller_ == number_of<W>();
  }
  /// Returns whether the caller's weights, of type W, were given as an array on a device.
  template <class W>
  [[nodiscard]] bool on_device() const noexcept {
    return weights_on_device_ != nullptr && is_of_caller<W>();
  }
  /// Returns whether the caller's weights were given on the host.
  [[nodiscard]] bool has_weights_on_host() const noexcept {
    return type_of_caller_ && weights_on_device_ == nullptr;
  }
  /// Returns the structure and weights for copies to a device: where they were given if copies can
  /// read them there, else on the host.
  [[nodiscard]] CsrPattern given_pattern(Device for_device) const;
  template <class W>
  [[nodiscard]] CsrView<W> given_view(Device for_device) const;
  /// Returns whether copies to a device can read the arrays of `structure_` where they lie.
  [[nodiscard]] bool is_readable_from(Device device) const;
  void check_heads() const;
  void check_weights() const;
  /// Calls copy(beside), and looks at the weights whose check was deferred in beside().
  template <class Copy>
  void look_at_weights_beside(Copy&& copy) const;
  /// Calls copy() if is_checked_where_read(), whether or not there are checks left to make: so
  /// plans do not depend on that. Does nothing where memory lacks.
  template <class Copy>
  void check_by(Device device, const Copy& copy);
  /// Returns whether there are checks to make that a copy with or without weights can make, on a
  /// device that has memory for so many bytes.
  [[nodiscard]] bool can_check_on(Device device, bool reads_weights, std::size_t bytes) const;
  /// Calls f(weights) for the weights that have a check that was deferred.
  template <class F>
  void with_unchecked_weights(F&& f) const;
  template <class W>
  void accept(const WeightsCheck<W>& check, std::span<const W> weights) const;
  template <class W>
  [[nodiscard]] CsrView<W> unchecked_view() const;
  /// Returns whether the weights of type W have a check that was deferred.
  template <class W>
  [[nodiscard]] bool has_unchecked_weights() const noexcept;

  SharedArray indptr_;
  SharedArray indices_;
  CsrPattern pattern_;
  std::array<SharedArray, 4> weights_;  // by Number
  std::optional<Number> type_of_caller_;
  template <class W>
  static constexpr unsigned bit_of = sizeof(W) << (std::is_integral_v<W> ? 4 : 0);
  std::atomic<unsigned> converted_types_{0};
  bool defers_checks_ = false;
  // Arrays that were given on a device; null for those on the host.
  std::shared_ptr<StructureOnDevice> structure_;
  std::unique_ptr<ArrayOnDevice> weights_on_device_;
  const std::int64_t* wide_heads_ = nullptr;  // items of indices_, if they are of 64 bits
  struct WithHeads {
    CsrPattern pattern;
    SharedArray heads;
  };
  mutable MadeOnce<WithHeads> with_heads_;
  mutable WeightFacts weight_facts_;
  std::shared_ptr<Shared> shared_;  // shared with other graphs of this structure
  DeviceCopies<Resident> residents_;
  DeviceCopies<Parts, std::vector<int>> parts_;
};

/// Returns the graph; all weights are 1 if `unweighted`.
template <class W>
[[nodiscard]] CsrView<W> host_view(const Graph& graph, bool unweighted) {
  if (!unweighted) return graph.view<W>();
  CsrView<W> view;
  static_cast<CsrPattern&>(view) = graph.pattern();
  return view;
}

/// Returns the graph for calls on a device that read its size and degrees, and arcs where the host
/// has them: `heads` and `weights` are null if the graph was given on a device, or if its heads
/// were narrowed or its weights converted on the way there.
template <class W>
[[nodiscard]] CsrView<W> host_view_beside(const Graph& graph, bool unweighted, Device device) {
  const bool is_on_host = graph.has_heads_on_host() && (unweighted || graph.has_weights<W>());
  if (!device.is_cuda() || is_on_host) return host_view<W>(graph, unweighted);
  CsrView<W> view;
  static_cast<CsrPattern&>(view) = graph.shape();
  return view;
}

/// Returns the graph on a CUDA device; all weights are 1 if `unweighted`.
template <class W>
[[nodiscard]] CsrView<W> device_view(Graph& graph, bool unweighted, Device device) {
  if (!unweighted) return graph.view_on<W>(device);
  CsrView<W> view;
  static_cast<CsrPattern&>(view) = graph.pattern_on(device);
  return view;
}

template <class F>
auto Graph::with_type_of_caller(F&& f) const {
  if (!type_of_caller_) throw std::logic_error("the graph has no weights of the caller");
  return dispatch(*type_of_caller_, f);
}

}  // namespace warpgraph
