// A message is the data that a sender passes to Link::send. It becomes one or several send
// operations, which wait in the queues of receivers; receivers claim packets of them.
#pragma once

#include "runtime/event.hpp"
#include "runtime/segment.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace warpgraph::runtime {

class Message {
 public:
  /// Makes a message. `ready` is recorded when the data may be read; `owner` keeps the data until
  /// delivery.
  Message(const Segment& segment, EventFuture ready, std::shared_ptr<const void> owner)
      : segment_(segment), ready_(std::move(ready)), owner_(std::move(owner)) {}

  [[nodiscard]] const Segment& segment() const noexcept { return segment_; }
  [[nodiscard]] const EventFuture& ready() const noexcept { return ready_; }
  [[nodiscard]] const Event& delivered() const noexcept { return delivered_; }
  /// Adds bytes that will be delivered, before the message is sent.
  void expect(std::size_t bytes) noexcept {
    remaining_.fetch_add(units(bytes), std::memory_order_relaxed);
  }
  /// Allows receivers to claim packets from now on; before, they do not see its operations.
  void set_sent() noexcept { state_.store(State::sent, std::memory_order_release); }
  /// Withdraws a message that could not be put into all queues: no receiver has seen it, or will.
  void withdraw() noexcept {
    state_.store(State::withdrawn, std::memory_order_release);
    owner_.reset();
  }
  [[nodiscard]] bool is_sent() const noexcept {
    return state_.load(std::memory_order_acquire) == State::sent;
  }
  [[nodiscard]] bool is_withdrawn() const noexcept {
    return state_.load(std::memory_order_acquire) == State::withdrawn;
  }
  /// Counts bytes that have been read. After the last ones the buffer belongs to the sender again.
  void deliver(std::size_t bytes) {
    if (remaining_.fetch_sub(units(bytes), std::memory_order_acq_rel) != units(bytes)) return;
    if (copies_.empty()) {
      owner_.reset();
      delivered_.record();
    } else {
      delivered_.record(std::move(copies_));
    }
  }
  /// Counts bytes that will have been read at this point of a stream.
  void deliver(std::size_t bytes, std::shared_ptr<StreamPoint> point, StreamRef stream) {
    {
      const std::lock_guard lock(mutex_);
      std::size_t i = 0;
      while (i < streams_.size() && streams_[i].handle != stream.handle) ++i;
      if (i == streams_.size()) {
        streams_.reserve(i + 1);
        copies_.emplace_back();
        streams_.push_back(stream);
      }
      copies_[i] = std::move(point);
    }
    deliver(bytes);
  }
  /// Gives the delivery up, since no receiver will claim the rest: waits for it end.
  void abandon() noexcept { delivered_.give_up(); }
  [[nodiscard]] bool is_delivered() const { return delivered_.is_complete(); }

 private:
  enum class State { being_sent, sent, withdrawn };

  /// Returns the number of bytes to deliver. An empty message counts as one byte, so that it is
  /// delivered, too.
  [[nodiscard]] std::size_t units(std::size_t bytes) const noexcept {
    return segment_.bytes == 0 ? 1 : bytes;
  }

  const Segment segment_;
  const EventFuture ready_;
  /// Owner of the data. Where devices copy, it lives as long as the message, which the sending link
  /// keeps.
  std::shared_ptr<const void> owner_;
  std::atomic<State> state_{State::being_sent};
  std::atomic<std::size_t> remaining_{0};
  Event delivered_{Source::run};
  // Guarded by the mutex until all bytes are delivered: streams on which devices copy, and the last
  // copy on each, since those of a stream are done in their order.
  std::mutex mutex_;
  std::vector<StreamRef> streams_;
  StreamPoints copies_;
};

/// Part of a message that one receiver has claimed.
struct Packet {
  std::shared_ptr<Message> message;
  Segment segment;
};

/// A range of a message that is sent to one of several receivers. It waits in the queue of each of
/// them, and is stale where it still waits after its last packet was claimed or the message was
/// withdrawn.
class SendOperation {
 public:
  /// Makes an operation; `packet` is the most bytes that the sending link puts into a packet.
  SendOperation(std::shared_ptr<Message> message, std::size_t begin, std::size_t end,
                std::size_t packet)
      : message_(std::move(message)),
        end_(std::max(end, begin + 1)),
        packet_(packet),
        next_(begin) {}

  /// Claims the next packet, of at most `most` bytes; returns nothing if the operation is stale.
  /// This is the only synchronisation of receivers that compete for a message.
  [[nodiscard]] std::optional<Packet> claim(std::size_t most) {
    const Segment& whole = message_->segment();
    const std::size_t items = std::min(most, packet_) / whole.item_bytes;
    std::size_t begin = next_.load(std::memory_order_relaxed);
    std::size_t end = 0;
    do {
      if (begin >= end_) return std::nullopt;
      end = std::min(end_, begin + items * whole.item_bytes);
    } while (!next_.compare_exchange_weak(begin, end, std::memory_order_relaxed));
    Packet packet{message_, whole};
    packet.segment.offset = begin;
    packet.segment.bytes = std::min(end, whole.bytes) - begin;
    if (packet.segment.bytes > 0) packet.segment.data += begin;
    return packet;
  }
  [[nodiscard]] bool is_stale() const noexcept {
    return next_.load(std::memory_order_relaxed) >= end_ || message_->is_withdrawn();
  }
  [[nodiscard]] Endpoint source() const noexcept { return message_->segment().source; }
  [[nodiscard]] const Message& message() const noexcept { return *message_; }

 private:
  const std::shared_ptr<Message> message_;
  const std::size_t end_;
  const std::size_t packet_;
  std::atomic<std::size_t> next_;
};

}  // namespace warpgraph::runtime
