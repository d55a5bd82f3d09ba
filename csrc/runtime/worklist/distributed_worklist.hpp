// A list of work items that several endpoints process; processing an item may make new ones.
//
// Items travel round a ring of all workers: an endpoint keeps those that it owns and passes the
// others on. An application gives five callbacks, and a function that processes items. Each worker
// repeats: split-receive items that have arrived, before everything else, so that others do not
// wait for them; process a batch of its queue; split-send the items that the batch has made. A
// batch only has items whose priority is within the threshold, on which all workers agree; others
// are deferred. agreement.hpp says when the threshold rises and when the list ends.
//
// Ben-Nun, Sutton, Pai, Pingali: "Groute: an asynchronous multi-GPU programming model for irregular
// computations", PPoPP 2017, sections 4.3 and 4.4.
#pragma once

#include "core/error.hpp"
#include "runtime/context.hpp"
#include "runtime/worklist/flags.hpp"
#include "runtime/worklist/host_agreement.hpp"

#include <concepts>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace warpgraph::runtime {

/// The callbacks of an application. All workers call them, concurrently; `at` is the worker.
template <class App>
concept WorklistApp = requires(App& app, Endpoint at, const typename App::LocalWork& local,
                               const typename App::RemoteWork& remote) {
  { app.pack(local) } -> std::same_as<typename App::RemoteWork>;
  { app.unpack(remote) } -> std::same_as<typename App::LocalWork>;
  { app.on_send(at, local) } -> std::same_as<Flags>;
  { app.on_receive(at, remote) } -> std::same_as<Flags>;
  { app.priority(local) } -> std::convertible_to<Priority>;
};

struct WorklistOptions {
  std::size_t batch = 512;  // number of items between two looks at the inbox
  std::size_t packet_size = 1 << 16;
  int n_buffers = 4;
  Priority first_threshold = lowest_priority;  // by default nothing is deferred
  Priority step = 0;                           // the least by which the threshold rises
};

template <WorklistApp App>
class DistributedWorklist {
 public:
  using Local = typename App::LocalWork;
  using Remote = typename App::RemoteWork;
  static_assert(std::is_trivially_copyable_v<Remote>);

  /// Adds a router and its links to the context. `source` sends the first items.
  DistributedWorklist(Context& context, Endpoint source, const EndpointList& workers, App& app,
                      const WorklistOptions& options = {})
      : context_(context), app_(app), options_(options) {
    const int n = static_cast<int>(workers.size());
    Router& router = context.router(n + 1, n, ring(), "worklist");
    seeds_ = &context.link(source, router, options.packet_size, 1);
    std::vector<Link*> inboxes;
    for (const Endpoint worker : workers) {
      workers_.emplace_back(worker, workers_.size(),
                            context.link(router, worker, options.packet_size, options.n_buffers),
                            context.link(worker, router, options.packet_size, 1));
      inboxes.push_back(&workers_.back().in);
    }
    agreement_.emplace(std::move(inboxes), options.first_threshold, options.step);
  }

  /// Sends the first items, of which there may be none; the thread of the source calls it once.
  void start(std::span<const Local> seeds) {
    auto packets = std::make_shared<std::vector<Wire>>();
    for (const Local& seed : seeds) packets->push_back({app_.pack(seed), 0});
    agreement_->settle(static_cast<std::int64_t>(packets->size()));
    send(*seeds_, std::move(packets));
    agreement_->settle(-1);
  }

  /// Processes items until the list ends, by calls of process(std::span<const Local>, push), where
  /// push(const Local&) adds an item; the thread of a worker calls it once.
  template <class Process>
  void work(Endpoint worker, Process&& process) {
    Worker& self = worker_of(worker);
    for (;;) {
      check_thread();
      while (std::optional<PendingSegment> pending = self.in.try_receive()) {
        split_receive(self, pending->wait());
      }
      const std::uint64_t round = agreement_->round();
      if (round == Agreement::ended) return;
      if (round != self.round) begin_round(self, round);
      if (!process_batch(self, process)) agreement_->wait(self.rank, self.round);
    }
  }

 private:
  /// An item as it travels, with the number of endpoints that it has visited.
  struct Wire {
    Remote item;
    std::uint32_t visits;
  };
  struct Worker {
    Worker(Endpoint endpoint_of, std::size_t rank_of, Link& in_of, Link& out_of)
        : endpoint(endpoint_of), rank(rank_of), in(in_of), out(out_of) {}
    const Endpoint endpoint;
    const std::size_t rank;
    Link& in;
    Link& out;
    GrowingQueue<Local> queue;
    std::vector<Local> deferred;
    std::vector<Local> batch;
    std::vector<Wire> outgoing;
    std::uint64_t round = 0;
    Priority threshold = 0;
  };

  Worker& worker_of(Endpoint endpoint) {
    for (Worker& worker : workers_) {
      if (worker.endpoint != endpoint) continue;
      if (worker.round == 0) worker.threshold = options_.first_threshold;
      return worker;
    }
    throw std::invalid_argument(
        concat(context_.name(endpoint), " is not one of the workers of the worklist"));
  }

  /// Splits the items of a packet: owned ones go to the queue, the others on to the next endpoint.
  void split_receive(Worker& self, const Segment& segment) {
    std::int64_t change = 0;
    for (const Wire& wire : segment.as<Wire>()) {
      const Flags flags = app_.on_receive(self.endpoint, wire.item);
      if (has(flags, Flags::pass)) {
        const std::uint32_t visits = wire.visits + 1;
        EXPECTS(visits < workers_.size(), "a work item was passed on by ",
                context_.name(self.endpoint),
                " after every endpoint had seen it: on_receive must keep or drop it somewhere");
        self.outgoing.push_back({wire.item, visits});
      }
      const bool active = has(flags, Flags::keep) && keep(self, app_.unpack(wire.item));
      change += (has(flags, Flags::pass) ? 1 : 0) + (active ? 1 : 0) - 1;
    }
    settle_and_flush(self, change);
  }

  /// Processes a batch and splits the items that it has made. Returns false if the queue is empty.
  template <class Process>
  bool process_batch(Worker& self, Process& process) {
    self.batch.clear();
    while (self.batch.size() < options_.batch) {
      std::optional<Local> item = self.queue.take();
      if (!item) break;
      self.batch.push_back(std::move(*item));
    }
    if (self.batch.empty()) return false;
    auto change = -static_cast<std::int64_t>(self.batch.size());
    process(std::span<const Local>(self.batch), [&](const Local& item) {
      const Flags flags = app_.on_send(self.endpoint, item);
      if (has(flags, Flags::pass)) {
        self.outgoing.push_back({app_.pack(item), 0});
        ++change;
      }
      if (has(flags, Flags::keep) && keep(self, item)) ++change;
    });
    settle_and_flush(self, change);
    return true;
  }

  /// Puts an item into the queue and returns true, or puts it into the list of deferred items.
  bool keep(Worker& self, const Local& item) {
    const Priority priority = app_.priority(item);
    if (priority <= self.threshold) {
      self.queue.append(item);
      return true;
    }
    self.deferred.push_back(item);
    DeferredItems& known = agreement_->deferred(self.rank);
    ++known.count;
    known.most_urgent = std::min(known.most_urgent, priority);
    return false;
  }

  /// Moves deferred items that are within the new threshold to the front of the queue: the consumer
  /// prepends, so it does not compete with producers.
  void begin_round(Worker& self, std::uint64_t round) {
    self.round = round;
    self.threshold = agreement_->threshold();
    std::vector<Local> candidates = std::exchange(self.deferred, {});
    agreement_->deferred(self.rank) = {};
    std::int64_t moved = 0;
    for (const Local& item : candidates) {
      if (app_.priority(item) <= self.threshold) {
        self.queue.prepend(item);
        ++moved;
      } else {
        keep(self, item);
      }
    }
    agreement_->settle(moved - 1);
  }

  void settle_and_flush(Worker& self, std::int64_t change) {
    agreement_->settle(change);
    if (self.outgoing.empty()) return;
    send(self.out, std::make_shared<std::vector<Wire>>(std::exchange(self.outgoing, {})));
  }

  static void send(Link& link, std::shared_ptr<std::vector<Wire>> items) {
    if (items->empty()) return;
    const Segment segment = segment_of(std::span<const Wire>(*items));
    link.send(segment, {}, std::move(items));
  }

  Context& context_;
  App& app_;
  const WorklistOptions options_;
  Link* seeds_ = nullptr;
  std::deque<Worker> workers_;
  std::optional<HostAgreement> agreement_;  // made when all links are there
};

}  // namespace warpgraph::runtime
