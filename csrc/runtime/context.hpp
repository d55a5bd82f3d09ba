// The runtime of one application: its endpoints, its data-flow graph, and one run of it.
//
//     Context context(std::vector<Device>(4));              // four endpoints on the host
//     Router& parts = context.router(1, 4, any_available());
//     Link& out = context.link(context.host(), parts, 1 << 20, 1);
//     ...
//     context.run(work, feed);                              // README.md has the rest
#pragma once

#include "core/device.hpp"
#include "runtime/link.hpp"
#include "runtime/router.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgraph::runtime {

class Context {
 public:
  /// Makes an endpoint for each entry; several may name the same device: virtual endpoints. Each
  /// has a thread of its own, whose current device it is. Throws DeviceError for devices that do
  /// not exist.
  explicit Context(std::vector<Device> devices);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  /// Returns the endpoints in the order of the devices; their ids are 0, 1, ...
  [[nodiscard]] const EndpointList& endpoints() const noexcept { return endpoints_; }
  /// Returns the endpoint of the thread that calls run().
  [[nodiscard]] Endpoint host() const noexcept { return {static_cast<int>(endpoints_.size())}; }
  /// Returns the device of an endpoint; for routers, the host.
  [[nodiscard]] Device device(Endpoint endpoint) const noexcept;
  /// Returns a name for sentences: "endpoint 2 (cpu)", "the host", "router 0".
  [[nodiscard]] std::string name(Endpoint endpoint) const;

  // Construction of the data-flow graph. Errors are std::invalid_argument, with a sentence that
  // names the endpoint.

  /// Adds a router, which the context owns. `name` is for sentences.
  Router& router(int n_inputs, int n_outputs, RoutingPolicy policy, std::string_view name = "");
  /// Adds a link, which the context owns. Messages are received in packets of at most `packet_size`
  /// bytes, of which the destination holds at most n_buffers at a time, by default as many as
  /// Link::suitable_buffers() says. With through_host, copies
  /// between devices go through the host's memory, as between devices that cannot read each other's
  /// memory.
  Link& link(Endpoint source, Endpoint destination, std::size_t packet_size,
             std::optional<int> n_buffers = {}, bool through_host = false);
  /// Returns the endpoints of a list in the order of a ring round their devices, which begins at
  /// the first one; the host stays where it is.
  [[nodiscard]] EndpointList in_ring_order(const EndpointList& list) const;

  /// Runs on_endpoint(endpoint) for each endpoint, on its thread, and on_host() on this one;
  /// returns when all have returned. Poll points on other threads than this one only see whether
  /// the run has failed. If any of them throws, the others end at their next send, receive, wait or
  /// poll point, and run() throws that exception. Also throws std::runtime_error if no endpoint can
  /// continue, and if a segment was sent but never received. A context runs once.
  /// on_failure() is called on this thread after the run has failed, every few milliseconds until
  /// the others have ended: it may end those that are far from a poll point. It must not throw.
  void run(const std::function<void(Endpoint)>& on_endpoint, const std::function<void()>& on_host,
           const std::function<void()>& on_failure = {});

 private:
  [[nodiscard]] Router* router_of(Endpoint endpoint) const;
  void expect_known(Endpoint endpoint) const;
  /// Checks the whole graph and builds the tables of its routers.
  void build();
  void shut_down_links_of(Endpoint endpoint);
  /// Returns the number of threads of loops on the endpoint's thread.
  [[nodiscard]] int threads_of(Endpoint endpoint) const;
  void run_endpoint(Endpoint endpoint, RunControl& control,
                    const std::function<void(Endpoint)>& body);
  /// Calls the body of an endpoint. Not inlined, since it accesses thread-local variables.
  [[gnu::noinline]] void call_body(Endpoint endpoint, RunControl& control,
                                   const std::function<void(Endpoint)>& body);
  void expect_all_received();
  /// Waits for the endpoints, and for copies of devices, on the host's thread after its body has
  /// returned.
  void wait_for_end();
  void abandon_sent() noexcept;
  /// Waits, after the run, for copies of devices, and frees the messages that were sent.
  void finish_copies() noexcept;

  const std::vector<Device> devices_;
  EndpointList endpoints_;
  std::vector<std::unique_ptr<Router>> routers_;
  std::vector<std::unique_ptr<Link>> links_;
  bool has_run_ = false;
  Doorbell ended_;
  std::atomic<std::size_t> running_{0};
  const std::exception_ptr no_memory_ = std::make_exception_ptr(std::bad_alloc());
};

}  // namespace warpgraph::runtime
