// A queue on the host that grows when it is full: a chain of circular queues.
//
// A producer that finds the last queue of the chain full closes it and adds one of twice the
// capacity. No append succeeds in a closed queue, so each item of a queue was appended before every
// item of the next one: the items of a producer stay in order. The consumer goes on to the next
// queue when a closed one has no reserved items left. Queues are freed with the chain, since a
// producer may still be looking at an old one; capacities double, so all old ones together are no
// larger than the last.
#pragma once

#include "runtime/queue/circular_queue.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

namespace warpgraph::runtime {

template <class T>
class GrowingQueue {
 public:
  explicit GrowingQueue(std::uint32_t capacity = 64)
      : first_(capacity), head_(&first_), tail_(&first_) {}
  ~GrowingQueue() {
    for (Node* node = first_.next.load(); node != nullptr;) delete std::exchange(node, node->next);
  }
  GrowingQueue(const GrowingQueue&) = delete;
  GrowingQueue& operator=(const GrowingQueue&) = delete;

  /// Appends an item. Any thread may call this.
  void append(T item) {
    Node* node = tail_.load(std::memory_order_acquire);
    while (!node->queue.view().try_append(item)) node = next_of(node);
  }

  // Functions for the consumer.

  /// Puts an item before the first one.
  void prepend(T item) {
    // Items that were prepended and did not fit precede all items of the chain.
    if (!overflow_.empty() || !head_->queue.view().try_prepend(item)) {
      overflow_.push_back(std::move(item));
    }
  }
  /// Returns the first item, or nullptr if there is none (or none that is written completely).
  [[nodiscard]] T* front() {
    if (!overflow_.empty()) return &overflow_.back();
    for (;;) {
      // Read before the items are looked for, since a closed queue gets no more of them.
      Node* const next = head_->next.load(std::memory_order_acquire);
      const CircularQueueView<T> queue = head_->queue.view();
      if (queue.readable() > 0) return &queue[0];
      if (next == nullptr || queue.size() > 0) return nullptr;
      head_ = next;
    }
  }
  /// Removes the first item, which exists.
  void pop() {
    if (!overflow_.empty()) {
      overflow_.pop_back();
      return;
    }
    const CircularQueueView<T> queue = head_->queue.view();
    queue[0] = T{};  // frees what the item owned now
    queue.consume(1);
  }
  /// Removes and returns the first item, if there is one.
  [[nodiscard]] std::optional<T> take() {
    T* const item = front();
    if (item == nullptr) return std::nullopt;
    std::optional<T> taken(std::move(*item));
    pop();
    return taken;
  }

 private:
  struct Node {
    explicit Node(std::uint32_t capacity) : queue(capacity) {}
    CircularQueue<T> queue;
    std::atomic<Node*> next{nullptr};
  };

  /// Returns the queue after `node`, which is full or closed; makes one if there is none.
  Node* next_of(Node* node) {
    Node* next = node->next.load(std::memory_order_acquire);
    if (next == nullptr) {
      const std::uint32_t doubled =
          std::min(2 * node->queue.capacity(), CircularQueue<T>::largest_capacity);
      auto made = std::make_unique<Node>(doubled);
      node->queue.view().close();
      if (node->next.compare_exchange_strong(next, made.get(), std::memory_order_acq_rel)) {
        next = made.release();
      }
    }
    // Fails if another producer has moved on as far or farther.
    tail_.compare_exchange_strong(node, next, std::memory_order_acq_rel);
    return next;
  }

  Node first_;
  Node* head_;  // used by the consumer alone
  // Used by the consumer alone: prepended items that did not fit, the last one first.
  std::vector<T> overflow_;
  alignas(64) std::atomic<Node*> tail_;
};

}  // namespace warpgraph::runtime
