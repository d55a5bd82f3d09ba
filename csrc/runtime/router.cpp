#include "runtime/router.hpp"

#include "core/error.hpp"
#include "runtime/context.hpp"

#include <algorithm>

namespace warpgraph::runtime {

Router::Router(const Context& context, Endpoint endpoint, int n_inputs, int n_outputs,
               RoutingPolicy policy, std::string name)
    : context_(context),
      endpoint_(endpoint),
      n_inputs_(static_cast<std::size_t>(std::max(n_inputs, 0))),
      n_outputs_(static_cast<std::size_t>(std::max(n_outputs, 0))),
      policy_(std::move(policy)),
      name_(std::move(name)) {
  EXPECTS(n_inputs >= 1 && n_outputs >= 1, "a router needs inputs and outputs, but ", name_,
          " has ", n_inputs, " and ", n_outputs);
  EXPECTS(policy_.reach != nullptr, name_, " needs a routing policy");
}

void Router::add_input(Link& link) {
  EXPECTS(inputs_.size() < n_inputs_, name_, " has ", n_inputs_,
          " input(s) already; there is none for ", context_.name(link.source()));
  inputs_.push_back({&link, {}, {}});
}

void Router::add_output(Link& link) {
  EXPECTS(outputs_.size() < n_outputs_, name_, " has ", n_outputs_,
          " output(s) already; there is none for ", context_.name(link.destination()));
  outputs_.push_back(&link);
}

void Router::build() {
  EXPECTS(inputs_.size() == n_inputs_ && outputs_.size() == n_outputs_, name_, " has ",
          inputs_.size(), " of ", n_inputs_, " inputs and ", outputs_.size(), " of ", n_outputs_,
          " outputs");
  EndpointList sources;
  EndpointList destinations;
  for (const Input& input : inputs_) sources.push_back(input.link->source());
  for (const Link* output : outputs_) destinations.push_back(output->destination());
  if (policy_.in_ring_order) {
    sources = context_.in_ring_order(sources);
    destinations = context_.in_ring_order(destinations);
  }
  for (const Endpoint named : policy_.sources) {
    EXPECTS(std::find(sources.begin(), sources.end(), named) != sources.end(), "the policy ",
            policy_.name, " of ", name_, " names ", context_.name(named),
            ", which is not an input of it");
  }
  for (Input& input : inputs_) {
    input.destinations = policy_.reach(input.link->source(), sources, destinations);
    for (const Endpoint destination : input.destinations) {
      expect_output(destination, input.link->source());
    }
    for (Link* const output : outputs_) {
      const auto& list = input.destinations;
      const auto n = std::count(list.begin(), list.end(), output->destination());
      EXPECTS(n <= 1, "the policy ", policy_.name, " of ", name_, " names ",
              context_.name(output->destination()), ' ', n, " times for segments of ",
              context_.name(input.link->source()));
      if (n == 0) continue;
      input.reachable.push_back(output);
      output->inbox_.open_sources.fetch_add(1);
    }
  }
}

void Router::expect_output(Endpoint destination, Endpoint source) const {
  const auto leads_there = [&](const Link* link) { return link->destination() == destination; };
  EXPECTS(std::any_of(outputs_.begin(), outputs_.end(), leads_there), "the policy ", policy_.name,
          " of ", name_, " sends segments of ", context_.name(source), " to ",
          context_.name(destination), ", which is not an output of it");
}

Router::Input& Router::input_of(const Link& link) {
  return *std::find_if(inputs_.begin(), inputs_.end(),
                       [&](const Input& input) { return input.link == &link; });
}

void Router::send(const Link& from, const std::shared_ptr<Message>& message) {
  const Segment& segment = message->segment();
  const Input& input = input_of(from);
  EXPECTS(!input.reachable.empty(), "the policy ", policy_.name, " of ", name_,
          " has no destination for segments of ", context_.name(from.source()));
  for (const Link* const output : input.reachable) {
    EXPECTS(segment.item_bytes <= output->packet_size(), "an item of ", segment.item_bytes,
            " bytes does not fit the packets of ", output->name(), ", which have ",
            output->packet_size());
  }
  const std::vector<Part> parts = parts_of(segment, input);
  for (const Part& part : parts) {
    const std::size_t copies = policy_.delivery == Delivery::all ? part.outputs.size() : 1;
    for (std::size_t i = 0; i < copies; ++i) message->expect(part.end - part.begin);
  }
  std::vector<Link*> links;
  // The messages of other senders wait behind one that is not sent yet, too.
  const auto ring_all = [&] {
    for (Link* const link : links) link->ring();
  };
  try {
    for (const Part& part : parts) multiplex(message, part, from.packet_size(), links);
  } catch (...) {
    message->withdraw();
    ring_all();
    throw;
  }
  message->set_sent();
  ring_all();
}

std::vector<Router::Part> Router::parts_of(const Segment& segment, const Input& input) const {
  std::vector<Part> parts;
  if (!policy_.choose) {
    parts.push_back({0, segment.bytes, input.reachable});
    return parts;
  }
  const std::size_t items = input.link->packet_size() / segment.item_bytes;
  const std::size_t step = items * segment.item_bytes;
  Segment part = segment;
  std::size_t begin = 0;
  do {
    const std::size_t end = std::min(segment.bytes, begin + step);
    part.offset = begin;
    part.bytes = end - begin;
    if (part.bytes > 0) part.data = segment.data + begin;
    part.number = static_cast<std::int64_t>(parts.size());
    parts.push_back({begin, end, chosen(part, input)});
    begin = end;
  } while (begin < segment.bytes);
  return parts;
}

std::vector<Link*> Router::chosen(const Segment& segment, const Input& input) const {
  const EndpointList list = policy_.choose(segment, segment.source, input.destinations);
  EXPECTS(!list.empty(), "the policy ", policy_.name, " of ", name_,
          " has no destination for a segment of ", context_.name(segment.source));
  for (const Endpoint destination : list) expect_output(destination, segment.source);
  std::vector<Link*> outputs;
  for (Link* const output : input.reachable) {
    if (std::find(list.begin(), list.end(), output->destination()) != list.end()) {
      outputs.push_back(output);
    }
  }
  return outputs;
}

void Router::multiplex(const std::shared_ptr<Message>& message, const Part& part,
                       std::size_t packet, std::vector<Link*>& links) const {
  const auto operation = [&] {
    return std::make_shared<SendOperation>(message, part.begin, part.end, packet);
  };
  std::shared_ptr<SendOperation> shared = operation();
  for (Link* const output : part.outputs) {
    links.push_back(output);
    output->inbox_.sends.append(policy_.delivery == Delivery::any ? shared : operation());
  }
}

void Router::input_has_shut_down(const Link& link) {
  for (Link* const output : input_of(link).reachable) output->source_has_shut_down();
}

}  // namespace warpgraph::runtime
