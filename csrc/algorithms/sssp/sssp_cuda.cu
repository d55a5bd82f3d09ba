// The driver of the searches on a CUDA device. Distances are computed on the device and, unless the
// caller wants them to stay there, copied to the host last.
#include "algorithms/sssp/device_searches.hpp"
#include "algorithms/sssp/searches.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/gather.cuh"
#include "core/cuda/memory/derived_cache.hpp"
#include "core/interrupt.hpp"
#include "core/memory/host_vector.hpp"
#include "primitives/path_trees/device_predecessors.cuh"
#include "primitives/relaxation/device_arcs.cuh"
#include "primitives/relaxation/device_limit.cuh"
#include "primitives/relaxation/device_overflow.cuh"

#include <memory>

namespace warpgraph {
namespace {

using namespace shortest_paths;

template <class W>
__global__ void begin_at(DeviceSources sources, W* distances) {
  if (const std::int64_t i = cuda::global_index(); i < sources.n) distances[sources.at(i)] = W{0};
}

template <class W>
class SsspOnCuda {
 public:
  SsspOnCuda(const CsrView<W>& graph, const CsrView<W>& host, const SsspOptions<W>& options,
             SsspResult<W> result, const cuda::Stream& stream)
      : host_(host),
        options_(options),
        result_(result),
        stream_(stream),
        n_vertices_(static_cast<std::size_t>(graph.n_vertices)),
        n_targets_(options.targets.size()) {
    arcs_.graph = graph;
    if (options.method == SsspMethod::bellman_ford) plan_edges();
    require_memory();
    targets_ = cuda::to_device(options.targets, stream);
    if (result.on_device && !result.of_targets) {
      distances_ = result.distances.data();
    } else {
      own_distances_ = cuda::DeviceBuffer<W>(n_vertices_, stream);
      distances_ = own_distances_.data();
    }
  }

  void run(std::span<const vertex_t> sources) {
    cuda::DeviceBuffer<vertex_t> several;
    DeviceSources from{sources.front()};
    if (sources.size() > 1) {
      several = cuda::to_device(sources, stream_);
      from = {no_vertex, several.data(), std::ssize(sources)};
    }
    const cuda::MapWhileWaiting tree_pages(result_.predecessors);
    const cuda::MapWhileWaiting distance_pages(result_.distances);
    search(from);
    const W wanted = farthest_on_device();
    const bool searched_all = options_.negative_weights || wanted == infinity<W>();
    // If `wanted` is finite, distances up to it fit, and larger ones are removed.
    if (searched_all)
      check_overflow_on(stream_, arcs_, host_, options_.negative_weights, options_.derived,
                        distances_);
    if (!options_.negative_weights) {
      set_infinite_beyond_on(stream_, wanted, host_.n_vertices, distances_);
    }
    if (!result_.predecessors.empty()) recover_tree(from);
    // A path that passes the limit may come back by negative weights: the tree needs its vertices.
    if (options_.negative_weights) {
      set_infinite_beyond_on(stream_, options_.limit, host_.n_vertices, distances_);
    }
    write_result();
  }

 private:
  void require_memory() const {
    const std::size_t per_vertex =
        sizeof(W) + (result_.predecessors.empty() ? 0 : 2 * sizeof(vertex_t));  // and levels
    std::size_t search_bytes = 0;
    if (options_.method == SsspMethod::near_far) {
      search_bytes = near_far_bytes<W>(host_);
    } else {
      search_bytes = (edges_ ? 0 : DeviceEdgeList<W>::bytes_needed(host_, plan_)) +
                     bellman_ford_bytes<W>(host_);
    }
    options_.budget.on(stream_.device())
        .require(
            "finding shortest paths",
            search_bytes + n_vertices_ * per_vertex + n_targets_ * (sizeof(W) + sizeof(vertex_t)),
            "ask for a narrower dtype or use device=\"cpu\"");
  }

  void plan_edges() {
    plan_ = {options_.symmetric, segment_length_for<W>(host_.n_vertices, stream_.device())};
    edges_key_ = plan_.variant(arcs_.graph.weights != nullptr);
    if (options_.derived != nullptr)
      edges_ = options_.derived->template find<DeviceEdgeList<W>>(edges_key_);
  }

  void build_edges() {
    const auto make = [&](const cuda::Stream& stream) {
      return DeviceEdgeList<W>(arcs_.graph, plan_, stream);
    };
    if (edges_ != nullptr) return;
    edges_ = options_.derived != nullptr
                 ? options_.derived->template get<DeviceEdgeList<W>>(edges_key_, make)
                 : std::make_shared<const DeviceEdgeList<W>>(make(stream_));
  }

  void search(DeviceSources sources) {
    cuda::fill(distances_, infinity<W>(), host_.n_vertices, stream_);
    cuda::launch_for(stream_, sources.n, begin_at<W>, sources, distances_);
    if (options_.method == SsspMethod::near_far) {
      near_far_on(stream_, arcs_.graph, host_, sources, options_, targets_.data(), distances_);
      return;
    }
    build_edges();
    arcs_.list = edges_->view();
    bellman_ford_on(stream_, arcs_.list, arcs_.graph, host_, options_, distances_);
  }

  /// Copies the distances of the targets to an array on the device.
  void gather_targets(W* to) const {
    cuda::gather<W>(distances_, targets_.data(), static_cast<std::int64_t>(n_targets_), to,
                    stream_);
  }

  [[nodiscard]] W farthest_on_device() const {
    if (n_targets_ == 0) return options_.limit;
    const cuda::DeviceBuffer<W> gathered(n_targets_, stream_);
    gather_targets(gathered.data());
    const auto of_targets = cuda::to_host<HostVector<W>>(gathered.data(), n_targets_, stream_);
    std::size_t next = 0;
    return farthest_wanted(options_.limit, options_.targets,
                           [&](vertex_t) { return of_targets[next++]; });  // asks in their order
  }

  void recover_tree(DeviceSources sources) const {
    const cuda::DeviceBuffer<vertex_t> predecessors(n_vertices_, stream_);
    recover_predecessors_on<W>(stream_, arcs_, sources, options_.negative_weights, distances_,
                               predecessors.data());
    cuda::copy_out(result_.predecessors.data(), predecessors.data(), n_vertices_, stream_);
  }

  void write_result() const {
    if (!result_.on_device) {
      cuda::copy_out(result_.distances.data(), distances_, n_vertices_, stream_);
    } else if (result_.of_targets) {
      gather_targets(result_.distances.data());
    }
    stream_.synchronize();
  }

  const CsrView<W>& host_;
  const SsspOptions<W>& options_;
  const SsspResult<W> result_;
  const cuda::Stream& stream_;
  const std::size_t n_vertices_;
  const std::size_t n_targets_;
  DeviceArcs<W> arcs_;
  DeviceEdgeListPlan plan_;
  std::uint64_t edges_key_ = 0;
  std::shared_ptr<const DeviceEdgeList<W>> edges_;
  cuda::DeviceBuffer<vertex_t> targets_;
  cuda::DeviceBuffer<W> own_distances_;  // empty if the caller's array is used
  W* distances_ = nullptr;
};

}  // namespace

template <class W>
void sssp_cuda(const CsrView<W>& graph, const CsrView<W>& host, std::span<const vertex_t> sources,
               const SsspOptions<W>& options, SsspResult<W> result, const cuda::Stream& stream) {
  EXPECTS(options.method == SsspMethod::bellman_ford || options.method == SsspMethod::near_far,
          "bellman_ford and near_far are the methods on CUDA devices");
  SsspOnCuda<W>(graph, host, options, result, stream).run(sources);
  report_progress(graph.n_vertices, graph.n_vertices);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(sssp_cuda)

}  // namespace warpgraph
