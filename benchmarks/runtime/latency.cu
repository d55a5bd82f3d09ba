// The latency of a segment of 4 bytes: half of the time in which one goes to another endpoint and
// comes back. The endpoint that answers waits for the segment with its thread, or forwards it at
// once, so that only streams wait.
#include "flow.cuh"

#include <algorithm>
#include <thread>

namespace warpgraph::benchmark {
namespace {

using runtime::Endpoint;
using runtime::Link;
using runtime::PendingSegment;

/// How endpoints receive.
struct Manner {
  bool answers_at_once = false;  // forwards what has not arrived yet
  bool polls = false;            // calls try_receive() again and again, and so never sleeps
};

/// When what happened to a segment on its way.
struct Moments {
  Clock::time_point sent;     // before send()
  Clock::time_point posted;   // after it
  Clock::time_point claimed;  // after receive(): the copy has been put on a stream
  Clock::time_point arrived;  // after wait()
  Clock::time_point back;     // the answer has arrived
};

/// Seconds of each run, by the parts of the way.
struct Parts {
  Seconds total, send, wake_and_claim, copy, return_way;
  void add(const Moments& at) {
    total.push_back(seconds_between(at.sent, at.arrived));
    send.push_back(seconds_between(at.sent, at.posted));
    // The receiver may be awake before send() has returned.
    wake_and_claim.push_back(std::max(seconds_between(at.posted, at.claimed), 1e-9));
    copy.push_back(seconds_between(at.claimed, at.arrived));
    return_way.push_back(seconds_between(at.arrived, at.back));
  }
};

/// One word in the memory of an endpoint.
class Cell {
 public:
  explicit Cell(Device device) : device_(device), local_(1) {
    if (!device.is_cuda()) return;
    stream_.emplace(device);
    remote_ = cuda::DeviceBuffer<Word>(1, **stream_);
  }
  runtime::Segment hold(Word value) {
    local_[0] = value;
    if (!stream_) return runtime::segment_of(std::span<const Word>(local_.data(), 1));
    cuda::copy(remote_.data(), local_.data(), 1, **stream_);
    (**stream_).synchronize();
    return runtime::segment_of(std::span<const Word>(remote_.data(), 1), 0, device_);
  }
  [[nodiscard]] Word value_of(const runtime::Segment& segment) const {
    const Word* const word = segment.as<Word>().data();
    return stream_ ? cuda::read_back(word, **stream_) : *word;
  }

 private:
  const Device device_;
  std::optional<cuda::BorrowedStream> stream_;
  cuda::PinnedBuffer<Word> local_;
  cuda::DeviceBuffer<Word> remote_;
};

class PingPong {
 public:
  /// `from`: the host, or a device.
  PingPong(Device from, Device to, Manner manner)
      : manner_(manner),
        is_host_(!from.is_cuda()),
        context_(is_host_ ? std::vector<Device>{to} : std::vector<Device>{to, from}),
        near_(is_host_ ? context_.host() : context_.endpoints()[1]),
        far_(context_.endpoints()[0]),
        there_(context_.link(near_, far_, sizeof(Word))),
        back_(context_.link(far_, near_, sizeof(Word))) {}

  Seconds run(int n, Parts* parts = nullptr) {
    Seconds seconds;
    context_.run(
        [&](Endpoint endpoint) {
          if (endpoint == far_) {
            answer();
          } else {
            seconds = ask(n, parts);
          }
        },
        [&] {
          if (is_host_) seconds = ask(n, parts);
        });
    return seconds;
  }

 private:
  static constexpr int n_warm = 30;

  Seconds ask(int n, Parts* parts) {
    Cell cell(context_.device(near_));
    Seconds seconds;
    for (int i = 0; i < n + n_warm; ++i) {
      const auto value = static_cast<Word>(3 * i + 1);
      const runtime::Segment segment = cell.hold(value);
      at_.sent = Clock::now();
      there_.send(segment);
      at_.posted = Clock::now();
      std::optional<PendingSegment> pending = next_of(back_);
      const runtime::Segment& answer = pending->wait();
      at_.back = Clock::now();
      const Word got = cell.value_of(answer);
      EXPECTS(got == value, "the answer is ", got, " instead of ", value);
      if (i < n_warm) continue;
      seconds.push_back(seconds_between(at_.sent, at_.back) / 2);
      if (parts != nullptr) parts->add(at_);
    }
    is_over_.store(true);
    return seconds;
  }

  void answer() {
    while (std::optional<PendingSegment> pending = next_of(there_)) {
      at_.claimed = Clock::now();
      if (!manner_.answers_at_once) pending->wait();
      at_.arrived = Clock::now();
      // The other endpoint reads these moments after the answer has arrived.
      pending->forward(back_);
    }
  }

  std::optional<PendingSegment> next_of(Link& link) {
    if (!manner_.polls) return link.receive();
    for (;;) {
      if (std::optional<PendingSegment> pending = link.try_receive()) return pending;
      if (is_over_.load()) return std::nullopt;
      runtime::check_thread();
    }
  }

  const Manner manner_;
  const bool is_host_;
  runtime::Context context_;
  const Endpoint near_;
  const Endpoint far_;
  Link& there_;
  Link& back_;
  Moments at_;
  std::atomic<bool> is_over_{false};
};

/// There and back by plain calls of one thread, which polls an event.
Seconds plain_calls(Device from, Device to, int n) {
  const Device on = to.is_cuda() ? to : from;
  Cell cell(from);
  const cuda::BorrowedStream stream(on);
  const cuda::DeviceBuffer<Word> far(1, *stream);
  const cuda::PinnedBuffer<Word> host(1);
  std::optional<cuda::BorrowedStream> of_near;
  if (from.is_cuda()) of_near.emplace(from);
  const cuda::DeviceBuffer<Word> near =
      of_near ? cuda::DeviceBuffer<Word>(1, **of_near) : cuda::DeviceBuffer<Word>();
  if (of_near) (**of_near).synchronize();
  Word* const back = of_near ? near.data() : host.data();
  const cuda::Event done(on, cudaEventDisableTiming);
  Seconds seconds;
  for (int i = 0; i < n + 30; ++i) {
    const auto value = static_cast<Word>(3 * i + 1);
    const runtime::Segment segment = cell.hold(value);
    const auto start = Clock::now();
    cuda::copy(far.data(), segment.as<Word>().data(), 1, *stream);
    cuda::copy(back, static_cast<const Word*>(far.data()), 1, *stream);
    done.record((*stream).get());
    while (cudaEventQuery(done.get()) == cudaErrorNotReady) {
    }
    const auto end = Clock::now();
    runtime::Segment answer = segment;
    answer.data = reinterpret_cast<const std::byte*>(back);
    EXPECTS(cell.value_of(answer) == value, "a plain copy is wrong");
    if (i >= 30) seconds.push_back(seconds_between(start, end) / 2);
  }
  return seconds;
}

/// There and back between two threads that never sleep.
Seconds spinning_threads(int n) {
  std::atomic<int> there{-1};
  std::atomic<int> back{-1};
  Seconds seconds;
  std::thread other([&] {
    for (int i = 0; i < n + 30; ++i) {
      while (there.load() != i) {
      }
      back.store(i);
    }
  });
  for (int i = 0; i < n + 30; ++i) {
    const auto start = Clock::now();
    there.store(i);
    while (back.load() != i) {
    }
    if (i >= 30) seconds.push_back(seconds_since(start) / 2);
  }
  other.join();
  return seconds;
}

Contestant links(std::string name, Device from, Device to, Manner manner) {
  return {std::move(name), [=](int n) { return PingPong(from, to, manner).run(n); }};
}

Case described(const std::string& name, const std::string& where) {
  Case made;
  made.name = "latency of 4 bytes, " + name;
  made.where = where;
  made.size = {{"bytes of message", sizeof(Word)}};
  return made;
}

void measure_pair(const Options& options, const std::string& name, Device from, Device to) {
  Case made = described(name, concat(from.is_cuda() ? from.name() : "host", " and ",
                                     to.is_cuda() ? to.name() : "host"));
  made.contestants = {links("forwarded at once", from, to, {true, false}),
                      links("threads wait", from, to, {}),
                      links("forwarded at once, threads poll", from, to, {true, true}),
                      links("threads wait and poll", from, to, {false, true})};
  if (from.is_cuda() || to.is_cuda()) {
    made.contestants.push_back(
        {"plain copies of one thread", [=](int n) { return plain_calls(from, to, n); }});
  } else {
    made.contestants.push_back({"two threads with a flag", spinning_threads});
  }
  measure(options, made);
}

/// The same runs, divided into parts; they are made when the first part is asked for.
void measure_parts(const Options& options, Device from, Device to) {
  auto parts = std::make_shared<Parts>();
  Case made = described("parts of the way between GPUs", concat(from.name(), " to ", to.name()));
  made.contestants = {{"from send to wait",
                       [=](int n) {
                         PingPong(from, to, {}).run(n, parts.get());
                         return parts->total;
                       }},
                      {"send", [=](int) { return parts->send; }},
                      {"the receiver wakes and claims", [=](int) { return parts->wake_and_claim; }},
                      {"copy and its polling", [=](int) { return parts->copy; }},
                      {"way back", [=](int) { return parts->return_way; }}};
  measure(options, made);
}

/// `call` timed n times; after each, the stream is synchronised.
template <class Call>
Seconds time_call(int n, const cuda::Stream& stream, Call&& call) {
  Seconds seconds;
  for (int i = 0; i < n + 30; ++i) {
    const auto start = Clock::now();
    call();
    const double took = seconds_since(start);
    stream.synchronize();
    if (i >= 30) seconds.push_back(took);
  }
  return seconds;
}

/// What the calls of the driver take of which the runtime makes several for each packet.
void measure_calls(const Options& options, Device from, Device to) {
  const cuda::BorrowedStream far(to);
  const cuda::BorrowedStream near(from);
  const cuda::DeviceBuffer<Word> target(1, *far);
  const cuda::DeviceBuffer<Word> origin(1, *near);
  cuda::fill_bytes(origin.data(), 0, 1, *near);
  (*near).synchronize();
  const cuda::Event event(to, cudaEventDisableTiming);
  event.record((*far).get());
  const auto call = [&](std::string name, std::function<void()> made) {
    return Contestant{std::move(name), [&, made](int n) { return time_call(n, *far, made); }};
  };
  Case made = described("calls of the driver", to.name());
  made.contestants = {
      call("cudaMemcpyAsync",
           [&] { cuda::copy(target.data(), static_cast<const Word*>(origin.data()), 1, *far); }),
      call("cudaEventRecord", [&] { event.record((*far).get()); }),
      call("cudaEventQuery", [&] { (void)cudaEventQuery(event.get()); }),
      call("cudaStreamWaitEvent", [&] { (*near).wait_for(event.get()); }),
      call("point_on", [&] { (void)runtime::point_on(runtime::ref(*far)); }),
      call("cudaPointerGetAttributes", [&] {
        cudaPointerAttributes attributes{};
        CUDA_TRY(cudaPointerGetAttributes(&attributes, target.data()));
      })};
  measure(options, made);
  (*near).synchronize();
}

}  // namespace

void latency(const Options& given) {
  Options options = given;
  options.repetitions *= options.smoke ? 1 : 10;
  const std::vector<Device> devices = options.devices();
  if (devices.size() > 1) {
    measure_pair(options, "GPU and GPU", devices[0], devices[1]);
    measure_parts(options, devices[0], devices[1]);
    measure_calls(options, devices[0], devices[1]);
  }
  measure_pair(options, "host and GPU", Device{}, devices[0]);
  measure_pair(options, "host and host", Device{}, Device{});
}

}  // namespace warpgraph::benchmark
