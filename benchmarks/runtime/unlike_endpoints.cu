// Table 6: endpoints of different speed filter an array of the host. A router deals its segments to
// them, either in turn (static) or to whichever is available. The results return to the host's
// memory. One endpoint is the first GPU. The other one is a core of the host, or a second GPU that
// another tenant slows down: one that occupies multiprocessors, or one that occupies the bus.
#include "core/cuda/worklist.cuh"
#include "flow.cuh"

#include <array>
#include <thread>

namespace warpgraph::benchmark {
namespace {

using runtime::Endpoint;
using runtime::Link;
using runtime::PendingSegment;

constexpr std::size_t megabyte = std::size_t{1} << 20;
constexpr unsigned filter_threads = 256;
constexpr unsigned warps = filter_threads / cuda::warp_lanes;

/// Half of all words pass.
__host__ __device__ bool passes(Word word) { return word < 1U << 31; }

__global__ void filter_kernel(const Word* words, std::int64_t n, cuda::WorklistView<Word> passed) {
  __shared__ cuda::WarpStage<Word> stages[warps];
  cuda::WarpStage<Word>& stage = stages[threadIdx.x / cuda::warp_lanes];
  stage.open();
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t first = cuda::global_index() - cuda::lane();  // of this warp: lanes stay whole
  for (std::int64_t i = first; i < n; i += stride) {
    const std::int64_t own = i + cuda::lane();
    const Word word = own < n ? words[own] : ~Word{0};
    stage.push(passes(word), word, passed);
  }
  stage.flush(passed);
}

/// Arithmetic of a few milliseconds, in blocks that leave no room for others on a multiprocessor.
__global__ void busy_kernel(float* sink, int steps) {
  float value = static_cast<float>(threadIdx.x);
  for (int i = 0; i < steps; ++i) value = value * 0.999f + 1.0f;
  if (value < 0) *sink = value;
}

/// Another tenant of a device, at work until the destructor.
class Tenant {
 public:
  enum class Kind { none, multiprocessors, bus };

  Tenant(const Options& options, Device device, Kind kind) : options_(options) {
    if (kind == Kind::none) return;
    thread_ = std::thread([this, device, kind] { work(device, kind); });
    while (!has_begun_.load()) std::this_thread::yield();
  }
  ~Tenant() {
    is_over_.store(true);
    if (thread_.joinable()) thread_.join();
  }
  Tenant(const Tenant&) = delete;
  Tenant& operator=(const Tenant&) = delete;

 private:
  void work(Device device, Kind kind) {
    const cuda::DeviceGuard guard(device);
    const std::array<cuda::BorrowedStream, 3> streams{
        cuda::BorrowedStream(device), cuda::BorrowedStream(device), cuda::BorrowedStream(device)};
    std::vector<cuda::Event> ends;
    for (std::size_t i = 0; i < streams.size(); ++i) ends.emplace_back(device);
    const cuda::DeviceBuffer<std::byte> target(options_.message(4 * megabyte), *streams[0]);
    const cuda::PinnedBuffer<std::byte> host(target.size());
    (*streams[0]).synchronize();
    // Some work is always queued behind that at which the device is. Kernels are on one stream: two
    // at a time would occupy all multiprocessors.
    for (std::size_t i = 0; !is_over_.load() || i < streams.size(); ++i) {
      const std::size_t slot = i % streams.size();
      const cuda::Stream& stream = *streams[kind == Kind::bus ? slot : 0];
      ends[slot].synchronize();
      if (kind == Kind::bus) {
        cuda::copy(target.data(), static_cast<const std::byte*>(host.data()), host.size(), stream);
      } else {
        occupy(stream, reinterpret_cast<float*>(target.data()));
      }
      ends[slot].record(stream.get());
      if (i == streams.size()) has_begun_.store(true);
    }
  }
  void occupy(const cuda::Stream& stream, float* sink) const {
    int max_shared = 0;
    CUDA_TRY(cudaDeviceGetAttribute(&max_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                    stream.device().index));
    const std::int64_t all_but_one = cuda::multiprocessors(stream) - 1;
    const int steps = options_.smoke ? 10 : 1'000'000;
    cuda::launch(stream, all_but_one, cuda::threads_per_block, static_cast<std::size_t>(max_shared),
                 busy_kernel, sink, steps);
  }

  const Options& options_;
  std::atomic<bool> is_over_{false};
  std::atomic<bool> has_begun_{false};
  std::thread thread_;
};

/// What one endpoint filters: its results of a round lie in memory of the host.
class Filter {
 public:
  Filter(Device device, std::size_t most) : results_(most) {
    if (!device.is_cuda()) return;
    stream_.emplace(device);
    passed_ = cuda::DeviceBuffer<Word>(most, **stream_);
    count_ = cuda::DeviceBuffer<unsigned long long>(1, **stream_);
    cuda::fill_bytes(count_.data(), 0, 1, **stream_);
    blocks_ = 2 * cuda::multiprocessors(**stream_);
  }

  void filter(PendingSegment& pending) {
    n_seen_ += pending.description().bytes / sizeof(Word);
    if (!stream_) {
      for (const Word word : pending.wait_direct().as<Word>()) {
        results_[n_passed_] = word;
        n_passed_ += passes(word) ? 1 : 0;
      }
      return pending.release();
    }
    const auto words = pending.wait(runtime::ref(**stream_)).as<Word>();
    const auto n = static_cast<std::int64_t>(words.size());
    const std::int64_t needed = (n + filter_threads - 1) / filter_threads;
    cuda::launch(**stream_, std::min(blocks_, needed), filter_threads, 0, filter_kernel,
                 words.data(), n, view());
    pending.release(runtime::ref(**stream_));
  }
  /// The results are on the host when this returns.
  void finish() {
    if (!stream_) return;
    n_passed_ = cuda::read_back(count_.data(), **stream_);
    cuda::copy(results_.data(), static_cast<const Word*>(passed_.data()), n_passed_, **stream_);
    (**stream_).synchronize();
  }
  /// For the host, between rounds.
  void begin() {
    n_seen_ = n_passed_ = 0;
    if (!stream_) return;
    cuda::fill_bytes(count_.data(), 0, 1, **stream_);
    (**stream_).synchronize();
  }
  [[nodiscard]] std::size_t n_seen() const { return n_seen_; }
  [[nodiscard]] std::span<const Word> results() const { return {results_.data(), n_passed_}; }

 private:
  [[nodiscard]] cuda::WorklistView<Word> view() const {
    return {passed_.data(), count_.data(), static_cast<std::int64_t>(passed_.size())};
  }

  std::optional<cuda::BorrowedStream> stream_;
  cuda::DeviceBuffer<Word> passed_;
  cuda::DeviceBuffer<unsigned long long> count_;
  cuda::PinnedBuffer<Word> results_;
  std::int64_t blocks_ = 0;
  std::size_t n_passed_ = 0;
  std::size_t n_seen_ = 0;
};

/// Rounds of one data-flow graph: in each, the host sends the array once.
class Rounds {
 public:
  Rounds(const std::vector<Device>& devices, runtime::RoutingPolicy policy, std::size_t packet,
         std::vector<Filter*> filters)
      : context_(devices),
        router_(context_.router(1, static_cast<int>(devices.size()), std::move(policy))),
        out_(context_.link(context_.host(), router_, packet, 1)),
        filters_(std::move(filters)) {
    for (const Endpoint endpoint : context_.endpoints()) {
      into_.push_back(&context_.link(router_, endpoint, packet, 4));
    }
  }

  /// `check` is called after each round.
  template <class Check>
  Seconds run(const Source& source, int n, Check&& check) {
    Seconds seconds;
    context_.run([&](Endpoint endpoint) { work(endpoint); },
                 [&] {
                   seconds = repeated(n, [&] {
                     for (Filter* const filter : filters_) filter->begin();
                     const auto start = Clock::now();
                     round(source.message(0));
                     const double took = seconds_since(start);
                     check();
                     return took;
                   });
                   is_over_.store(true);
                   for (Link* const link : into_) link->ring();
                 });
    return seconds;
  }

 private:
  void round(const runtime::Segment& all) {
    out_.send(all).wait();
    rounds_.fetch_add(1);
    for (Link* const link : into_) link->ring();
    const int expected = rounds_.load() * static_cast<int>(into_.size());
    spin_until([&] { return finished_.load() == expected; });
  }

  void work(Endpoint endpoint) {
    Link& link = *into_[static_cast<std::size_t>(endpoint.id)];
    Filter& filter = *filters_[static_cast<std::size_t>(endpoint.id)];
    int done = 0;
    while (!is_over_.load()) {
      link.wait_for_segment_or([&] { return rounds_.load() > done || is_over_.load(); });
      // All segments of a round have been claimed when its number is increased.
      const int known = rounds_.load();
      while (std::optional<PendingSegment> pending = link.try_receive()) filter.filter(*pending);
      if (known == done) continue;
      filter.finish();
      done = known;
      finished_.fetch_add(1);
    }
  }

  runtime::Context context_;
  runtime::Router& router_;
  Link& out_;
  std::vector<Link*> into_;
  const std::vector<Filter*> filters_;
  std::atomic<int> rounds_{0};
  std::atomic<int> finished_{0};
  std::atomic<bool> is_over_{false};
};

class Unlike {
 public:
  explicit Unlike(const Options& options)
      : options_(options), source_(Source::page_locked(options.message(256 * megabyte))) {
    source_.fill({3});
    for (const Word word : words()) {
      n_expected_ += passes(word) ? 1 : 0;
      expected_sum_ += passes(word) ? word : 0;
    }
  }

  /// The second endpoint is the slow one.
  void measure_pair(const std::string& name, Device fast, Device slow, Tenant::Kind tenant) {
    Filter of_fast(fast, n_expected_);
    Filter of_slow(slow, n_expected_);
    std::vector<std::int64_t> percent;
    const auto together = [&](runtime::RoutingPolicy policy, int n) {
      const Tenant other(options_, slow, tenant);
      Seconds seconds = run({fast, slow}, std::move(policy), {&of_fast, &of_slow}, n);
      percent.push_back(static_cast<std::int64_t>(100 * of_fast.n_seen() / words().size()));
      return seconds;
    };
    Case made;
    made.name = "filter on a GPU and " + name;
    made.where = concat(fast.name(), " and ", slow.is_cuda() ? slow.name() : "one core");
    made.size = {{"numbers", static_cast<std::int64_t>(words().size())}};
    made.contestants = {
        {"first available", [&](int n) { return together(runtime::any_available(), n); }},
        {"static", [&](int n) { return together(runtime::scatter(), n); }},
        {"the GPU alone",
         [&](int n) { return run({fast}, runtime::any_available(), {&of_fast}, n); }},
        {"the other alone", [&](int n) {
           const Tenant other(options_, slow, tenant);
           return run({slow}, runtime::any_available(), {&of_slow}, n);
         }}};
    made.size_afterwards = [&]() -> Sizes {
      return {{"percent by the GPU, first available", percent.at(0)},
              {"percent by the GPU, static", percent.at(1)}};
    };
    measure(options_, made);
  }

 private:
  [[nodiscard]] std::span<const Word> words() const {
    return {source_.words(), source_.bytes() / sizeof(Word)};
  }

  Seconds run(const std::vector<Device>& devices, runtime::RoutingPolicy policy,
              const std::vector<Filter*>& filters, int n) {
    Rounds rounds(devices, std::move(policy), options_.packet(megabyte), filters);
    return rounds.run(source_, n, [&] {
      std::size_t n_passed = 0;
      Word sum = 0;
      for (const Filter* const filter : filters) {
        n_passed += filter->results().size();
        for (const Word word : filter->results()) sum += word;
      }
      EXPECTS(n_passed == n_expected_ && sum == expected_sum_, n_passed,
              " numbers have passed, not ", n_expected_, ", or others");
    });
  }

  const Options& options_;
  Source source_;
  std::size_t n_expected_ = 0;
  Word expected_sum_ = 0;
};

}  // namespace

void unlike_endpoints(const Options& options) {
  Unlike unlike(options);
  const std::vector<Device> devices = options.devices();
  unlike.measure_pair("a core", devices[0], Device{}, Tenant::Kind::none);
  if (devices.size() < 2) return;
  unlike.measure_pair("a like GPU", devices[0], devices[1], Tenant::Kind::none);
  unlike.measure_pair("a GPU with busy multiprocessors", devices[0], devices[1],
                      Tenant::Kind::multiprocessors);
  unlike.measure_pair("a GPU with a busy bus", devices[0], devices[1], Tenant::Kind::bus);
}

}  // namespace warpgraph::benchmark
