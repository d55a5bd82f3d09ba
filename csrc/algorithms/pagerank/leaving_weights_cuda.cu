// The sums of the weights that leave each vertex, on the device that has the graph: those of
// sum_leaving_weights(), bit by bit.
#include "algorithms/pagerank/pagerank.hpp"
#include "core/atomics.hpp"
#include "core/containers/at.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/memory/derived_cache.hpp"
#include "primitives/row_sums/device_row_sums.cuh"

namespace warpgraph {
namespace {

/// Findings beside the sums.
struct OtherWeights {
  unsigned sum_out_of_range;
  unsigned weight_other_than_one;
};

template <class W>
struct WeightOfArc {
  const W* weights;
  __device__ double operator()(vertex_t, edge_t position) const {
    return static_cast<double>(weights[position]);
  }
};

/// A function for sum_rows() that writes the sums.
struct WriteSum {
  struct Nothing {};
  double* sums;
  OtherWeights* found;
  __device__ Nothing load(vertex_t) const { return {}; }
  __device__ void operator()(vertex_t v, edge_t, Nothing, double sum) const {
    sums[v] = sum;
    if (sum == 0 || (sum >= least_weight_sum && sum <= largest_weight_sum)) return;
    relaxed_store(found->sum_out_of_range, 1u);
  }
};

template <class W>
__global__ void __launch_bounds__(cuda::threads_per_block)
    sum_weights_of_rows(CsrPattern graph, cuda::RowClasses::View rows, WeightOfArc<W> weight,
                        WriteSum write, double* segment_sums) {
  cuda::sum_rows<false>(graph, rows, weight, write, segment_sums, nullptr);
}

template <class W>
__global__ void find_other_than_one(const W* weights, std::int64_t n, OtherWeights* found) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  int is_other = 0;
  for (std::int64_t e = cuda::global_index(); e < n; e += stride) is_other |= weights[e] != W{1};
  if (__syncthreads_or(is_other) != 0 && threadIdx.x == 0) {
    relaxed_store(found->weight_other_than_one, 1u);
  }
}

/// The sums on the device, and what else is found with them.
class DeviceLeavingWeights {
 public:
  template <class W>
  DeviceLeavingWeights(const CsrView<W>& graph, const cuda::Stream& stream)
      : sums_(at(graph.n_vertices), stream) {
    const cuda::RowClasses rows(graph, stream);
    const cuda::DeviceBuffer<double> segment_sums(at(rows.view().n_segments), stream);
    const cuda::DeviceBuffer<OtherWeights> others(1, stream);
    cuda::fill_bytes(others.data(), 0, 1, stream);
    const auto blocks_of = [&](auto kernel) {
      return cuda::resident_blocks(stream, kernel, cuda::threads_per_block, 0);
    };
    const auto find = find_other_than_one<W>;
    cuda::launch(stream, blocks_of(find), cuda::threads_per_block, 0, find, graph.weights,
                 graph.n_arcs, others.data());
    const auto sum = sum_weights_of_rows<W>;
    cuda::launch_cooperative(stream, blocks_of(sum), cuda::threads_per_block, 0, sum, graph,
                             rows.view(), WeightOfArc<W>{graph.weights},
                             WriteSum{sums_.data(), others.data()}, segment_sums.data());
    const OtherWeights other = cuda::read_back(others.data(), stream);
    found_ = {other.sum_out_of_range == 0, other.weight_other_than_one == 0};
  }

  [[nodiscard]] const double* sums() const noexcept { return sums_.data(); }
  [[nodiscard]] LeavingWeights found() const noexcept { return found_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return sums_.bytes(); }

 private:
  cuda::DeviceBuffer<double> sums_;
  LeavingWeights found_;
};

}  // namespace

template <class W>
LeavingWeights sum_leaving_weights_cuda(const CsrView<W>& graph, std::span<double> weight_sums,
                                        const cuda::Stream& stream) {
  const DeviceLeavingWeights leaving(graph, stream);
  cuda::copy_out(weight_sums.data(), leaving.sums(), weight_sums.size(), stream);
  return leaving.found();
}

template <class W>
KeptLeavingWeights keep_leaving_weights(const CsrView<W>& graph, cuda::DerivedCache& derived) {
  const auto make = [&](const cuda::Stream& stream) { return DeviceLeavingWeights(graph, stream); };
  const auto kept = derived.get<DeviceLeavingWeights>(0, make);
  return {kept->found(), {kept, kept->sums()}};
}

#define WARPGRAPH_INSTANTIATE(W)                                                            \
  template LeavingWeights sum_leaving_weights_cuda<W>(const CsrView<W>&, std::span<double>, \
                                                      const cuda::Stream&);                 \
  template KeptLeavingWeights keep_leaving_weights<W>(const CsrView<W>&, cuda::DerivedCache&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
