#include "algorithms/mst/hybrid/hybrid.hpp"
#include "algorithms/mst/hybrid/hybrid_host.hpp"
#include "algorithms/mst/hybrid/partitioned_rows.hpp"
#include "algorithms/mst/hybrid/share_tuner.hpp"
#include "algorithms/mst/sorted_rows/device_boruvka.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/memory/memory_budget.hpp"

#include <chrono>
#include <mutex>
#include <vector>

namespace warpgraph::mst {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Returns the bytes of offsets and scan cursors.
std::size_t row_bytes(vertex_t n) {
  return DeviceRowSearch::bytes(n) + (std::size_t{1} + n) * sizeof(edge_t);
}

/// Returns the ranks of the forest's edges. They go through page-locked memory, `staged`, and
/// threads copy them from there, since the destination is pageable.
HostVector<rank_t> fetch_ranks(const DeviceBoruvkaTrees& trees, rank_t* staged,
                               const cuda::Stream& stream) {
  const cuda::DeviceBuffer<rank_t> sorted = trees.sorted_ranks();
  cuda::copy(staged, static_cast<const rank_t*>(sorted.data()), sorted.size(), stream);
  stream.synchronize();
  HostVector<rank_t> ranks(sorted.size());
  parallel_for(
      trees.n_chosen(), [&](std::int64_t i) { ranks[static_cast<std::size_t>(i)] = staged[i]; },
      HybridHost::renumber_grain);
  return ranks;
}

/// A graph all of whose arcs are on the device.
class ResidentForest final : public HybridForest {
 public:
  ResidentForest(const RowsView& rows, Device device)
      : stream_(device),
        rows_(rows, *stream_),
        staged_ranks_(static_cast<std::size_t>(rows.n_vertices)) {
    (*stream_).synchronize();
  }

  HostVector<rank_t> solve() override {
    const std::lock_guard lock(mutex_);
    return fetch_ranks(grow_trees(rows_.view(), *stream_), staged_ranks_.data(), *stream_);
  }
  [[nodiscard]] std::size_t device_bytes() const override { return rows_.bytes(); }
  [[nodiscard]] edge_t n_resident_arcs() const override { return rows_.n_arcs(); }

 private:
  const cuda::BorrowedStream stream_;
  const DeviceRows rows_;
  std::mutex mutex_;  // guards the stream and the staged ranks
  const cuda::PinnedBuffer<rank_t> staged_ranks_;
};

/// A graph of whose arcs no more than `n_arcs` are on the device.
class HybridSession final : public HybridForest {
 public:
  HybridSession(const RowsView& rows, Device device, edge_t n_arcs)
      : n_vertices_(rows.n_vertices),
        main_(device),
        copies_(device),
        rows_(rows, n_arcs, stream()),
        blocks_(rows_.rest_on_host()),
        uploaded_choices_(vertices(), stream()),
        staged_trees_(vertices()),
        staged_choices_(vertices()),
        host_(rows_.rest_on_host(), blocks_, rows_.min_ranks_on_host()),
        searched_(device, cudaEventDisableTiming),
        copied_(device, cudaEventDisableTiming),
        copied_choices_(device, cudaEventDisableTiming) {
    stream().synchronize();  // before the other stream uses what was allocated here
  }
  /// Waits for copies to the buffers that are freed.
  ~HybridSession() override {
    (*copies_).finish();
    stream().finish();
  }
  HybridSession(const HybridSession&) = delete;
  HybridSession& operator=(const HybridSession&) = delete;

  HostVector<rank_t> solve() override {
    const std::lock_guard lock(mutex_);
    host_.reset();
    DeviceBoruvkaTrees trees(n_vertices_, stream());
    DeviceSide device{trees, DeviceRowSearch(rows_.resident().view(), stream()),
                      DeviceRowSearch(rows_.rest(), stream())};
    device.rest.set_min_ranks(rows_.min_ranks_on_device());
    const Drain drain{*copies_};
    bool host_is_current = true;  // its tree numbers are those of the device
    for (std::size_t round = 0;; ++round) {
      report_progress(std::min<std::int64_t>(static_cast<std::int64_t>(round), rounds_expected - 1),
                      rounds_expected);
      const auto n_before = static_cast<std::size_t>(trees.n_trees());
      host_is_current = search(device, round, host_is_current);
      if (!trees.join()) break;
      if (!host_is_current) continue;
      cuda::copy(staged_trees_.data(), trees.renumbering(), n_before, *copies_);
      copied_.record((*copies_).get());
    }
    static_assert(sizeof(rank_t) == sizeof(vertex_t));
    HostVector<rank_t> ranks =
        fetch_ranks(trees, reinterpret_cast<rank_t*>(staged_trees_.data()), stream());
    report_progress(rounds_expected, rounds_expected);
    return ranks;
  }

  [[nodiscard]] std::size_t device_bytes() const override {
    return rows_.device_bytes() + uploaded_choices_.bytes();
  }
  [[nodiscard]] edge_t n_resident_arcs() const override { return rows_.resident().n_arcs(); }

 private:
  /// A guard that waits for copies from the trees before those are freed, also after an exception.
  struct Drain {
    const cuda::Stream& copies;
    ~Drain() { copies.finish(); }
  };

  struct DeviceSide {
    DeviceBoruvkaTrees& trees;
    DeviceRowSearch resident;
    DeviceRowSearch rest;
  };
  /// A running round.
  struct RoundSearch : SharedRound {
    DeviceSide& device;
    double share;  // of the threads
    Clock::time_point start = Clock::now();
    bool device_is_busy = false;
    double device_seconds = 0;

    RoundSearch(std::size_t round, std::int64_t n_blocks, DeviceSide& of_device, double of_threads)
        : SharedRound{round, BlockDeque(n_blocks)}, device(of_device), share(of_threads) {}
  };

  [[nodiscard]] const cuda::Stream& stream() const { return *main_; }
  [[nodiscard]] std::size_t vertices() const { return static_cast<std::size_t>(n_vertices_); }

  /// Returns the tuner of a round; it starts as a copy of that of the round before.
  ShareTuner& share_tuner(std::size_t round) {
    while (share_tuners_.size() <= round) {
      share_tuners_.push_back(share_tuners_.empty() ? ShareTuner() : share_tuners_.back());
    }
    return share_tuners_[round];
  }

  /// Runs procedure one. Returns whether the threads' tree numbers are current, so that they may go
  /// on helping.
  bool search(DeviceSide& device, std::size_t round, bool host_helps) {
    device.resident.search(device.trees, 0, n_vertices_);
    // While every vertex is a tree, only the first arc of its row matters.
    if (round == 0 && rows_.has_first_arcs_on_device()) return true;
    RoundSearch current(round, blocks_.size(), device, host_helps ? share_tuner(round).share() : 0);
    if (host_helps) download_choices(device.trees);
    enqueue_device_search(current, device_part(current, blocks_.size()));
    double host_seconds = 0;
    if (host_helps) {
      search_on_host(current);
      host_seconds = seconds_since(current.start);
    }
    if (current.device_is_busy) {
      searched_.synchronize();
      current.device_seconds = seconds_since(current.start);
    }
    if (!host_helps) return false;
    const double host_work =
        static_cast<double>(current.n_host_blocks.load()) / static_cast<double>(blocks_.size());
    share_tuner(round).update(host_work, host_seconds, current.device_seconds);
    return !current.device_finished_first;
  }

  /// Returns the device's share of n_blocks blocks; at least one.
  static std::int64_t device_part(const RoundSearch& current, std::int64_t n_blocks) {
    const double part = static_cast<double>(n_blocks) * (1 - current.share);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(part + 0.5));
  }

  /// Downloads the choices that the device has found in its own memory first: rows on the host that
  /// cannot improve on them are not searched.
  void download_choices(const DeviceBoruvkaTrees& trees) const {
    const cuda::Stream& on = stream();
    cuda::copy(staged_choices_.data(), static_cast<const choice_t*>(trees.choices()),
               static_cast<std::size_t>(trees.n_trees()), on);
    copied_choices_.record(on.get());
  }

  /// Enqueues the search of up to n_blocks more blocks on the device.
  void enqueue_device_search(RoundSearch& current, std::int64_t n_blocks) const {
    const BlockRange mine = current.blocks.pop_front(n_blocks);
    if (mine.size() == 0) return;
    const vertex_t first = blocks_.first_row(mine.first);
    const vertex_t last = blocks_.first_row(mine.last);
    current.device.rest.search(current.device.trees, first, last);
    searched_.record(stream().get());
    current.device_is_busy = true;
  }

  /// Gives the device, if it is idle, half of its share of the remaining blocks, since threads are
  /// searching there. Returns false when no blocks remain and it is idle.
  bool poll_device(RoundSearch& current) const {
    poll();
    if (!current.device_is_busy) return false;
    const cudaError_t status = cudaEventQuery(searched_.get());
    if (status == cudaErrorNotReady) return true;
    CUDA_TRY(status);
    current.device_is_busy = false;
    current.device_seconds = seconds_since(current.start);
    enqueue_device_search(current, device_part(current, current.blocks.remaining().size()) / 2 + 1);
    return current.device_is_busy;
  }

  /// Does the threads' part of a round, and uploads their choices.
  void search_on_host(RoundSearch& current) {
    if (current.number > 0) {
      while (cudaEventQuery(copied_.get()) == cudaErrorNotReady) poll_device(current);
      copied_.synchronize();  // throws if the copy has failed
    }
    while (cudaEventQuery(copied_choices_.get()) == cudaErrorNotReady) poll_device(current);
    copied_choices_.synchronize();
    const TreeRange found =
        host_.search(current, staged_trees_.data(), current.device.trees.giant(),
                     staged_choices_.data(), [&] { return poll_device(current); });
    if (!found.empty()) upload_choices(current, found);
  }

  /// Uploads the choices of the threads.
  void upload_choices(const RoundSearch& current, const TreeRange& found) const {
    cuda::copy(uploaded_choices_.data(), staged_choices_.data() + found.first,
               static_cast<std::size_t>(found.size()), *copies_);
    copied_.record((*copies_).get());
    copied_.synchronize();  // blocks only this thread: the device is searching
    current.device.trees.merge_choices(uploaded_choices_.data(), found.first, found.size());
  }

  const vertex_t n_vertices_;
  const cuda::BorrowedStream main_;
  const cuda::BorrowedStream copies_;
  const PartitionedRows rows_;
  const RowBlocks blocks_;  // of the rest
  cuda::DeviceBuffer<choice_t> uploaded_choices_;
  cuda::PinnedBuffer<vertex_t> staged_trees_;
  cuda::PinnedBuffer<choice_t> staged_choices_;
  HybridHost host_;
  const cuda::Event searched_;
  const cuda::Event copied_;
  const cuda::Event copied_choices_;
  std::mutex mutex_;                      // guards all that a solve writes to
  std::vector<ShareTuner> share_tuners_;  // of rounds
};

void require_host_memory(vertex_t n, std::string_view advice) {
  MemoryBudget().require(
      "searching for a forest's edges on CPU threads",
      static_cast<std::size_t>(n) * (sizeof(vertex_t) + sizeof(choice_t) + sizeof(rank_t)) +
          HybridHost::bytes(n),
      advice);
}

}  // namespace

std::unique_ptr<HybridForest> make_hybrid_forest(const PreparedRows& rows, MemoryBudget budget) {
  constexpr const char* advice = "clear() graphs that are no longer needed, or use device=\"cpu\"";
  const RowsView view = rows.view();
  const vertex_t n = view.n_vertices;
  const std::size_t whole =
      DeviceBoruvkaTrees::bytes(n) + row_bytes(n) + rows.ranks.size() * bytes_per_arc;
  const std::size_t least = DeviceBoruvkaTrees::bytes(n) + 2 * row_bytes(n) +
                            static_cast<std::size_t>(n) * (sizeof(choice_t) + sizeof(rank_t));
  budget.require("a minimum spanning forest with its edges in host memory", std::min(whole, least),
                 advice);
  const std::size_t available = budget.available();
  if (whole <= available) return std::make_unique<ResidentForest>(view, budget.device());
  require_host_memory(n, advice);
  return std::make_unique<HybridSession>(view, budget.device(),
                                         static_cast<edge_t>((available - least) / bytes_per_arc));
}

}  // namespace warpgraph::mst
