// Figure 2a: direct access. A kernel on the first device reads and writes words of 4 bytes of its
// own memory, of another device's and of page-locked memory of the host: neighbouring ones together
// or in random order. Beside it, the copy engine moves as many bytes.
#include "cases.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/error.hpp"
#include "pattern.cuh"

#include <algorithm>
#include <bit>

namespace warpgraph::benchmark {
namespace {

// A thread has as many independent accesses under way, to hide the latency of remote memory.
constexpr unsigned in_flight = 8;
constexpr unsigned threads = 256;
// A power of two, so that it divides the number of accesses, and one wave on 132 multiprocessors.
constexpr std::size_t max_blocks = 1024;

/// step(i) for each access i of n.
template <class Step>
__device__ void for_each_access(Word n, Step&& step) {
  const Word stride = gridDim.x * blockDim.x;
  for (Word i = static_cast<Word>(cuda::global_index()); i < n; i += in_flight * stride) {
    step(i, stride);
  }
}

template <class Order>
__global__ void read_kernel(const Word* from, Order order, Word n, Pattern contents, Word* wrong) {
  Word n_wrong = 0;
  for_each_access(n, [&](Word i, Word stride) {
    Word words[in_flight];
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k) words[k] = from[order(i + k * stride)];
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k) {
      n_wrong += words[k] != contents(order(i + k * stride)) ? 1 : 0;
    }
  });
  if (n_wrong != 0) atomicAdd(wrong, n_wrong);
}

template <class Order>
__global__ void write_kernel(Word* to, Order order, Word n, Pattern contents) {
  for_each_access(n, [&](Word i, Word stride) {
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k) {
      const Word place = order(i + k * stride);
      to[place] = contents(place);
    }
  });
}

__global__ void add_kernel(Word* to, RandomOrder order, Word n) {
  for_each_access(n, [&](Word i, Word stride) {
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k) atomicAdd(to + order(i + k * stride), 1U);
  });
}

/// A memory that kernels of the first device access.
struct Memory {
  std::string name;
  Word* words;
  Word n;
  Word n_random;  // accesses in random order
};

class Accesses {
 public:
  Accesses(const Options& options, const cuda::Stream& stream)
      : options_(options), stream_(stream), start_(stream.device()), end_(stream.device()) {}

  void measure_all(const Memory& memory, Word* other) {
    measure_order(memory, Coalesced{}, memory.n, other);
    const RandomOrder random{static_cast<unsigned>(std::countr_zero(memory.n))};
    measure_order(memory, random, memory.n_random, other);
  }
  void measure_atomics(const Memory& memory, double max_a_second) {
    Case made = described("atomic additions", "random", memory, memory.n_random);
    made.contestants = {{"kernel", [&](int n) { return atomics(memory, n); }}};
    made.operations = memory.n_random;
    made.max_a_second = max_a_second;
    measure(options_, made);
  }

 private:
  template <class Order>
  void measure_order(const Memory& memory, Order order, Word n, Word* other) {
    constexpr bool is_random = std::is_same_v<Order, RandomOrder>;
    const char* const how = is_random ? "random" : "coalesced";
    Case made = described("reads", how, memory, n);
    made.contestants = {{"kernel", [&](int runs) { return reads(memory, order, n, runs); }}};
    if (!is_random) made.contestants.push_back(engine(other, memory.words, n));
    measure(options_, made);
    made = described("writes", how, memory, n);
    made.contestants = {{"kernel", [&](int runs) { return writes(memory, order, n, runs); }}};
    if (!is_random) made.contestants.push_back(engine(memory.words, other, n));
    measure(options_, made);
  }

  [[nodiscard]] Case described(const std::string& what, const std::string& order,
                               const Memory& memory, Word n) const {
    Case made;
    made.name = concat("direct access, ", order, ' ', what, " of ", memory.name);
    made.where = stream_.device().name();
    made.size = {{"bytes accessed", static_cast<std::int64_t>(n) * 4}};
    return made;
  }

  Contestant engine(Word* to, const Word* from, Word n) {
    return {"cudaMemcpyAsync", [this, to, from, n](int runs) {
              return repeated(runs,
                              [&] { return timed([&] { cuda::copy(to, from, n, stream_); }); });
            }};
  }

  template <class Order>
  Seconds reads(const Memory& memory, Order order, Word n, int runs) {
    const Pattern contents{1};
    fill_words(memory.words, contents, memory.n, stream_);
    const cuda::DeviceBuffer<Word> wrong(1, stream_);
    cuda::fill_bytes(wrong.data(), 0, 1, stream_);
    Seconds seconds = repeated(runs, [&] {
      return timed(
          [&] { launch(n, read_kernel<Order>, memory.words, order, n, contents, wrong.data()); });
    });
    const Word n_wrong = cuda::read_back(wrong.data(), stream_);
    EXPECTS(n_wrong == 0, n_wrong, " words read of ", memory.name, " are wrong");
    return seconds;
  }

  template <class Order>
  Seconds writes(const Memory& memory, Order order, Word n, int runs) {
    fill_words(memory.words, Pattern{1}, memory.n, stream_);
    Pattern contents{1};
    Seconds seconds = repeated(runs, [&] {
      ++contents.seed;
      return timed([&] { launch(n, write_kernel<Order>, memory.words, order, n, contents); });
    });
    const std::size_t written = count_equal(memory.words, contents, 0, memory.n, stream_);
    EXPECTS(written == n, written, " words of ", n, " were written to ", memory.name);
    return seconds;
  }

  Seconds atomics(const Memory& memory, int runs) {
    fill_words(memory.words, Constant{0}, memory.n, stream_);
    const RandomOrder order{static_cast<unsigned>(std::countr_zero(memory.n))};
    const Word n = memory.n_random;
    Word additions = 0;
    Seconds seconds = repeated(runs, [&] {
      ++additions;
      return timed([&] { launch(n, add_kernel, memory.words, order, n); });
    });
    const std::size_t right = count_equal(memory.words, Constant{additions}, 0, memory.n, stream_);
    EXPECTS(right == n, right, " counters of ", n, " are right in ", memory.name);
    return seconds;
  }

  template <class... Parameters, class... Arguments>
  void launch(Word n, void (*kernel)(Parameters...), Arguments... arguments) {
    const std::size_t blocks = std::min<std::size_t>(max_blocks, n / (threads * in_flight));
    cuda::launch(stream_, static_cast<std::int64_t>(blocks), threads, 0, kernel, arguments...);
  }

  template <class Work>
  double timed(Work&& work) {
    start_.record(stream_.get());
    work();
    end_.record(stream_.get());
    end_.synchronize();
    float milliseconds = 0;
    CUDA_TRY(cudaEventElapsedTime(&milliseconds, start_.get(), end_.get()));
    return std::max(1e-3 * static_cast<double>(milliseconds), 1e-9);
  }

  const Options& options_;
  const cuda::Stream& stream_;
  const cuda::Event start_;
  const cuda::Event end_;
};

}  // namespace

void direct_access(const Options& options) {
  const auto words = [&](unsigned log2) { return Word{1} << (options.smoke ? 12 : log2); };
  const std::vector<Device> devices = options.devices();
  const cuda::BorrowedStream borrowed(devices[0]);
  const cuda::Stream& stream = *borrowed;
  const cuda::DeviceBuffer<Word> own(words(28), stream);
  const cuda::DeviceBuffer<Word> other(words(28), stream);
  Accesses accesses(options, stream);
  const Memory of_own{"own memory", own.data(), words(28), words(26)};
  accesses.measure_all(of_own, other.data());
  // The rates of atomics are those measured before on an H200: own memory, and over NVLink.
  accesses.measure_atomics(of_own, 16.4e9);
  if (devices.size() > 1) {
    const cuda::BorrowedStream far(devices[1]);
    const cuda::DeviceBuffer<Word> remote(words(28), *far);
    (*far).synchronize();
    const Memory of_peer{"a peer's memory", remote.data(), words(28), words(25)};
    accesses.measure_all(of_peer, own.data());
    accesses.measure_atomics(of_peer, 6.6e9);
  }
  const cuda::PinnedBuffer<Word> host(words(26));
  accesses.measure_all({"page-locked host memory", host.data(), words(26), words(22)}, own.data());
}

}  // namespace warpgraph::benchmark
