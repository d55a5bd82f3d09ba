#include "runtime/context.hpp"

#include "core/error.hpp"
#include "core/memory/spare_blocks.hpp"
#include "core/threads/parallel.hpp"
#include "core/threads/thread_locals.hpp"
#include "runtime/devices/device_copier.hpp"
#include "runtime/devices/topology.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace warpgraph::runtime {

Context::Context(std::vector<Device> devices) : devices_(std::move(devices)) {
  EXPECTS(!devices_.empty(), "a context needs at least one device");
  for (const Device device : devices_) {
    require_device(device);
    endpoints_.push_back({static_cast<int>(endpoints_.size())});
  }
  connect_devices(devices_);
}

Context::~Context() { finish_copies(); }

Device Context::device(Endpoint endpoint) const noexcept {
  const auto i = static_cast<std::size_t>(endpoint.id);
  return i < devices_.size() ? devices_[i] : Device{};
}

EndpointList Context::in_ring_order(const EndpointList& list) const {
  const auto has_device = [&](Endpoint endpoint) { return endpoint.id < host().id; };
  EndpointList listed;
  std::vector<Device> devices;
  for (const Endpoint endpoint : list) {
    if (!has_device(endpoint)) continue;
    listed.push_back(endpoint);
    devices.push_back(device(endpoint));
  }
  EndpointList order = list;
  auto next = order.begin();
  for (const std::size_t i : Topology(devices).ring_order()) {
    next = std::find_if(next, order.end(), has_device);
    *next++ = listed[i];
  }
  return order;
}

std::string Context::name(Endpoint endpoint) const {
  if (endpoint == host()) return "the host";
  if (const Router* const router = router_of(endpoint)) return router->name();
  const bool is_here = endpoint.id >= 0 && endpoint.id < host().id;
  if (!is_here) return concat("endpoint ", endpoint.id, " (unknown here)");
  return concat("endpoint ", endpoint.id, " (",
                devices_[static_cast<std::size_t>(endpoint.id)].name(), ")");
}

Router* Context::router_of(Endpoint endpoint) const {
  const int i = endpoint.id - host().id - 1;
  if (i < 0 || i >= static_cast<int>(routers_.size())) return nullptr;
  return routers_[static_cast<std::size_t>(i)].get();
}

void Context::expect_known(Endpoint endpoint) const {
  const int known = host().id + 1 + static_cast<int>(routers_.size());
  EXPECTS(endpoint.id >= 0 && endpoint.id < known, "endpoint ", endpoint.id,
          " is not one of this context, which has the endpoints 0..", known - 1);
}

Router& Context::router(int n_inputs, int n_outputs, RoutingPolicy policy, std::string_view name) {
  EXPECTS(!has_run_, "the data-flow graph cannot be changed after it has run");
  const int number = static_cast<int>(routers_.size());
  std::string called = name.empty() ? concat("router ", number) : concat("router '", name, "'");
  routers_.push_back(std::make_unique<Router>(*this, Endpoint{host().id + 1 + number}, n_inputs,
                                              n_outputs, std::move(policy), std::move(called)));
  return *routers_.back();
}

Link& Context::link(Endpoint source, Endpoint destination, std::size_t packet_size,
                    std::optional<int> n_buffers, bool through_host) {
  EXPECTS(!has_run_, "the data-flow graph cannot be changed after it has run");
  expect_known(source);
  expect_known(destination);
  EXPECTS(source != destination, name(source), " cannot be linked to itself");
  EXPECTS(packet_size >= 1, "the packet size must be at least 1 byte");
  EXPECTS(!n_buffers || (*n_buffers >= 1 && *n_buffers <= Link::max_buffers),
          "the number of buffers of a link must be in 1..", Link::max_buffers, ", got ",
          *n_buffers);
  for (const auto& other : links_) {
    EXPECTS(other->source() != source || other->destination() != destination, name(source),
            " is linked to ", name(destination), " already");
  }
  Router* const before = router_of(source);
  Router* const after = router_of(destination);
  EXPECTS(before == nullptr || after == nullptr, name(source), " cannot be linked to ",
          name(destination), ": one end of a link must be no router");
  // A router is no device: the other end of its links may be on one like this end.
  const Device from = device(before == nullptr ? source : destination);
  const Device to = device(after == nullptr ? destination : source);
  const int n = n_buffers.value_or(Link::suitable_buffers(from, to, packet_size));
  auto made = std::make_unique<Link>(*this, source, destination, packet_size, n, through_host,
                                     before, after);
  links_.reserve(links_.size() + 1);
  if (before != nullptr) before->add_output(*made);
  if (after != nullptr) after->add_input(*made);
  links_.push_back(std::move(made));
  return *links_.back();
}

void Context::build() {
  EXPECTS(!has_run_, "a context runs once: make a new one");
  has_run_ = true;
  for (const auto& router : routers_) router->build();
}

void Context::shut_down_links_of(Endpoint endpoint) {
  for (const auto& link : links_) {
    if (link->source() == endpoint) link->shutdown();
  }
}

namespace {

/// Returns whether the calling thread has memory for its thread-local variables, and for the list
/// of what it destroys at its end. Threads that start take turns, since each asks by allocating and
/// freeing.
bool has_thread_locals() {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  if (!can_have_thread_locals()) return false;
  SpareBlocks::of_this_thread();
  return true;
}

}  // namespace

int Context::threads_of(Endpoint endpoint) const {
  // An endpoint on a device does not compute, but copies from pageable memory: a thread copies 8
  // GB/s, PCIe takes 55.
  constexpr int max_to_copy = 8;
  if (!device(endpoint).is_cuda()) return 1;
  const int others = static_cast<int>(endpoints_.size());
  return std::clamp(configured_threads() / others, 1, max_to_copy);
}

void Context::run_endpoint(Endpoint endpoint, RunControl& control,
                           const std::function<void(Endpoint)>& body) {
  if (has_thread_locals()) {
    call_body(endpoint, control, body);
  } else {
    control.errors().stop_with(no_memory_);
  }
  running_.fetch_sub(1);
  ended_.ring();
  // This comes last: find_stall() relies on an endpoint that has ended to change nothing.
  control.record(static_cast<std::size_t>(endpoint.id)).end();
}

void Context::call_body(Endpoint endpoint, RunControl& control,
                        const std::function<void(Endpoint)>& body) {
  StoppedHooks hooks(control.errors());
  const ScopedHooks installed(hooks);
  const CallThreads threads(threads_of(endpoint));
  const ThreadOfRun thread(control, static_cast<std::size_t>(endpoint.id), false);
  control.errors().guard([&] {
    enter_device(device(endpoint));
    body(endpoint);
    shut_down_links_of(endpoint);
  });
}

void Context::run(const std::function<void(Endpoint)>& on_endpoint,
                  const std::function<void()>& on_host, const std::function<void()>& on_failure) {
  build();
  RunControl control(endpoints_.size() + 1);
  LoopControl& errors = control.errors();
  std::vector<std::thread> threads;
  errors.guard([&] {
    threads.reserve(endpoints_.size());
    for (const Endpoint endpoint : endpoints_) {
      running_.fetch_add(1);
      try {
        threads.emplace_back([&, endpoint] { run_endpoint(endpoint, control, on_endpoint); });
      } catch (const std::system_error& error) {
        running_.fetch_sub(1);
        throw std::runtime_error(concat("no thread could be started for ", name(endpoint), ": ",
                                        error.what(),
                                        "; name fewer devices, or raise the limits of the process "
                                        "for threads and memory (ulimit -u, ulimit -v)"));
      } catch (...) {
        running_.fetch_sub(1);
        throw;
      }
    }
  });
  {
    const ThreadOfRun thread(control, endpoints_.size(), true);
    errors.guard([&] {
      check_thread();
      on_host();
      shut_down_links_of(host());
      wait_for_end();
    });
  }
  if (errors.stopped() && on_failure) {
    ended_.wait_and_remind([&] { return running_.load() == 0; }, on_failure);
  }
  for (std::thread& thread : threads) thread.join();
  finish_copies();
  errors.rethrow();
  expect_all_received();
}

void Context::wait_for_end() {
  ended_.wait([&] { return running_.load() == 0; },
              [&] { return concat(name(host()), " waits for the endpoints to end"); });
  abandon_sent();
  for (const auto& link : links_) link->wait_for_copies();
}

void Context::abandon_sent() noexcept {
  // No thread waits any more for segments that were not received.
  for (const auto& link : links_) link->abandon_sent();
}

void Context::finish_copies() noexcept {
  abandon_sent();
  for (const auto& link : links_) link->finish_copies();
}

void Context::expect_all_received() {
  for (const auto& link : links_) {
    const std::optional<Endpoint> source = link->source_of_lost_segment();
    if (!source) continue;
    throw std::runtime_error(concat(name(link->destination()), " has ended without receiving what ",
                                    name(*source), " has sent to it"));
  }
}

}  // namespace warpgraph::runtime
