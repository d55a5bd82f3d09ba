// The round plans of a worker (see worker_rounds.cuh), as far as one warp makes them: settlement,
// mailboxes, how much is moved, and when an array has to grow. Plans of calls are csrc/plan.
#pragma once

#include "core/cuda/warp.cuh"
#include "runtime/worklist/device_worker.cuh"

namespace warpgraph::runtime {

/// Planner of rounds. All functions are for one full warp. Except during publish_moves(), no other
/// thread uses the worker's queues meanwhile: they are called at a barrier of it, or no other
/// kernel of it runs.
template <class App>
class WorkerPlan {
 public:
  using Remote = typename App::RemoteWork;
  using Word = std::uint32_t;

  explicit __device__ WorkerPlan(const DeviceWorker<App>& worker)
      : self_(worker), progress_(*worker.progress) {}

  // State that the first warp sees when it plans. Lane p knows about peer p; all else is the same
  // in all lanes.
  struct View {
    Word arrived = 0;  // number of items in the mailbox from the peer
    Word credit = 0;   // number of free slots of the mailbox to it
    Word waiting = 0;  // number of outgoing items
    Word out_room = 0;
    bool inbox_is_full = false;
    bool out_is_full = false;
    Word local_room = 0;  // free places in the queue, and in the list of deferred items
    Word room = 0;        // free places in these, and for outgoing items to any peer
    std::int64_t active = 0;
  };

  /// Plans moves in a kernel of all rounds; waits until there is something to do.
  __device__ void plan_moves() {
    WorkerProgress now = progress_;
    __syncwarp();
    finish_batch(now);
    while (!is_planned(now)) __nanosleep(idle_ns);
    store(now);
    const bool needs_host = now.state == WorkerState::grows || now.state == WorkerState::failed;
    if (cuda::lane() == 0 && needs_host) relaxed_store(self_.control->pause, 1u);
  }

  /// Plans moves in a kernel of its own, after the plan of the batch. It waits for a short time.
  __device__ void plan_moves_beside_batch() {
    WorkerProgress now = progress_;
    __syncwarp();
    for (unsigned polls = 1; !is_planned(now); ++polls) {
      if (polls == max_polls) {
        now.state = WorkerState::idle;
        break;
      }
      __nanosleep(idle_ns);
    }
    store(now);
    if (cuda::lane() == 0) release_store(*self_.state_for_host, now.state);
  }

  /// Publishes moves, after the threads have made them: peers see the items that were sent, and get
  /// credit for those that were taken.
  __device__ void publish_moves() {
    if (const Peer<Remote>* const peer = peer_of_lane()) {
      PeerProgress& progress = self_.peer_progress[cuda::lane()];
      if (progress.send > 0) {
        progress.sent += progress.send;
        peer->to.publish(progress.sent);
      }
      if (progress.receive > 0) {
        progress.taken += progress.receive;
        peer->from.give_credit(progress.taken);
      }
    }
  }

  /// Frees the room of items that were moved.
  __device__ void finish_moves() {
    if (const Peer<Remote>* const peer = peer_of_lane()) {
      const Word sent = self_.peer_progress[cuda::lane()].send;
      if (sent > 0) peer->outgoing.consume_alone(sent);
    }
    if (cuda::lane() == 0) self_.deferred.consume_alone(progress_.sweep);
    __syncwarp();
  }

  /// Finishes the phases that were launched after the last plan. Moves are only done if the worker
  /// was running; batches are always expanded.
  __device__ void finish_phases() {
    WorkerProgress now = progress_;
    __syncwarp();
    if (now.state == WorkerState::running) finish_moves();
    finish_batch(now);
    if (cuda::lane() == 0) progress_ = now;
    __syncwarp();
  }

  /// Returns the state, without the room for the batch that is under way.
  __device__ View look(const WorkerProgress& now) const {
    const auto reserved = static_cast<Word>(now.batch.children);
    View view;
    Word out_room = ~Word{0};
    if (const Peer<Remote>* const peer = peer_of_lane()) {
      const PeerProgress& progress = self_.peer_progress[cuda::lane()];
      view.arrived = peer->from.arrived(progress.taken);
      view.credit = peer->to.room(progress.sent);
      view.waiting = size_of(peer->outgoing);
      view.inbox_is_full = view.arrived == peer->from.capacity;
      out_room = peer->outgoing.capacity - view.waiting;
      view.out_is_full = out_room == 0;
    }
    view.local_room = self_.queue.capacity - size_of(self_.queue);
    if (now.threshold != lowest_priority) {
      view.local_room = min(view.local_room, self_.deferred.capacity - size_of(self_.deferred));
    }
    view.room = min(view.local_room, cuda::warp_min(out_room)) - reserved;
    view.local_room -= reserved;
    const bool has_token = now.seeds_left > 0 || now.sweep_left > 0;
    view.active = std::int64_t{size_of(self_.queue)} + (has_token ? 1 : 0) +
                  cuda::warp_sum(std::int64_t{view.waiting});
    return view;
  }

 private:
  __device__ void finish_batch(WorkerProgress& now) const {
    if (cuda::lane() == 0) self_.queue.consume_alone(now.batch.complete);
    __syncwarp();
    now.processed += now.batch.complete;
    now.children_made += static_cast<std::int64_t>(now.batch.children);
    now.batch = {};
    now.offset = 0;
  }

  /// Plans moves. Returns false if there is nothing to do, and waiting is not in vain.
  __device__ bool is_planned(WorkerProgress& now) const {
    const std::uint64_t news = read_news();
    now.state = state_of(now, news);
    if (now.state != WorkerState::running) return true;
    if (news != now.round) begin_round(now);
    const View view = look(now);
    return divide_room(now, view) || wants_to_grow(now, view);
  }

  __device__ void store(WorkerProgress& now) const {
    if (now.state == WorkerState::running) {
      ++now.rounds;
    } else {
      now.candidates = 0;  // no thread will count them; `counted` and `skip` remain true
    }
    if (cuda::lane() == 0) progress_ = now;
  }

  /// Returns the agreement's round as this worker was told; begin_round() acquires what belongs to
  /// it.
  __device__ std::uint64_t read_news() const {
    std::uint64_t news = 0;
    if (cuda::lane() == 0) news = relaxed_load(*self_.news[self_.rank]);
    return __shfl_sync(cuda::all_lanes, news, 0);
  }

  __device__ WorkerState state_of(const WorkerProgress& now, std::uint64_t news) const {
    if (now.failed) return WorkerState::failed;
    if (news == Agreement::ended) return WorkerState::ended;
    unsigned signals = 0;
    if (cuda::lane() == 0) {
      signals = relaxed_load(self_.control->stop) | relaxed_load(self_.control->pause) << 1;
    }
    signals = __shfl_sync(cuda::all_lanes, signals, 0);
    if ((signals & 1) != 0) return WorkerState::stopped;
    return signals != 0 ? WorkerState::paused : WorkerState::running;
  }

  /// Gets the token of a new round, after the threshold has risen. Items of the new round may have
  /// arrived before the news, and were then compared with the old threshold: they are deferred
  /// items that are looked through now.
  __device__ void begin_round(WorkerProgress& now) const {
    Priority threshold = 0;
    std::uint64_t round = 0;
    if (cuda::lane() == 0) {
      round = acquire_load(*self_.news[self_.rank]);
      threshold = self_.agreement->threshold();
    }
    now.round = __shfl_sync(cuda::all_lanes, round, 0);
    now.threshold = __shfl_sync(cuda::all_lanes, threshold, 0);
    now.held += 1;
    now.sweep_left = size_of(self_.deferred);
    now.most_urgent = lowest_priority;
  }

  /// Decides how many items are moved and which are looked at. Returns false if there is nothing to
  /// do.
  __device__ bool divide_room(WorkerProgress& now, const View& view) const {
    const Word send = min(view.waiting, view.credit);
    const std::int64_t n_sent = cuda::warp_sum(std::int64_t{send});
    if ((n_sent > 0 && now.held <= n_sent) || (view.active == 0 && now.held != 0)) {
      settle(now, view.active);
    }
    now.candidates = min(size_of(self_.queue) - now.offset, self_.batch);
    // Half of the room is for the children of the batch: else what arrives could fill the queue.
    const Word local_room = now.candidates > 0 ? view.local_room / 2 : view.local_room;
    const Word room = now.candidates > 0 ? view.room / 2 : view.room;
    // Each mailbox gets at most the room that the mailboxes of lower lanes have left.
    const Word most = min(view.arrived, room);
    const auto before = static_cast<Word>(cuda::warp_exclusive_sum(static_cast<int>(most)));
    const Word receive = before < room ? min(most, room - before) : 0;
    const auto n_received = static_cast<Word>(cuda::warp_sum(static_cast<int>(receive)));
    now.held += std::int64_t{n_received} - n_sent;
    now.sent += n_sent;
    now.sweep = min(now.sweep_left, local_room - n_received);
    now.sweep_left -= now.sweep;
    const Word left = min(room, local_room - now.sweep) - n_received;
    now.seeds = static_cast<Word>(min(now.seeds_left, std::uint64_t{left}));
    now.seeds_left -= now.seeds;
    if (peer_of_lane() != nullptr) {
      self_.peer_progress[cuda::lane()].send = send;
      self_.peer_progress[cuda::lane()].receive = receive;
    }
    const bool moves = n_sent > 0 || n_received > 0 || now.sweep > 0 || now.seeds > 0;
    if (moves || view.room > 0) now.blocked = false;
    const bool expands = now.batch.complete > 0 || now.batch.children > 0;
    return moves || expands || (now.candidates > 0 && !now.blocked);
  }

  /// Returns whether a worker that has nothing to do may wait for ever: then `now` says what has to
  /// grow.
  ///
  /// (1) Neither queue nor deferred items have room, and something needs it: only this worker could
  /// make room, but cannot. (2) Outgoing items have no room and no credit, and a mailbox is full:
  /// its source may be waiting for this worker. Proof that no worker waits in vain otherwise: if a
  /// worker with an active item waits, then (1) does not hold, so it has outgoing items without
  /// credit, so their destination has a full mailbox. That worker either receives some, or has no
  /// room for them, which is (1) or (2). (A worker with room for one item and a batch does not
  /// wait: it makes a child. Nor does one whose batch is under way.)
  __device__ bool wants_to_grow(WorkerProgress& now, const View& view) const {
    const bool has_arrived = __any_sync(cuda::all_lanes, view.arrived > 0);
    const bool needs_room =
        has_arrived || now.candidates > 0 || now.seeds_left > 0 || now.sweep_left > 0;
    const bool is_waited_for = __any_sync(cuda::all_lanes, view.inbox_is_full);
    const unsigned full = __ballot_sync(cuda::all_lanes, view.out_is_full);
    now.grow_queue = needs_room && size_of(self_.queue) == self_.queue.capacity;
    now.grow_deferred = needs_room && now.threshold != lowest_priority &&
                        size_of(self_.deferred) == self_.deferred.capacity;
    now.grow_outgoing = is_waited_for ? full : 0;
    if (!now.grow_queue && !now.grow_deferred && now.grow_outgoing == 0) return false;
    now.state = WorkerState::grows;
    return true;
  }

  /// Makes `held` equal to the number of active items and tokens. The worker that brings the
  /// counter to 0 is the leader: it decides for all workers, and tells them.
  __device__ void settle(WorkerProgress& now, std::int64_t active) const {
    std::uint64_t news = 0;
    if (cuda::lane() == 0) {
      self_.deferred_items[self_.rank] = {size_of(self_.deferred), now.most_urgent};
      if (self_.agreement->settle(active - now.held)) {
        self_.agreement->decide(self_.deferred_items);
        self_.agreement->publish();
        news = self_.agreement->round();
      }
    }
    now.held = active;
    news = __shfl_sync(cuda::all_lanes, news, 0);
    __syncwarp();  // orders lane 0's decision before the other lanes' news of it
    if (news != 0 && cuda::lane() < self_.n_workers) release_store(*self_.news[cuda::lane()], news);
    __syncwarp();
  }

  /// Returns the peer of this lane, or nullptr.
  __device__ const Peer<Remote>* peer_of_lane() const {
    if (cuda::lane() >= self_.n_peers) return nullptr;
    const Peer<Remote>* const peer = self_.peers + cuda::lane();
    return peer->to.capacity == 0 ? nullptr : peer;
  }
  template <class T>
  __device__ static Word size_of(const CircularQueueView<T>& queue) {
    return queue.size_of(relaxed_load(*queue.bounds));
  }

  /// Pause between polls: an item takes about a microsecond from one device to another.
  static constexpr unsigned idle_ns = 200;
  /// Number of polls of a kernel that makes one plan: together they take about as long as its
  /// launch.
  static constexpr unsigned max_polls = 8;

  const DeviceWorker<App>& self_;
  WorkerProgress& progress_;
};

}  // namespace warpgraph::runtime
