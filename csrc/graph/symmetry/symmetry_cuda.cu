// The digest of a graph on a device: one pass over its arcs.
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/warp.cuh"
#include "core/order_key.hpp"
#include "graph/device_csr.hpp"
#include "graph/device_tail.cuh"
#include "graph/symmetry/device_symmetry.hpp"
#include "graph/symmetry/mirror_digest.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "graph/weight_bits.hpp"

namespace warpgraph {
namespace {

/// Number of consecutive arcs that a warp reads, and of rows that a lane passes one by one before
/// it searches for the tail of an arc.
constexpr edge_t arcs_of_a_warp = 1024;
constexpr int rows_passed = 16;

struct DigestOfStructure {
  CsrPattern graph;
  DigestKeys keys;
  __device__ Digest operator()(vertex_t tail, edge_t e) const {
    return digest_of_arc(tail, graph.heads[e], keys);
  }
};

template <class Bits>
struct DigestOfWeights {
  CsrView<Bits> graph;
  BitOrder<Bits> order;
  DigestKeys keys;
  __device__ Digest operator()(vertex_t tail, edge_t e) const {
    return digest_of_arc(tail, graph.heads[e], keys, order.key(graph.weights[e]));
  }
};

/// Adds the digests of all arcs to `sums`.
template <class DigestOf>
__global__ void add_digests(CsrPattern graph, DigestOf digest_of, unsigned long long* sums) {
  const std::int64_t warp = cuda::global_index() / cuda::warp_lanes;
  const edge_t lane = threadIdx.x % cuda::warp_lanes;
  const edge_t first = warp * arcs_of_a_warp;
  const edge_t last = first + arcs_of_a_warp < graph.n_arcs ? first + arcs_of_a_warp : graph.n_arcs;
  Digest sum;
  vertex_t tail = first + lane < last ? tail_on_device(graph, first + lane) : 0;
  for (edge_t e = first + lane; e < last; e += cuda::warp_lanes) {
    for (int i = 0; i < rows_passed && graph.end(tail) <= e; ++i) ++tail;
    if (graph.end(tail) <= e) tail = tail_on_device(graph, e);
    sum = sum + digest_of(tail, e);
  }
  sum.a = cuda::warp_sum(sum.a);
  sum.b = cuda::warp_sum(sum.b);
  if (lane != 0) return;
  atomicAdd(&sums[0], static_cast<unsigned long long>(sum.a));
  atomicAdd(&sums[1], static_cast<unsigned long long>(sum.b));
}

template <class DigestOf>
bool has_zero_digest(const CsrPattern& copy, const DigestOf& digest_of,
                     const cuda::Stream& stream) {
  const cuda::DeviceBuffer<unsigned long long> sums(2, stream);
  cuda::fill(sums.data(), 0ULL, 2, stream);
  const std::int64_t n_warps = (copy.n_arcs + arcs_of_a_warp - 1) / arcs_of_a_warp;
  cuda::launch_for(stream, n_warps * cuda::warp_lanes, add_digests<DigestOf>, copy, digest_of,
                   sums.data());
  unsigned long long found[2];
  cuda::copy(found, sums.data(), 2, stream);
  stream.synchronize();
  return found[0] == 0 && found[1] == 0;
}

/// Returns whether a sample of the arcs on the host has one without a reverse; false without these.
template <class Graph>
bool sample_misses(const Graph& host) {
  return host.heads != nullptr && misses_a_sampled_reverse(host);
}

}  // namespace

template <class W>
bool is_symmetric_on_device(const CsrView<W>& host, const CsrView<W>& copy,
                            const cuda::Stream& stream) {
  using Bits = order_key_t<W>;
  const DigestOfWeights<Bits> digest_of{bits_of(copy), BitOrder<Bits>::template of<W>(false),
                                        process_keys()};
  return !sample_misses(host) && has_zero_digest(copy, digest_of, stream);
}

bool is_symmetric_on_device(const CsrPattern& host, const CsrPattern& copy,
                            const cuda::Stream& stream) {
  return !sample_misses(host) &&
         has_zero_digest(copy, DigestOfStructure{copy, process_keys()}, stream);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(is_symmetric_on_device)

}  // namespace warpgraph
