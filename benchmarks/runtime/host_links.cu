// From the host to one GPU and to all of them together, over links and routers, from page-locked
// and from pageable memory. Beside it, plain copies from page-locked memory, all at the same time:
// what the buses carry together.
#include "flow.cuh"

namespace warpgraph::benchmark {
namespace {

using runtime::Endpoint;
using runtime::Link;

constexpr std::size_t megabyte = std::size_t{1} << 20;

class FromHost {
 public:
  FromHost(const Options& options, std::size_t bytes)
      : options_(options),
        devices_(options.devices()),
        packet_(options.packet(4 * megabyte)),
        locked_(Source::page_locked(bytes)),
        pageable_(Source::pageable(bytes)) {}

  void measure_one(bool is_locked) {
    Source& source = is_locked ? locked_ : pageable_;
    Case made = described("one GPU", is_locked, 1);
    made.contestants = {
        {"link", [&](int n) { return time_link(source, devices_[0], {packet_}, n); }},
        {"cudaMemcpyAsync, page-locked",
         [&](int n) { return time_plain_copy(locked_, devices_[0], n); }}};
    if (!is_locked) {
      made.contestants.push_back({"cudaMemcpyAsync, pageable", [&](int n) {
                                    return time_plain_copy(pageable_, devices_[0], n);
                                  }});
    }
    measure(options_, made);
  }

  void measure_all(bool is_locked) {
    Source& source = is_locked ? locked_ : pageable_;
    Case made = described(concat(devices_.size(), " GPUs"), is_locked, devices_.size());
    made.contestants = {{"first available", [&](int n) { return routed(source, n); }},
                        {"a link for each GPU", [&](int n) { return direct(source, n); }},
                        {"cudaMemcpyAsync to each, page-locked", [&](int n) { return plain(n); }}};
    measure(options_, made);
  }

 private:
  [[nodiscard]] Case described(const std::string& where, bool is_locked, std::size_t copies) const {
    Case made;
    made.name = concat("host to ", where, is_locked ? ", page-locked" : ", pageable");
    made.where = concat("host to ", where);
    made.size = {{"bytes of messages", static_cast<std::int64_t>(copies * locked_.bytes())}};
    return made;
  }

  /// As many messages as there are GPUs, whose packets go to whichever is available.
  Seconds routed(Source& source, int n) {
    runtime::Context context(devices_);
    const int n_outputs = static_cast<int>(devices_.size());
    runtime::Router& router = context.router(1, n_outputs, runtime::any_available());
    Link& out = context.link(context.host(), router, packet_, 1);
    std::vector<Link*> into;
    for (const Endpoint endpoint : context.endpoints()) {
      into.push_back(&context.link(router, endpoint, packet_, 4));
    }
    return run(context, into, source, n, false, [&](const runtime::Segment& all) {
      for (std::size_t i = 0; i < devices_.size(); ++i) out.send(all);
    });
  }

  Seconds direct(Source& source, int n) {
    runtime::Context context(devices_);
    std::vector<Link*> into;
    for (const Endpoint endpoint : context.endpoints()) {
      into.push_back(&context.link(context.host(), endpoint, packet_, 4));
    }
    return run(context, into, source, n, true, [&](const runtime::Segment& all) {
      for (Link* const link : into) link->send(all);
    });
  }

  template <class Send>
  Seconds run(runtime::Context& context, const std::vector<Link*>& into, Source& source, int n,
              bool in_order, Send&& send) {
    Flow flow(source, devices_.size());
    Seconds seconds;
    context.run(
        [&](Endpoint endpoint) {
          flow.receive_all(*into[static_cast<std::size_t>(endpoint.id)], context.device(endpoint),
                           in_order);
        },
        [&] { seconds = flow.time_messages(n, send); });
    flow.expect_checked();
    return seconds;
  }

  Seconds plain(int n) {
    const std::size_t n_words = locked_.bytes() / sizeof(Word);
    locked_.fill({9});
    std::vector<std::unique_ptr<cuda::BorrowedStream>> streams;
    std::vector<cuda::DeviceBuffer<Word>> targets;
    for (const Device device : devices_) {
      streams.push_back(std::make_unique<cuda::BorrowedStream>(device));
      targets.emplace_back(n_words, **streams.back());
      fill_words(targets.back().data(), Pattern{0}, n_words, **streams.back());
      (**streams.back()).synchronize();
    }
    Seconds seconds = repeated(n, [&] {
      const auto start = Clock::now();
      for (std::size_t i = 0; i < targets.size(); ++i) {
        const cuda::DeviceGuard guard(devices_[i]);
        cuda::copy(targets[i].data(), static_cast<const Word*>(locked_.words()), n_words,
                   **streams[i]);
      }
      for (const auto& stream : streams) (**stream).synchronize();
      return seconds_since(start);
    });
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const auto equal = count_equal(targets[i].data(), Pattern{9}, 0, n_words, **streams[i]);
      EXPECTS(equal == n_words, n_words - equal, " words of a plain copy are wrong");
    }
    return seconds;
  }

  const Options& options_;
  const std::vector<Device> devices_;
  const std::size_t packet_;
  Source locked_;
  Source pageable_;
};

}  // namespace

void host_links(const Options& options) {
  FromHost from_host(options, options.message(1024 * megabyte));
  for (const bool is_locked : {true, false}) {
    from_host.measure_one(is_locked);
    if (options.n_devices > 1) from_host.measure_all(is_locked);
  }
}

}  // namespace warpgraph::benchmark
