// Launches the rounds of one worker of a distributed worklist as kernels of their own, instead of
// one kernel that does all rounds:
//
//     high priority   plan r   move r     plan r+1   move r+1     ...
//     normal                   expand r              expand r+1
//
// A round plan (one block) waits for both phases of the round before; the phases of a round,
// split-receive and split-send on one stream and the batch on the other, run at the same time. It
// chooses the batch among candidates that the moves before have counted, leaves room for it,
// and divides the rest among the moves. So both have room whatever the other one does, and nothing
// that one reads is written by the other: the batch consumes nothing until the next plan, which
// finishes both. What was sent is published as soon as it was moved. The proofs of agreement.hpp
// and worker_plan.cuh are about plans, between which a worker's part of the counter does not
// change, so they hold in this form, too.
//
// An item that batch r makes is counted by move r + 1 and processed by batch r + 2. As many kernels
// follow each other as if batches waited for moves; but two generations of items can be under way,
// and if one is all that there is, it takes twice as many rounds.
//
// The host launches rounds before it knows what their plans say. If a plan finds nothing to do, its
// phases end at once, and the next ones are plans alone, less and less often.
#pragma once

#include "core/cuda/memory/buffer.hpp"
#include "runtime/worklist/worker_rounds.cuh"

#include <algorithm>
#include <array>
#include <chrono>

namespace warpgraph::runtime {

template <class App>
class SeparateRounds {
 public:
  /// Prepares launches with at most `blocks` blocks per phase; for 0, as many as the device runs
  /// concurrently.
  SeparateRounds(Device device, unsigned blocks)
      : moves_(device, cuda::StreamPriority::high),
        batches_(device),
        planned_{cuda::Event(device, cudaEventDisableTiming),
                 cuda::Event(device, cudaEventDisableTiming)},
        expanded_(device, cudaEventDisableTiming),
        state_(1),
        move_blocks_(blocks_of(work<App, Phase::move>, blocks)),
        expand_blocks_(blocks_of(work<App, Phase::expand>, blocks)) {}

  /// Returns the word that DeviceWorker::state_for_host points to.
  [[nodiscard]] WorkerState* state_for_host() const noexcept { return state_.data(); }

  /// Prepares the first round of a run, or the next one after the host has changed the worker, with
  /// no kernel under way. `worker` is in device memory.
  void begin(const DeviceWorker<App>* worker) {
    worker_ = worker;
    state_[0] = WorkerState::running;
    back_off_ = shortest_back_off;
  }
  /// Launches the phases and the plan that are due. Returns false if none is.
  bool launch_next() {
    count_under_way();
    const WorkerState seen = state();
    if (seen == WorkerState::running && n_under_way_ < n_ahead) {
      back_off_ = shortest_back_off;
      launch_phases();
    } else if (seen != WorkerState::idle || n_under_way_ > 0 || Clock::now() < next_poll_) {
      return false;
    }
    launch_plan();
    return true;
  }
  /// Returns the worker's state according to the latest plan.
  [[nodiscard]] WorkerState state() const { return acquire_load(state_[0]); }
  /// Waits until no kernel is under way.
  void wait() {
    moves_.synchronize();
    batches_.synchronize();
    n_under_way_ = 0;
  }
  /// Waits until no kernel is under way after an error, whose kernels may have failed, and throws
  /// nothing.
  void wait_after_error() noexcept {
    moves_.finish();
    batches_.finish();
    n_under_way_ = 0;
    launches_ = 0;
  }
  /// Returns the number of launches since the last call.
  [[nodiscard]] std::int64_t take_launches() noexcept { return std::exchange(launches_, 0); }

 private:
  using Clock = std::chrono::steady_clock;

  // Number of rounds that are launched before their predecessors have ended, so that the device has
  // no pause.
  static constexpr std::size_t n_ahead = 2;
  static constexpr std::chrono::microseconds shortest_back_off{10};
  static constexpr std::chrono::microseconds longest_back_off{500};

  template <class... Parameters>
  [[nodiscard]] unsigned blocks_of(void (*kernel)(Parameters...), unsigned most) const {
    const auto all =
        static_cast<unsigned>(cuda::resident_blocks(moves_, kernel, worker_threads, 0));
    return most == 0 ? all : std::min(all, most);
  }

  /// Counts the plans that are still under way.
  void count_under_way() {
    while (n_under_way_ > 0) {
      const cuda::Event& oldest = planned_[(n_plans_ - n_under_way_) % n_ahead];
      const cudaError_t status = cudaEventQuery(oldest.get());
      if (status == cudaErrorNotReady) return;
      CUDA_TRY(status);
      --n_under_way_;
      if (n_under_way_ == 0 && state() == WorkerState::idle) {
        next_poll_ = Clock::now() + back_off_;
        back_off_ = std::min(2 * back_off_, longest_back_off);
      }
    }
  }

  /// Launches the phases of the latest plan, exactly once for each plan that is not idle.
  void launch_phases() {
    launch<Phase::move>(moves_, move_blocks_);
    launch<Phase::expand>(batches_, expand_blocks_);
    expanded_.record(batches_.get());
    moves_.wait_for(expanded_.get());
  }
  void launch_plan() {
    launch<Phase::plan>(moves_, 1);
    const cuda::Event& planned = planned_[n_plans_++ % n_ahead];
    planned.record(moves_.get());
    batches_.wait_for(planned.get());
    ++n_under_way_;
  }
  template <Phase phase>
  void launch(const cuda::Stream& stream, unsigned blocks) {
    cuda::launch(stream, blocks, worker_threads, 0, work<App, phase>, worker_, blocks);
    ++launches_;
  }

  const cuda::Stream moves_;
  const cuda::Stream batches_;
  const std::array<cuda::Event, n_ahead> planned_;
  const cuda::Event expanded_;
  const cuda::PinnedBuffer<WorkerState> state_;
  const unsigned move_blocks_;
  const unsigned expand_blocks_;
  const DeviceWorker<App>* worker_ = nullptr;
  std::uint64_t n_plans_ = 0;
  std::uint64_t n_under_way_ = 0;  // number of plans
  std::chrono::microseconds back_off_ = shortest_back_off;
  Clock::time_point next_poll_{};
  std::int64_t launches_ = 0;
};

}  // namespace warpgraph::runtime
