// Lazy settlement of the worklist on devices, through all interleavings of small cases.
//
// The model has the steps of WorkerPlan in any order that a worker may take them (a kernel takes
// several at once), with one item at a time, and calls the real Agreement.
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
  std::size_t owner;
  std::vector<int> makes;
};

struct Case {
  const char* name;
  std::size_t n_workers;
  Priority threshold;
  Priority step;
  std::vector<Kind> kinds;
  std::vector<std::vector<int>> seeds;  // of each worker
};

using Items = std::vector<int>;

enum class Step { idle, decide, publish, tell, done };

struct Worker {
  Step step = Step::idle;
  std::int64_t held = 1;  // a token for the seeds
  std::uint64_t round = 0;
  std::uint64_t news = 0;
  std::size_t told = 0;  // workers that this leader has told
  Priority threshold = 0;
  Items seeds, queue, deferred, sweep, outgoing, inbox;

  [[nodiscard]] std::int64_t active() const {
    return static_cast<std::int64_t>(queue.size() + outgoing.size()) +
           (seeds.empty() && sweep.empty() ? 0 : 1);
  }
};

struct State {
  explicit State(const Case& of)
      : agreement(static_cast<std::int64_t>(of.n_workers), of.threshold, of.step,
                  static_cast<std::int64_t>(of.n_workers)),
        workers(of.n_workers) {
    for (std::size_t w = 0; w < of.n_workers; ++w) {
      workers[w].threshold = of.threshold;
      workers[w].seeds = of.seeds[w];
    }
  }
  Agreement agreement;
  std::vector<Worker> workers;
  int processed = 0;
};

std::string key_of(const State& state) {
  std::string key(reinterpret_cast<const char*>(&state.agreement), sizeof(Agreement));
  key.push_back(static_cast<char>(state.processed));
  for (const Worker& worker : state.workers) {
    for (const auto number : {static_cast<std::uint64_t>(worker.step), worker.round, worker.news,
                              static_cast<std::uint64_t>(worker.held),
                              static_cast<std::uint64_t>(worker.threshold), worker.told}) {
      key += std::to_string(number) + ',';
    }
    for (const Items* items : {&worker.seeds, &worker.queue, &worker.deferred, &worker.sweep,
                               &worker.outgoing, &worker.inbox}) {
      key.push_back('(');
      for (const int item : *items) key.push_back(static_cast<char>('0' + item));
    }
  }
  return key;
}

int take(Items& items) {
  const int item = items.back();
  items.pop_back();
  return item;
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
      for (std::size_t w = 0; w < case_.n_workers; ++w) {
        for (int choice = 0; choice < n_choices; ++choice) {
          State next = state;
          if (!step(next, w, choice)) continue;
          any = true;
          open.push_back(std::move(next));
        }
      }
      if (!any) check_last(state);
    }
  }
  [[nodiscard]] std::size_t n_ends() const { return n_ends_; }

 private:
  static constexpr int n_choices = 7;

  [[nodiscard]] const Kind& kind(int item) const {
    return case_.kinds[static_cast<std::size_t>(item)];
  }

  bool step(State& state, std::size_t w, int choice) {
    Worker& self = state.workers[w];
    if (self.step == Step::idle) return idle(state, w, choice);
    if (self.step == Step::done || choice != 0) return false;
    lead(state, self);
    return true;
  }

  bool idle(State& state, std::size_t w, int choice) {
    Worker& self = state.workers[w];
    EXPECT_GE(self.held, self.active() > 0 ? 1 : 0);
    if (self.news == Agreement::ended) {
      EXPECT_TRUE(self.active() == 0 && self.deferred.empty() && self.inbox.empty());
      if (choice == 0) self.step = Step::done;
      return choice == 0;
    }
    switch (choice) {
      case 0:  // receive
        if (self.inbox.empty()) return false;
        self.held += 1;
        keep(self, take(self.inbox));
        return true;
      case 1:  // begin a round
        if (self.news == self.round) return false;
        EXPECT_EQ(self.news, self.round + 1) << "a round was missed";
        self.round = self.news;
        self.threshold = state.agreement.threshold();
        self.held += 1;
        self.sweep = std::exchange(self.deferred, {});
        return true;
      case 2:  // look through the deferred items
        if (self.sweep.empty()) return false;
        keep(self, take(self.sweep));
        return true;
      case 3:  // look through the seeds
        if (self.seeds.empty()) return false;
        route(self, w, take(self.seeds));
        return true;
      case 4: {  // process
        if (self.queue.empty()) return false;
        const int item = take(self.queue);
        ++state.processed;
        for (const int made : kind(item).makes) route(self, w, made);
        return true;
      }
      case 5: {  // send
        if (self.outgoing.empty()) return false;
        if (self.held <= 1) settle(state, self);
        EXPECT_EQ(self.step, Step::idle) << "a leader has items to send";
        self.held -= 1;
        const int item = take(self.outgoing);
        state.workers[kind(item).owner].inbox.push_back(item);
        return true;
      }
      default:  // nothing is left
        if (self.active() != 0 || self.held == 0) return false;
        settle(state, self);
        return true;
    }
  }

  void settle(State& state, Worker& self) {
    const std::int64_t change = self.active() - std::exchange(self.held, self.active());
    if (state.agreement.settle(change)) self.step = Step::decide;
  }

  void keep(Worker& self, int item) {
    (kind(item).priority <= self.threshold ? self.queue : self.deferred).push_back(item);
  }
  void route(Worker& self, std::size_t w, int item) {
    if (kind(item).owner == w) {
      keep(self, item);
    } else {
      self.outgoing.push_back(item);
    }
  }

  void lead(State& state, Worker& self) {
    if (self.step == Step::decide) {
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
      self.step = Step::publish;
    } else if (self.step == Step::publish) {
      state.agreement.publish();
      self.told = 0;
      self.step = Step::tell;
    } else {
      state.workers[self.told++].news = state.agreement.round();
      if (self.told == case_.n_workers) self.step = Step::idle;
    }
  }

  /// The leader is alone, and nothing is active.
  void expect_quiet(const State& state) {
    int leaders = 0;
    for (const Worker& worker : state.workers) {
      leaders += worker.step == Step::idle ? 0 : 1;
      EXPECT_TRUE(worker.active() == 0 && worker.held == 0 && worker.inbox.empty());
      EXPECT_EQ(worker.news, worker.round);
    }
    EXPECT_EQ(leaders, 1);
  }

  [[nodiscard]] int items_below(int item) const {
    int n = 1;
    for (const int made : kind(item).makes) n += items_below(made);
    return n;
  }

  void check_last(const State& state) {
    ++n_ends_;
    int expected = 0;
    for (const auto& seeds : case_.seeds) {
      for (const int seed : seeds) expected += items_below(seed);
    }
    EXPECT_EQ(state.processed, expected);
    for (const Worker& worker : state.workers) EXPECT_EQ(worker.step, Step::done);
  }

  const Case& case_;
  std::set<std::string> seen_;
  std::size_t n_ends_ = 0;
};

const Case cases[] = {
    {"nothing", 3, lowest_priority, 0, {}, {{}, {}, {}}},
    {"one item", 2, lowest_priority, 0, {{0, 0, {}}}, {{}, {0}}},
    {"there and back", 2, lowest_priority, 0, {{0, 0, {1, 1}}, {0, 1, {2}}, {0, 0, {}}}, {{0}, {}}},
    {"three workers",
     3,
     lowest_priority,
     0,
     {{0, 0, {1, 2}}, {0, 1, {2}}, {0, 2, {}}},
     {{0}, {}, {1}}},
    {"all deferred", 2, 0, 1, {{5, 0, {}}, {9, 1, {}}}, {{0, 1}, {}}},
    {"rounds", 2, 0, 2, {{0, 0, {1, 2}}, {4, 1, {2}}, {7, 0, {}}}, {{0}, {}}},
    {"more urgent again", 2, 1, 3, {{5, 1, {1}}, {1, 0, {2}}, {9, 1, {}}}, {{0}, {2}}},
    {"three workers in rounds", 3, 0, 0, {{1, 0, {1}}, {2, 1, {2}}, {2, 2, {}}}, {{0}, {2}, {}}},
};

TEST(LazySettlement, HoldsInEveryInterleaving) {
  for (const Case& of : cases) {
    SCOPED_TRACE(of.name);
    Explorer explorer(of);
    explorer.explore();
    EXPECT_GE(explorer.n_ends(), 1u);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace warpgraph::runtime
