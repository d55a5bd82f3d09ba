// Termination and threshold of the distributed worklist, through all interleavings of small cases.
//
// The model has the steps of DistributedWorklist (receive, settle, send; take, settle, send; begin
// a round; the leader's two steps) and calls the real Agreement. A state is a copyable struct; a
// depth-first search visits every state that some order of the threads' steps leads to.
#include "runtime/worklist/agreement.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpgraph::runtime {
namespace {

/// An item has a priority and an owner, and makes others when it is processed.
struct Kind {
  Priority priority;
  int owner;
  std::vector<int> makes;
};

struct Case {
  const char* name;
  int n_workers;
  Priority threshold;
  Priority step;
  std::vector<Kind> kinds;
  std::vector<int> seeds;
};

using Items = std::vector<int>;

enum class Step { idle, settle, send, decide, publish, done };

struct Worker {
  Step step = Step::idle;
  std::uint64_t round = 0;
  Priority threshold = 0;
  std::int64_t change = 0;
  Items queue, deferred, outgoing;
};

struct State {
  explicit State(const Case& of)
      : agreement(of.n_workers, of.threshold, of.step),
        inboxes(static_cast<std::size_t>(of.n_workers)),
        workers(static_cast<std::size_t>(of.n_workers)) {
    for (Worker& worker : workers) worker.threshold = of.threshold;
  }
  Agreement agreement;
  std::vector<std::vector<Items>> inboxes;
  std::vector<Worker> workers;
  Step source = Step::idle;
  std::size_t seeds_sent = 0;
  int processed = 0;
};

void write(std::string& key, const Items& items) {
  key.push_back('(');
  for (const int item : items) key.push_back(static_cast<char>('0' + item));
}

/// Equal for equal states only: all that a later step reads.
std::string key_of(const State& state) {
  std::string key(reinterpret_cast<const char*>(&state.agreement), sizeof(Agreement));
  key.push_back(static_cast<char>(state.source));
  key.push_back(static_cast<char>(state.seeds_sent));
  key.push_back(static_cast<char>(state.processed));
  for (const Worker& worker : state.workers) {
    key.push_back(static_cast<char>(worker.step));
    key.push_back(static_cast<char>(worker.round));
    key.push_back(static_cast<char>(worker.change));
    key += std::to_string(worker.threshold);
    write(key, worker.queue);
    write(key, worker.deferred);
    write(key, worker.outgoing);
  }
  for (const auto& inbox : state.inboxes) {
    key.push_back('[');
    for (const Items& packet : inbox) write(key, packet);
  }
  return key;
}

class Explorer {
 public:
  explicit Explorer(const Case& of) : case_(of) {}

  void explore() {
    std::vector<State> open{State(case_)};
    while (!open.empty() && !testing::Test::HasFailure()) {
      const State state = std::move(open.back());
      open.pop_back();
      if (!seen_.insert(key_of(state)).second) continue;
      bool any = false;
      for (int thread = -1; thread < case_.n_workers; ++thread) {
        for (int choice = 0; choice < 2; ++choice) {
          State next = state;
          const bool possible =
              thread < 0 ? choice == 0 && step_of_source(next)
                         : step_of_worker(next, static_cast<std::size_t>(thread), choice);
          if (!possible) continue;
          any = true;
          open.push_back(std::move(next));
        }
      }
      if (!any) check_last(state);
    }
  }
  [[nodiscard]] std::size_t n_states() const { return seen_.size(); }
  [[nodiscard]] std::size_t n_ends() const { return ends_; }

 private:
  [[nodiscard]] const Kind& kind(int item) const {
    return case_.kinds[static_cast<std::size_t>(item)];
  }

  /// Adds the seeds, sends them one by one to whichever worker owns them, gives up its token.
  bool step_of_source(State& state) {
    switch (state.source) {
      case Step::idle:
        state.source = Step::send;
        EXPECT_FALSE(state.agreement.settle(static_cast<std::int64_t>(case_.seeds.size())));
        return true;
      case Step::send:
        if (state.seeds_sent < case_.seeds.size()) {
          const int seed = case_.seeds[state.seeds_sent++];
          state.inboxes[static_cast<std::size_t>(kind(seed).owner)].push_back({seed});
        } else {
          state.source = state.agreement.settle(-1) ? Step::decide : Step::done;
        }
        return true;
      case Step::decide:
      case Step::publish:
        return lead(state, state.source, Step::done);
      default:
        return false;
    }
  }

  bool step_of_worker(State& state, std::size_t rank, int choice) {
    Worker& self = state.workers[rank];
    switch (self.step) {
      case Step::idle:
        return choice == 0 ? receive(state, rank) : take_or_begin_round(state, rank);
      case Step::settle: {
        if (choice != 0) return false;
        const bool leads = state.agreement.settle(std::exchange(self.change, 0));
        if (leads) {
          EXPECT_TRUE(self.outgoing.empty());
        }
        self.step = leads ? Step::decide : Step::send;
        return true;
      }
      case Step::send:
        if (choice != 0) return false;
        send(state, self);
        return true;
      case Step::decide:
      case Step::publish:
        return choice == 0 && lead(state, self.step, Step::idle);
      default:
        return false;
    }
  }

  bool lead(State& state, Step& step, Step after) {
    if (step == Step::decide) {
      expect_quiet(state);
      std::vector<DeferredItems> deferred;
      for (const Worker& worker : state.workers) {
        DeferredItems of_worker;
        for (const int item : worker.deferred) {
          ++of_worker.count;
          of_worker.most_urgent = std::min(of_worker.most_urgent, kind(item).priority);
        }
        deferred.push_back(of_worker);
      }
      state.agreement.decide(deferred);
      step = Step::publish;
    } else {
      state.agreement.publish();
      step = after;
    }
    return true;
  }

  /// The leader is alone: no active item is anywhere, and no other thread is between its steps.
  void expect_quiet(const State& state) {
    int leaders = state.source == Step::decide;
    for (const Worker& worker : state.workers) {
      leaders += worker.step == Step::decide;
      EXPECT_TRUE(worker.queue.empty() && worker.outgoing.empty());
      EXPECT_TRUE(worker.step != Step::settle && worker.step != Step::publish);
    }
    for (const auto& inbox : state.inboxes) EXPECT_TRUE(inbox.empty());
    EXPECT_EQ(leaders, 1);
  }

  bool receive(State& state, std::size_t rank) {
    auto& inbox = state.inboxes[rank];
    if (inbox.empty()) return false;
    EXPECT_NE(state.agreement.round(), Agreement::ended) << "an item after the end";
    Worker& self = state.workers[rank];
    const Items packet = inbox.front();
    inbox.erase(inbox.begin());
    for (const int item : packet) {
      if (!keep(self, item)) --self.change;
    }
    self.step = Step::settle;
    return true;
  }

  bool take_or_begin_round(State& state, std::size_t rank) {
    Worker& self = state.workers[rank];
    const std::uint64_t round = state.agreement.round();
    if (round == Agreement::ended) {
      EXPECT_TRUE(self.queue.empty() && self.deferred.empty());
      self.step = Step::done;
    } else if (round != self.round) {
      EXPECT_EQ(round, self.round + 1) << "a round was missed";
      self.round = round;
      self.threshold = state.agreement.threshold();
      self.change = -1;
      for (const int item : std::exchange(self.deferred, {})) self.change += keep(self, item);
      self.step = Step::settle;
    } else if (!self.queue.empty()) {
      const int item = self.queue.front();
      self.queue.erase(self.queue.begin());
      ++state.processed;
      self.change = -1;
      for (const int made : kind(item).makes) {
        const bool own = kind(made).owner == static_cast<int>(rank);
        if (own && !keep(self, made)) continue;
        if (!own) self.outgoing.push_back(made);
        ++self.change;
      }
      self.step = Step::settle;
    } else {
      return false;
    }
    return true;
  }

  bool keep(Worker& self, int item) {
    const bool urgent = kind(item).priority <= self.threshold;
    (urgent ? self.queue : self.deferred).push_back(item);
    return urgent;
  }

  void send(State& state, Worker& self) {
    if (!self.outgoing.empty()) {
      // One packet a step, so that others run in between.
      const int item = self.outgoing.back();
      self.outgoing.pop_back();
      state.inboxes[static_cast<std::size_t>(kind(item).owner)].push_back({item});
    }
    if (self.outgoing.empty()) self.step = Step::idle;
  }

  [[nodiscard]] int items_below(int item) const {
    int n = 1;
    for (const int made : kind(item).makes) n += items_below(made);
    return n;
  }

  /// Nobody can do anything: all must have seen the end, with every item processed.
  void check_last(const State& state) {
    ++ends_;
    EXPECT_EQ(state.agreement.round(), Agreement::ended);
    EXPECT_EQ(state.source, Step::done);
    for (const Worker& worker : state.workers) EXPECT_EQ(worker.step, Step::done);
    int expected = 0;
    for (const int seed : case_.seeds) expected += items_below(seed);
    EXPECT_EQ(state.processed, expected);
  }

  const Case& case_;
  std::set<std::string> seen_;
  std::size_t ends_ = 0;
};

const Case cases[] = {
    {"nothing", 2, lowest_priority, 0, {}, {}},
    {"one item", 2, lowest_priority, 0, {{0, 0, {}}}, {0}},
    {"there and back", 2, lowest_priority, 0, {{0, 0, {1, 1}}, {0, 1, {2}}, {0, 0, {}}}, {0}},
    {"two seeds",
     2,
     lowest_priority,
     0,
     {{0, 0, {1}}, {0, 1, {}}, {0, 1, {3}}, {0, 0, {}}},
     {0, 2}},
    {"three workers", 3, lowest_priority, 0, {{0, 0, {1, 2}}, {0, 1, {2}}, {0, 2, {}}}, {0, 1}},
    {"all deferred", 2, 0, 1, {{5, 0, {}}, {9, 1, {}}}, {0, 1}},
    {"rounds", 2, 0, 2, {{0, 0, {1, 2}}, {4, 1, {2}}, {7, 0, {}}}, {0}},
    {"more urgent again", 2, 1, 3, {{5, 1, {1}}, {1, 0, {2}}, {9, 1, {}}}, {0, 2}},
    {"three workers in rounds", 3, 0, 0, {{1, 0, {1}}, {2, 1, {2}}, {2, 2, {}}}, {0, 2}},
    {"the lowest priority", 2, 0, lowest_priority, {{lowest_priority, 0, {1}}, {3, 1, {}}}, {0}},
};

TEST(Agreement, HoldsInEveryInterleaving) {
  for (const Case& of : cases) {
    SCOPED_TRACE(of.name);
    Explorer explorer(of);
    explorer.explore();
    EXPECT_GE(explorer.n_ends(), 1u);
    RecordProperty(of.name, std::to_string(explorer.n_states()));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace warpgraph::runtime
