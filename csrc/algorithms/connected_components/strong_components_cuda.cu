#include "algorithms/connected_components/canonical_labels.hpp"
#include "algorithms/connected_components/connected_components.hpp"
#include "core/cuda/worklist.cuh"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/for_each_edge.cuh"

namespace warpgraph {
namespace {

/// What a vertex knows within its class: the smallest vertex that reaches it, and the smallest that
/// it reaches. Both start at the vertex itself and only fall.
struct Answers {
  vertex_t* reached_by;
  vertex_t* reaches;

  __device__ bool agree(vertex_t u, vertex_t v) const {
    return reached_by[u] == reached_by[v] && reaches[u] == reaches[v];
  }
};

/// A round asks anew within each class: the vertices that gave the same answers in the round
/// before. A component never spans two classes, since its vertices give the same answers, and
/// classes do not mix, since an answer is a vertex of the class. So of all earlier rounds the last
/// one's answers are enough.
struct Round {
  vertex_t* label;  // the smallest vertex of the component, or no_vertex
  Answers before;   // constant
  Answers answers;
  int* changed;

  /// Carries answers along an arc, both ways. A stale look costs another sweep at most: the flag
  /// stays up until a sweep finds nothing to lower.
  __device__ void operator()(vertex_t tail, vertex_t head, edge_t) const {
    if (label[head] != no_vertex || !before.agree(tail, head)) return;
    const bool lowered_head =
        lower(answers.reached_by[head], relaxed_load(answers.reached_by[tail]));
    const bool lowered_tail = lower(answers.reaches[tail], relaxed_load(answers.reaches[head]));
    if (lowered_head || lowered_tail) relaxed_store(*changed, 1);
  }
  /// Who reaches the vertex that reaches v, reaches v; so answers travel in jumps that double.
  __device__ void jump(vertex_t v) const {
    const vertex_t up = relaxed_load(answers.reached_by[relaxed_load(answers.reached_by[v])]);
    const vertex_t down = relaxed_load(answers.reaches[relaxed_load(answers.reaches[v])]);
    const bool lowered_up = lower(answers.reached_by[v], up);
    const bool lowered_down = lower(answers.reaches[v], down);
    if (lowered_up || lowered_down) relaxed_store(*changed, 1);
  }
};

__global__ void start_round(cuda::VertexList open, Round round) {
  const std::int64_t i = cuda::global_index();
  if (i >= open.size()) return;
  const vertex_t v = open[i];
  round.answers.reached_by[v] = v;
  round.answers.reaches[v] = v;
}

__global__ void jump(cuda::VertexList open, Round round) {
  const std::int64_t i = cuda::global_index();
  if (i < open.size()) round.jump(open[i]);
}

/// Where both answers are the same vertex, it and v reach each other. The smallest vertex of each
/// class is such a vertex, so every round labels some.
__global__ void finish_round(cuda::VertexList open, Round round,
                             cuda::WorklistView<vertex_t> still_open) {
  const std::int64_t i = cuda::global_index();
  if (i >= open.size()) return;
  const vertex_t v = open[i];
  const vertex_t root = round.answers.reached_by[v];
  if (root == round.answers.reaches[v]) {
    round.label[v] = root;
  } else {
    still_open.push(v);
  }
}

__global__ void list_all(vertex_t n_vertices, cuda::WorklistView<vertex_t> list) {
  const std::int64_t i = cuda::global_index();
  if (i < n_vertices) list.push(static_cast<vertex_t>(i));
}

class StrongComponents {
 public:
  StrongComponents(const CsrPattern& graph, const cuda::Stream& stream)
      : graph_(graph),
        stream_(stream),
        label_(size(graph), stream),
        reached_by_{{size(graph), stream}, {size(graph), stream}},
        reaches_{{size(graph), stream}, {size(graph), stream}},
        open_(graph.n_vertices, stream),
        changed_(1, stream) {
    // At first all vertices are of one class.
    cuda::fill(label_.data(), no_vertex, graph.n_vertices, stream);
    cuda::fill_bytes(reached_by_[0].data(), 0, size(graph), stream);
    cuda::fill_bytes(reaches_[0].data(), 0, size(graph), stream);
    cuda::launch_for(stream, graph.n_vertices, list_all, graph.n_vertices, open_.next().view());
    open_.flip(stream);
  }

  vertex_t* run() {
    std::int64_t n_open = graph_.n_vertices;
    for (int before = 0; n_open > 0; before = 1 - before) {
      const cuda::VertexList open{open_.current().data(), n_open};
      const Round round{label_.data(), answers(before), answers(1 - before), changed_.data()};
      cuda::launch_for(stream_, n_open, start_round, open, round);
      while (sweep(open, round)) report_progress(graph_.n_vertices - n_open, graph_.n_vertices);
      cuda::launch_for(stream_, n_open, finish_round, open, round, open_.next().view());
      open_.flip(stream_);
      n_open = open_.current().size(stream_);
    }
    return label_.data();
  }

  static constexpr std::size_t bytes(vertex_t n_vertices) {
    // Labels, two pairs of answers, two lists, and the laid out rows of one.
    return static_cast<std::size_t>(n_vertices) * (7 * sizeof(vertex_t) + sizeof(edge_t));
  }

 private:
  static std::size_t size(const CsrPattern& graph) {
    return static_cast<std::size_t>(graph.n_vertices);
  }
  [[nodiscard]] Answers answers(int which) const {
    return {reached_by_[which].data(), reaches_[which].data()};
  }

  /// Some sweeps over all arcs; false when the last of them changed nothing.
  bool sweep(cuda::VertexList open, const Round& round) {
    constexpr int sweeps_between_looks = 4;  // a look waits for the device, a spare sweep does not
    poll();
    for (int i = 0; i < sweeps_between_looks; ++i) {
      cuda::fill_bytes(changed_.data(), 0, 1, stream_);
      cuda::for_each_edge(stream_, graph_, open, cuda::mapping_for(graph_), round);
      cuda::launch_for(stream_, open.n, jump, open, round);
    }
    return cuda::read_back(changed_.data(), stream_) != 0;
  }

  CsrPattern graph_;
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<vertex_t> label_;
  cuda::DeviceBuffer<vertex_t> reached_by_[2];
  cuda::DeviceBuffer<vertex_t> reaches_[2];
  cuda::WorklistPair<vertex_t> open_;
  cuda::DeviceBuffer<int> changed_;
};

}  // namespace

vertex_t strong_components_cuda(const CsrPattern& graph, std::span<vertex_t> labels,
                                std::size_t memory_limit, const cuda::Stream& stream) {
  if (labels.empty()) return 0;
  MemoryBudget(stream.device(), memory_limit)
      .require("labelling strong components", StrongComponents::bytes(graph.n_vertices),
               "use device=\"cpu\", or clear() graphs that are no longer needed");
  StrongComponents search(graph, stream);
  vertex_t* label = search.run();
  const vertex_t n_components = number_components_cuda(label, graph.n_vertices, stream);
  cuda::copy(labels.data(), static_cast<const vertex_t*>(label), labels.size(), stream);
  stream.synchronize();
  return n_components;
}

}  // namespace warpgraph
