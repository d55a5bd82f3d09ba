#include "algorithms/mst/hybrid/divided_rows.hpp"
#include "algorithms/mst/hybrid/experience.hpp"
#include "algorithms/mst/hybrid/hybrid.hpp"
#include "algorithms/mst/hybrid/hybrid_host.hpp"
#include "algorithms/mst/sorted_rows/boruvka_device.hpp"
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

/// Bytes on the device but for arcs: trees, where rows begin and where their scans stand, and
/// choices on their way up. Rows that are cut begin and stand in two places.
std::size_t bytes_of_vertices(vertex_t n, bool cut) {
  const std::size_t of_rows = DeviceRowSearch::bytes(n) + (std::size_t{1} + n) * sizeof(edge_t);
  return DeviceTrees::bytes(n) + static_cast<std::size_t>(n) * sizeof(choice_t) + of_rows +
         (cut ? of_rows + static_cast<std::size_t>(n) * sizeof(rank_t) : 0);
}

Places choose_places(const RowsView& rows, Device device, const HybridOptions& options) {
  constexpr const char* way_out =
      "raise memory_limit, clear() graphs that are no longer needed, or use device=\"cpu\"";
  const vertex_t n = rows.n_vertices;
  const MemoryBudget budget(device, options.memory_limit);
  const std::size_t whole =
      bytes_of_vertices(n, false) + static_cast<std::size_t>(rows.n_arcs) * bytes_an_arc;
  const std::size_t least = bytes_of_vertices(n, !options.device_alone);
  budget.require("a minimum spanning forest with its edges in host memory", std::min(whole, least),
                 way_out);
  MemoryBudget(Device{}).require(
      "searching for a forest's edges on CPU threads",
      static_cast<std::size_t>(n) * (sizeof(vertex_t) + sizeof(choice_t) + sizeof(rank_t)) +
          HybridHost::bytes(n),
      way_out);
  const std::size_t have = budget.available();
  if (whole <= have) return {rows.n_arcs, true};
  return {static_cast<edge_t>((have - least) / bytes_an_arc), false};
}

class Session final : public HybridForest {
 public:
  Session(std::shared_ptr<const PreparedRows> rows, Device device, const HybridOptions& options)
      : prepared_(std::move(rows)),
        n_vertices_(prepared_->view().n_vertices),
        places_(choose_places(prepared_->view(), device, options)),
        device_is_alone_(options.device_alone),
        main_(device),
        copies_(device),
        rows_(*prepared_, places_, device_is_alone_, stream()),
        blocks_(rows_.contested()),
        offered_(vertices(), stream()),
        staged_trees_(vertices()),
        staged_choices_(vertices()),
        host_(rows_.contested_view(), blocks_, rows_.least_on_host()),
        searched_(device, cudaEventDisableTiming),
        copied_(device, cudaEventDisableTiming),
        copied_choices_(device, cudaEventDisableTiming),
        experience_(places_.all_fit ? ShareController::initial : first_share_of_rest) {
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
    DeviceTrees trees(n_vertices_, stream());
    DeviceSide device{trees, search_of(rows_.resident()), {}};
    if (!places_.all_fit) device.rest.emplace(search_of(rows_.rest()));
    if (rows_.least_on_host() != nullptr) device.rest->set_least_ranks(rows_.least_on_device());
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
    return rows_.device_bytes() + offered_.bytes();
  }
  [[nodiscard]] edge_t n_resident_arcs() const override { return rows_.n_resident_arcs(); }
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
  [[nodiscard]] std::size_t vertices() const { return static_cast<std::size_t>(n_vertices_); }
  [[nodiscard]] bool rows_are_cut() const { return rows_.least_on_host() != nullptr; }
  [[nodiscard]] DeviceRowSearch search_of(const DeviceReadable& rows) const {
    return DeviceRowSearch(rows.view, rows.first, rows.last, stream());
  }

  /// Forgets the last solve; all of what is kept between solves if that one did not end well.
  void restart() {
    rounds_.clear();
    if (!is_clean_) {
      parallel_for(n_vertices_, [&](std::int64_t v) {
        staged_choices_[static_cast<std::size_t>(v)] = no_choice;
      });
    }
    is_clean_ = false;
    host_.restart();
    first_row_of_host_ = n_vertices_;
  }

  /// Procedure one. Whether the threads know all trees, and so may go on helping.
  bool search(DeviceSide& device, std::size_t round, bool host_helps) {
    Search now(round, blocks_.size(), device, host_helps ? experience_.share(round).share() : 0);
    if (!places_.all_fit) {
      device.resident.search(device.trees, rows_.resident().first, rows_.resident().last);
      if (device_is_alone_) {
        device.rest->search(device.trees, rows_.rest().first, rows_.rest().last);
        return false;
      }
      // While every vertex is a tree, the first arc of its row is all that counts.
      if (round == 0 && rows_.begins_on_device()) return host_helps;
      if (host_helps) send_choices(device.trees);
    }
    give_device(now, device_part(now, blocks_.size()));
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
    const double host_work = static_cast<double>(n) / static_cast<double>(blocks_.size());
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

  /// What the device has found in its own memory goes down first: rows on the host that cannot do
  /// better need not be looked at.
  void send_choices(const DeviceTrees& trees) const {
    const cuda::Stream& on = stream();
    cuda::copy(staged_choices_.data(), static_cast<const choice_t*>(trees.choices()),
               static_cast<std::size_t>(trees.n_trees()), on);
    copied_choices_.record(on.get());
  }

  /// Lets the device search up to so many more blocks.
  void give_device(Search& now, std::int64_t n_blocks) const {
    const BlockRange mine = now.claims.from_front(n_blocks);
    if (mine.size() == 0) return;
    const vertex_t first = blocks_.first_row(mine.first);
    const vertex_t last = blocks_.first_row(mine.last);
    DeviceSide& device = now.device;
    (device.rest ? *device.rest : device.resident).search(device.trees, first, last);
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
    if (rows_are_cut()) {
      while (cudaEventQuery(copied_choices_.get()) == cudaErrorNotReady) attend(now);
      copied_choices_.synchronize();
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
    if (rows_are_cut()) return;  // the next round's choices overwrite them
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
  const vertex_t n_vertices_;
  const Places places_;
  const bool device_is_alone_;
  const cuda::BorrowedStream main_;
  const cuda::BorrowedStream copies_;
  const DividedRows rows_;
  const RowBlocks blocks_;  // of the rows that both sides search
  cuda::DeviceBuffer<choice_t> offered_;
  cuda::PinnedBuffer<vertex_t> staged_trees_;
  cuda::PinnedBuffer<choice_t> staged_choices_;  // no_choice between rounds if all rows fit
  HybridHost host_;
  const cuda::Event searched_;
  const cuda::Event copied_;
  const cuda::Event copied_choices_;
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
