#include "algorithms/mst/boruvka_device.hpp"
#include "algorithms/mst/experience.hpp"
#include "algorithms/mst/hybrid.hpp"
#include "algorithms/mst/hybrid_host.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/memory_budget.hpp"

#include <chrono>
#include <mutex>
#include <optional>

namespace warpgraph::mst {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Bytes on the device but for arcs: trees, where rows begin and where their scans stand, and
/// choices on their way up.
std::size_t bytes_of_vertices(vertex_t n) {
  return DeviceTrees::bytes(n) + DeviceRowSearch::bytes(n) +
         (static_cast<std::size_t>(n) + 1) * sizeof(edge_t) +
         static_cast<std::size_t>(n) * sizeof(choice_t);
}

/// How many of the blocks of rows have their arcs in so many bytes, from the first on.
std::int64_t blocks_that_fit(const Offsets& offsets, const RowBlocks& blocks, std::size_t bytes) {
  std::int64_t low = 0;
  std::int64_t high = blocks.size();
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    const auto n_arcs = static_cast<std::size_t>(offsets[blocks.first_row(middle)]);
    if (n_arcs * (sizeof(vertex_t) + sizeof(rank_t)) <= bytes) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

class Session final : public HybridForest {
 public:
  Session(std::shared_ptr<const PreparedRows> rows, Device device, const HybridOptions& options)
      : prepared_(std::move(rows)),
        rows_(prepared_->view()),
        blocks_(prepared_->pattern()),
        device_is_alone_(options.device_alone),
        n_resident_(choose_resident(device, options)),
        main_(device),
        copies_(device),
        offsets_(cuda::to_device(std::span<const edge_t>(prepared_->offsets), stream())),
        heads_(cuda::to_device(std::span(rows_.heads, n_resident_arcs()), stream())),
        ranks_(cuda::to_device(std::span(rows_.ranks, n_resident_arcs()), stream())),
        offered_(vertices(), stream()),
        staged_trees_(vertices()),
        staged_choices_(vertices()),
        host_(rows_, blocks_),
        searched_(device, cudaEventDisableTiming),
        copied_(device, cudaEventDisableTiming),
        experience_(all_fit() ? ShareController::initial : first_share_of_rest) {
    if (!all_fit()) pin_rest();
    stream().synchronize();  // what was allocated there is used on the other stream
  }
  /// Copies to what is given back must have ended.
  ~Session() override {
    cudaStreamSynchronize((*copies_).get());
    cudaStreamSynchronize(stream().get());
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  HostVector<rank_t> solve() override {
    const std::lock_guard lock(mutex_);
    restart();
    DeviceTrees trees(rows_.n_vertices, stream());
    DeviceSide device{trees, {resident_rows(), 0, n_resident_rows(), stream()}, {}};
    if (!all_fit()) {
      device.rest.emplace(mapped_rows(), n_resident_rows(), rows_.n_vertices, stream());
    }
    const Drain drain{*copies_};
    const std::size_t with_host = device_is_alone_ ? 0 : experience_.rounds_with_host();
    bool host_knows = true;  // the trees as they are now
    for (std::size_t round = 0;; ++round) {
      report_progress(std::min<std::int64_t>(static_cast<std::int64_t>(round), rounds_expected - 1),
                      rounds_expected);
      const auto start = Clock::now();
      const auto n_before = static_cast<std::size_t>(trees.n_trees());
      const bool helps = host_knows && round < with_host;
      host_knows = search(device, round, helps);
      const bool joined = trees.join();
      experience_.record(round, helps, seconds_since(start));
      if (!joined) break;
      host_knows = host_knows && round + 1 < with_host;
      if (!host_knows) continue;
      cuda::copy(staged_trees_.data(), trees.renumbering(), n_before, *copies_);
      copied_.record((*copies_).get());
    }
    experience_.end_solve();
    HostVector<rank_t> ranks = fetch_ranks(trees);
    is_clean_ = true;
    report_progress(rounds_expected, rounds_expected);
    return ranks;
  }

  [[nodiscard]] std::size_t device_bytes() const override {
    return offsets_.bytes() + heads_.bytes() + ranks_.bytes() + offered_.bytes();
  }
  [[nodiscard]] vertex_t n_resident_rows() const override { return blocks_.first_row(n_resident_); }
  [[nodiscard]] std::vector<HybridRound> rounds() const override {
    const std::lock_guard lock(mutex_);
    return rounds_;
  }

 private:
  /// For progress: as many as the article's graphs take.
  static constexpr std::int64_t rounds_expected = 8;

  /// Copies from trees must have ended before those are gone, whatever ends a solve.
  struct Drain {
    const cuda::Stream& copies;
    ~Drain() { cudaStreamSynchronize(copies.get()); }
  };
  /// Rows that do not fit are as far from the device as from the threads.
  static constexpr double first_share_of_rest = 0.5;

  struct DeviceSide {
    DeviceTrees& trees;
    DeviceRowSearch resident;
    std::optional<DeviceRowSearch> rest;
  };
  /// A round under way.
  struct Search : SharedRound {
    DeviceSide& device;
    double share;  // of the threads
    Clock::time_point start = Clock::now();
    bool device_is_busy = false;
    double device_seconds = 0;

    Search(std::size_t round, std::int64_t n_blocks, DeviceSide& of_device, double of_threads)
        : SharedRound{round, BlockClaims(n_blocks)}, device(of_device), share(of_threads) {}
  };

  [[nodiscard]] const cuda::Stream& stream() const { return *main_; }
  [[nodiscard]] std::size_t vertices() const { return static_cast<std::size_t>(rows_.n_vertices); }
  [[nodiscard]] std::size_t n_resident_arcs() const {
    return static_cast<std::size_t>(rows_.offsets[n_resident_rows()]);
  }
  [[nodiscard]] bool all_fit() const { return n_resident_ == blocks_.size(); }

  [[nodiscard]] std::int64_t choose_resident(Device device, const HybridOptions& options) const {
    constexpr const char* way_out =
        "raise memory_limit, clear() graphs that are no longer needed, or use device=\"cpu\"";
    const MemoryBudget budget(device, options.memory_limit);
    const std::size_t bytes = bytes_of_vertices(rows_.n_vertices);
    budget.require("a minimum spanning forest with its edges in host memory", bytes, way_out);
    MemoryBudget(Device{}).require(
        "searching for a forest's edges on CPU threads",
        vertices() * (sizeof(vertex_t) + sizeof(choice_t)) + HybridHost::bytes(rows_.n_vertices),
        way_out);
    return blocks_that_fit(rows_.offsets, blocks_, budget.available() - bytes);
  }

  void pin_rest() {
    const std::size_t first = n_resident_arcs();
    const auto n = static_cast<std::size_t>(rows_.n_arcs) - first;
    MemoryBudget(Device{}).require("a page-locked copy of the edges that do not fit",
                                   n * (sizeof(vertex_t) + sizeof(rank_t)), "raise memory_limit");
    pinned_heads_ = cuda::PinnedBuffer<vertex_t>(n);
    pinned_ranks_ = cuda::PinnedBuffer<rank_t>(n);
    parallel_for(static_cast<std::int64_t>(n), [&](std::int64_t i) {
      const auto place = static_cast<std::size_t>(i);
      pinned_heads_[place] = rows_.heads[first + place];
      pinned_ranks_[place] = rows_.ranks[first + place];
    });
  }

  /// The rows on the device; arcs have the positions that they have on the host.
  [[nodiscard]] RowsView resident_rows() const { return rows_at(heads_.data(), ranks_.data()); }
  /// The others, for the device to read: page-locked memory has one address for all.
  [[nodiscard]] RowsView mapped_rows() const {
    const std::size_t before = n_resident_arcs();
    return rows_at(pinned_heads_.data() - before, pinned_ranks_.data() - before);
  }
  [[nodiscard]] RowsView rows_at(const vertex_t* heads, const rank_t* ranks) const {
    RowsView view = rows_;
    view.offsets = Offsets(offsets_.data());
    view.heads = heads;
    view.ranks = ranks;
    return view;
  }

  /// Forgets the last solve; all of what is kept between solves if that one did not end well.
  void restart() {
    rounds_.clear();
    if (!is_clean_) {
      parallel_for(rows_.n_vertices, [&](std::int64_t v) {
        staged_choices_[static_cast<std::size_t>(v)] = no_choice;
      });
    }
    is_clean_ = false;
    host_.restart();
    first_row_of_host_ = rows_.n_vertices;
  }

  /// Blocks that both may search; the others are the device's, which has them in its memory.
  [[nodiscard]] std::int64_t n_contested() const {
    return all_fit() ? blocks_.size() : blocks_.size() - n_resident_;
  }

  /// Procedure one. Whether the threads know all trees, and so may go on helping.
  bool search(DeviceSide& device, std::size_t round, bool host_helps) {
    Search now(round, blocks_.size(), device, host_helps ? experience_.share(round).share() : 0);
    give_device(now, blocks_.size() - n_contested() + device_part(now, n_contested()));
    double host_seconds = 0;
    if (host_helps) {
      help(now);
      host_seconds = seconds_since(now.start);
    }
    if (now.device_is_busy) {
      searched_.synchronize();
      now.device_seconds = seconds_since(now.start);
    }
    if (host_helps) learn(now, host_seconds);
    return host_helps && !now.is_hopeless;
  }

  void learn(const Search& now, double host_seconds) {
    const std::int64_t n = now.n_host_blocks.load();
    const double host_work = static_cast<double>(n) / static_cast<double>(n_contested());
    rounds_.push_back({host_work, host_seconds, now.device_seconds});
    experience_.share(now.number).learn(host_work, host_seconds, now.device_seconds);
    first_row_of_host_ = std::min(first_row_of_host_, blocks_.first_row(blocks_.size() - n));
    host_.set_first_touched(first_row_of_host_);
  }

  /// The device's part of so many blocks; at least one.
  static std::int64_t device_part(const Search& now, std::int64_t n_blocks) {
    const double part = static_cast<double>(n_blocks) * (1 - now.share);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(part + 0.5));
  }

  /// Lets the device search up to so many more blocks, in its own memory and beyond.
  void give_device(Search& now, std::int64_t n_blocks) const {
    const BlockRange mine = now.claims.from_front(n_blocks);
    if (mine.size() == 0) return;
    const vertex_t first = blocks_.first_row(mine.first);
    const vertex_t last = blocks_.first_row(mine.last);
    const vertex_t split = n_resident_rows();
    DeviceSide& device = now.device;
    if (first < split) device.resident.search(device.trees, first, std::min(last, split));
    if (last > split) device.rest->search(device.trees, std::max(first, split), last);
    searched_.record(stream().get());
    now.device_is_busy = true;
  }

  /// Looks whether the device waits for work; if so it gets half of its part of what is left, since
  /// threads are searching there. False when nothing is left and it is done.
  bool attend(Search& now) const {
    poll();
    if (!now.device_is_busy) return false;
    const cudaError_t status = cudaEventQuery(searched_.get());
    if (status == cudaErrorNotReady) return true;
    CUDA_TRY(status);
    now.device_is_busy = false;
    now.device_seconds = seconds_since(now.start);
    give_device(now, device_part(now, now.claims.left().size()) / 2 + 1);
    return now.device_is_busy;
  }

  /// The threads' part of a round, and what they have found on its way to the trees.
  void help(Search& now) {
    if (now.number > 0) {
      while (cudaEventQuery(copied_.get()) == cudaErrorNotReady) attend(now);
      copied_.synchronize();  // throws if the copy has failed
    }
    const TreeRange found = host_.search(now, staged_trees_.data(), now.device.trees.passive(),
                                         staged_choices_.data(), [&] { return attend(now); });
    if (!found.empty()) offer(now, found);
  }

  /// Copies up what the threads have found, and forgets it.
  void offer(const Search& now, const TreeRange& found) const {
    choice_t* const from = staged_choices_.data() + found.first;
    cuda::copy(offered_.data(), from, static_cast<std::size_t>(found.size()), *copies_);
    copied_.record((*copies_).get());
    copied_.synchronize();  // the device is searching, and has nobody to wait for
    now.device.trees.offer(offered_.data(), found.first, found.size());
    parallel_for(
        found.size(), [&](std::int64_t i) { from[i] = no_choice; }, HybridHost::renumber_grain);
  }

  /// By way of page-locked memory, since the copy into the caller's takes threads.
  HostVector<rank_t> fetch_ranks(const DeviceTrees& trees) const {
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
  const RowsView rows_;
  const RowBlocks blocks_;
  const bool device_is_alone_;
  const std::int64_t n_resident_;  // blocks on the device
  const cuda::BorrowedStream main_;
  const cuda::BorrowedStream copies_;
  cuda::DeviceBuffer<edge_t> offsets_;
  cuda::DeviceBuffer<vertex_t> heads_;
  cuda::DeviceBuffer<rank_t> ranks_;
  cuda::DeviceBuffer<choice_t> offered_;
  cuda::PinnedBuffer<vertex_t> staged_trees_;
  cuda::PinnedBuffer<choice_t> staged_choices_;  // no_choice between rounds
  cuda::PinnedBuffer<vertex_t> pinned_heads_;    // for a device that is alone
  cuda::PinnedBuffer<rank_t> pinned_ranks_;
  HybridHost host_;
  const cuda::Event searched_;
  const cuda::Event copied_;
  mutable std::mutex mutex_;  // guards what follows, and all that a solve writes to
  Experience experience_;
  std::vector<HybridRound> rounds_;
  vertex_t first_row_of_host_ = 0;  // that its threads have searched in this solve
  bool is_clean_ = false;
};

}  // namespace

std::unique_ptr<HybridForest> make_hybrid_forest(std::shared_ptr<const PreparedRows> rows,
                                                 Device device, const HybridOptions& options) {
  return std::make_unique<Session>(std::move(rows), device, options);
}

}  // namespace warpgraph::mst
