// Streams are queues. Enqueued work is done when the host waits for it, and not before, so that a
// missing wait shows.
#include "kernels/grid.hpp"
#include "kernels/workers.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace emulator {
namespace {

/// Work that a stream holds before launches wait, about as on a device. It also keeps calls
/// responsive.
constexpr std::size_t longest_queue = 256;

struct Work {
  std::function<cudaError_t()> run;
  bool even_after_errors = false;
  bool is_cooperative = false;
  bool is_concurrent = false;            // goes on in the background while the host polls
  std::function<bool()> may_begin = {};  // empty: when it is the first of its stream
};

struct Queue {
  std::deque<Work> work;
  std::uint64_t n_put = 0;
  std::atomic<std::uint64_t> n_done{0};
  bool has_priority = false;
  bool is_busy = false;             // with work that lets others use the runtime meanwhile
  bool is_cooperative = false;      // that work; it may wait for the host
  cudaError_t error = cudaSuccess;  // since the last wait
  std::string sentence;             // about it

  /// Whether the first work can be done. Work that waits for another stream's helps that one.
  bool may_begin() {
    if (is_busy || work.empty()) return false;
    if (!work.front().may_begin) return true;
    const std::uint64_t first = n_done;
    const std::function<bool()> condition = work.front().may_begin;
    return condition() && n_done == first && !is_busy;  // else another stream was ahead of it
  }
  /// Waits a little if it cannot be done, or another thread does it.
  void do_next() {
    if (is_busy) {
      const std::uint64_t seen = n_done;
      runtime_mutex().without([&] { n_done.wait(seen); });
      return;
    }
    if (may_begin()) return do_first();
    runtime_mutex().without([] { std::this_thread::yield(); });
  }
  void do_first() {
    const Work next = std::move(work.front());
    work.pop_front();
    is_busy = true;
    is_cooperative = next.is_cooperative;
    if (error == cudaSuccess || next.even_after_errors) {
      cudaError_t status = cudaSuccess;
      if (next.is_concurrent) {
        runtime_mutex().without([&] { status = next.run(); });
      } else {
        status = next.run();
      }
      if (error == cudaSuccess && status != cudaSuccess) {
        error = status;
        sentence = latest_sentence();
      }
    }
    is_busy = false;
    ++n_done;
    n_done.notify_all();
  }
  void do_until(std::uint64_t position) {
    while (n_done < position) do_next();
  }
};

void do_other_work();

/// Some of the work, for a host that polls. Concurrent work goes on in the background; beside that
/// of a stream with priority, some of another stream is done.
void do_some(const std::shared_ptr<Queue>& queue) {
  if (queue->is_busy) return queue->is_cooperative ? void() : do_other_work();
  if (!queue->may_begin()) return;
  if (!queue->work.front().is_concurrent) return queue->do_first();
  queue->is_busy = true;
  queue->is_cooperative = queue->work.front().is_cooperative;
  run_in_background([queue] {
    const std::lock_guard lock(runtime_mutex());
    queue->do_first();
  });
}

/// Does the work up to a position, as far as nothing holds it. Whether that is all of it.
bool advance(const std::shared_ptr<Queue>& queue, std::uint64_t position) {
  while (queue->n_done < position) {
    const std::uint64_t before = queue->n_done;
    do_some(queue);
    if (queue->n_done == before) return false;
  }
  return true;
}

using Clock = std::chrono::steady_clock;

using Queues = std::vector<std::shared_ptr<Queue>>;

/// The first one is that of cudaStream_t 0.
Queues& queues() {
  static auto& all = *new Queues{std::make_shared<Queue>()};
  return all;
}

void do_other_work() {
  // Not work that waits: it would ask for other work itself.
  const auto can_begin = [](const std::shared_ptr<Queue>& queue) {
    return !queue->is_busy && !queue->work.empty() && !queue->work.front().may_begin;
  };
  const Queues all = queues();  // the list may change meanwhile
  const auto found = std::find_if(all.begin(), all.end(), can_begin);
  if (found != all.end()) (*found)->do_first();
}

/// Kernels that opted in to more shared memory.
std::map<const void*, std::size_t>& shared_limits() {
  static auto& limits = *new std::map<const void*, std::size_t>;
  return limits;
}

std::size_t max_shared_of(const void* kernel) {
  const auto found = shared_limits().find(kernel);
  return found == shared_limits().end() ? usual_shared : found->second;
}

}  // namespace
}  // namespace emulator

using namespace emulator;

struct CUstream_st {
  std::shared_ptr<Queue> queue = std::make_shared<Queue>();
};
struct CUevent_st {
  std::shared_ptr<Queue> queue;  // the queue that it was recorded in
  std::uint64_t position = 0;
  std::shared_ptr<Clock::time_point> reached = std::make_shared<Clock::time_point>();
};

namespace emulator {
namespace {

std::shared_ptr<Queue> queue_of(cudaStream_t stream) {
  return stream != nullptr ? stream->queue : queues().front();
}

cudaError_t error_of(const Queue& queue) {
  return queue.error == cudaSuccess ? cudaSuccess : set_last(explain(queue.error, queue.sentence));
}
cudaError_t take_error(Queue& queue) {
  const cudaError_t error = error_of(queue);
  queue.error = cudaSuccess;
  return error;
}

cudaError_t put(cudaStream_t stream, Work work) {
  const std::lock_guard lock(runtime_mutex());
  const std::shared_ptr<Queue> queue = queue_of(stream);
  queue->work.push_back(std::move(work));
  ++queue->n_put;
  if (queue->work.size() > longest_queue && queue->may_begin()) queue->do_next();
  if (settings().launch_blocking) advance(queue, queue->n_put);
  return cudaSuccess;
}

}  // namespace

cudaError_t enqueue(cudaStream_t stream, std::function<cudaError_t()> work,
                    bool even_after_errors) {
  return put(stream, {std::move(work), even_after_errors});
}

cudaError_t launch(const cudaLaunchConfig_t& config, const void* kernel,
                   std::function<void()> body) {
  const std::lock_guard lock(runtime_mutex());
  const dim3 blocks = config.gridDim;
  const dim3 threads = config.blockDim;
  const std::uint64_t a_block = std::uint64_t{threads.x} * threads.y * threads.z;
  if (a_block == 0 || a_block > 1024 || blocks.x == 0 || blocks.y == 0 || blocks.z == 0) {
    return set_last(explain(cudaErrorInvalidConfiguration, "a grid has no such shape"));
  }
  if (config.dynamicSmemBytes > max_shared_of(kernel)) {
    return set_last(explain(cudaErrorInvalidValue,
                            "the kernel did not ask for so much shared "
                            "memory"));
  }
  bool cooperative = false;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    cooperative = cooperative || (config.attrs[i].id == cudaLaunchAttributeCooperative &&
                                  config.attrs[i].val.cooperative != 0);
  }
  if (cooperative &&
      blocks.x * blocks.y * blocks.z > static_cast<unsigned>(settings().multiprocessors)) {
    return set_last(explain(cudaErrorCooperativeLaunchTooLarge,
                            "a cooperative launch has more blocks than run at once"));
  }
  auto run = [=, shared = config.dynamicSmemBytes, body = std::move(body)] {
    const std::string failure = Grid(blocks, threads, shared, cooperative, body).run();
    return failure.empty() ? cudaSuccess : explain(cudaErrorLaunchFailure, failure);
  };
  static Random random{settings().seed};
  const bool concurrent =
      cooperative || (queue_of(config.stream)->has_priority && random.below(4) == 0);
  return put(config.stream, {std::move(run), false, cooperative, concurrent});
}

}  // namespace emulator

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute, int value) {
  const std::lock_guard lock(runtime_mutex());
  if (value < 0 || static_cast<std::size_t>(value) > max_shared) {
    return set_last(explain(cudaErrorInvalidValue, "a block cannot have so much shared memory"));
  }
  shared_limits()[kernel] = static_cast<std::size_t>(value);
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel,
                                                          int threads, std::size_t shared) {
  const std::lock_guard lock(runtime_mutex());
  *blocks = threads <= 1024 && shared <= max_shared_of(kernel) ? 1 : 0;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  const std::lock_guard lock(runtime_mutex());
  *stream = new CUstream_st;
  queues().push_back((*stream)->queue);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  const std::lock_guard lock(runtime_mutex());
  const cudaError_t status = cudaStreamCreateWithFlags(stream, flags);
  (*stream)->queue->has_priority = priority < 0;
  return status;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -1;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const std::lock_guard lock(runtime_mutex());
  const std::shared_ptr<Queue> queue = stream->queue;
  delete stream;
  const auto finish = [queue] {
    const std::lock_guard guard(runtime_mutex());
    queue->do_until(queue->n_put);
    std::erase(queues(), queue);
  };
  // CUDA does not wait either for a stream that is held.
  if (advance(queue, queue->n_put)) {
    finish();
  } else {
    std::thread(finish).detach();
  }
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const std::lock_guard lock(runtime_mutex());
  const std::shared_ptr<Queue> queue = queue_of(stream);
  queue->do_until(queue->n_put);
  return take_error(*queue);
}

/// Does some of the work, so that a polling host makes progress.
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const std::lock_guard lock(runtime_mutex());
  const std::shared_ptr<Queue> queue = queue_of(stream);
  if (queue->n_done == queue->n_put) return take_error(*queue);
  do_some(queue);
  return cudaErrorNotReady;
}

cudaError_t cudaDeviceSynchronize() {
  const std::lock_guard lock(runtime_mutex());
  cudaError_t status = cudaSuccess;
  for (const std::shared_ptr<Queue>& queue : Queues(queues())) {
    queue->do_until(queue->n_put);
    if (status == cudaSuccess) status = take_error(*queue);
  }
  return status;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const std::lock_guard lock(runtime_mutex());
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const std::lock_guard lock(runtime_mutex());
  const cudaError_t status = enqueue(stream, [reached = event->reached] {
    *reached = Clock::now();
    return cudaSuccess;
  });
  event->queue = queue_of(stream);
  event->position = event->queue->n_put;
  return status;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const std::lock_guard lock(runtime_mutex());
  if (event->queue == nullptr) return cudaSuccess;  // never recorded
  event->queue->do_until(event->position);
  return error_of(*event->queue);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  const std::lock_guard lock(runtime_mutex());
  if (event->queue == nullptr) return cudaSuccess;
  if (event->queue->n_done >= event->position) return error_of(*event->queue);
  do_some(event->queue);
  return cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  const std::lock_guard lock(runtime_mutex());
  *milliseconds = std::chrono::duration<float, std::milli>(*end->reached - *start->reached).count();
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const std::lock_guard lock(runtime_mutex());
  if (event->queue == nullptr) return cudaSuccess;
  Work wait{[] { return cudaSuccess; }};
  wait.may_begin = [queue = event->queue, position = event->position] {
    return advance(queue, position);
  };
  return put(stream, std::move(wait));
}
