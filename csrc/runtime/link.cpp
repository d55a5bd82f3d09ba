#include "runtime/link.hpp"

#include "core/error.hpp"
#include "runtime/context.hpp"
#include "runtime/router.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace warpgraph::runtime {

PendingSegment::PendingSegment(Link& link, Packet packet, int buffer)
    : link_(&link), packet_(std::move(packet)), buffer_(buffer) {}

PendingSegment::PendingSegment(PendingSegment&& other) noexcept
    : link_(std::exchange(other.link_, nullptr)),
      packet_(std::move(other.packet_)),
      buffer_(other.buffer_),
      arrived_(other.arrived_),
      arrival_(std::move(other.arrival_)),
      forwarded_(std::move(other.forwarded_)) {}

PendingSegment& PendingSegment::operator=(PendingSegment&& other) noexcept {
  std::swap(link_, other.link_);
  std::swap(packet_, other.packet_);
  std::swap(buffer_, other.buffer_);
  std::swap(arrived_, other.arrived_);
  std::swap(arrival_, other.arrival_);
  std::swap(forwarded_, other.forwarded_);
  return *this;
}

void PendingSegment::begin_device_copy() {
  // If this fails half-way, a device may still read the message and write to the buffer. Then the
  // message is not delivered, and the buffer is not used again.
  Link& link = *std::exchange(link_, nullptr);
  Message& message = *packet_.message;
  const auto [data, stream] = link.copier().begin(buffer_, packet_.segment, message.ready());
  std::shared_ptr<StreamPoint> point = point_on(stream);
  arrival_ = EventFuture(point);
  message.deliver(packet_.segment.bytes, std::move(point), stream);
  packet_.segment.data = data;
  packet_.segment.device = link.context_.device(link.destination_);
  arrived_ = true;
  link_ = &link;
}

void PendingSegment::begin_deferred_copy() {
  if (!arrived_ && link_->needs_device(packet_.segment)) begin_device_copy();
}

const Segment& PendingSegment::wait() {
  begin_deferred_copy();
  if (arrived_) {
    arrival_.wait();
    return packet_.segment;
  }
  auto& buffer = link_->inbox_.buffers[static_cast<std::size_t>(buffer_)].memory;
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

const Segment& PendingSegment::wait(StreamRef stream) {
  begin_deferred_copy();
  if (!arrived_) return wait();
  arrival_.wait(stream);
  return packet_.segment;
}

const Segment& PendingSegment::wait_direct() {
  begin_deferred_copy();
  if (arrived_) return wait();
  packet_.message->ready().wait();
  return packet_.segment;
}

void PendingSegment::wait_into(std::byte* destination) {
  const Segment& segment = wait_direct();
  EXPECTS(!segment.device.is_cuda(), "a segment on ", segment.device.name(),
          " cannot be copied to the host by ", link_->name());
  if (segment.bytes > 0) std::memcpy(destination, segment.data, segment.bytes);
  packet_.segment.data = destination;
  release();
}

void PendingSegment::wait_into(std::byte* destination, StreamRef stream) {
  const Segment& segment = wait(stream);
  copy_on(stream, destination, segment.data, segment.bytes);
  packet_.segment.data = destination;
  release(stream);
}

void PendingSegment::forward(Link& next) {
  begin_deferred_copy();
  if (!arrived_) wait();
  Segment segment = packet_.segment;
  segment.offset = 0;
  forwarded_ = next.send(segment, arrival_);
}

void PendingSegment::release(StreamRef stream) {
  if (link_ == nullptr) return;
  if (!arrived_) return release();
  // If this fails, the buffer is not used again, since the stream may read it.
  Link& link = *std::exchange(link_, nullptr);
  packet_.message.reset();
  link.release(buffer_, EventFuture(point_on(stream)), std::move(forwarded_));
}

void PendingSegment::release() noexcept {
  if (link_ == nullptr) return;
  try {
    if (!arrived_) packet_.message->deliver(packet_.segment.bytes);
  } catch (...) {  // a device has failed: its error is reported where it is waited for
  }
  arrived_ = true;
  packet_.message.reset();
  std::exchange(link_, nullptr)->release(buffer_, std::move(arrival_), std::move(forwarded_));
}

int Link::suitable_buffers(Device from, Device to, std::size_t packet_size) {
  if (!from.is_cuda() && !to.is_cuda()) return 2;
  // Seconds from send to wait, bytes per second of one large copy, and seconds for a small packet,
  // which calls of the driver take: between H200s, and between one and page-locked memory, by
  // benchmarks/results/runtime-seed-004-links-nvidia-h200-2026-11-22-2.json.
  const bool between_gpus = from.is_cuda() && to.is_cuda();
  const double latency = between_gpus ? 10.1e-6 : 9.1e-6;
  const double bandwidth = between_gpus ? 394e9 : 55e9;
  constexpr double of_small_packet = 4.2e-6;
  const double of_packet = std::max(static_cast<double>(packet_size) / bandwidth, of_small_packet);
  return 2 + static_cast<int>(std::round(latency / of_packet));
}

Link::Link(const Context& context, Endpoint source, Endpoint destination, std::size_t packet_size,
           int n_buffers, bool through_host, Router* router_before, Router* router_after)
    : context_(context),
      source_(source),
      destination_(destination),
      packet_size_(packet_size),
      n_buffers_(n_buffers),
      through_host_(through_host),
      router_before_(router_before),
      router_after_(router_after) {
  if (router_after_ != nullptr) return;
  inbox_.buffers.resize(static_cast<std::size_t>(n_buffers));
  prefetched_.reserve(static_cast<std::size_t>(n_buffers));
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
  while (!sent_.empty() && sent_.front()->is_delivered()) sent_.pop_front();
  const auto message = std::make_shared<Message>(segment, std::move(ready), std::move(owner));
  EventFuture delivered = message->delivered().future([this] { return waits_for_delivery(); });
  sent_.push_back(message);
  try {
    if (router_after_ != nullptr) {
      router_after_->send(*this, message);
    } else {
      message->expect(segment.bytes);
      message->set_sent();
      inbox_.sends.append(std::make_shared<SendOperation>(message, 0, segment.bytes, packet_size_));
      inbox_.bell.ring();
    }
  } catch (...) {
    sent_.pop_back();
    throw;
  }
  return delivered;
}

std::string Link::waits_for_delivery() const {
  return concat(context_.name(source_), " waits until ", context_.name(destination_),
                router_after_ == nullptr ? " has received" : " has delivered", " what it has sent");
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

void Link::source_has_shut_down() noexcept {
  inbox_.open_sources.fetch_sub(1);
  inbox_.bell.ring();
}

SendOperation* Link::peek() {
  for (;;) {
    std::shared_ptr<SendOperation>* const first = inbox_.sends.front();
    if (first == nullptr) return nullptr;
    if ((*first)->is_stale()) {
      inbox_.sends.pop();
    } else {
      return (*first)->message().is_sent() ? first->get() : nullptr;
    }
  }
}

bool Link::has_ended() {
  // In this order: after the last source has shut down, the queue gets nothing more.
  return inbox_.open_sources.load() == 0 && !has_segment();
}

int Link::free_buffer() {
  const std::uint64_t used = inbox_.used_buffers.load();
  for (std::size_t i = 0; i < inbox_.buffers.size(); ++i) {
    if ((used >> i & 1) == 0 && inbox_.buffers[i].is_idle()) return static_cast<int>(i);
  }
  return -1;
}

Link::Buffer* Link::awaited_buffer() {
  if (!prefetched_.empty()) return nullptr;
  const std::uint64_t used = inbox_.used_buffers.load();
  Buffer* first = nullptr;
  for (std::size_t i = 0; i < inbox_.buffers.size(); ++i) {
    Buffer& buffer = inbox_.buffers[i];
    if ((used >> i & 1) != 0) continue;
    if (buffer.is_idle()) return nullptr;
    if (first == nullptr || buffer.turn < first->turn) first = &buffer;
  }
  return first;
}

void Link::release(int buffer, EventFuture end_of_use, EventFuture forwarded) noexcept {
  Buffer& released = inbox_.buffers[static_cast<std::size_t>(buffer)];
  released.end_of_use = std::move(end_of_use);
  released.forwarded = std::move(forwarded);
  released.turn = inbox_.releases++;
  inbox_.used_buffers.fetch_and(~(std::uint64_t{1} << buffer));
}

bool Link::needs_device(const Segment& segment) const {
  return segment.device.is_cuda() || context_.device(destination_).is_cuda();
}

DeviceCopier& Link::copier() {
  if (inbox_.copier == nullptr) {
    inbox_.copier = device_copier(
        {context_.device(destination_), packet_size_, n_buffers_, through_host_, name()});
  }
  return *inbox_.copier;
}

std::optional<PendingSegment> Link::claim(int buffer) {
  while (SendOperation* const operation = peek()) {
    std::optional<Packet> packet = operation->claim(packet_size_);
    if (!packet) continue;  // another receiver was faster
    inbox_.used_buffers.fetch_or(std::uint64_t{1} << buffer);
    PendingSegment pending(*this, std::move(*packet), buffer);
    // Otherwise the thread that waits for the segment begins the copy: here it must not wait.
    const bool is_recorded = pending.packet_.message->ready().is_recorded();
    if (needs_device(pending.description()) && is_recorded) pending.begin_device_copy();
    return pending;
  }
  return std::nullopt;
}

void Link::prefetch() {
  for (int buffer = free_buffer(); buffer >= 0; buffer = free_buffer()) {
    const SendOperation* const next = peek();
    if (next == nullptr || !needs_device(next->message().segment())) return;
    // A copy that this thread has to make itself delays the segment that it is to receive: one at
    // most.
    const bool is_asynchronous = copier().is_asynchronous(next->message().segment());
    const EventFuture& ready = next->message().ready();
    if (!(is_asynchronous ? ready.is_recorded() : ready.is_complete())) return;
    std::optional<PendingSegment> claimed = claim(buffer);
    if (!claimed) return;
    prefetched_.push_back(std::move(*claimed));
    if (!is_asynchronous) return;
  }
}

std::optional<PendingSegment> Link::try_receive() {
  EXPECTS(router_after_ == nullptr, name(), " enters a router: nothing can be received from it");
  std::optional<PendingSegment> received;
  if (!prefetched_.empty()) {
    received = std::move(prefetched_.front());
    prefetched_.erase(prefetched_.begin());
  } else if (const int buffer = free_buffer(); buffer >= 0) {
    received = claim(buffer);
  }
  if (received) prefetch();
  return received;
}

std::optional<PendingSegment> Link::receive() {
  check_thread();
  std::optional<PendingSegment> received;
  bool had_ended = false;
  while (!received && !had_ended) {
    while (const Buffer* const buffer = awaited_buffer()) {
      buffer->end_of_use.wait();
      buffer->forwarded.wait();
    }
    inbox_.bell.wait(
        [&] {
          had_ended = has_ended();
          received = try_receive();
          return received.has_value() || had_ended || awaited_buffer() != nullptr;
        },
        [&] { return waits_for(); });
  }
  return received;
}

void Link::abandon_sent() noexcept {
  for (const auto& message : sent_) message->abandon();
}

void Link::wait_for_copies() {
  if (inbox_.copier != nullptr) inbox_.copier->wait();
  for (const Buffer& buffer : inbox_.buffers) buffer.end_of_use.wait();
}

void Link::finish_copies() noexcept {
  if (inbox_.copier != nullptr) inbox_.copier->finish();
  for (const Buffer& buffer : inbox_.buffers) buffer.end_of_use.finish();
  sent_.clear();
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
  if (!prefetched_.empty()) return prefetched_.front().description().source;
  const SendOperation* const operation = peek();
  if (operation == nullptr) return std::nullopt;
  return operation->source();
}

}  // namespace warpgraph::runtime
