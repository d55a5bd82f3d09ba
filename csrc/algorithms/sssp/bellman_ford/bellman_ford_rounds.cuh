// The host's part of Bellman-Ford on one device: it launches rounds until none has anything to do.
// bellman_ford_cuda.cu explains them.
#pragma once

#include "algorithms/sssp/bellman_ford/relax_edges.cuh"
#include "algorithms/sssp/sssp.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/interrupt.hpp"
#include "core/memory/host_vector.hpp"
#include "primitives/relaxation/overflow.hpp"

#include <algorithm>

namespace warpgraph::shortest_paths {

/// The divisor of the rounds so far that gives the rounds of a batch: waiting for a batch costs as
/// much as some empty launches, and launches after the last round are wasted.
inline constexpr std::int32_t batch_divisor = 8;
/// The most edges of a batch, a twentieth of a second's work: the host reacts to Ctrl-C in time
/// when two batches are in flight.
inline constexpr edge_t max_edges_per_batch = edge_t{1} << 29;
/// Rounds before the first check for negative cycles; another one follows each time that the rounds
/// have doubled.
inline constexpr std::int32_t rounds_before_first_check = 64;

template <class W>
class BellmanFordRounds {
 public:
  BellmanFordRounds(const cuda::Stream& stream, const DeviceEdgeListView<W>& edges,
                    const CsrView<W>& rows, W limit, EdgeRelaxation<W> relax_edges,
                    bool non_negative, bool frontier_rounds, W* distances)
      : stream_(stream),
        reader_(stream.device()),
        edges_(edges),
        frontier_(rows, 0, rows.n_vertices, rows.n_arcs, stream, frontier_rounds),
        limit_(limit),
        relax_edges_(relax_edges),
        relax_frontier_(non_negative ? relax_frontier<W, true> : relax_frontier<W, false>),
        distances_(distances),
        replicas_{1, {distances}, {frontier_.view().marks}},
        last_round_(1, stream),
        batch_ends_{cuda::Event(stream.device(), cudaEventDisableTiming),
                    cuda::Event(stream.device(), cudaEventDisableTiming)} {
    blocks_of_edges_ = relaxation_blocks<W>(stream, relax_edges_, edges.n_edges);
    blocks_of_frontier_ = blocks_for_frontier(stream, relax_frontier_, rows.n_vertices);
    blocks_of_find_ = blocks_for_frontier(stream, find_frontier<W>, rows.n_vertices);
    cuda::fill_bytes(last_round_.data(), 0, 1, stream);
    find_next();
  }

  [[nodiscard]] std::int32_t launched() const noexcept { return round_; }

  /// Launches a batch and waits for the one before. Returns false if that contained the last round
  /// needed.
  bool advance() {
    const std::int32_t before = round_;
    launch_batch();
    if (before == 0) return true;
    // The stream is a separate one, so that the copy does not wait for the batch just launched. It
    // may return a round of that batch already, which is harmless.
    (*reader_).wait_for(batch_ends_[1 - newest_batch_].get());
    return cuda::read_back(last_round_.data(), *reader_) >= before;
  }

 private:
  void launch_batch() {
    const edge_t max_rounds = std::max<edge_t>(1, max_edges_per_batch / (edges_.n_edges + 1));
    const edge_t n_rounds = std::clamp<edge_t>(round_ / batch_divisor, 1, max_rounds);
    for (edge_t i = 0; i < n_rounds; ++i) {
      ++round_;
      cuda::launch(stream_, blocks_of_frontier_, queue_threads, 0, relax_frontier_,
                   frontier_.view(), limit_, distances_, round_, last_round_.data());
      if (edges_.n_edges > 0) {
        cuda::launch(stream_, blocks_of_edges_, cuda::threads_per_block, 0, relax_edges_, edges_,
                     limit_, distances_, distances_, frontier_.view().all, round_);
      }
      find_next();
    }
    newest_batch_ = 1 - newest_batch_;
    batch_ends_[newest_batch_].record(stream_.get());
  }

  void find_next() {
    cuda::launch(stream_, blocks_of_find_, queue_threads, 0, find_frontier<W>, replicas_,
                 frontier_.view(), round_);
  }

  const cuda::Stream& stream_;
  const cuda::BorrowedStream reader_;
  const DeviceEdgeListView<W> edges_;
  const Frontier<W> frontier_;
  const W limit_;
  const EdgeRelaxation<W> relax_edges_;
  void (*const relax_frontier_)(FrontierView<W>, W, W*, std::int32_t, std::int32_t*);
  W* const distances_;
  const Replicas<W> replicas_;
  const cuda::DeviceBuffer<std::int32_t> last_round_;
  const cuda::Event batch_ends_[2];  // of the two newest batches
  int newest_batch_ = 0;
  std::int64_t blocks_of_edges_ = 0;
  std::int64_t blocks_of_frontier_ = 0;
  std::int64_t blocks_of_find_ = 0;
  std::int32_t round_ = 0;
};

/// Searches by rounds whose passes over all edges are the kernel `relax_edges`, one of those for
/// weights of the sign that the options tell. Without frontier rounds, every round is such a pass.
template <class W>
void run_bellman_ford(const cuda::Stream& stream, const DeviceEdgeListView<W>& edges,
                      const CsrView<W>& graph, const CsrView<W>& host,
                      const SsspOptions<W>& options, EdgeRelaxation<W> relax_edges, W* distances,
                      bool frontier_rounds = true) {
  // With negative weights, a sum beyond the limit may decrease again.
  const W limit = options.negative_weights ? infinity<W>() : options.limit;
  BellmanFordRounds<W> rounds(stream, edges, graph, limit, relax_edges, !options.negative_weights,
                              frontier_rounds, distances);
  std::int32_t check_at_round = rounds_before_first_check;
  while (rounds.advance()) {
    poll();
    if (options.negative_weights && rounds.launched() >= check_at_round) {
      check_at_round = 2 * rounds.launched();
      const auto seen = cuda::to_host<HostVector<W>>(
          distances, static_cast<std::size_t>(host.n_vertices), stream);
      check_negative_cycle<W>(host, seen, rounds.launched() <= host.n_vertices);
    }
  }
}

}  // namespace warpgraph::shortest_paths
