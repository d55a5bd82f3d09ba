#include "kernels/block.hpp"

#include "cuda_pipeline_primitives.h"
#include "cuda_runtime.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <sstream>
#include <string_view>
#include <unwind.h>

constinit thread_local uint3 threadIdx{};
constinit thread_local uint3 blockIdx{};
constinit thread_local dim3 blockDim{};
constinit thread_local dim3 gridDim{};

namespace warpgraph::cuda {
// What dynamic_shared() declares in core/cuda/launch.cuh.
alignas(16) constinit thread_local unsigned char dynamic_shared_memory[emulator::max_shared]{};
}  // namespace warpgraph::cuda

namespace emulator {
namespace {

constinit thread_local Block* current = nullptr;

/// Branches that this OS thread executes before the running thread yields.
constinit thread_local unsigned countdown = 1;

struct Fibers {
  std::vector<std::unique_ptr<Fiber>> all;
  std::vector<Fiber*> free;
};
thread_local Fibers fibers;

/// A hash of the running thread's call stack. The return address alone is not enough: where the
/// compiler does not inline a push to a worklist, lanes that push to different lists are at the
/// same address, and would be taken for one group.
std::uint64_t place_in_program() {
  std::uint64_t place = 0;
  const auto visit = [](_Unwind_Context* frame, void* to) {
    Random mixed{*static_cast<std::uint64_t*>(to) ^ _Unwind_GetIP(frame)};
    *static_cast<std::uint64_t*>(to) = mixed.next();
    return _URC_NO_REASON;
  };
  _Unwind_Backtrace(visit, &place);
  return place;
}

}  // namespace

Block::Block(Grid& grid, std::uint64_t number, uint3 index)
    : grid_(grid),
      index_(index),
      random_(grid.random_for(number)),
      threads_(grid.threads_per_block()),
      exchanging_((threads_.size() + warp_size - 1) / warp_size),
      ended_(exchanging_.size()) {
  for (Thread& thread : threads_) {
    thread.index = static_cast<unsigned>(&thread - threads_.data());
    ready_.push_back(&thread);
  }
}

Block::~Block() { fibers.free.insert(fibers.free.end(), taken_.begin(), taken_.end()); }

Fiber& Block::take_fiber() {
  if (idle_.empty()) {
    if (fibers.free.empty()) {
      fibers.all.push_back(std::make_unique<Fiber>());
      fibers.free.push_back(fibers.all.back().get());
    }
    taken_.push_back(fibers.free.back());
    idle_.push_back(fibers.free.back());
    fibers.free.pop_back();
  }
  Fiber* fiber = idle_.back();
  idle_.pop_back();
  fiber->prepare(run_fiber);
  return *fiber;
}

void Block::run() {
  current = this;
  blockIdx = index_;
  blockDim = grid_.threads();
  gridDim = grid_.blocks();
  std::fill_n(warpgraph::cuda::dynamic_shared_memory, grid_.shared(), garbage);
  forget_copies();
  while (n_ended_ < threads_.size() && !grid_.has_failed()) {
    if (chosen_ == nullptr) {
      if (ready_.empty() && !unblock()) continue;  // the launch has failed
      chosen_ = &draw();
    }
    if (chosen_->fiber == nullptr) chosen_->fiber = &take_fiber();
    enter(*chosen_);
    Fiber& fiber = *running_->fiber;
    in_thread_ = true;
    switch_context(scheduler_, fiber.context());
    in_thread_ = false;
  }
  current = nullptr;
}

Thread& Block::draw() {
  const std::size_t at = random_.below(ready_.size());
  Thread& thread = *ready_[at];
  ready_[at] = ready_.back();
  ready_.pop_back();
  return thread;
}

void Block::enter(Thread& thread) {
  running_ = &thread;
  chosen_ = nullptr;
  thread.state = Thread::State::ready;
  threadIdx.x = thread.index % blockDim.x;
  threadIdx.y = thread.index / blockDim.x % blockDim.y;
  threadIdx.z = thread.index / blockDim.x / blockDim.y;
}

void Block::run_fiber() { current->run_threads(); }

/// The main loop of a fiber: runs one thread of the kernel after the other, as long as the random
/// choice is a thread that has not started.
void Block::run_threads() {
  for (;;) {
    grid_.run_thread();
    Fiber* fiber = running_->fiber;
    end();
    running_->fiber = nullptr;
    if (!ready_.empty()) chosen_ = &draw();
    if (chosen_ == nullptr || chosen_->fiber != nullptr || grid_.has_failed()) {
      idle_.push_back(fiber);
      switch_context(fiber->context(), scheduler_);
    }
    chosen_->fiber = fiber;
    enter(*chosen_);
  }
}

void Block::end() {
  const unsigned warp = running_->index / warp_size;
  running_->state = Thread::State::ended;
  ended_[warp] |= 1u << lane();
  ++n_ended_;
  if ((exchanging_[warp] & lanes_of(warp)) != 0) {
    for (unsigned i = 0; i < warp_size && warp * warp_size + i < threads_.size(); ++i) {
      const Thread& other = threads_[warp * warp_size + i];
      if (other.state == Thread::State::warp && (other.mask >> lane() & 1) != 0) {
        std::ostringstream text;
        text << "lane " << lane() << " ended while lane " << i << " waits for it in " << other.what;
        fail(text.str());
      }
    }
  }
  settle_votes();
}

/// Suspends the thread in this state; returns when it is resumed.
void Block::leave(Thread::State state) {
  running_->state = state;
  Fiber& fiber = *running_->fiber;
  switch_context(fiber.context(), scheduler_);
}

void Block::make_ready(Thread& thread) {
  thread.state = Thread::State::ready;
  ready_.push_back(&thread);
}

void Block::release(Thread::State state) {
  for (Thread& thread : threads_) {
    if (thread.state == state) make_ready(thread);
  }
}

void Block::give_way() {
  ready_.push_back(running_);
  leave(Thread::State::ready);
}

void Block::fail(const std::string& reason) {
  std::ostringstream text;
  text << "block " << index_.x << ", thread " << running_->index << ": " << reason;
  grid_.fail(text.str());
  switch_context(running_->fiber->context(), scheduler_);
  __builtin_unreachable();
}

unsigned Block::lanes_of(unsigned warp) const noexcept {
  const std::size_t lanes = std::min<std::size_t>(threads_.size() - warp * warp_size, warp_size);
  return ~0u >> (warp_size - lanes);
}

void Block::exchange(const char* what, unsigned mask, std::uint64_t mine, std::uint64_t* all) {
  const unsigned warp = running_->index / warp_size;
  if ((mask >> lane() & 1) == 0) fail(std::string(what) + ": the lane is not in its own mask");
  if ((mask & ~lanes_of(warp)) != 0 || (mask & ended_[warp]) != 0) {
    fail(std::string(what) + ": a lane of the mask has ended or was never there");
  }
  running_->what = what;
  running_->mask = mask;
  running_->mine = mine;
  running_->all = all;
  running_->state = Thread::State::warp;
  exchanging_[warp] |= 1u << lane();
  Thread* const lanes = threads_.data() + warp * warp_size;
  const auto meets = [&](unsigned i) {
    return lanes[i].mask == mask && std::string_view(lanes[i].what) == what;
  };
  bool complete = (exchanging_[warp] & mask) == mask;
  for (unsigned i = 0; complete && i < warp_size; ++i) {
    if ((mask >> i & 1) != 0 && !meets(i)) complete = false;
  }
  if (!complete) return leave(Thread::State::warp);
  exchanging_[warp] &= ~mask;
  for (unsigned i = 0; i < warp_size; ++i) {
    if ((mask >> i & 1) == 0) continue;
    for (unsigned j = 0; j < warp_size; ++j) {
      // The value of a lane outside the mask is undefined in CUDA.
      lanes[i].all[j] = (mask >> j & 1) != 0 ? lanes[j].mine : garbage * 0x0101010101010101u;
    }
    if (&lanes[i] != running_) make_ready(lanes[i]);
  }
  give_way();
}

unsigned Block::converge(std::uint64_t place) {
  running_->place = place;
  ++n_at_site_;
  running_->state = Thread::State::site;
  // Sometimes lanes continue without those that have not arrived yet.
  if (random_.below(8) == 0) {
    release_site(*running_);
  }
  leave(running_->state);
  return running_->mask;
}

/// Resumes the lanes of a warp that are at the same place, as a group.
bool Block::release_site(Thread& first) {
  const unsigned begin = first.index / warp_size * warp_size;
  const auto end = std::min<std::size_t>(begin + warp_size, threads_.size());
  unsigned mask = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (threads_[i].state == Thread::State::site && threads_[i].place == first.place) {
      mask |= 1u << (i - begin);
    }
  }
  for (unsigned i = 0; i < warp_size; ++i) {
    if ((mask >> i & 1) == 0) continue;
    threads_[begin + i].mask = mask;
    --n_at_site_;
    make_ready(threads_[begin + i]);
  }
  return mask != 0;
}

Votes Block::vote(const char* what, bool yes) {
  for (const Thread& other : threads_) {
    if (other.state == Thread::State::block_barrier) {
      if (std::string_view(other.what) != what) {
        fail(std::string(what) + " meets " + other.what + " of another thread");
      }
      break;
    }
  }
  running_->what = what;
  running_->state = Thread::State::block_barrier;
  ++n_voting_;
  yes_ += yes ? 1 : 0;
  settle_votes();
  leave(running_->state);
  return votes_;
}

/// Threads that have ended are not counted.
void Block::settle_votes() {
  if (n_voting_ == 0 || n_voting_ + n_ended_ < threads_.size()) return;
  votes_ = {yes_, static_cast<int>(n_voting_)};
  n_voting_ = 0;
  yes_ = 0;
  release(Thread::State::block_barrier);
}

void Block::meet_some(unsigned barrier, unsigned threads) {
  const std::string what = "barrier " + std::to_string(barrier);
  if (barrier == 0 || barrier >= 16) fail(what + " is not one of 1 to 15");
  if (threads == 0 || threads % warp_size != 0) fail(what + " is not for whole warps");
  std::vector<Thread*> met;
  for (Thread& other : threads_) {
    if (other.state != Thread::State::some_barrier || other.barrier != barrier) continue;
    if (other.n_expected != threads) fail(what + " is for other numbers of threads at a time");
    met.push_back(&other);
  }
  if (met.size() + 1 == threads) {
    for (Thread* other : met) make_ready(*other);
    return give_way();
  }
  running_->barrier = barrier;
  running_->n_expected = threads;
  leave(Thread::State::some_barrier);
}

void Block::wait_for_grid() {
  if (!grid_.is_cooperative()) fail("the grid has a barrier only in a cooperative launch");
  ++n_at_grid_;
  leave(Thread::State::grid_barrier);
}

/// Called when no thread can run: resumes some that may continue, or fails.
bool Block::unblock() {
  if (n_at_site_ > 0) {
    for (Thread& thread : threads_) {
      if (thread.state == Thread::State::site) release_site(thread);
    }
    return true;
  }
  if (n_at_grid_ == threads_.size()) {
    n_at_grid_ = 0;
    grid_.meet();
    if (grid_.has_failed()) return false;
    release(Thread::State::grid_barrier);
    return true;
  }
  std::ostringstream text;
  text << "block " << index_.x << ": its threads wait for ever: " << tell_who_waits();
  grid_.fail(text.str());
  return false;
}

std::string Block::tell_who_waits() const {
  std::ostringstream text;
  text << n_ended_ << " ended, " << n_at_grid_ << " at the barrier of the grid, " << n_voting_
       << " at that of the block";
  const auto n_at_others = std::count_if(
      threads_.begin(), threads_.end(),
      [](const Thread& thread) { return thread.state == Thread::State::some_barrier; });
  if (n_at_others > 0) text << ", " << n_at_others << " at barriers for some of them";
  for (const Thread& thread : threads_) {
    if (thread.state != Thread::State::warp) continue;
    text << "; thread " << thread.index << " in " << thread.what << " with the lanes " << std::hex
         << thread.mask << std::dec;
    break;
  }
  return text.str();
}

unsigned lane() noexcept { return current->lane(); }
void exchange(const char* what, unsigned mask, std::uint64_t mine,
              std::uint64_t (&all)[warp_size]) {
  current->exchange(what, mask, mine, all);
}
unsigned converged_lanes() { return current->converge(place_in_program()); }
Votes meet_block(const char* what, bool vote) { return current->vote(what, vote); }
void meet_some(unsigned barrier, unsigned threads) { current->meet_some(barrier, threads); }
void meet_grid() { current->wait_for_grid(); }
void give_way() { current->give_way(); }
void fail(const std::string& reason) { current->fail(reason); }

}  // namespace emulator

/// GCC calls this at every branch of the sources that are compiled with -fsanitize-coverage.
extern "C" void __sanitizer_cov_trace_pc() {
  using namespace emulator;
  if (--countdown != 0) return;
  const unsigned mean = settings().preemption;
  countdown = std::numeric_limits<unsigned>::max();
  if (mean == 0) return;
  static thread_local Random random{settings().seed};
  countdown = 1 + random.below(2 * mean);
  if (current != nullptr && current->is_in_thread()) current->give_way();
}
