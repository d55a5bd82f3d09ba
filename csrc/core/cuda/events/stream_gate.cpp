#include "core/cuda/events/stream_gate.hpp"

#include "core/cuda/memory/pinned_memory.hpp"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

namespace warpgraph::cuda {
namespace {

/// cuStreamWaitValue32 and cuStreamWriteValue32 of the driver, which the runtime library finds.
/// They return 0 if they succeed.
using ValueFunction = int (*)(cudaStream_t, unsigned long long address, std::uint32_t value,
                              unsigned flags);
constexpr unsigned wait_until_at_least = 0;
constexpr unsigned write_after_earlier_work = 0;
/// The version of CUDA whose form of these functions is meant.
constexpr unsigned driver_version = 12000;

ValueFunction find(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &function, driver_version, cudaEnableDefault, &found);
  if (status == cudaSuccess && found == cudaDriverEntryPointSuccess) {
    return reinterpret_cast<ValueFunction>(function);
  }
  cudaGetLastError();
  return nullptr;
}

struct Driver {
  ValueFunction wait = find("cuStreamWaitValue32");
  ValueFunction write = find("cuStreamWriteValue32");
};

const Driver& driver() {
  static const Driver instance;
  return instance;
}

void expect_success(int status, const char* call) {
  if (status != 0) throw CudaError(concat(call, " failed with error ", status, " of the driver"));
}

unsigned long long address_of(const std::uint32_t* place) {
  return reinterpret_cast<unsigned long long>(place);
}

void set_number(StreamGate::Slot slot) {
  std::atomic_ref(*slot.place).store(slot.number, std::memory_order_release);
}

/// Slots lie in blocks that are never freed: streams of a run that has failed may still read them.
class SlotPool {
 public:
  StreamGate::Slot take() {
    const std::lock_guard lock(mutex_);
    if (used_.empty() || !has_number(used_.front())) {
      if (n_fresh_ == 0) add_block();
      return {fresh_ + --n_fresh_, 1};
    }
    const StreamGate::Slot slot = used_.front();
    used_.pop_front();
    return {slot.place, slot.number + 1};
  }
  /// The gate of the slot is open, or a stream will open it.
  void give_back(StreamGate::Slot slot) noexcept {
    // Numbers that wrap around would not be larger than those before.
    if (slot.number == ~0U) return;
    try {
      const std::lock_guard lock(mutex_);
      used_.push_back(slot);
    } catch (...) {  // out of memory: the slot is not used again
    }
  }

 private:
  static bool has_number(StreamGate::Slot slot) {
    return std::atomic_ref(*slot.place).load(std::memory_order_acquire) >= slot.number;
  }
  void add_block() {
    constexpr std::size_t slots_per_block = 1024;
    const PinnedBlock block = borrow_pinned(slots_per_block * sizeof(std::uint32_t));
    fresh_ = static_cast<std::uint32_t*>(block.memory);
    std::uninitialized_fill_n(fresh_, slots_per_block, 0U);
    n_fresh_ = slots_per_block;
  }

  std::mutex mutex_;
  std::deque<StreamGate::Slot> used_;
  std::uint32_t* fresh_ = nullptr;
  std::size_t n_fresh_ = 0;
};

SlotPool& pool() {
  static SlotPool& instance = *new SlotPool;
  return instance;
}

}  // namespace

bool StreamGate::is_supported() { return driver().wait != nullptr && driver().write != nullptr; }

StreamGate::StreamGate(cudaStream_t stream) : slot_(pool().take()) {
  const int status =
      driver().wait(stream, address_of(slot_.place), slot_.number, wait_until_at_least);
  if (status != 0) open();
  expect_success(status, "cuStreamWaitValue32");
}

void StreamGate::open() noexcept {
  if (is_open_.exchange(true)) return;
  set_number(slot_);
  pool().give_back(slot_);
}

void StreamGate::open_after(cudaStream_t stream) {
  if (is_open_.exchange(true)) return;
  const int status =
      driver().write(stream, address_of(slot_.place), slot_.number, write_after_earlier_work);
  if (status != 0) set_number(slot_);
  pool().give_back(slot_);
  expect_success(status, "cuStreamWriteValue32");
}

namespace {

std::atomic<WaitHook> wait_hook{nullptr};

}  // namespace

void call_before_waits(WaitHook hook) noexcept { wait_hook.store(hook); }

void about_to_wait_for(const Stream& stream) noexcept {
  if (const WaitHook hook = wait_hook.load()) hook(stream);
}

}  // namespace warpgraph::cuda
