// Links connect a source endpoint with a destination endpoint, of which one may be a router.
//
// The end at the source sends; the end at the destination has an inbox: the queue of send
// operations (its send queue), and n_buffers buffers of packet_size bytes for the packets that have
// been claimed (its receive queue). The receiver matches both: receive() returns as soon as there
// are a free buffer and a send operation with a packet left.
//
// Between endpoints on the host, data are copied when the receiver waits for the segment, by the
// receiver's thread: as endpoints receive in parallel, so they copy. A receiver that only reads
// them once may read them in the sender's memory instead. To and from devices, the copy begins on a
// stream as soon as a packet is claimed; and receive() claims packets for all free buffers, so that
// they arrive while the application works on one (double and triple buffering).
#pragma once

#include "core/memory/host_vector.hpp"
#include "runtime/devices/device_copier.hpp"
#include "runtime/message.hpp"
#include "runtime/queue/growing_queue.hpp"

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpgraph::runtime {

class Context;
class Link;
class Router;

/// A segment that is being received. It occupies a buffer of its link until release() or the
/// destructor; one that is released before wait() counts as delivered, unread.
class PendingSegment {
 public:
  PendingSegment(Link& link, Packet packet, int buffer);
  ~PendingSegment() { release(); }
  PendingSegment(PendingSegment&& other) noexcept;
  PendingSegment& operator=(PendingSegment&& other) noexcept;

  /// Returns size, metadata and source, which are known before the data arrive.
  [[nodiscard]] const Segment& description() const noexcept { return packet_.segment; }
  /// Blocks this thread until the data have arrived. The segment lies in the link's buffer, in the
  /// memory of the destination's device, and is valid until release().
  const Segment& wait();
  /// Lets later work on the stream begin after the data have arrived.
  const Segment& wait(StreamRef stream);
  /// Waits without a copy between endpoints on the host (direct access): the segment lies in the
  /// sender's memory, to which it belongs again after release().
  const Segment& wait_direct();
  /// Waits for the data in memory of the caller on the host, of description().bytes. The buffer is
  /// free then, without a release.
  void wait_into(std::byte* destination);
  /// Copies the data to memory that the stream's device can write, after the work that is on the
  /// stream now. They are there for later work on the stream.
  void wait_into(std::byte* destination, StreamRef stream);
  /// Sends the segment on, from the link's buffer. Returns at once. The source is this endpoint
  /// now, and the offset begins again. The segment can still be read; its buffer is free when it
  /// was released and the forwarded segment is delivered.
  void forward(Link& next);

  void release() noexcept;
  /// Releases the buffer after the work that is on the stream now.
  void release(StreamRef stream);

 private:
  friend class Link;

  void begin_device_copy();
  /// Begins the copy, if the message was not ready to be copied when the packet was claimed.
  void begin_deferred_copy();

  Link* link_;
  Packet packet_;
  int buffer_;
  bool arrived_ = false;  // true if a device has begun to copy the segment to the buffer, too:
  EventFuture arrival_;   // event after that copy
  EventFuture forwarded_;
};

class Link {
 public:
  static constexpr int max_buffers = 64;

  /// Returns how many buffers keep a link busy: one that the application works on, one that
  /// arrives, and as many as the link carries packets within its latency, since a packet is claimed
  /// so long before its data come. Between endpoints on the host, the receiver copies by itself
  /// when it waits, so more than two gain nothing.
  [[nodiscard]] static int suitable_buffers(Device from, Device to, std::size_t packet_size);

  Link(const Context& context, Endpoint source, Endpoint destination, std::size_t packet_size,
       int n_buffers, bool through_host, Router* router_before, Router* router_after);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  [[nodiscard]] Endpoint source() const noexcept { return source_; }
  [[nodiscard]] Endpoint destination() const noexcept { return destination_; }
  [[nodiscard]] std::size_t packet_size() const noexcept { return packet_size_; }
  [[nodiscard]] int n_buffers() const noexcept { return n_buffers_; }
  /// Returns "the link from ... to ...".
  [[nodiscard]] std::string name() const;

  // Functions for the source, called by one thread at a time.

  /// Sends a message. Returns at once; the future is that of the data's delivery, until which they
  /// must not change. They are read after `ready` was recorded. `owner` keeps them until then.
  EventFuture send(const Segment& segment, EventFuture ready = {},
                   std::shared_ptr<const void> owner = {});
  /// Ends the messages of this source. A second call has no effect. It is called for all links of
  /// an endpoint when its body returns.
  void shutdown();

  // Functions for the destination, called by one thread at a time.

  /// Waits for the next segment. Returns nothing if no more will come, since all sources have shut
  /// down.
  [[nodiscard]] std::optional<PendingSegment> receive();
  /// Returns the next segment if it has been sent already and a buffer is free.
  [[nodiscard]] std::optional<PendingSegment> try_receive();
  /// Waits until a segment has been sent, or until is_over() is true; the thread that changes that
  /// calls ring().
  template <class IsOver>
  void wait_for_segment_or(IsOver&& is_over) {
    inbox_.bell.wait([&] { return is_over() || has_segment(); }, [&] { return waits_for(); });
  }
  void ring() noexcept { inbox_.bell.ring(); }

 private:
  friend class Context;
  friend class PendingSegment;
  friend class Router;

  struct Buffer {
    HostVector<std::byte> memory;  // for packets that no device copies
    // Event after which the released buffer is free:
    EventFuture end_of_use;
    EventFuture forwarded;
    std::uint64_t turn = 0;
    [[nodiscard]] bool is_idle() const {
      return end_of_use.is_complete() && forwarded.is_complete();
    }
  };
  struct Inbox {
    GrowingQueue<std::shared_ptr<SendOperation>> sends;
    Doorbell bell;
    std::atomic<int> open_sources{0};
    std::atomic<std::uint64_t> used_buffers{0};  // a bit for each buffer
    std::vector<Buffer> buffers;
    std::uint64_t releases = 0;
    std::unique_ptr<DeviceCopier> copier;  // made for the first packet that needs it
  };

  void source_has_shut_down() noexcept;
  /// Drops stale operations at the front and returns the first that is not stale.
  SendOperation* peek();
  [[nodiscard]] bool has_segment() { return !prefetched_.empty() || peek() != nullptr; }
  [[nodiscard]] bool has_ended();
  [[nodiscard]] std::string waits_for() const;
  [[nodiscard]] std::string waits_for_delivery() const;
  /// Returns the source of a segment that was sent and not received, or nothing.
  [[nodiscard]] std::optional<Endpoint> source_of_lost_segment();

  /// Returns a free buffer, or -1.
  int free_buffer();
  /// Returns the buffer that receive() has to wait for: the one that was released first, if every
  /// buffer is in use but the use of some will end. Else null.
  Buffer* awaited_buffer();
  void release(int buffer, EventFuture end_of_use, EventFuture forwarded) noexcept;
  [[nodiscard]] bool needs_device(const Segment& segment) const;
  DeviceCopier& copier();
  /// Claims a packet for a free buffer, and begins to copy it if a device is its source or
  /// destination.
  [[nodiscard]] std::optional<PendingSegment> claim(int buffer);
  /// Claims packets that devices copy, for the buffers that are free.
  void prefetch();
  /// Gives up the messages that were sent, since no thread receives any more.
  void abandon_sent() noexcept;
  void wait_for_copies();
  void finish_copies() noexcept;

  const Context& context_;
  const Endpoint source_;
  const Endpoint destination_;
  const std::size_t packet_size_;
  const int n_buffers_;
  const bool through_host_;
  Router* const router_before_;
  Router* const router_after_;
  std::atomic<bool> is_shut_down_{false};
  Inbox inbox_;
  std::vector<PendingSegment> prefetched_;  // has room for one in each buffer
  /// Messages of this link that are not delivered yet, the oldest first: copies of devices read
  /// them. A message is in this list before it is in any queue.
  std::deque<std::shared_ptr<Message>> sent_;
};

}  // namespace warpgraph::runtime
