// The arrays of one worker of a distributed worklist on devices, their sizes, and their growth.
#pragma once

#include "core/cuda/copies/upload.hpp"
#include "core/cuda/memory/peer_buffer.hpp"
#include "core/memory/memory_budget.hpp"
#include "runtime/queue/device_queue.cuh"
#include "runtime/worklist/device_worker.cuh"

#include <algorithm>
#include <memory>
#include <vector>

namespace warpgraph::runtime {

/// Way of an item to its owner: directly, or round a ring of all workers.
enum class Route { direct, ring };

/// Options of a worklist. Sizes are numbers of items, rounded up to powers of two. Arrays of a
/// worker grow if necessary, except for mailboxes; larger ones at first save the time for that.
struct DeviceWorklistOptions {
  std::uint32_t capacity = 1 << 20;  // size of the queue
  std::uint32_t deferred = 1 << 18;  // size of the list of deferred items, if there may be any
  std::uint32_t outgoing = 1 << 16;  // size of the outgoing items to each peer
  std::uint32_t mailbox = 1 << 15;   // size of the mailbox from each peer
  std::uint32_t batch = 1 << 17;     // upper bound on the items of a round
  Route route = Route::direct;
  Priority first_threshold = lowest_priority;  // by default nothing is deferred
  Priority step = 0;                           // the least by which the threshold rises
  // Upper bound for a worker; 0: its share of the device.
  unsigned blocks = 0;
  // True if one kernel of a device does all rounds of all workers. Otherwise each round of each
  // worker is launched, split-receive and split-send on a stream of high priority
  // (separate_rounds.cuh); with blocks = 0, a launch has as many as the device runs at a time.
  bool fused = true;
  MemoryBudget budget = {};  // of each device

  static constexpr std::uint32_t max_mailbox = 1 << 24;  // a warp adds up 32 of them in an int
  static constexpr std::uint32_t max_batch = 1 << 24;

  /// Returns the options with sizes rounded up.
  [[nodiscard]] DeviceWorklistOptions checked() const {
    EXPECTS(mailbox >= 1 && mailbox <= max_mailbox, "mailbox must be in 1..", max_mailbox, ", got ",
            mailbox);
    EXPECTS(batch >= 1 && batch <= max_batch, "batch must be in 1..", max_batch, ", got ", batch);
    DeviceWorklistOptions rounded = *this;
    rounded.mailbox = std::bit_ceil(mailbox);
    rounded.batch = std::bit_ceil(batch);
    if (first_threshold == lowest_priority) rounded.deferred = 1;
    return rounded;
  }
};

/// Report on a worker's part of a run.
struct WorkerReport {
  std::int64_t rounds = 0;
  std::int64_t processed = 0;  // number of items
  std::int64_t children = 0;   // number of children that the worker tried to make
  std::int64_t sent = 0;       // number of items
  std::int64_t growths = 0;
  std::int64_t launches = 0;  // number of kernels for this worker, or for all workers of its device
};

template <class App>
class WorkerArrays {
 public:
  using Local = typename App::LocalWork;
  using Remote = typename App::RemoteWork;

  static constexpr const char* advice = "use more devices, or smaller sizes of the worklist";

  WorkerArrays(int rank, int n_workers, const DeviceWorklistOptions& options,
               const cuda::Stream& stream)
      : rank_(rank),
        n_workers_(n_workers),
        on_ring_(options.route == Route::ring),
        queue_(options.capacity, stream, false),
        deferred_(options.deferred, stream, false),
        counts_(2 * std::size_t{options.batch}, stream),
        chunks_(2 * n_chunks(options), stream),
        peers_(n_peers(), stream),
        peer_progress_(n_peers(), stream),
        progress_(1, stream),
        barrier_(1, stream),
        news_(static_cast<std::size_t>(n_workers), stream),
        slots_(n_peers() * options.mailbox, stream.device()),
        words_((2 * static_cast<std::size_t>(n_workers) + 1) * stride, stream.device()),
        mailbox_(options.mailbox) {
    for (std::size_t p = 0; p < n_peers(); ++p) {
      outgoing_.emplace_back(is_used(p) ? options.outgoing : 1, stream, false);
    }
  }

  /// Returns an upper bound on bytes() of a new worker.
  [[nodiscard]] static std::size_t bytes(int n_workers, const DeviceWorklistOptions& options) {
    const std::size_t n = n_peers(n_workers, options.route == Route::ring);
    return DeviceQueue<Local>::bytes(options.capacity, false) +
           DeviceQueue<Local>::bytes(options.deferred, false) +
           n * DeviceQueue<Remote>::bytes(options.outgoing, false) +
           n * options.mailbox * sizeof(Remote) + 2 * options.batch * sizeof(std::uint32_t) +
           2 * n_chunks(options) * sizeof(std::uint64_t);
  }

  /// Finds the mailboxes of the other workers.
  void connect(const std::vector<std::unique_ptr<WorkerArrays>>& all) {
    to_.assign(n_peers(), {});
    from_.assign(n_peers(), {});
    for (std::size_t p = 0; p < n_peers(); ++p) {
      if (!is_used(p)) continue;
      const int next = on_ring_ ? (rank_ + 1) % n_workers_ : static_cast<int>(p);
      const int previous = on_ring_ ? (rank_ + n_workers_ - 1) % n_workers_ : static_cast<int>(p);
      to_[p] = mailbox(*this, *all[static_cast<std::size_t>(next)]);
      from_[p] = mailbox(*all[static_cast<std::size_t>(previous)], *this);
    }
    everyones_news_.clear();
    for (const auto& other : all) everyones_news_.push_back(other->word(2 * n_workers_));
  }

  /// Empties all arrays. `worker` has the data that are not this worker's own. Asynchronous.
  void reset(const DeviceWorker<App>& worker, const std::vector<Local>& seeds,
             const DeviceWorklistOptions& options, const cuda::Stream& stream) {
    worker_ = worker;
    seeds_ = cuda::to_device(std::span<const Local>(seeds), stream);
    WorkerProgress progress;
    progress.threshold = options.first_threshold;
    progress.seeds_left = seeds.size();
    cuda::copy(progress_.data(), &progress, 1, stream);
    cuda::fill_bytes(peer_progress_.data(), 0, peer_progress_.size(), stream);
    cuda::fill_bytes(barrier_.data(), 0, 1, stream);
    cuda::fill_bytes(words_.data(), 0, words_.size(), stream);
    cuda::copy(news_.data(), everyones_news_.data(), news_.size(), stream);
    queue_.clear(stream);
    deferred_.clear(stream);
    for (DeviceQueue<Remote>& queue : outgoing_) queue.clear(stream);
    upload(stream);
  }

  /// Returns the view for the kernel, valid until arrays grow.
  [[nodiscard]] DeviceWorker<App> view() const {
    DeviceWorker<App> worker = worker_;
    worker.rank = rank_;
    worker.n_workers = n_workers_;
    worker.on_ring = on_ring_;
    worker.queue = queue_.view();
    worker.deferred = deferred_.view();
    worker.seeds = seeds_.data();
    worker.batch = static_cast<std::uint32_t>(counts_.size() / 2);
    worker.counts = counts_.data();
    worker.chunk_sums = chunks_.data();
    worker.chunk_begins = chunks_.data() + chunks_.size() / 2;
    worker.n_peers = static_cast<int>(n_peers());
    worker.peers = peers_.data();
    worker.peer_progress = peer_progress_.data();
    worker.progress = progress_.data();
    worker.barrier = barrier_.data();
    worker.news = news_.data();
    return worker;
  }

  /// Returns the progress. Waits for the stream.
  [[nodiscard]] WorkerProgress progress(const cuda::Stream& stream) const {
    return cuda::read_back(progress_.data(), stream);
  }

  /// Returns the bytes of the arrays whose sizes are options.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = DeviceQueue<Local>::bytes(queue_.capacity(), false) +
                      DeviceQueue<Local>::bytes(deferred_.capacity(), false) +
                      slots_.size() * sizeof(Remote) + counts_.bytes() + chunks_.bytes();
    for (const DeviceQueue<Remote>& queue : outgoing_) {
      sum += DeviceQueue<Remote>::bytes(queue.capacity(), false);
    }
    return sum;
  }

  /// Doubles the arrays that `progress` names, with their items. Throws OutOfMemory.
  void grow(const WorkerProgress& progress, MemoryBudget budget, const cuda::Stream& stream) {
    if (progress.grow_queue) grow(queue_, "queue", budget, stream);
    if (progress.grow_deferred) grow(deferred_, "list of deferred items", budget, stream);
    for (std::size_t p = 0; p < n_peers(); ++p) {
      if ((progress.grow_outgoing >> p & 1) != 0) {
        grow(outgoing_[p], "list of outgoing items", budget, stream);
      }
    }
    upload(stream);
  }

 private:
  static constexpr std::size_t stride = 16;  // words are 128 bytes apart: each has a cache line

  [[nodiscard]] static std::size_t n_chunks(const DeviceWorklistOptions& options) {
    return (options.batch + worker_threads - 1) / worker_threads;
  }
  [[nodiscard]] static std::size_t n_peers(int n_workers, bool on_ring) noexcept {
    if (n_workers == 1) return 0;
    return on_ring ? 1 : static_cast<std::size_t>(n_workers);
  }
  [[nodiscard]] std::size_t n_peers() const noexcept { return n_peers(n_workers_, on_ring_); }
  [[nodiscard]] bool is_used(std::size_t peer) const noexcept {
    return on_ring_ || peer != static_cast<std::size_t>(rank_);
  }
  [[nodiscard]] std::uint64_t* word(int i) const {
    return words_.data() + static_cast<std::size_t>(i) * stride;
  }
  static Mailbox<Remote> mailbox(const WorkerArrays& source, const WorkerArrays& destination) {
    const auto at = static_cast<std::size_t>(source.on_ring_ ? 0 : source.rank_);
    return {destination.slots_.data() + at * destination.mailbox_, destination.word(source.rank_),
            source.word(source.n_workers_ + destination.rank_), destination.mailbox_};
  }

  template <class T>
  void grow(DeviceQueue<T>& queue, const char* what, MemoryBudget budget,
            const cuda::Stream& stream) const {
    EXPECTS(queue.capacity() < DeviceQueue<T>::largest_capacity, "the ", what, " of worker ", rank_,
            " has more than 2^30 items");
    const std::uint32_t capacity = 2 * queue.capacity();
    budget.require(concat("the ", what, " of worker ", rank_),
                   DeviceQueue<T>::bytes(capacity, false), advice);
    queue.grow(capacity, stream);
  }

  void upload(const cuda::Stream& stream) {
    std::vector<Peer<Remote>> peers;
    for (std::size_t p = 0; p < n_peers(); ++p) {
      peers.push_back({outgoing_[p].view(), to_[p], from_[p]});
    }
    cuda::copy(peers_.data(), peers.data(), peers.size(), stream);
    stream.synchronize();
  }

  const int rank_;
  const int n_workers_;
  const bool on_ring_;
  DeviceQueue<Local> queue_;
  DeviceQueue<Local> deferred_;
  std::vector<DeviceQueue<Remote>> outgoing_;  // one for each peer
  cuda::DeviceBuffer<Local> seeds_;
  cuda::DeviceBuffer<std::uint32_t> counts_;
  cuda::DeviceBuffer<std::uint64_t> chunks_;
  cuda::DeviceBuffer<Peer<Remote>> peers_;
  cuda::DeviceBuffer<PeerProgress> peer_progress_;
  cuda::DeviceBuffer<WorkerProgress> progress_;
  cuda::DeviceBuffer<WorkerBarrier> barrier_;
  cuda::DeviceBuffer<std::uint64_t*> news_;
  // Memory that other devices access: slots of mailboxes from all workers; words `sent` of these
  // mailboxes, words `taken` of the mailboxes to all workers, and the news.
  cuda::PeerBuffer<Remote> slots_;
  cuda::PeerBuffer<std::uint64_t> words_;
  const std::uint32_t mailbox_;
  std::vector<Mailbox<Remote>> to_;
  std::vector<Mailbox<Remote>> from_;
  std::vector<std::uint64_t*> everyones_news_;
  DeviceWorker<App> worker_{};
};

}  // namespace warpgraph::runtime
