#include "core/memory/lazy_array.hpp"

#include "core/interrupt.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace warpgraph {
namespace {

/// The arrays that may be on a device. Those that are gone are removed when others come.
struct LazyArrays {
  std::mutex mutex;
  std::vector<std::weak_ptr<LazyArray>> arrays;
};

/// Returns the object of all lazy arrays. It is never destroyed: arrays of Python may live longer
/// than static objects.
LazyArrays& lazy_arrays() {
  static LazyArrays& instance = *new LazyArrays;
  return instance;
}

std::vector<std::shared_ptr<LazyArray>> arrays_on_devices() {
  std::vector<std::shared_ptr<LazyArray>> found;
  const std::lock_guard lock(lazy_arrays().mutex);
  for (const std::weak_ptr<LazyArray>& known : lazy_arrays().arrays) {
    std::shared_ptr<LazyArray> array = known.lock();
    if (array != nullptr && array->is_on_device()) found.push_back(std::move(array));
  }
  return found;
}

/// A smaller result is on the host sooner than a second call could ask for it.
std::atomic<std::size_t> smallest_lazy{std::size_t{1} << 20};

}  // namespace

/// The scope in which a thread copies or uses the bytes. Nothing polls in it: a signal handler
/// could ask for the same array.
class LazyArray::Turn {
 public:
  explicit Turn(LazyArray& array, bool waits = true) : array_(array) {
    while ((is_mine_ = !array.busy_.test_and_set(std::memory_order_acquire)) != true && waits) {
      array.busy_.wait(true, std::memory_order_relaxed);
    }
  }
  ~Turn() {
    if (!is_mine_) return;
    array_.busy_.clear(std::memory_order_release);
    array_.busy_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  [[nodiscard]] bool is_mine() const noexcept { return is_mine_; }

 private:
  LazyArray& array_;
  bool is_mine_ = false;
  const ScopedHooks no_hooks_{nullptr};
};

LazyArray::LazyArray(const void* data, std::size_t bytes, Device device, CopyToHost copy)
    : data_(data), bytes_(bytes), device_(device), copy_(std::move(copy)) {}

std::shared_ptr<LazyArray> LazyArray::make(const void* data, std::size_t bytes, Device device,
                                           CopyToHost copy) {
  std::shared_ptr<LazyArray> made(new LazyArray(data, bytes, device, std::move(copy)));
  const std::lock_guard lock(lazy_arrays().mutex);
  std::erase_if(lazy_arrays().arrays, [](const std::weak_ptr<LazyArray>& known) {
    const std::shared_ptr<LazyArray> array = known.lock();
    return array == nullptr || !array->is_on_device();
  });
  lazy_arrays().arrays.push_back(made);
  return made;
}

void LazyArray::move_to_host() {
  HostArray<std::byte> host(static_cast<std::int64_t>(bytes_));
  copy_(host.get());
  host_ = std::move(host);
  copy_ = nullptr;
  on_device_.store(false);
}

std::byte* LazyArray::on_host() {
  const Turn turn(*this);
  if (copy_) move_to_host();
  return host_.get();
}

bool LazyArray::use_on_device(FunctionRef<void(const void*)> use) {
  const Turn turn(*this);
  if (!copy_) return false;
  use(data_);
  return true;
}

void LazyArray::evict() noexcept {
  const Turn turn(*this, false);
  if (!turn.is_mine() || !copy_) return;
  try {
    move_to_host();
  } catch (...) {  // it stays, and who needs the memory reports that it lacks
  }
}

bool may_stay_on(Device device, std::size_t bytes) {
  constexpr std::size_t share = 4;
  return bytes != 0 && bytes >= smallest_lazy.load() && bytes <= free_memory(device) / share;
}

void set_smallest_lazy(std::size_t bytes) noexcept { smallest_lazy.store(bytes); }

std::size_t lazy_bytes(Device device) noexcept {
  std::size_t sum = 0;
  const std::lock_guard lock(lazy_arrays().mutex);
  for (const std::weak_ptr<LazyArray>& known : lazy_arrays().arrays) {
    const std::shared_ptr<LazyArray> array = known.lock();
    if (array != nullptr && array->device() == device && array->is_on_device()) {
      sum += array->bytes();
    }
  }
  return sum;
}

void evict_lazy_arrays(Device device) noexcept {
  try {
    for (const std::shared_ptr<LazyArray>& array : arrays_on_devices()) {
      if (array->device() == device) array->evict();
    }
  } catch (...) {  // no memory for the list
  }
}

void finish_lazy_arrays() {
  std::exception_ptr first_error;
  for (const std::shared_ptr<LazyArray>& array : arrays_on_devices()) {
    try {
      static_cast<void>(array->on_host());
    } catch (...) {  // the others come nevertheless
      if (!first_error) first_error = std::current_exception();
    }
  }
  if (first_error) std::rethrow_exception(first_error);
}

}  // namespace warpgraph
