// A block of threads, each a fiber, on one OS thread.
//
// A thread runs until it must wait for others or is preempted; the next one is chosen at random. So
// the lanes of a warp do not run in lockstep, except where the kernel synchronises them.
#pragma once

#include "emulator/thread.hpp"
#include "kernels/fiber.hpp"
#include "kernels/grid.hpp"

#include <vector>

namespace emulator {

struct Thread {
  enum class State : unsigned char {
    unborn,
    ready,
    block_barrier,
    some_barrier,
    grid_barrier,
    warp,
    site,
    ended
  };

  State state = State::unborn;
  unsigned index = 0;
  Fiber* fiber = nullptr;
  const char* what = nullptr;    // warp, block_barrier: the operation
  unsigned mask = 0;             // warp: participating lanes; site: lanes found there
  unsigned barrier = 0;          // some_barrier: its number
  unsigned n_expected = 0;       // some_barrier: threads that it waits for
  std::uint64_t mine = 0;        // warp: the value of this lane
  std::uint64_t* all = nullptr;  // warp: where to store the values of all lanes
  std::uint64_t place = 0;       // site: the place in the program
};

class Block {
 public:
  Block(Grid& grid, std::uint64_t number, uint3 index);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  /// Runs all threads to their end, or until the launch has failed.
  void run();

  /// The functions below are called by the running thread.
  void exchange(const char* what, unsigned mask, std::uint64_t mine, std::uint64_t* all);
  unsigned converge(std::uint64_t place);
  Votes vote(const char* what, bool yes);
  void meet_some(unsigned barrier, unsigned threads);
  void wait_for_grid();
  void give_way();
  [[noreturn]] void fail(const std::string& reason);
  [[nodiscard]] unsigned lane() const noexcept { return running_->index % warp_size; }
  [[nodiscard]] bool is_in_thread() const noexcept { return in_thread_; }

 private:
  static void run_fiber();
  void run_threads();
  Thread& draw();
  void enter(Thread& thread);
  void leave(Thread::State state);
  void end();
  void make_ready(Thread& thread);
  void release(Thread::State state);
  void settle_votes();
  bool release_site(Thread& first);
  bool unblock();
  [[nodiscard]] std::string tell_who_waits() const;
  [[nodiscard]] unsigned lanes_of(unsigned warp) const noexcept;
  Fiber& take_fiber();

  Grid& grid_;
  uint3 index_;
  Random random_;
  std::vector<Thread> threads_;
  std::vector<Thread*> ready_;
  std::vector<unsigned> exchanging_;  // lanes of each warp that wait in an exchange
  std::vector<unsigned> ended_;       // lanes of each warp that have ended
  unsigned n_ended_ = 0;
  unsigned n_voting_ = 0;
  unsigned n_at_grid_ = 0;
  unsigned n_at_site_ = 0;
  int yes_ = 0;
  Votes votes_{};
  Thread* running_ = nullptr;
  Thread* chosen_ = nullptr;  // to run next
  bool in_thread_ = false;
  Context scheduler_{};
  std::vector<Fiber*> taken_;  // all fibers of this block
  std::vector<Fiber*> idle_;   // those without a thread
};

}  // namespace emulator
