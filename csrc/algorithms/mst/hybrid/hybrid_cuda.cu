#include "algorithms/mst/hybrid/hybrid.hpp"
#include "algorithms/mst/hybrid/hybrid_autotuner.hpp"
#include "algorithms/mst/hybrid/hybrid_host.hpp"
#include "algorithms/mst/hybrid/partitioned_rows.hpp"
#include "algorithms/mst/sorted_rows/device_boruvka.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/memory/memory_budget.hpp"

#include <chrono>
#include <mutex>
#include <optional>

namespace warpgraph::mst {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Bytes on the device except for arcs: trees, offsets and scan cursors of rows, and uploaded
/// choices. Cut rows have two offsets and two cursors.
std::size_t vertex_bytes(vertex_t n, bool cut) {
  const std::size_t of_rows = DeviceRowSearch::bytes(n) + (std::size_t{1} + n) * sizeof(edge_t);
  return DeviceBoruvkaTrees::bytes(n) + static_cast<std::size_t>(n) * sizeof(choice_t) + of_rows +
         (cut ? of_rows + static_cast<std::size_t>(n) * sizeof(rank_t) : 0);
}

Placement choose_placement(const RowsView& rows, Device device, std::size_t memory_limit) {
  constexpr const char* advice =
      "raise memory_limit, clear() graphs that are no longer needed, or use device=\"cpu\"";
  const vertex_t n = rows.n_vertices;
  const MemoryBudget budget(device, memory_limit);
  const std::size_t whole =
      vertex_bytes(n, false) + static_cast<std::size_t>(rows.n_arcs) * bytes_per_arc;
  const std::size_t min_bytes = vertex_bytes(n, true);
  budget.require("a minimum spanning forest with its edges in host memory",
                 std::min(whole, min_bytes), advice);
  MemoryBudget(Device{}).require(
      "searching for a forest's edges on CPU threads",
      static_cast<std::size_t>(n) * (sizeof(vertex_t) + sizeof(choice_t) + sizeof(rank_t)) +
          HybridHost::bytes(n),
      advice);
  const std::size_t available = budget.available();
  if (whole <= available) return {rows.n_arcs, true};
  return {static_cast<edge_t>((available - min_bytes) / bytes_per_arc), false};
}

class HybridSession final : public HybridForest {
 public:
  HybridSession(std::shared_ptr<const PreparedRows> rows, Device device, std::size_t memory_limit)
      : prepared_(std::move(rows)),
        n_vertices_(prepared_->view().n_vertices),
        placement_(choose_placement(prepared_->view(), device, memory_limit)),
        main_(device),
        copies_(device),
        rows_(*prepared_, placement_, stream()),
        blocks_(rows_.shared_rows()),
        uploaded_choices_(vertices(), stream()),
        staged_trees_(vertices()),
        staged_choices_(vertices()),
        host_(rows_.shared_rows_view(), blocks_, rows_.min_ranks_on_host()),
        searched_(device, cudaEventDisableTiming),
        copied_(device, cudaEventDisableTiming),
        copied_choices_(device, cudaEventDisableTiming),
        autotuner_(placement_.all_fit ? ShareTuner::initial_share : initial_share_of_rest) {
    stream().synchronize();  // before the other stream uses what was allocated here
  }
  /// Waits for copies to the buffers that are freed.
  ~HybridSession() override {
    cudaStreamSynchronize((*copies_).get());
    cudaStreamSynchronize(stream().get());
  }
  HybridSession(const HybridSession&) = delete;
  HybridSession& operator=(const HybridSession&) = delete;

  HostVector<rank_t> solve() override {
    const std::lock_guard lock(mutex_);
    reset();
    DeviceBoruvkaTrees trees(n_vertices_, stream());
    DeviceSide device{trees, search_of(rows_.resident()), {}};
    if (!placement_.all_fit) {
      device.rest.emplace(search_of(rows_.rest()));
      device.rest->set_min_ranks(rows_.min_ranks_on_device());
    }
    const Drain drain{*copies_};
    const std::size_t with_host = autotuner_.rounds_with_host();
    bool host_is_current = true;  // its tree numbers are those of the device
    for (std::size_t round = 0;; ++round) {
      report_progress(std::min<std::int64_t>(static_cast<std::int64_t>(round), rounds_expected - 1),
                      rounds_expected);
      const auto start = Clock::now();
      const auto n_before = static_cast<std::size_t>(trees.n_trees());
      const bool helps = host_is_current && round < with_host;
      host_is_current = search(device, round, helps);
      const bool joined = trees.join();
      autotuner_.record(round, helps, seconds_since(start));
      if (!joined) break;
      host_is_current = host_is_current && round + 1 < with_host;
      if (!host_is_current) continue;
      cuda::copy(staged_trees_.data(), trees.renumbering(), n_before, *copies_);
      copied_.record((*copies_).get());
    }
    autotuner_.end_solve();
    HostVector<rank_t> ranks = fetch_ranks(trees);
    is_clean_ = true;
    report_progress(rounds_expected, rounds_expected);
    return ranks;
  }

  [[nodiscard]] std::size_t device_bytes() const override {
    return rows_.device_bytes() + uploaded_choices_.bytes();
  }
  [[nodiscard]] edge_t n_resident_arcs() const override { return rows_.n_resident_arcs(); }
  [[nodiscard]] std::vector<HybridRound> rounds() const override {
    const std::lock_guard lock(mutex_);
    return rounds_;
  }

 private:
  /// For progress: as many as the article's graphs take.
  static constexpr std::int64_t rounds_expected = 8;

  /// Waits for copies from the trees before those are freed, also after an exception.
  struct Drain {
    const cuda::Stream& copies;
    ~Drain() { cudaStreamSynchronize(copies.get()); }
  };
  /// Both device and threads read rows that do not fit from host memory.
  static constexpr double initial_share_of_rest = 0.5;

  struct DeviceSide {
    DeviceBoruvkaTrees& trees;
    DeviceRowSearch resident;
    std::optional<DeviceRowSearch> rest;
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
  [[nodiscard]] DeviceRowSearch search_of(const DeviceReadableRows& rows) const {
    return DeviceRowSearch(rows.view, rows.first, rows.last, stream());
  }

  /// Resets the state of the last solve; also what is kept between solves if that one failed.
  void reset() {
    rounds_.clear();
    if (!is_clean_) {
      parallel_for(n_vertices_, [&](std::int64_t v) {
        staged_choices_[static_cast<std::size_t>(v)] = no_choice;
      });
    }
    is_clean_ = false;
    host_.reset();
    first_row_of_host_ = n_vertices_;
  }

  /// Procedure one. Returns whether the threads' tree numbers are current, so that they may go on
  /// helping.
  bool search(DeviceSide& device, std::size_t round, bool host_helps) {
    RoundSearch current(round, blocks_.size(), device,
                        host_helps ? autotuner_.share_tuner(round).share() : 0);
    if (!placement_.all_fit) {
      device.resident.search(device.trees, rows_.resident().first, rows_.resident().last);
      // While every vertex is a tree, only the first arc of its row matters.
      if (round == 0 && rows_.has_first_arcs_on_device()) return host_helps;
      if (host_helps) download_choices(device.trees);
    }
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
    if (host_helps) record_round(current, host_seconds);
    return host_helps && !current.device_finished_first;
  }

  void record_round(const RoundSearch& current, double host_seconds) {
    const std::int64_t n = current.n_host_blocks.load();
    const double host_work = static_cast<double>(n) / static_cast<double>(blocks_.size());
    rounds_.push_back({host_work, host_seconds, current.device_seconds});
    autotuner_.share_tuner(current.number).update(host_work, host_seconds, current.device_seconds);
    first_row_of_host_ = std::min(first_row_of_host_, blocks_.first_row(blocks_.size() - n));
    host_.set_first_touched(first_row_of_host_);
  }

  /// The device's share of n_blocks blocks; at least one.
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
    DeviceSide& device = current.device;
    (device.rest ? *device.rest : device.resident).search(device.trees, first, last);
    searched_.record(stream().get());
    current.device_is_busy = true;
  }

  /// If the device is idle, gives it half of its share of the remaining blocks, since threads are
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

  /// The threads' part of a round, and the upload of their choices.
  void search_on_host(RoundSearch& current) {
    if (current.number > 0) {
      while (cudaEventQuery(copied_.get()) == cudaErrorNotReady) poll_device(current);
      copied_.synchronize();  // throws if the copy has failed
    }
    if (!placement_.all_fit) {
      while (cudaEventQuery(copied_choices_.get()) == cudaErrorNotReady) poll_device(current);
      copied_choices_.synchronize();
    }
    const TreeRange found =
        host_.search(current, staged_trees_.data(), current.device.trees.giant(),
                     staged_choices_.data(), [&] { return poll_device(current); });
    if (!found.empty()) upload_choices(current, found);
  }

  /// Uploads the choices of the threads, and resets them.
  void upload_choices(const RoundSearch& current, const TreeRange& found) const {
    choice_t* const from = staged_choices_.data() + found.first;
    cuda::copy(uploaded_choices_.data(), from, static_cast<std::size_t>(found.size()), *copies_);
    copied_.record((*copies_).get());
    copied_.synchronize();  // blocks only this thread: the device is searching
    current.device.trees.merge_choices(uploaded_choices_.data(), found.first, found.size());
    if (!placement_.all_fit) return;  // the next round's choices overwrite them
    parallel_for(
        found.size(), [&](std::int64_t i) { from[i] = no_choice; }, HybridHost::renumber_grain);
  }

  /// Goes through page-locked memory and copies from there with threads, since the destination is
  /// pageable.
  HostVector<rank_t> fetch_ranks(const DeviceBoruvkaTrees& trees) const {
    static_assert(sizeof(rank_t) == sizeof(vertex_t));
    const auto n = static_cast<std::size_t>(trees.n_chosen());
    const cuda::DeviceBuffer<rank_t> sorted = trees.sorted_ranks();
    auto* const staged = reinterpret_cast<rank_t*>(staged_trees_.data());
    cuda::copy(staged, static_cast<const rank_t*>(sorted.data()), n, stream());
    stream().synchronize();
    HostVector<rank_t> ranks(n);
    parallel_for(
        trees.n_chosen(), [&](std::int64_t i) { ranks[static_cast<std::size_t>(i)] = staged[i]; },
        HybridHost::renumber_grain);
    return ranks;
  }

  const std::shared_ptr<const PreparedRows> prepared_;
  const vertex_t n_vertices_;
  const Placement placement_;
  const cuda::BorrowedStream main_;
  const cuda::BorrowedStream copies_;
  const PartitionedRows rows_;
  const RowBlocks blocks_;  // of the rows shared by host and device
  cuda::DeviceBuffer<choice_t> uploaded_choices_;
  cuda::PinnedBuffer<vertex_t> staged_trees_;
  cuda::PinnedBuffer<choice_t> staged_choices_;  // no_choice between rounds if all rows fit
  HybridHost host_;
  const cuda::Event searched_;
  const cuda::Event copied_;
  const cuda::Event copied_choices_;
  mutable std::mutex mutex_;  // guards all members below, and all that a solve writes to
  HybridAutotuner autotuner_;
  std::vector<HybridRound> rounds_;
  vertex_t first_row_of_host_ = 0;  // first row that host threads have searched in this solve
  bool is_clean_ = false;
};

}  // namespace

std::unique_ptr<HybridForest> make_hybrid_forest(std::shared_ptr<const PreparedRows> rows,
                                                 Device device, std::size_t memory_limit) {
  return std::make_unique<HybridSession>(std::move(rows), device, memory_limit);
}

}  // namespace warpgraph::mst
