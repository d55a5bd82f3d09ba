// Errors and stalls end a run within a second, on every endpoint, and the next run is right.
#include "core/interrupt.hpp"
#include "runtime/runtime_graphs.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

namespace warpgraph::runtime {
namespace {

using test::host_devices;
using test::Items;
using test::numbers;
using test::receive_all;
using test::Star;
using test::Stopwatch;
using warpgraph::test::message_of;

/// The second that is promised, and as many more as others wait for each core.
double promised_seconds() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? 1 + load / std::thread::hardware_concurrency() : 1;
}

class FaultsOf : public testing::TestWithParam<int> {
 protected:
  /// The message of the exception of a run, which takes no longer than promised.
  template <class OnEndpoint, class OnHost>
  static std::string run(Context& context, OnEndpoint on_endpoint, OnHost on_host) {
    const Stopwatch stopwatch;
    const std::string message = message_of([&] { context.run(on_endpoint, on_host); });
    EXPECT_LT(stopwatch.seconds(), promised_seconds());
    return message;
  }
  const int n_ = GetParam();
};

INSTANTIATE_TEST_SUITE_P(Endpoints, FaultsOf, testing::Values(1, 2, 3, 5, 8));

TEST_P(FaultsOf, AnEndpointThrows) {
  for (int turn = 0; turn < 5; ++turn) {
    Context context(host_devices(n_));
    const Star star(context, any_available(), true);
    const Star back(context, gather(), false);
    EXPECT_EQ(run(
                  context,
                  [&](Endpoint endpoint) {
                    while (std::optional<PendingSegment> pending = star.of(endpoint).receive()) {
                      if (endpoint.id == n_ - 1) break;
                      test::send(back.of(endpoint), {1});
                    }
                    if (endpoint.id == n_ - 1) throw std::runtime_error("this endpoint fails");
                  },
                  [&] {
                    test::send(*star.host, numbers(1000));
                    star.host->shutdown();
                    receive_all(*back.host);
                  }),
              "this endpoint fails");
  }
}

TEST_P(FaultsOf, TheHostThrows) {
  Context context(host_devices(n_));
  const Star star(context, any_available(), true);
  EXPECT_EQ(run(
                context, [&](Endpoint endpoint) { receive_all(star.of(endpoint)); },
                [] { throw std::runtime_error("the host fails"); }),
            "the host fails");
}

TEST_P(FaultsOf, AnEndpointNeverReceives) {
  Context context(host_devices(n_));
  const Star star(context, broadcast(), true);
  const std::string message = run(
      context,
      [&](Endpoint endpoint) {
        if (endpoint.id > 0) receive_all(star.of(endpoint));
      },
      [&] { test::send(*star.host, numbers(10)).wait(); });
  EXPECT_NE(message.find("no endpoint can continue: "), std::string::npos) << message;
  EXPECT_NE(message.find("the host waits until router 0 has delivered what it has sent"),
            std::string::npos)
      << message;
  if (n_ > 1) {
    EXPECT_NE(message.find("endpoint 1 (cpu) waits to receive"), std::string::npos) << message;
  }
}

TEST_P(FaultsOf, ASegmentIsNeverReceived) {
  Context context(host_devices(n_));
  const Star star(context, broadcast(), true);
  EXPECT_EQ(run(
                context,
                [&](Endpoint endpoint) {
                  if (endpoint.id != n_ - 1) receive_all(star.of(endpoint));
                },
                [&] { test::send(*star.host, numbers(10)); }),
            concat("endpoint ", n_ - 1,
                   " (cpu) has ended without receiving what the host has sent to it"));
}

TEST_P(FaultsOf, EndpointsWaitForEachOther) {
  Context context(host_devices(n_));
  const test::Mesh mesh(context, ring(), true, false);
  const std::string message = run(
      context,
      [&](Endpoint endpoint) { receive_all(*mesh.in[static_cast<std::size_t>(endpoint.id)]); },
      [] {});
  EXPECT_NE(message.find("the host waits for the endpoints to end"), std::string::npos) << message;
  for (int i = 0; i < n_; ++i) {
    EXPECT_NE(
        message.find(concat("endpoint ", i, " (cpu) waits to receive from router 0, for which ")),
        std::string::npos)
        << message;
  }
}

TEST(Faults, BuffersAreNeverReleased) {
  Context context(host_devices(1));
  Link& link = context.link(context.host(), context.endpoints()[0], 4, 1);
  const std::string message = message_of([&] {
    context.run(
        [&](Endpoint) {
          const std::optional<PendingSegment> held = link.receive();
          (void)link.receive();
        },
        [&] { test::send(link, numbers(2)); });
  });
  EXPECT_NE(message.find("endpoint 0 (cpu) waits to release one of the 1 buffers of the link from "
                         "the host to endpoint 0 (cpu)"),
            std::string::npos)
      << message;
}

/// Waits for what comes from outside of the run are not stalls.
TEST(Faults, EventsFromOutsideAreAwaited) {
  Context context(host_devices(2));
  Link& link = context.link(context.endpoints()[0], context.endpoints()[1], 8, 1);
  Event outside;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    outside.record();
  });
  context.run(
      [&](Endpoint endpoint) {
        if (endpoint.id == 1) {
          receive_all(link);
        } else {
          outside.future().wait();
        }
      },
      [] {});
  later.join();
}

/// An endpoint that computes for long is no stall.
TEST(Faults, SlowEndpointsAreAwaited) {
  Context context(host_devices(3));
  const Star star(context, gather(), false);
  Items received;
  context.run(
      [&](Endpoint endpoint) {
        std::this_thread::sleep_for(std::chrono::milliseconds(endpoint.id == 2 ? 250 : 0));
        test::send(star.of(endpoint), {endpoint.id}).wait();
      },
      [&] { received = receive_all(*star.host); });
  EXPECT_EQ(received.size(), 3u);
  EXPECT_EQ(received.back(), 2);
}

struct Interrupted {};

/// Hooks of the caller, as those of Python: they throw from some moment on.
class InterruptingHooks final : public CallHooks {
 public:
  explicit InterruptingHooks(double after) : after_(after) {}
  void poll() override {
    if (stopwatch_.seconds() > after_) throw Interrupted{};
  }
  void progress(std::int64_t, std::int64_t) override {}

 private:
  const Stopwatch stopwatch_;
  const double after_;
};

TEST_P(FaultsOf, TheCallerIsInterrupted) {
  for (const double after : {0.0, 0.005, 0.03}) {
    for (const bool host_receives : {false, true}) {
      Context context(host_devices(n_));
      const Star star(context, any_available(), true);
      const Star back(context, gather(), false);
      InterruptingHooks hooks(after);
      const ScopedHooks installed(hooks);
      const Stopwatch stopwatch;
      EXPECT_THROW(context.run(
                       [&](Endpoint endpoint) {
                         for (;;) {  // until the run has stopped
                           poll();
                           test::send(back.of(endpoint), {1});
                           std::this_thread::sleep_for(std::chrono::milliseconds(1));
                         }
                       },
                       [&] {
                         if (host_receives) receive_all(*back.host);
                       }),
                   Interrupted);
      EXPECT_LT(stopwatch.seconds(), after + promised_seconds());
    }
  }
}

TEST_P(FaultsOf, AFutureOfAFailedRunDoesNotHang) {
  EventFuture future;
  {
    Context context(host_devices(n_));
    const Star star(context, any_available(), true);
    Event sent;
    EXPECT_THROW(context.run(
                     [after = sent.future()](Endpoint) {
                       after.wait();
                       throw std::runtime_error("no");
                     },
                     [&] {
                       future = test::send(*star.host, numbers(10));
                       sent.record();
                     }),
                 std::runtime_error);
  }
  EXPECT_FALSE(future.is_complete());
  EXPECT_THROW(future.wait(), std::runtime_error);
}

}  // namespace
}  // namespace warpgraph::runtime
