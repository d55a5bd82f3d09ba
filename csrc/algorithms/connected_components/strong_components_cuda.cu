#include "algorithms/connected_components/connected_components.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/worklist.cuh"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/for_each_edge.cuh"
#include "primitives/boruvka/canonical_labels.hpp"

namespace warpgraph {
namespace {

/// The signatures of the vertices [4 in connected_components.hpp], within their classes: the
/// smallest vertex that reaches a vertex (in) and the smallest that it reaches (out). Both start at
/// the vertex itself and only decrease.
struct Signatures {
  vertex_t* in_signature;
  vertex_t* out_signature;

  __device__ bool equal(vertex_t u, vertex_t v) const {
    return in_signature[u] == in_signature[v] && out_signature[u] == out_signature[v];
  }
};

/// A round that computes new signatures within each class, a set of vertices that had equal
/// signatures in the previous round. A component never spans two classes, since its vertices have
/// equal signatures. Vertices of different classes never get equal signatures later, since a
/// signature is a vertex of the class. So the signatures of the previous round suffice.
struct SccRound {
  vertex_t* label;      // the smallest vertex of the component, or no_vertex
  Signatures previous;  // constant during the round
  Signatures signatures;
  int* changed;

  /// Propagates signatures along an arc, in both directions. A stale read costs at most one more
  /// sweep: the flag stays set until a sweep lowers nothing.
  __device__ void operator()(vertex_t tail, vertex_t head, edge_t) const {
    if (label[head] != no_vertex || !previous.equal(tail, head)) return;
    const bool lowered_head =
        lower(signatures.in_signature[head], relaxed_load(signatures.in_signature[tail]));
    const bool lowered_tail =
        lower(signatures.out_signature[tail], relaxed_load(signatures.out_signature[head]));
    if (lowered_head || lowered_tail) relaxed_store(*changed, 1);
  }
  /// Jumps along pointers: whatever reaches in_signature[v] also reaches v. The distance covered
  /// doubles with each sweep.
  __device__ void pointer_jump(vertex_t v) const {
    const vertex_t in =
        relaxed_load(signatures.in_signature[relaxed_load(signatures.in_signature[v])]);
    const vertex_t out =
        relaxed_load(signatures.out_signature[relaxed_load(signatures.out_signature[v])]);
    const bool lowered_in = lower(signatures.in_signature[v], in);
    const bool lowered_out = lower(signatures.out_signature[v], out);
    if (lowered_in || lowered_out) relaxed_store(*changed, 1);
  }
};

__global__ void init_signatures(cuda::VertexList active, SccRound round) {
  const std::int64_t i = cuda::global_index();
  if (i >= active.size()) return;
  const vertex_t v = active[i];
  round.signatures.in_signature[v] = v;
  round.signatures.out_signature[v] = v;
}

__global__ void pointer_jump(cuda::VertexList active, SccRound round) {
  const std::int64_t i = cuda::global_index();
  if (i < active.size()) round.pointer_jump(active[i]);
}

/// Labels each vertex whose two signatures are the same vertex: it and that one reach each other.
/// This holds for the smallest vertex of each class, so every round labels some vertices.
__global__ void label_components(cuda::VertexList active, SccRound round,
                                 cuda::WorklistView<vertex_t> still_active) {
  const std::int64_t i = cuda::global_index();
  if (i >= active.size()) return;
  const vertex_t v = active[i];
  const vertex_t root = round.signatures.in_signature[v];
  if (root == round.signatures.out_signature[v]) {
    round.label[v] = root;
  } else {
    still_active.push(v);
  }
}

__global__ void list_all(vertex_t n_vertices, cuda::WorklistView<vertex_t> list) {
  const std::int64_t i = cuda::global_index();
  if (i < n_vertices) list.push(static_cast<vertex_t>(i));
}

class DeviceStrongComponents {
 public:
  DeviceStrongComponents(const CsrPattern& graph, const ComponentLabels& labels,
                         const cuda::Stream& stream)
      : graph_(graph),
        stream_(stream),
        own_label_(labels.on_device ? 0 : size(graph), stream),
        label_(labels.on_device ? labels.items.data() : own_label_.data()),
        in_signatures_{{size(graph), stream}, {size(graph), stream}},
        out_signatures_{{size(graph), stream}, {size(graph), stream}},
        active_(graph.n_vertices, stream),
        changed_(1, stream) {
    // Initially all vertices are in one class.
    cuda::fill(label_, no_vertex, graph.n_vertices, stream);
    cuda::fill_bytes(in_signatures_[0].data(), 0, size(graph), stream);
    cuda::fill_bytes(out_signatures_[0].data(), 0, size(graph), stream);
    cuda::launch_for(stream, graph.n_vertices, list_all, graph.n_vertices, active_.next().view());
    active_.flip(stream);
  }

  vertex_t* run() {
    std::int64_t n_active = graph_.n_vertices;
    for (int previous = 0; n_active > 0; previous = 1 - previous) {
      const cuda::VertexList active{active_.current().data(), n_active};
      const SccRound round{label_, signatures(previous), signatures(1 - previous), changed_.data()};
      cuda::launch_for(stream_, n_active, init_signatures, active, round);
      while (sweep(active, round)) report_progress(graph_.n_vertices - n_active, graph_.n_vertices);
      cuda::launch_for(stream_, n_active, label_components, active, round, active_.next().view());
      active_.flip(stream_);
      n_active = active_.current().size(stream_);
    }
    return label_;
  }

  static constexpr std::size_t bytes(const ComponentLabels& labels) {
    // Two pairs of signatures, two worklists, and where the rows of active vertices start.
    const std::size_t besides_labels = 6 * sizeof(vertex_t) + sizeof(edge_t);
    return labels.items.size() * (besides_labels + (labels.on_device ? 0 : sizeof(vertex_t)));
  }

 private:
  static std::size_t size(const CsrPattern& graph) {
    return static_cast<std::size_t>(graph.n_vertices);
  }
  [[nodiscard]] Signatures signatures(int i) const {
    return {in_signatures_[i].data(), out_signatures_[i].data()};
  }

  /// Runs some sweeps over the arcs of active vertices. Returns false if the last one changed
  /// nothing.
  bool sweep(cuda::VertexList active, const SccRound& round) {
    constexpr int sweeps_per_check = 4;  // a check waits for the device, a redundant sweep does not
    poll();
    for (int i = 0; i < sweeps_per_check; ++i) {
      cuda::fill_bytes(changed_.data(), 0, 1, stream_);
      cuda::for_each_edge(stream_, graph_, active, cuda::mapping_for(graph_), round);
      cuda::launch_for(stream_, active.n, pointer_jump, active, round);
    }
    return cuda::read_back(changed_.data(), stream_) != 0;
  }

  CsrPattern graph_;
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<vertex_t> own_label_;
  vertex_t* label_;
  cuda::DeviceBuffer<vertex_t> in_signatures_[2];
  cuda::DeviceBuffer<vertex_t> out_signatures_[2];
  cuda::WorklistPair<vertex_t> active_;
  cuda::DeviceBuffer<int> changed_;
};

}  // namespace

vertex_t strong_components_cuda(const CsrPattern& graph, const ComponentLabels& labels,
                                MemoryBudget budget, const cuda::Stream& stream) {
  if (labels.items.empty()) return 0;
  budget.on(stream.device())
      .require("labelling strong components", DeviceStrongComponents::bytes(labels),
               "use device=\"cpu\", or clear() graphs that are no longer needed");
  DeviceStrongComponents search(graph, labels, stream);
  const cuda::MapWhileWaiting pages(labels.items);
  vertex_t* label = search.run();
  const vertex_t n_components = number_components_cuda(label, graph.n_vertices, stream);
  if (!labels.on_device) {
    cuda::copy_out(labels.items.data(), label, labels.items.size(), stream);
  }
  return n_components;
}

}  // namespace warpgraph
