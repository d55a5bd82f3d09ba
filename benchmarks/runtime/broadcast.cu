// Figure 2d: from the first GPU to all others. Plain asynchronous copies, one for each; the
// runtime's policy `broadcast`; and a chain of links, in which each GPU forwards packets to the
// next one. Packets that have arrived are in the link's buffers on each GPU, where an application
// would read them; the plain copies fill memory of the size of the message.
#include "flow.cuh"

namespace warpgraph::benchmark {
namespace {

using runtime::Endpoint;
using runtime::Link;

constexpr std::size_t megabyte = std::size_t{1} << 20;

class Broadcast {
 public:
  Broadcast(const Options& options, std::size_t bytes)
      : options_(options), devices_(options.devices()), source_(Source::on(devices_[0], bytes)) {}

  void measure_packet(std::size_t size) {
    Case made;
    const std::size_t packet = options_.packet(size);
    made.name =
        concat("broadcast to ", devices_.size() - 1, " GPUs, ", megabytes(size), " packets");
    made.where = concat(devices_.size(), " GPUs");
    made.size = {{"bytes of message", static_cast<std::int64_t>(source_.bytes())}};
    made.contestants = {
        {"chain of links", [this, packet](int n) { return chain(packet, n); }},
        {"policy broadcast", [this, packet](int n) { return by_policy(packet, n); }},
        {"one cudaMemcpyPeerAsync to each", [this](int n) { return plain(n); }},
        {"one cudaMemcpyPeerAsync to one GPU",
         [this](int n) { return time_plain_copy(source_, devices_[1], n); }}};
    measure(options_, made);
  }

 private:
  Seconds chain(std::size_t packet, int n) {
    runtime::Context context(devices_);
    const runtime::EndpointList order = context.in_ring_order(context.endpoints());
    std::vector<Link*> into(order.size() + 1);  // by the id of the destination; null: none
    std::vector<Link*> from(order.size() + 1);
    for (std::size_t i = 1; i < order.size(); ++i) {
      Link& link = context.link(order[i - 1], order[i], packet, 4);
      into[static_cast<std::size_t>(order[i].id)] = &link;
      from[static_cast<std::size_t>(order[i - 1].id)] = &link;
    }
    Flow flow(source_, order.size() - 1);
    Seconds seconds;
    context.run(
        [&](Endpoint endpoint) {
          const auto i = static_cast<std::size_t>(endpoint.id);
          if (endpoint == order[0]) {
            seconds =
                flow.time_messages(n, [&](const runtime::Segment& all) { from[i]->send(all); });
          } else {
            flow.receive_all(*into[i], context.device(endpoint), true, from[i]);
          }
        },
        [] {});
    flow.expect_checked();
    return seconds;
  }

  Seconds by_policy(std::size_t packet, int n) {
    runtime::Context context(devices_);
    const auto& endpoints = context.endpoints();
    const int n_outputs = static_cast<int>(endpoints.size()) - 1;
    runtime::Router& router = context.router(1, n_outputs, runtime::broadcast());
    Link& out = context.link(endpoints[0], router, packet, 1);
    std::vector<Link*> into(endpoints.size());
    for (std::size_t i = 1; i < endpoints.size(); ++i) {
      into[i] = &context.link(router, endpoints[i], packet, 4);
    }
    Flow flow(source_, endpoints.size() - 1);
    Seconds seconds;
    context.run(
        [&](Endpoint endpoint) {
          if (endpoint == endpoints[0]) {
            seconds = flow.time_messages(n, [&](const runtime::Segment& all) { out.send(all); });
          } else {
            flow.receive_all(*into[static_cast<std::size_t>(endpoint.id)], context.device(endpoint),
                             true);
          }
        },
        [] {});
    flow.expect_checked();
    return seconds;
  }

  struct Target {
    explicit Target(Device device, std::size_t n) : stream(device), words(n, *stream) {
      fill_words(words.data(), Pattern{0}, n, *stream);
      (*stream).synchronize();
    }
    const cuda::BorrowedStream stream;
    const cuda::DeviceBuffer<Word> words;
  };

  Seconds plain(int n) {
    const std::size_t n_words = source_.bytes() / sizeof(Word);
    source_.fill({7});
    std::vector<std::unique_ptr<Target>> targets;
    for (std::size_t i = 1; i < devices_.size(); ++i) {
      targets.push_back(std::make_unique<Target>(devices_[i], n_words));
    }
    Seconds seconds = repeated(n, [&] {
      const auto start = Clock::now();
      for (const auto& target : targets) {
        const cuda::Stream& stream = *target->stream;
        CUDA_TRY(cudaMemcpyPeerAsync(target->words.data(), stream.device().index, source_.words(),
                                     devices_[0].index, source_.bytes(), stream.get()));
      }
      for (const auto& target : targets) (*target->stream).synchronize();
      return seconds_since(start);
    });
    for (const auto& target : targets) {
      const std::size_t equal =
          count_equal(target->words.data(), Pattern{7}, 0, n_words, *target->stream);
      EXPECTS(equal == n_words, n_words - equal, " words of a plain copy are wrong");
    }
    return seconds;
  }

  const Options& options_;
  const std::vector<Device> devices_;
  Source source_;
};

}  // namespace

void broadcast_to_all(const Options& options) {
  if (options.n_devices < 2) return;
  Broadcast broadcast(options, options.message(1024 * megabyte));
  for (const std::size_t packet : {8, 16, 32, 64}) broadcast.measure_packet(packet * megabyte);
}

}  // namespace warpgraph::benchmark
