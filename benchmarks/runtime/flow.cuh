// Messages that are sent again and again over links and timed, from the call of send until the last
// byte has arrived where it is to. The first message and the last one are checked: their receivers
// compare every word with what was sent. The others are only counted.
#pragma once

#include "cases.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/error.hpp"
#include "core/memory/host_vector.hpp"
#include "pattern.cuh"
#include "runtime/context.hpp"
#include "runtime/waiting.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

namespace warpgraph::benchmark {

/// Waits without sleeping, unlike the runtime's own functions: sleeps would be part of the times.
template <class IsReached>
void spin_until(IsReached&& is_reached) {
  for (std::uint64_t polls = 1; !is_reached(); ++polls) {
    if (polls % 64 == 0) runtime::check_thread();
    std::this_thread::yield();
  }
}

/// Where a message begins: memory of a device, page-locked or pageable memory of the host.
class Source {
 public:
  static Source on(Device device, std::size_t bytes) {
    Source source(bytes);
    source.stream_ = std::make_unique<cuda::BorrowedStream>(device);
    source.on_device_ = cuda::DeviceBuffer<Word>(bytes / sizeof(Word), **source.stream_);
    source.words_ = source.on_device_.data();
    source.device_ = device;
    return source;
  }
  static Source page_locked(std::size_t bytes) {
    Source source(bytes);
    source.locked_ = cuda::PinnedBuffer<Word>(bytes / sizeof(Word));
    source.words_ = source.locked_.data();
    return source;
  }
  static Source pageable(std::size_t bytes) {
    Source source(bytes);
    source.pageable_.resize(bytes / sizeof(Word));
    source.words_ = source.pageable_.data();
    return source;
  }

  [[nodiscard]] Word* words() const { return words_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] Device device() const { return device_; }
  void fill(Pattern contents) {
    if (!device_.is_cuda()) return fill_words_on_host(words_, contents, bytes_ / sizeof(Word));
    fill_words(words_, contents, bytes_ / sizeof(Word), **stream_);
    (**stream_).synchronize();
  }
  /// Its metadata is the seed of the contents if receivers are to check them, else 0.
  [[nodiscard]] runtime::Segment message(Word seed) const {
    return runtime::segment_of(std::span<const Word>(words_, bytes_ / sizeof(Word)), seed, device_);
  }

 private:
  explicit Source(std::size_t bytes) : bytes_(bytes) {}

  std::size_t bytes_;
  Device device_;
  Word* words_ = nullptr;
  std::unique_ptr<cuda::BorrowedStream> stream_;
  cuda::DeviceBuffer<Word> on_device_;
  cuda::PinnedBuffer<Word> locked_;
  HostVector<Word> pageable_;
};

/// One kind of message, and what of it has arrived anywhere.
class Flow {
 public:
  /// `copies`: how often each byte is to arrive.
  Flow(Source& source, std::size_t copies) : source_(source), expected_(copies * source.bytes()) {}

  /// For the sender: n runs. send(segment) sends a message.
  template <class Send>
  Seconds time_messages(int n, Send&& send) {
    Seconds seconds;
    std::size_t all = 0;
    for (int i = 0; i < n + 3; ++i) {
      const bool is_checked = i == 0 || i == n + 2;
      const Word seed = is_checked ? static_cast<Word>(i + 1) : 0;
      if (is_checked) source_.fill({seed});
      all += expected_;
      const auto start = Clock::now();
      send(source_.message(seed));
      spin_until([&] { return arrived_.load() >= all; });
      if (!is_checked && i > 1) seconds.push_back(seconds_since(start));  // 1: to warm up
    }
    return seconds;
  }

  /// For receivers: counts segments, and checks them where that is asked for.
  class Receiver {
   public:
    /// in_order: it gets whole messages, in order, from an endpoint that forwards them; offsets
    /// begin again there.
    Receiver(Flow& flow, Device device, bool in_order) : flow_(flow), in_order_(in_order) {
      if (device.is_cuda()) stream_.emplace(device);
    }
    /// Waits until the segment has arrived, and compares it if that is asked for.
    void take(runtime::PendingSegment& pending) {
      const runtime::Segment& segment = pending.wait();
      const std::size_t bytes = segment.bytes;
      const std::size_t offset = in_order_ ? position_ : segment.offset;
      position_ = (position_ + bytes) % flow_.source_.bytes();
      if (segment.metadata != 0) check(segment, offset / sizeof(Word));
      flow_.arrived_.fetch_add(bytes);
    }

   private:
    void check(const runtime::Segment& segment, std::size_t first) {
      const Pattern contents{static_cast<Word>(segment.metadata)};
      const auto words = segment.as<Word>();
      const std::size_t equal =
          stream_ ? count_equal(words.data(), contents, first, words.size(), **stream_)
                  : count_equal_on_host(words.data(), contents, first, words.size());
      EXPECTS(equal == words.size(), words.size() - equal, " words of a packet of ", words.size(),
              " are wrong");
      flow_.checked_.fetch_add(segment.bytes);
    }

    Flow& flow_;
    const bool in_order_;
    std::size_t position_ = 0;
    std::optional<cuda::BorrowedStream> stream_;
  };

  /// Receives until the link ends. The segments go on over `next`, if it is not null.
  void receive_all(runtime::Link& link, Device device, bool in_order,
                   runtime::Link* next = nullptr) {
    Receiver receiver(*this, device, in_order);
    while (std::optional<runtime::PendingSegment> pending = link.receive()) {
      // A segment that goes on is waited for by streams alone, unless it is to be checked here.
      const bool is_counted_here = next == nullptr || pending->description().metadata != 0;
      if (is_counted_here) {
        receiver.take(*pending);
      } else {
        arrived_.fetch_add(pending->description().bytes);
      }
      if (next != nullptr) {
        pending->forward(*next);
      } else {
        pending->release();
      }
    }
  }

  /// After the run.
  void expect_checked() const {
    EXPECTS(checked_.load() == 2 * expected_, checked_.load(), " bytes were checked, not ",
            2 * expected_);
    EXPECTS(arrived_.load() % expected_ == 0, "more bytes have arrived than were sent");
  }

 private:
  Source& source_;
  const std::size_t expected_;
  std::atomic<std::size_t> arrived_{0};
  std::atomic<std::size_t> checked_{0};
};

/// How packets go from one endpoint to another.
struct LinkShape {
  std::size_t packet = 0;
  std::optional<int> n_buffers = 4;  // without one, the link chooses
  bool through_host = false;
};

/// Messages from a source over one link to a device. The source's endpoint is that of its device,
/// or the host.
[[nodiscard]] Seconds time_link(Source& source, Device to, LinkShape shape, int n);

/// A plain copy by the host's calls, `copy(stream)`, from the source to memory of the stream's
/// device, whose words are checked after the runs.
template <class Copy>
Seconds time_plain(Source& source, Device to, int n, Copy&& copy) {
  const cuda::BorrowedStream stream(to);
  const std::size_t n_words = source.bytes() / sizeof(Word);
  const cuda::DeviceBuffer<Word> target(n_words, *stream);
  source.fill({5});
  fill_words(target.data(), Pattern{0}, n_words, *stream);
  Seconds seconds = repeated(n, [&] {
    (*stream).synchronize();
    const auto start = Clock::now();
    copy(target.data(), *stream);
    (*stream).synchronize();
    return seconds_since(start);
  });
  const std::size_t equal = count_equal(target.data(), Pattern{5}, 0, n_words, *stream);
  EXPECTS(equal == n_words, n_words - equal, " words of a plain copy are wrong");
  return seconds;
}

/// The same by one cudaMemcpyPeerAsync, or one cudaMemcpyAsync from the host.
[[nodiscard]] Seconds time_plain_copy(Source& source, Device to, int n);

}  // namespace warpgraph::benchmark
