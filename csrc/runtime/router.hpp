// Routers connect several endpoints: what enters by an input leaves by one or several outputs.
//
// A message passes three steps on the sender's thread. The segmenter divides it into segments of
// the input's packet size, if the policy decides about each of them; else the whole message is one
// send operation, which receivers divide when they claim packets. The policy gives the possible
// destinations. The multiplexer appends the operation to the queue of each destination's inbox: one
// operation that all of them share if any may have it, one for each if all get it. There is no lock
// and no thread of the router: each queue is the only structure of its inbox that several threads
// use, and each packet is claimed by one atomic step (message.hpp). Receivers see the message when
// it is in all queues: it can be withdrawn before, if memory for one of them is lacking.
#pragma once

#include "runtime/link.hpp"
#include "runtime/routing.hpp"

#include <string>
#include <vector>

namespace warpgraph::runtime {

class Router {
 public:
  Router(const Context& context, Endpoint endpoint, int n_inputs, int n_outputs,
         RoutingPolicy policy, std::string name);
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  [[nodiscard]] Endpoint endpoint() const noexcept { return endpoint_; }
  /// Returns the router's endpoint: a router may stand for it.
  operator Endpoint() const noexcept { return endpoint_; }  // NOLINT(*-explicit-*)
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  friend class Context;
  friend class Link;

  struct Input {
    Link* link;
    std::vector<Link*> reachable;
    EndpointList destinations;  // destinations of the reachable links
  };
  /// A range of a message, and where it may go.
  struct Part {
    std::size_t begin;
    std::size_t end;
    std::vector<Link*> outputs;
  };

  void add_input(Link& link);
  void add_output(Link& link);
  /// Checks that the router is complete, and makes its table.
  void build();
  void send(const Link& from, const std::shared_ptr<Message>& message);
  void input_has_shut_down(const Link& link);

  Input& input_of(const Link& link);
  void expect_output(Endpoint destination, Endpoint source) const;
  [[nodiscard]] std::vector<Part> parts_of(const Segment& segment, const Input& input) const;
  /// Returns the links among the reachable ones that a policy has chosen.
  [[nodiscard]] std::vector<Link*> chosen(const Segment& segment, const Input& input) const;
  /// Appends the operation to the queues of the chosen links, and adds these to a list.
  void multiplex(const std::shared_ptr<Message>& message, const Part& part, std::size_t packet,
                 std::vector<Link*>& links) const;

  const Context& context_;
  const Endpoint endpoint_;
  const std::size_t n_inputs_;
  const std::size_t n_outputs_;
  const RoutingPolicy policy_;
  const std::string name_;
  std::vector<Input> inputs_;
  std::vector<Link*> outputs_;
};

}  // namespace warpgraph::runtime
