// A list of work items that workers on devices process; processing an item may make new ones. No
// thread of the host takes part: see worker_rounds.cuh for what the kernels do.
//
// Each device runs one kernel for all of its workers, each with an equal share of the blocks that
// the device runs concurrently: two kernels could wait for each other, but the driver may run one
// after the other. A thread of the host launches the kernel of each device, waits for it, and
// enlarges arrays when the kernel has ended for that.
//
// With DeviceWorklistOptions::fused = false, that thread launches each round of each worker instead
// (separate_rounds.cuh), so that moves get ahead of batches. This shows what fusion is worth.
//
//     DeviceWorklist<Search> list({cuda0, cuda0, cuda1}, options);   // two workers on cuda:0
//     list.run(searches, seeds);
//
// Ben-Nun, Sutton, Pai, Pingali: "Groute: an asynchronous multi-GPU programming model for irregular
// computations", PPoPP 2017, sections 4.3, 4.4 and 5.2.
#pragma once

#include "core/cuda/memory/peer_access.hpp"
#include "core/memory/memory_budget.hpp"
#include "runtime/waiting.hpp"
#include "runtime/worklist/separate_rounds.cuh"
#include "runtime/worklist/worker_arrays.cuh"
#include "runtime/worklist/worker_rounds.cuh"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace warpgraph::runtime {
namespace detail {
/// Mutex of the list, of any application, whose fused kernels run on several devices.
inline std::timed_mutex fused_on_several_devices;
/// Thread that holds the mutex, which may not wait for it.
inline std::atomic<std::thread::id> thread_of_fused{};

/// Lock of the mutex.
class AloneOnDevices {
 public:
  /// Waits for the mutex. The thread that polls may call Python, which may begin another search.
  AloneOnDevices() : lock_(fused_on_several_devices, std::defer_lock) {
    if (thread_of_fused.load() == std::this_thread::get_id()) {
      throw std::runtime_error(
          "workers on several GPUs cannot begin in a callback of a call by other such workers");
    }
    while (!lock_.try_lock_for(std::chrono::milliseconds(10))) check_thread();
    thread_of_fused.store(std::this_thread::get_id());
  }
  ~AloneOnDevices() { thread_of_fused.store({}); }
  AloneOnDevices(const AloneOnDevices&) = delete;
  AloneOnDevices& operator=(const AloneOnDevices&) = delete;

 private:
  std::unique_lock<std::timed_mutex> lock_;
};
}  // namespace detail

template <DeviceWorklistApp App>
class DeviceWorklist {
 public:
  using Local = typename App::LocalWork;

  /// Makes a worker for each entry, at most max_workers; several may be on one device. Throws
  /// DeviceError if a device cannot access the memory of another one (atomically: of the first
  /// one), and OutOfMemory.
  explicit DeviceWorklist(std::vector<Device> workers, const DeviceWorklistOptions& options = {});
  DeviceWorklist(const DeviceWorklist&) = delete;
  DeviceWorklist& operator=(const DeviceWorklist&) = delete;

  /// Processes items until none is left. apps[w] and seeds[w] belong to worker w, which decides
  /// with on_send() where its seeds go. The data that apps point to must be ready, and are when
  /// run() returns. The calling thread polls. Throws what that throws, OutOfMemory, and
  /// std::runtime_error if an item is passed on by its owner; all kernels have ended then.
  void run(const std::vector<App>& apps, const std::vector<std::vector<Local>>& seeds);

  /// Returns the reports of the workers of the last run.
  [[nodiscard]] const std::vector<WorkerReport>& reports() const noexcept { return reports_; }

 private:
  using Arrays = WorkerArrays<App>;

  /// A device and the ranks of its workers.
  struct Site {
    explicit Site(Device device) : stream(device), stopping(device) {}
    cuda::Stream stream;
    cuda::Stream stopping;  // for stop(), while the kernel runs on the other one
    std::vector<std::size_t> ranks;
    unsigned blocks_each = 0;                                  // if fused, otherwise:
    std::vector<std::unique_ptr<SeparateRounds<App>>> rounds;  // rounds of each worker
    cuda::DeviceBuffer<DeviceWorker<App>> workers;
    cuda::DeviceBuffer<KernelControl> control;
  };

  void add_site(Device device);
  void divide_blocks(Site& site) const;
  void connect();
  /// Returns the budget for more arrays of the site.
  [[nodiscard]] MemoryBudget budget_of(const Site& site) const;
  void reset(const std::vector<App>& apps, const std::vector<std::vector<Local>>& seeds);
  /// Launches fused kernels alone: those of several devices fill these and wait for each other, so
  /// with kernels of another list between them they would wait for ever.
  void run_fused(Site& site);
  void run_separate(Site& site);
  /// Launches rounds until the host has to do something else.
  void launch_rounds(Site& site);
  void upload(const Site& site);
  /// Waits for the kernel. check() may throw; all kernels are stopped then.
  void wait_for_kernel(const Site& site);
  /// Reads the progress of the workers after all kernels have ended, and enlarges arrays that need
  /// it. Returns true if the list has ended.
  bool read_progress(Site& site);
  /// Polls on the calling thread; other threads see its errors by stop(), and it sees theirs.
  void check(const Site& site) const {
    if (&site == sites_[0].get()) check_thread();
  }
  static void rest(int polls) {
    // The wait is short compared with a kernel's 10 us for launching and ending; a sleep takes 60
    // us at least.
    constexpr int spins = 100;
    if (polls >= spins) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  void stop() noexcept;

  const DeviceWorklistOptions options_;
  const int n_workers_;
  std::vector<std::unique_ptr<Site>> sites_;
  std::vector<std::unique_ptr<Arrays>> arrays_;  // arrays of each worker
  // The agreement, on the device of the first worker.
  cuda::PeerBuffer<Agreement> agreement_;
  cuda::PeerBuffer<DeferredItems> deferred_items_;
  std::atomic<bool> stopped_{false};
  std::vector<WorkerReport> reports_;
};

template <DeviceWorklistApp App>
DeviceWorklist<App>::DeviceWorklist(std::vector<Device> workers,
                                    const DeviceWorklistOptions& options)
    : options_(options.checked()), n_workers_(static_cast<int>(workers.size())) {
  EXPECTS(n_workers_ >= 1 && n_workers_ <= max_workers, "a device worklist has 1..", max_workers,
          " workers, got ", n_workers_);
  for (const Device device : workers) add_site(device);
  for (const auto& site : sites_) {
    for (const auto& peer : sites_) {
      cuda::enable_peer_access(site->stream.device(), peer->stream.device());
    }
    cuda::require_peer_atomics(site->stream.device(), workers[0]);  // for the agreement
    if (options_.fused) divide_blocks(*site);
  }
  agreement_ = cuda::PeerBuffer<Agreement>(1, workers[0]);
  deferred_items_ = cuda::PeerBuffer<DeferredItems>(workers.size(), workers[0]);
  connect();
}

template <DeviceWorklistApp App>
void DeviceWorklist<App>::add_site(Device device) {
  EXPECTS(device.is_cuda(), "a device worklist needs CUDA devices, got ", device.name());
  require_device(device);
  Site* site = nullptr;
  for (const auto& known : sites_) {
    if (known->stream.device() == device) site = known.get();
  }
  if (site == nullptr) {
    sites_.push_back(std::make_unique<Site>(device));
    site = sites_.back().get();
    site->control = cuda::DeviceBuffer<KernelControl>(1, site->stream);
  }
  const int rank = static_cast<int>(arrays_.size());
  budget_of(*site).require(concat("worker ", rank, " of the worklist"),
                           Arrays::bytes(n_workers_, options_), Arrays::advice);
  arrays_.push_back(std::make_unique<Arrays>(rank, n_workers_, options_, site->stream));
  site->ranks.push_back(arrays_.size() - 1);
  if (options_.fused) return;
  site->rounds.push_back(std::make_unique<SeparateRounds<App>>(device, options_.blocks));
}

template <DeviceWorklistApp App>
void DeviceWorklist<App>::divide_blocks(Site& site) const {
  const auto n = static_cast<std::int64_t>(site.ranks.size());
  const std::int64_t all = cuda::resident_blocks(site.stream, work<App>, worker_threads, 0);
  EXPECTS(all >= n, site.stream.device().name(), " runs ", all,
          " blocks of this kernel concurrently, which is too few for ", n, " workers");
  site.blocks_each = static_cast<unsigned>(all / n);
  if (options_.blocks != 0) site.blocks_each = std::min(site.blocks_each, options_.blocks);
}

template <DeviceWorklistApp App>
MemoryBudget DeviceWorklist<App>::budget_of(const Site& site) const {
  std::size_t taken = 0;
  for (const std::size_t rank : site.ranks) taken += arrays_[rank]->bytes();
  return options_.budget.after(taken).on(site.stream.device());
}

/// Connects the mailboxes for good: they do not grow.
template <DeviceWorklistApp App>
void DeviceWorklist<App>::connect() {
  for (const auto& of : arrays_) of->connect(arrays_);
  for (const auto& site : sites_) {
    site->workers = cuda::DeviceBuffer<DeviceWorker<App>>(site->ranks.size(), site->stream);
    site->stream.synchronize();
  }
}

template <DeviceWorklistApp App>
void DeviceWorklist<App>::reset(const std::vector<App>& apps,
                                const std::vector<std::vector<Local>>& seeds) {
  const auto n = static_cast<std::size_t>(n_workers_);
  EXPECTS(apps.size() == n && seeds.size() == n, "a worklist of ", n, " workers needs as many apps",
          " and lists of seeds, got ", apps.size(), " and ", seeds.size());
  stopped_ = false;
  reports_.assign(n, {});
  // Each worker has a token for its seeds.
  const Agreement agreement(n_workers_, options_.first_threshold, options_.step, n_workers_);
  const std::vector<DeferredItems> deferred(n);
  const cuda::Stream& first = sites_[0]->stream;
  // Memory of a pool can only be copied while its device is the current one.
  const cuda::DeviceGuard guard(first.device());
  cuda::copy(agreement_.data(), &agreement, 1, first);
  cuda::copy(deferred_items_.data(), deferred.data(), n, first);
  for (const auto& site : sites_) {
    const cuda::DeviceGuard of_site(site->stream.device());
    cuda::fill_bytes(site->control.data(), 0, 1, site->stream);
    for (std::size_t i = 0; i < site->ranks.size(); ++i) {
      const std::size_t rank = site->ranks[i];
      DeviceWorker<App> worker{};
      worker.app = apps[rank];
      worker.state_for_host = options_.fused ? nullptr : site->rounds[i]->state_for_host();
      worker.agreement = agreement_.data();
      worker.deferred_items = deferred_items_.data();
      worker.control = site->control.data();
      arrays_[rank]->reset(worker, seeds[rank], options_, site->stream);
    }
    upload(*site);
  }
  // Before any kernel runs, all mailboxes are empty.
  for (const auto& site : sites_) site->stream.synchronize();
}

template <DeviceWorklistApp App>
void DeviceWorklist<App>::run(const std::vector<App>& apps,
                              const std::vector<std::vector<Local>>& seeds) {
  reset(apps, seeds);
  std::optional<detail::AloneOnDevices> alone;  // kernels of several devices wait for each other
  if (options_.fused && sites_.size() > 1) alone.emplace();
  const auto run_site = [this](Site& site) {
    options_.fused ? run_fused(site) : run_separate(site);
  };
  LoopControl errors;
  std::vector<std::thread> threads;
  errors.guard([&] {
    for (std::size_t i = 1; i < sites_.size(); ++i) {
      threads.emplace_back([&, i] {
        if (!errors.guard([&] { run_site(*sites_[i]); })) stop();
      });
    }
  });
  if (errors.stopped() || !errors.guard([&] { run_site(*sites_[0]); })) stop();
  for (std::thread& thread : threads) thread.join();
  errors.rethrow();
}

template <DeviceWorklistApp App>
void DeviceWorklist<App>::run_fused(Site& site) {
  const cuda::DeviceGuard guard(site.stream.device());
  do {
    if (stopped_) return;
    cuda::launch_cooperative(site.stream,
                             site.blocks_each * static_cast<unsigned>(site.ranks.size()),
                             worker_threads, 0, work<App>, site.workers.data(), site.blocks_each);
    for (const std::size_t rank : site.ranks) ++reports_[rank].launches;
    wait_for_kernel(site);
  } while (!read_progress(site));
}

template <DeviceWorklistApp App>
void DeviceWorklist<App>::run_separate(Site& site) {
  const cuda::DeviceGuard guard(site.stream.device());
  try {
    do {
      site.stream.synchronize();  // waits for the host's writes
      for (std::size_t i = 0; i < site.rounds.size(); ++i) {
        site.rounds[i]->begin(site.workers.data() + i);
      }
      launch_rounds(site);
      for (std::size_t i = 0; i < site.rounds.size(); ++i) {
        site.rounds[i]->wait();
        reports_[site.ranks[i]].launches += site.rounds[i]->take_launches();
      }
    } while (!stopped_ && !read_progress(site));
  } catch (...) {
    stop();
    for (const auto& rounds : site.rounds) rounds->wait_after_error();
    throw;
  }
}

template <DeviceWorklistApp App>
void DeviceWorklist<App>::launch_rounds(Site& site) {
  for (int polls = 0; !stopped_; ++polls) {
    std::size_t n_ended = 0;
    for (const auto& rounds : site.rounds) {
      if (rounds->launch_next()) polls = 0;
      const WorkerState state = rounds->state();
      if (state == WorkerState::ended) {
        ++n_ended;
      } else if (state != WorkerState::running && state != WorkerState::idle) {
        return;
      }
    }
    if (n_ended == site.rounds.size()) return;
    check(site);
    rest(polls);
  }
}

template <DeviceWorklistApp App>
void DeviceWorklist<App>::wait_for_kernel(const Site& site) {
  try {
    for (int polls = 0;; ++polls) {
      // Throws the error of the kernel, if it has one.
      if (!site.stream.is_busy()) return site.stream.synchronize();
      check(site);
      rest(polls);
    }
  } catch (...) {
    stop();
    site.stream.finish();  // the kernel uses arrays of this object
    throw;
  }
}

template <DeviceWorklistApp App>
bool DeviceWorklist<App>::read_progress(Site& site) {
  bool ended = true;
  bool grows = false;
  for (const std::size_t rank : site.ranks) {
    const WorkerProgress progress = arrays_[rank]->progress(site.stream);
    WorkerReport& report = reports_[rank];
    report = {progress.rounds, progress.processed, progress.children_made,
              progress.sent,   report.growths,     report.launches};
    if (progress.state == WorkerState::failed) {
      throw std::runtime_error(concat("a work item was passed on by worker ", rank,
                                      ", which is its owner, or has no owner"));
    }
    if (progress.state == WorkerState::stopped) return true;
    ended = ended && progress.state == WorkerState::ended;
    if (progress.state != WorkerState::grows) continue;
    arrays_[rank]->grow(progress, budget_of(site), site.stream);
    ++report.growths;
    grows = true;
  }
  if (grows) upload(site);
  const unsigned no_pause = 0;
  cuda::copy(&site.control.data()->pause, &no_pause, 1, site.stream);
  return ended;
}

template <DeviceWorklistApp App>
void DeviceWorklist<App>::upload(const Site& site) {
  std::vector<DeviceWorker<App>> workers;
  for (const std::size_t rank : site.ranks) workers.push_back(arrays_[rank]->view());
  cuda::copy(site.workers.data(), workers.data(), workers.size(), site.stream);
  site.stream.synchronize();
}

template <DeviceWorklistApp App>
void DeviceWorklist<App>::stop() noexcept {
  static constexpr unsigned now = 1;
  stopped_ = true;  // set first, for threads that are about to launch
  for (const auto& site : sites_) {
    const cuda::DeviceGuard guard(site->stream.device(), std::nothrow);
    cudaMemcpyAsync(&site->control.data()->stop, &now, sizeof now, cudaMemcpyDefault,
                    site->stopping.get());
  }
  for (const auto& site : sites_) site->stopping.finish();
}

}  // namespace warpgraph::runtime
