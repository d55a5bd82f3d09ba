// The kernels of a distributed worklist: the rounds that a worker repeats until the list ends.
// Either all of its blocks do so in one kernel, or each phase is a kernel (separate_rounds.cuh).
//
// A round has two phases. In one kernel, a block makes a round plan (here also "plan") before each
// of them, at a barrier:
//
//   plan_moves   settles with the agreement, polls the mailboxes, decides how much to move
//   move         split-receive; split-send: outgoing items to the mailboxes of their destinations;
//                seeds; deferred items after the threshold has risen; begin() of the next items
//   plan_batch   publishes the numbers of items sent and taken; chooses children that have room
//   expand       makes these children; on_send decides whether they stay or are passed on
//
// In kernels of their own, a plan publishes nothing and comes before both phases, which run at the
// same time: it chooses children of items that the last move has counted, and leaves room for what
// is moved meanwhile. The last block of a move publishes the numbers sent and taken.
//
// No plan moves or makes more than there is room for, so a phase never waits and loses nothing;
// what has no room stays where it is. A worker that can do nothing polls its mailboxes in
// plan_moves: one warp, while all others wait at the barrier. If waiting could be in vain, it ends
// the kernel, so that the host enlarges an array (wants_to_grow says when).
//
// A batch is divided by children, not by items: each block makes an equal share of them, and finds
// the items by binary search in prefix sums ("load balancing" by scan, as in merge path), so items
// of very few and of very many children are no problem. An item may be divided between rounds.
//
// Settlement is lazy: `held` (see WorkerProgress) is this worker's part of the agreement's counter.
// It must be positive as long as the worker has an active item or a token, and it must cover what
// is sent before others can see that. So a worker that neither sends nor runs out of work changes
// the counter, which is far away, in no round. agreement.hpp proves that this is enough.
//
// After Ben-Nun, Sutton, Pai, Pingali: "Groute", PPoPP 2017, sections 4.3, 4.4 and 5.2 (kernel
// fusion), with mailboxes in peer memory instead of threads of the host.
#pragma once

#include "core/cuda/launch.cuh"
#include "runtime/queue/device_queue.cuh"
#include "runtime/worklist/worker_plan.cuh"

namespace warpgraph::runtime {

/// Returns the sum of the values of the threads before this one; `total` is that of all. For blocks
/// of worker_threads; all threads must call it.
__device__ inline std::uint64_t block_exclusive_sum(std::uint64_t value, std::uint64_t& total) {
  constexpr int n_warps = worker_threads / cuda::warp_lanes;
  __shared__ std::uint64_t sums[n_warps];
  std::uint64_t sum = value;
  for (int step = 1; step < cuda::warp_lanes; step *= 2) {
    const std::uint64_t before = __shfl_up_sync(cuda::all_lanes, sum, step);
    if (cuda::lane() >= step) sum += before;
  }
  const int warp = static_cast<int>(threadIdx.x) / cuda::warp_lanes;
  __syncthreads();  // the sums of an earlier call have been read
  if (cuda::lane() == cuda::warp_lanes - 1) sums[warp] = sum;
  __syncthreads();
  total = 0;
  for (int i = 0; i < n_warps; ++i) {
    if (i < warp) sum += sums[i];
    total += sums[i];
  }
  return sum - value;
}

/// Returns the last of n ascending numbers that is at most `value`, as the first one is.
template <class Index>
__device__ Index last_at_most(const std::uint64_t* numbers, Index n, std::uint64_t value) {
  Index first = 0;
  for (Index left = n; left > 1;) {
    const Index half = left / 2;
    if (numbers[first + half] <= value) first += half;
    left -= half;
  }
  return first;
}

template <class App>
class WorkerRounds {
 public:
  using Local = typename App::LocalWork;
  using Remote = typename App::RemoteWork;

  __device__ WorkerRounds(const DeviceWorker<App>& worker, unsigned block, unsigned n_blocks)
      : self_(worker),
        progress_(*worker.progress),
        plan_(worker),
        block_(block),
        n_blocks_(n_blocks) {}

  /// Runs all rounds; the blocks must run concurrently.
  __device__ void run() {
    for (;;) {
      self_.barrier->meet(n_blocks_, [&] {
        if (is_first_warp()) plan_.plan_moves();
      });
      if (progress_.state != WorkerState::running) return;
      move();
      self_.barrier->meet(n_blocks_, [&] {
        if (is_first_warp()) {
          plan_.publish_moves();
          plan_.finish_moves();
        }
        choose_batch(false);
      });
      expand();
    }
  }

  // Rounds in kernels of their own: one block plans, then all blocks of two kernels move and expand
  // at the same time.

  __device__ void plan() {
    if (is_first_warp()) plan_.finish_phases();
    choose_batch(true);
    __syncthreads();
    if (is_first_warp()) plan_.plan_moves_beside_batch();
  }
  __device__ void move_and_publish() {
    if (progress_.state != WorkerState::running) return;
    move();
    self_.barrier->finish(n_blocks_, [&] {
      if (is_first_warp()) plan_.publish_moves();
    });
  }
  /// Makes the children of the batch: each block makes an equal share, if it is at least one per
  /// thread.
  __device__ void expand() {
    const WorkerBatch batch = progress_.batch;
    const Word n_chunks = (batch.items + worker_threads - 1) / worker_threads;
    const std::uint64_t share =
        max((batch.children + n_blocks_ - 1) / n_blocks_, std::uint64_t{worker_threads});
    if (share * block_ >= batch.children) return;
    const std::uint64_t first = batch.skip + share * block_;
    const std::uint64_t last = min(first + share, batch.skip + batch.children);
    Word chunk = last_at_most(self_.chunk_begins, n_chunks, first);
    for (; chunk < n_chunks && self_.chunk_begins[chunk] < last; ++chunk) {
      expand_chunk(chunk, first, last);
    }
  }

 private:
  using Word = std::uint32_t;

  // The first phase, by all threads.

  __device__ void move() {
    for (int p = 0; p < self_.n_peers; ++p) {
      const PeerProgress progress = self_.peer_progress[p];
      const Peer<Remote>& peer = self_.peers[p];
      if (progress.send > 0) {
        const Word start = start_of(peer.outgoing);
        for (Word i = warp_first() + lane(); i < progress.send; i += n_threads()) {
          peer.to[progress.sent + i] = peer.outgoing.items[peer.outgoing.slot(start + i)];
        }
      }
      for_each_warp(progress.receive, [&](Word i, bool has_one) {
        receive(has_one, has_one ? peer.from[progress.taken + i] : Remote{});
      });
    }
    // There is as much room as items are looked through, so none is overwritten before it is read.
    const Word start = start_of(self_.deferred);
    for_each_warp(progress_.sweep, [&](Word i, bool has_one) {
      keep(has_one, has_one ? self_.deferred.items[self_.deferred.slot(start + i)] : Local{});
    });
    const std::uint64_t seeds_left = progress_.seeds_left;
    for_each_warp(progress_.seeds, [&](Word i, bool has_one) {
      send(has_one, has_one ? self_.seeds[seeds_left + i] : Local{});
    });
    count_children();
  }

  /// Calls begin() of the candidates for which it has not been called; computes the sums of all
  /// chunks.
  __device__ void count_children() {
    const Word candidates = progress_.candidates;
    const Word counted = progress_.counted;
    const Word start = start_of(self_.queue) + progress_.offset;
    for (Word chunk = block_; chunk * worker_threads < candidates; chunk += n_blocks_) {
      const Word i = chunk * worker_threads + threadIdx.x;
      Word count = 0;
      if (i < counted) {
        count = count_of(start + i);
      } else if (i < candidates) {
        const edge_t children =
            self_.app.begin(self_.rank, self_.queue.items[self_.queue.slot(start + i)]);
        count = static_cast<Word>(children);
        count_of(start + i) = count;
      }
      std::uint64_t sum = 0;
      block_exclusive_sum(count, sum);
      if (threadIdx.x == 0) self_.chunk_sums[chunk] = sum;
    }
  }

  // The plan of the batch, by all threads of a block.

  /// Chooses as many children of the counted candidates as have room; or as have half of it,
  /// rounded up.
  __device__ void choose_batch(bool leaves_room) {
    __shared__ Word room;
    if (is_first_warp()) {
      const Word free = plan_.look(progress_).room;
      if (cuda::lane() == 0) room = leaves_room ? free - free / 2 : free;
    }
    __syncthreads();
    const Word candidates = progress_.candidates;
    if (candidates == 0) return;
    const std::uint64_t skip = progress_.skip;  // one thread writes it after the next barriers
    const Word n_chunks = (candidates + worker_threads - 1) / worker_threads;
    std::uint64_t sum = 0;
    for (Word first = 0; first < n_chunks; first += worker_threads) {
      const Word chunk = first + threadIdx.x;
      std::uint64_t all = 0;
      const std::uint64_t before =
          block_exclusive_sum(chunk < n_chunks ? self_.chunk_sums[chunk] : 0, all);
      if (chunk < n_chunks) self_.chunk_begins[chunk] = sum + before;
      sum += all;
    }
    __syncthreads();
    const std::uint64_t end = min(sum, skip + room);
    Word complete = candidates;
    if (end < sum) {
      const Word chunk = last_at_most(self_.chunk_begins, n_chunks, end);
      complete = complete_before(chunk, end);
    }
    if (threadIdx.x == 0) {
      if (end == sum) progress_.skip = 0;
      progress_.batch = {candidates, complete, skip, end - skip};
      progress_.offset = complete;
      progress_.counted = candidates - complete;
      progress_.blocked = complete == 0 && end == skip;
    }
  }

  /// Returns the number of candidates whose children all precede `end`, which is one of this chunk
  /// or its end. Sets `skip`, which all threads have read, for the next candidate.
  __device__ Word complete_before(Word chunk, std::uint64_t end) {
    const Word i = chunk * worker_threads + threadIdx.x;
    const Word candidates = progress_.candidates;
    const Word count = i < candidates ? count_of(start_of(self_.queue) + i) : 0;
    std::uint64_t all = 0;
    const std::uint64_t begin = self_.chunk_begins[chunk] + block_exclusive_sum(count, all);
    const bool is_complete = i < candidates && begin + count <= end;
    const auto complete =
        chunk * worker_threads + static_cast<Word>(__syncthreads_count(is_complete));
    if (i == complete) progress_.skip = end - begin;
    return complete;
  }

  // A part of expand().

  /// Makes those children of a chunk that are in first .. last - 1.
  __device__ void expand_chunk(Word chunk, std::uint64_t first, std::uint64_t last) {
    // Where the children of each of the chunk's items begin.
    __shared__ std::uint64_t begins[worker_threads];
    const Word start = start_of(self_.queue) + chunk * worker_threads;
    const Word i = chunk * worker_threads + threadIdx.x;
    std::uint64_t n = 0;
    const std::uint64_t begin =
        block_exclusive_sum(i < progress_.batch.items ? count_of(start + threadIdx.x) : 0, n);
    begins[threadIdx.x] = begin;  // block_exclusive_sum has a barrier after the last reads
    __syncthreads();
    const std::uint64_t chunk_begin = self_.chunk_begins[chunk];
    const std::uint64_t from = first > chunk_begin ? first - chunk_begin : 0;
    const std::uint64_t to = min(last - chunk_begin, n);
    const App app = self_.app;
    for (std::uint64_t at = from + threadIdx.x - lane(); at < to; at += worker_threads) {
      const std::uint64_t child = at + lane();
      Local made{};
      bool has_one = child < to;
      if (has_one) {
        // This is the last of the items that begin there, since those before it have no children.
        const Word item = last_at_most(begins, Word{worker_threads}, child);
        has_one = app.child(self_.rank, self_.queue.items[self_.queue.slot(start + item)],
                            static_cast<edge_t>(child - begins[item]), made);
      }
      send(has_one, made);
    }
  }

  // Functions for items, by warps: all lanes call them.

  __device__ void send(bool has_one, const Local& item) {
    const Flags flags = has_one ? self_.app.on_send(self_.rank, item) : Flags::drop;
    keep(has(flags, Flags::keep), item);
    const bool passes = has(flags, Flags::pass);
    pass(passes, passes ? self_.app.pack(item) : Remote{});
  }

  __device__ void receive(bool has_one, const Remote& item) {
    const Flags flags = has_one ? self_.app.on_receive(self_.rank, item) : Flags::drop;
    const bool keeps = has(flags, Flags::keep);
    keep(keeps, keeps ? self_.app.unpack(item) : Local{});
    pass(has(flags, Flags::pass), item);
  }

  /// Puts items into the queue, or into the deferred items.
  __device__ void keep(bool keeps, const Local& item) {
    if (!__any_sync(cuda::all_lanes, keeps)) return;
    const Priority threshold = progress_.threshold;
    const Priority priority =
        keeps && threshold != lowest_priority ? self_.app.priority(item) : Priority{0};
    const bool defers = keeps && threshold != lowest_priority && priority > threshold;
    append_within_room(self_.queue, keeps && !defers, item);
    if (!__any_sync(cuda::all_lanes, defers)) return;
    append_within_room(self_.deferred, defers, item);
    const Priority most_urgent = cuda::warp_min(defers ? priority : lowest_priority);
    if (cuda::lane() == 0) lower(progress_.most_urgent, most_urgent);
  }

  /// Puts items into the outgoing items of the peer that leads to the owner.
  __device__ void pass(bool passes, const Remote& item) {
    if (!__any_sync(cuda::all_lanes, passes)) return;
    const int owner = passes ? self_.app.owner(item) : 0;
    if (passes && (owner == self_.rank || owner < 0 || owner >= self_.n_workers)) {
      relaxed_store(progress_.failed, true);
      passes = false;
    }
    const int peer = self_.on_ring ? 0 : owner;
    for (unsigned left = __ballot_sync(cuda::all_lanes, passes); left != 0;) {
      const int chosen = __shfl_sync(cuda::all_lanes, peer, cuda::first_lane(left));
      const bool now = passes && peer == chosen;
      append_within_room(self_.peers[chosen].outgoing, now, item);
      left &= ~__ballot_sync(cuda::all_lanes, now);
    }
  }

  /// Calls visit(i, i < n) for all i below n, in whole warps.
  template <class Visit>
  __device__ void for_each_warp(Word n, Visit&& visit) const {
    for (Word first = warp_first(); first < n; first += n_threads()) {
      visit(first + lane(), first + lane() < n);
    }
  }
  __device__ static bool is_first_warp() { return threadIdx.x < cuda::warp_lanes; }
  __device__ static Word lane() { return threadIdx.x % cuda::warp_lanes; }
  __device__ Word warp_first() const { return block_ * worker_threads + threadIdx.x - lane(); }
  __device__ Word n_threads() const { return n_blocks_ * worker_threads; }
  __device__ Word& count_of(Word position) const {
    return self_.counts[position & (2 * self_.batch - 1)];
  }
  /// Returns the start of a queue that only plans consume from: no order is needed.
  template <class T>
  __device__ static Word start_of(const CircularQueueView<T>& queue) {
    return queue.start_of(relaxed_load(*queue.bounds));
  }

  const DeviceWorker<App>& self_;
  WorkerProgress& progress_;
  WorkerPlan<App> plan_;
  const unsigned block_;  // index among the blocks of the worker
  const unsigned n_blocks_;
};

/// The part of the rounds that a launch does, or all of them.
enum class Phase { rounds, plan, move, expand };

/// Does a phase of one device: n_blocks blocks for each of its workers. Without the 3, the compiler
/// would keep variables of the plans in memory so that a fourth block fits on a multiprocessor.
template <class App, Phase phase = Phase::rounds>
__global__ void __launch_bounds__(worker_threads, 3)
    work(const DeviceWorker<App>* workers, unsigned n_blocks) {
  // A copy in shared memory, since its members are read again and again, also after barriers, which
  // empty the first-level cache.
  alignas(16) __shared__ unsigned char copy[sizeof(DeviceWorker<App>)];
  const auto* const from = reinterpret_cast<const unsigned char*>(workers + blockIdx.x / n_blocks);
  for (unsigned i = threadIdx.x; i < sizeof(DeviceWorker<App>); i += worker_threads) {
    copy[i] = from[i];
  }
  __syncthreads();
  WorkerRounds<App> worker(*reinterpret_cast<const DeviceWorker<App>*>(copy), blockIdx.x % n_blocks,
                           n_blocks);
  if constexpr (phase == Phase::rounds) worker.run();
  if constexpr (phase == Phase::plan) worker.plan();
  if constexpr (phase == Phase::move) worker.move_and_publish();
  if constexpr (phase == Phase::expand) worker.expand();
}

}  // namespace warpgraph::runtime
