// The data of a worker of a distributed worklist on devices that a kernel uses: the application,
// the arrays, and the state that stays between launches.
#pragma once

#include "runtime/queue/circular_queue.hpp"
#include "runtime/worklist/agreement.hpp"
#include "runtime/worklist/flags.hpp"
#include "runtime/worklist/mailbox.hpp"
#include "runtime/worklist/worker_barrier.cuh"

#include <concepts>
#include <type_traits>

namespace warpgraph::runtime {

/// The callbacks of an application: device functions, called by many threads at a time. Each worker
/// has an App of its own, a value whose pointers lead to memory of its device; `at` is the worker.
///
/// begin() is called once for each item that is taken from the queue, and may change it. It returns
/// how many children the item has, less than 2^32: 0 if it is out of date. child(), called once for
/// each of them, makes the i-th in `out`, or returns false. Of an item with many children, some may
/// be made much later than others. owner() is the worker that an item is passed to; on a ring, the
/// last one on its way. It must not be the worker that passes the item on. If rounds are launched
/// separately, on_receive() and begin() of some items run while child() of others does.
template <class App>
concept DeviceWorklistApp = std::is_trivially_copyable_v<App> &&
    std::is_trivially_copyable_v<typename App::LocalWork> &&
    std::is_trivially_copyable_v<typename App::RemoteWork> &&
    requires(const App& app, int at, typename App::LocalWork& item,
             const typename App::LocalWork& local, const typename App::RemoteWork& remote,
             edge_t i) {
  { app.pack(local) } -> std::same_as<typename App::RemoteWork>;
  { app.unpack(remote) } -> std::same_as<typename App::LocalWork>;
  { app.on_send(at, local) } -> std::same_as<Flags>;
  { app.on_receive(at, remote) } -> std::same_as<Flags>;
  { app.priority(local) } -> std::convertible_to<Priority>;
  { app.owner(remote) } -> std::same_as<int>;
  { app.begin(at, item) } -> std::same_as<edge_t>;
  { app.child(at, local, i, item) } -> std::same_as<bool>;
};

/// State of a worker. An idle one has found nothing to do for some time (only if rounds are
/// launched separately).
enum class WorkerState : std::uint32_t { running, idle, ended, paused, grows, stopped, failed };

/// Mailboxes for items on their way to another worker and from it; on a ring, the next and the
/// previous one.
template <class Remote>
struct Peer {
  CircularQueueView<Remote> outgoing;
  Mailbox<Remote> to;
  Mailbox<Remote> from;
};

/// Progress with one peer: how much has been sent and received, and the round plan.
struct PeerProgress {
  std::uint64_t sent = 0;
  std::uint64_t taken = 0;
  std::uint32_t send = 0;     // number of items to send in this round,
  std::uint32_t receive = 0;  // and to receive
};

/// The `children` children of the first items of the queue that follow the first `skip` of them.
/// Then the first `complete` items have no children left.
struct WorkerBatch {
  std::uint32_t items = 0;
  std::uint32_t complete = 0;
  std::uint64_t skip = 0;
  std::uint64_t children = 0;
};

/// Progress of a worker, and the round plan. Only round plans write it (see WorkerRounds), except
/// for `most_urgent` and `failed`.
struct WorkerProgress {
  WorkerState state = WorkerState::running;
  bool failed = false;  // an item was passed on by its owner

  // Number of this worker's items that the agreement's counter counts: those at the last
  // settlement, plus those received since, minus those sent.
  std::int64_t held = 1;
  std::uint64_t round = 0;  // round of the agreement
  Priority threshold = lowest_priority;
  Priority most_urgent = lowest_priority;  // highest urgency of the deferred items

  // Numbers of seeds and deferred items to be looked through; with any of them the worker holds its
  // token.
  std::uint64_t seeds_left = 0;
  std::uint32_t sweep_left = 0;

  // Round plan of moves: how many seeds, deferred items and items of the queue the threads look at.
  std::uint32_t seeds = 0;
  std::uint32_t sweep = 0;
  std::uint32_t candidates = 0;
  std::uint32_t offset = 0;  // place of the candidates in the queue: `complete` items precede them
  // Number of candidates, from the first one on, for which begin() was called.
  std::uint32_t counted = 0;
  std::uint64_t skip = 0;  // children of the first candidate that batches have taken
  bool blocked = false;    // true if not even one child of the candidates has room

  // Round plan of children, which are chosen from those of the candidates before.
  WorkerBatch batch;

  // True for each array that has to grow: the queue, the deferred items, the outgoing items to some
  // peers.
  bool grow_queue = false;
  bool grow_deferred = false;
  std::uint32_t grow_outgoing = 0;  // a bit for each peer

  // Counts for reports.
  std::int64_t rounds = 0;
  std::int64_t processed = 0;
  std::int64_t children_made = 0;
  std::int64_t sent = 0;
};

/// Words by which the host ends the kernel of a device, and workers end each other's.
struct KernelControl {
  unsigned stop = 0;  // set by the host if the run has failed
  // Set by a worker that needs the host: an array has to grow, or it has failed.
  unsigned pause = 0;
};

/// Upper bound on the number of workers: one lane of a warp looks after each peer.
inline constexpr int max_workers = 32;
inline constexpr unsigned worker_threads = 256;  // threads of a block

template <class App>
struct DeviceWorker {
  using Local = typename App::LocalWork;
  using Remote = typename App::RemoteWork;

  App app;
  int rank;
  int n_workers;
  bool on_ring;
  CircularQueueView<Local> queue;
  CircularQueueView<Local> deferred;
  const Local* seeds;
  // Counts of children: candidate i with the position p has counts[p mod 2 batch]; and sums of
  // chunks of worker_threads. A batch may be under way while the next candidates are counted.
  std::uint32_t batch;  // upper bound on the candidates, a power of two
  std::uint32_t* counts;
  std::uint64_t* chunk_sums;
  std::uint64_t* chunk_begins;
  // Indexed by the destination; one on a ring. There is no mailbox for the worker itself.
  int n_peers;
  const Peer<Remote>* peers;
  PeerProgress* peer_progress;
  WorkerProgress* progress;
  WorkerBarrier* barrier;
  KernelControl* control;
  WorkerState* state_for_host;  // in page-locked memory; nullptr if one kernel does all rounds
  // The agreement, in the memory of the first worker's device.
  Agreement* agreement;
  DeferredItems* deferred_items;  // one for each worker
  std::uint64_t* const* news;     // a word in the memory of each worker: the agreement's round
};

}  // namespace warpgraph::runtime
