#include "runtime/link.hpp"

#include "core/error.hpp"
#include "runtime/context.hpp"
#include "runtime/router.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpgraph::runtime {

PendingSegment::PendingSegment(Link& link, Packet packet, int buffer)
    : link_(&link), packet_(std::move(packet)), buffer_(buffer) {}

PendingSegment::PendingSegment(PendingSegment&& other) noexcept
    : link_(std::exchange(other.link_, nullptr)),
      packet_(std::move(other.packet_)),
      buffer_(other.buffer_),
      arrived_(other.arrived_) {}

PendingSegment& PendingSegment::operator=(PendingSegment&& other) noexcept {
  std::swap(link_, other.link_);
  std::swap(packet_, other.packet_);
  std::swap(buffer_, other.buffer_);
  std::swap(arrived_, other.arrived_);
  return *this;
}

const Segment& PendingSegment::wait() {
  if (arrived_) return packet_.segment;
  auto& buffer = link_->inbox_.buffers[static_cast<std::size_t>(buffer_)];
  buffer.resize(std::max(buffer.size(), packet_.segment.bytes));
  packet_.message->ready().wait();
  if (packet_.segment.bytes > 0) {
    std::memcpy(buffer.data(), packet_.segment.data, packet_.segment.bytes);
  }
  packet_.segment.data = buffer.data();
  arrived_ = true;
  packet_.message->deliver(packet_.segment.bytes);
  return packet_.segment;
}

const Segment& PendingSegment::wait_direct() {
  if (!arrived_) packet_.message->ready().wait();
  return packet_.segment;
}

void PendingSegment::wait_into(std::byte* destination) {
  packet_.message->ready().wait();
  if (packet_.segment.bytes > 0) {
    std::memcpy(destination, packet_.segment.data, packet_.segment.bytes);
  }
  packet_.segment.data = destination;
  release();
}

void PendingSegment::release() noexcept {
  if (link_ == nullptr) return;
  if (!arrived_) packet_.message->deliver(packet_.segment.bytes);
  arrived_ = true;
  packet_.message.reset();
  link_->inbox_.used_buffers.fetch_and(~(std::uint64_t{1} << buffer_));
  link_->ring();
  link_ = nullptr;
}

Link::Link(const Context& context, Endpoint source, Endpoint destination, std::size_t packet_size,
           int n_buffers, Router* router_before, Router* router_after)
    : context_(context),
      source_(source),
      destination_(destination),
      packet_size_(packet_size),
      n_buffers_(n_buffers),
      router_before_(router_before),
      router_after_(router_after) {
  if (router_after_ != nullptr) return;
  inbox_.buffers.resize(static_cast<std::size_t>(n_buffers));
  inbox_.open_sources.store(router_before_ == nullptr ? 1 : 0);
}

std::string Link::name() const {
  return concat("the link from ", context_.name(source_), " to ", context_.name(destination_));
}

EventFuture Link::send(const Segment& given, EventFuture ready, std::shared_ptr<const void> owner) {
  check_thread();
  EXPECTS(router_before_ == nullptr, name(), " leaves a router: only the router sends over it");
  EXPECTS(!is_shut_down_.load(), name(), " has been shut down: nothing can be sent over it");
  EXPECTS(given.item_bytes >= 1 && given.item_bytes <= packet_size_, "an item of ",
          given.item_bytes, " bytes does not fit the packets of ", name(), ", which have ",
          packet_size_);
  Segment segment = given;
  segment.source = source_;
  std::string waits_for =
      concat(context_.name(source_), " waits until ", context_.name(destination_),
             router_after_ == nullptr ? " has received" : " has delivered", " what it has sent");
  if (router_after_ != nullptr) {
    return router_after_->send(*this, segment, std::move(ready), std::move(owner))
        ->delivered()
        .future(std::move(waits_for));
  }
  const auto message = std::make_shared<Message>(segment, std::move(ready), std::move(owner));
  message->expect(segment.bytes);
  enqueue(std::make_shared<SendOperation>(message, 0, segment.bytes, packet_size_));
  return message->delivered().future(std::move(waits_for));
}

void Link::shutdown() {
  EXPECTS(router_before_ == nullptr, name(), " leaves a router: its inputs are shut down instead");
  if (is_shut_down_.exchange(true)) return;
  if (router_after_ != nullptr) {
    router_after_->input_has_shut_down(*this);
  } else {
    source_has_shut_down();
  }
}

void Link::enqueue(std::shared_ptr<SendOperation> operation) {
  inbox_.sends.append(std::move(operation));
  inbox_.bell.ring();
}

void Link::source_has_shut_down() noexcept {
  inbox_.open_sources.fetch_sub(1);
  inbox_.bell.ring();
}

SendOperation* Link::peek() {
  for (;;) {
    std::shared_ptr<SendOperation>* const first = inbox_.sends.front();
    if (first == nullptr) return nullptr;
    if (!(*first)->is_stale()) return first->get();
    inbox_.sends.pop();
  }
}

bool Link::has_ended() {
  // In this order: after the last source has shut down, the queue gets nothing more.
  return inbox_.open_sources.load() == 0 && peek() == nullptr;
}

std::optional<PendingSegment> Link::try_receive() {
  EXPECTS(router_after_ == nullptr, name(), " enters a router: nothing can be received from it");
  const int buffer = std::countr_one(inbox_.used_buffers.load());
  if (buffer >= n_buffers_) return std::nullopt;
  while (SendOperation* const operation = peek()) {
    std::optional<Packet> packet = operation->claim(packet_size_);
    if (!packet) continue;  // another receiver was faster
    inbox_.used_buffers.fetch_or(std::uint64_t{1} << buffer);
    return PendingSegment(*this, std::move(*packet), buffer);
  }
  return std::nullopt;
}

std::optional<PendingSegment> Link::receive() {
  check_thread();
  std::optional<PendingSegment> received;
  inbox_.bell.wait(
      [&] {
        const bool had_ended = has_ended();
        received = try_receive();
        return received.has_value() || had_ended;
      },
      [&] { return waits_for(); });
  return received;
}

std::string Link::waits_for() const {
  const std::string who = context_.name(destination_);
  if (std::countr_one(inbox_.used_buffers.load()) >= n_buffers_) {
    return concat(who, " waits to release one of the ", n_buffers_, " buffers of ", name());
  }
  if (router_before_ == nullptr) {
    return concat(who, " waits to receive from ", context_.name(source_));
  }
  std::string sources;
  for (const Router::Input& input : router_before_->inputs_) {
    const auto& reachable = input.reachable;
    const bool leads_here = std::find(reachable.begin(), reachable.end(), this) != reachable.end();
    if (!leads_here || input.link->is_shut_down_.load()) continue;
    sources += (sources.empty() ? "" : ", ") + context_.name(input.link->source());
  }
  return concat(who, " waits to receive from ", context_.name(source_), ", for which ", sources,
                " may send");
}

std::optional<Endpoint> Link::source_of_lost_segment() {
  const SendOperation* const operation = peek();
  if (operation == nullptr) return std::nullopt;
  return operation->source();
}

}  // namespace warpgraph::runtime
