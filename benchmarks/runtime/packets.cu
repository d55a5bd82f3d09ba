// Figures 2b and 2c: a message from one GPU to another. Over links with packets of several sizes,
// and on the ways that lead there: directly or through the host's memory, moved by copy engines or
// by kernels.
#include "flow.cuh"

#include <algorithm>

namespace warpgraph::benchmark {
namespace {

constexpr std::size_t kilobyte = 1024;
constexpr std::size_t megabyte = 1024 * kilobyte;

/// What one instruction loads or stores.
struct alignas(16) Vector {
  Word x, y, z, w;
};

__global__ void copy_kernel(Vector* to, const Vector* from, std::int64_t n) {
  constexpr int in_flight = 4;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = cuda::global_index(); i < n; i += in_flight * stride) {
    Vector some[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      if (i + k * stride < n) some[k] = from[i + k * stride];
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      if (i + k * stride < n) to[i + k * stride] = some[k];
    }
  }
}

/// On the stream's device: it pushes if the target is remote, and pulls if the origin is.
void copy_by_kernel(void* to, const void* from, std::size_t bytes, const cuda::Stream& stream) {
  const auto n = static_cast<std::int64_t>(bytes / sizeof(Vector));
  const std::int64_t blocks = std::min(4 * cuda::multiprocessors(stream),
                                       (n + cuda::threads_per_block - 1) / cuda::threads_per_block);
  cuda::launch(stream, blocks, cuda::threads_per_block, 0, copy_kernel, static_cast<Vector*>(to),
               static_cast<const Vector*>(from), n);
}

void copy_by_engine(void* to, const void* from, std::size_t bytes, const cuda::Stream& stream) {
  CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream.get()));
}

using CopyPart = void (*)(void* to, const void* from, std::size_t bytes, const cuda::Stream&);

/// The source pushes parts into page-locked memory, from which the destination pulls them.
class ThroughHost {
 public:
  ThroughHost(Device from, Device to, std::size_t part) : part_(part), push_(from) {
    for (std::size_t i = 0; i < n_slots; ++i) {
      slots_.emplace_back(part);
      pushed_.emplace_back(from, cudaEventDisableTiming);
      pulled_.emplace_back(to, cudaEventDisableTiming);
    }
  }
  void copy(std::byte* to, const std::byte* from, std::size_t bytes, const cuda::Stream& pull,
            CopyPart copy_part) {
    for (std::size_t offset = 0, i = 0; offset < bytes; offset += part_, ++i) {
      const std::size_t slot = i % n_slots;
      const std::size_t some = std::min(part_, bytes - offset);
      if (i >= n_slots) (*push_).wait_for(pulled_[slot].get());
      copy_part(slots_[slot].data(), from + offset, some, *push_);
      pushed_[slot].record((*push_).get());
      pull.wait_for(pushed_[slot].get());
      copy_part(to + offset, slots_[slot].data(), some, pull);
      pulled_[slot].record(pull.get());
    }
  }

 private:
  static constexpr std::size_t n_slots = 4;
  const std::size_t part_;
  const cuda::BorrowedStream push_;
  std::vector<cuda::PinnedBuffer<std::byte>> slots_;
  std::vector<cuda::Event> pushed_;
  std::vector<cuda::Event> pulled_;
};

class Pair {
 public:
  Pair(const Options& options, std::size_t bytes)
      : options_(options),
        from_(options.devices()[0]),
        to_(options.devices()[1]),
        source_(Source::on(from_, bytes)) {}

  void measure_packet(std::size_t packet) {
    Case made = described(concat("link between GPUs, ", megabytes(packet), " packets"));
    packet = options_.packet(packet);
    made.size.emplace_back("packets", (source_.bytes() + packet - 1) / packet);
    made.contestants = {link("link", {packet}),
                        plain(),
                        {"a cudaMemcpyPeerAsync for each packet",
                         [this, packet](int n) { return plain_packets(packet, n); }}};
    measure(options_, made);
  }

  /// Measures how many buffers of the receiver keep the copy engines busy.
  void measure_buffers(std::size_t packet) {
    Case made =
        described(concat("buffers of a link between GPUs, ", megabytes(packet), " packets"));
    packet = options_.packet(packet);
    for (const int n_buffers : {1, 2, 3, 4, 8}) {
      made.contestants.push_back(
          link(concat(n_buffers, n_buffers == 1 ? " buffer" : " buffers"), {packet, n_buffers}));
    }
    made.contestants.push_back(link("as many as the link chooses", {packet, std::nullopt}));
    made.contestants.push_back(plain());
    measure(options_, made);
  }

  void measure_ways() {
    const std::size_t packet = options_.packet(8 * megabyte);
    Case made = described("ways between GPUs, 8 MB packets");
    made.contestants = {link("link", {packet}),
                        link("link through the host", {packet, 4, true}),
                        plain(),
                        {"one cudaMemcpyPeerAsync on a stream of the source",
                         [this](int n) { return from_origin(n); }},
                        {"kernel that pushes", [this](int n) { return by_kernel(true, n); }},
                        {"kernel that pulls", [this](int n) { return by_kernel(false, n); }},
                        {"copy engines through the host",
                         [this, packet](int n) { return through_host(packet, copy_by_engine, n); }},
                        {"kernels through the host", [this, packet](int n) {
                           return through_host(packet, copy_by_kernel, n);
                         }}};
    measure(options_, made);
  }

 private:
  [[nodiscard]] Case described(std::string name) const {
    Case made;
    made.name = std::move(name);
    made.where = concat(from_.name(), " to ", to_.name());
    made.size = {{"bytes of message", static_cast<std::int64_t>(source_.bytes())}};
    return made;
  }
  Contestant link(std::string name, LinkShape shape) {
    return {std::move(name), [this, shape](int n) { return time_link(source_, to_, shape, n); }};
  }
  Contestant plain() {
    return {"one cudaMemcpyPeerAsync", [this](int n) { return time_plain_copy(source_, to_, n); }};
  }

  Seconds plain_packets(std::size_t packet, int n) {
    return time_plain(source_, to_, n, [&](Word* target, const cuda::Stream& stream) {
      auto* const to = reinterpret_cast<std::byte*>(target);
      const auto* const from = reinterpret_cast<const std::byte*>(source_.words());
      for (std::size_t offset = 0; offset < source_.bytes(); offset += packet) {
        CUDA_TRY(cudaMemcpyPeerAsync(to + offset, to_.index, from + offset, from_.index,
                                     std::min(packet, source_.bytes() - offset), stream.get()));
      }
    });
  }

  Seconds from_origin(int n) {
    const cuda::BorrowedStream origin(from_);
    return time_plain(source_, to_, n, [&](Word* target, const cuda::Stream&) {
      CUDA_TRY(cudaMemcpyPeerAsync(target, to_.index, source_.words(), from_.index, source_.bytes(),
                                   (*origin).get()));
      (*origin).synchronize();
    });
  }

  Seconds by_kernel(bool pushes, int n) {
    const cuda::BorrowedStream origin(from_);
    return time_plain(source_, to_, n, [&](Word* target, const cuda::Stream& stream) {
      const cuda::Stream& of_kernel = pushes ? *origin : stream;
      copy_by_kernel(target, source_.words(), source_.bytes(), of_kernel);
      of_kernel.synchronize();
    });
  }

  Seconds through_host(std::size_t part, CopyPart copy_part, int n) {
    ThroughHost way(from_, to_, part);
    return time_plain(source_, to_, n, [&](Word* target, const cuda::Stream& stream) {
      way.copy(reinterpret_cast<std::byte*>(target),
               reinterpret_cast<const std::byte*>(source_.words()), source_.bytes(), stream,
               copy_part);
    });
  }

  const Options& options_;
  const Device from_;
  const Device to_;
  Source source_;
};

}  // namespace

void packets(const Options& options) {
  if (options.n_devices < 2) return;
  Pair pair(options, options.message(1024 * megabyte));
  for (const std::size_t packet :
       {64 * kilobyte, 256 * kilobyte, megabyte, 4 * megabyte, 16 * megabyte, 64 * megabyte}) {
    pair.measure_packet(packet);
  }
  pair.measure_buffers(megabyte);
  pair.measure_buffers(16 * megabyte);
  pair.measure_ways();
}

}  // namespace warpgraph::benchmark
