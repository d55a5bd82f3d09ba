// A priority queue of vertices with lazy deletion. Lowering a key pushes the vertex again, and the
// outdated entry is skipped when it is popped. On sparse graphs that is cheaper than maintaining
// the position of each vertex in the queue, which takes a random access for every move of an entry.
//
// Where keys decrease often, there could be one outdated entry per arc. So push() gets the keys of
// all vertices, and a heap with twice as many entries as vertices removes the outdated ones: at
// least half, since a vertex has only one that is not. Memory is linear in the number of vertices,
// at the cost of at most two reads of a key per push.
#pragma once

#include "core/containers/at.hpp"
#include "core/order_key.hpp"
#include "core/types.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace warpgraph {

template <class Key>
struct HeapEntry {
  Key key;
  vertex_t vertex;
};

/// Returns the number of entries above which outdated ones are removed.
inline std::size_t max_entries(vertex_t n_vertices) {
  return 2 * static_cast<std::size_t>(n_vertices) + 64;
}

/// Radix heap (Ahuja, Mehlhorn, Orlin, Tarjan: Faster algorithms for the shortest path problem, J.
/// ACM 37, 1990): an entry is in the bucket of the highest bit in which its key differs from the
/// key that was popped last. So it moves at most once per bit, and never because of another entry.
/// Monotone: no key may be negative or smaller than the one that was popped last. Floats are
/// compared by their bits. Buckets are stacks of chunks from one pool, so a chunk that one bucket
/// releases serves the others.
template <class Key>
class RadixHeap {
 public:
  using Entry = HeapEntry<Key>;

  explicit RadixHeap(vertex_t n_vertices) : most_(max_entries(n_vertices)) {
    add_slab(min_slab);
    add_chunk(buckets_[0]);
  }

  /// Returns an upper bound on the heap's memory; `n_pushed` is the number of pushes, if known.
  static std::size_t bytes_needed(vertex_t n_vertices, std::size_t n_pushed = ~std::size_t{0}) {
    // The number of entries is tested when a chunk is full, so each bucket may fill one more.
    const std::size_t n = std::min(max_entries(n_vertices) + n_buckets * per_chunk, n_pushed);
    const std::size_t n_chunks = 1 + std::min(n_buckets, n) + n / per_chunk;
    const std::size_t n_spare =
        n_chunks <= min_slab ? min_slab - n_chunks : min_slab + n_chunks / 8;
    return sizeof(RadixHeap) + (n_chunks + n_spare) * sizeof(Chunk);
  }

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  void clear() noexcept {
    for (Bucket& bucket : buckets_) {
      if (bucket.is_unused()) continue;
      while (bucket.chunk()->below != nullptr) drop_chunk(bucket);
      bucket.end = bucket.first();
    }
    filled_ = 0;
    last_ = 0;
    size_ = 0;
  }

  /// Pushes an entry. keys[v] is the key that v has now; entries of v with a larger one are
  /// outdated.
  void push(vertex_t vertex, Key key, const Key* keys) {
    const int to = bucket_of(key);
    Bucket& bucket = buckets_[at(to)];
    ++size_;
    filled_ |= bit_of(to);
    if (bucket.is_full()) [[unlikely]]
      return push_on_full({key, vertex}, bucket, keys);
    *bucket.end++ = {key, vertex};
  }

  /// Returns whether there is an entry, outdated or not, with the key that was popped last.
  [[nodiscard]] bool has_more_of_key() const noexcept {
    const Bucket& least = buckets_[0];
    return least.end != least.first() || least.chunk()->below != nullptr;
  }

  /// Removes an entry with the least key.
  Entry pop() {
    --size_;
    Bucket& least = buckets_[0];
    if (least.end != least.first()) return *--least.end;
    return refill();
  }

 private:
  using Bits = order_key_t<Key>;

  /// Number of buckets: one for each width of a difference of keys, from 0 on, without the sign
  /// bit.
  static constexpr std::size_t n_buckets =
      std::numeric_limits<Key>::is_signed ? 8 * sizeof(Key) : 8 * sizeof(Key) + 1;
  static constexpr std::size_t chunk_bytes = 512;
  static constexpr std::size_t per_chunk = (chunk_bytes - sizeof(void*)) / sizeof(Entry);
  static constexpr std::size_t min_slab = 16;  // chunks

  struct Chunk {
    Entry entries[per_chunk];
    Chunk* below;
  };

  /// A stack of chunks, of which all but the highest are full. The lowest is kept when it is empty.
  /// A bucket has no chunk before its first entry.
  struct Bucket {
    // The free place in the highest chunk, and the end of that chunk:
    Entry* end = nullptr;
    Entry* limit = nullptr;

    void place_on(Chunk* chunk) noexcept {
      end = chunk->entries;
      limit = end + per_chunk;
    }
    [[nodiscard]] bool is_full() const noexcept { return end == limit; }
    [[nodiscard]] bool is_unused() const noexcept { return limit == nullptr; }
    [[nodiscard]] Entry* first() const noexcept { return limit - per_chunk; }
    [[nodiscard]] Chunk* chunk() const noexcept { return reinterpret_cast<Chunk*>(first()); }
  };

  /// Returns the bit of a bucket in filled_; 0 for the first bucket, whose state is not recorded
  /// there.
  static std::uint64_t bit_of(int bucket) noexcept {
    return std::uint64_t{bucket != 0} << ((bucket - 1) & 63);
  }
  static std::size_t first_of(std::uint64_t filled) noexcept {
    return at(std::countr_zero(filled)) + 1;
  }
  static Bits bits_of(Key key) { return std::bit_cast<Bits>(key); }
  int bucket_of(Key key) const { return std::bit_width(bits_of(key) ^ last_); }

  /// Makes the highest chunk of a bucket a spare one, without its entries. The one below is full.
  void drop_chunk(Bucket& bucket) noexcept {
    Chunk* const chunk = bucket.chunk();
    bucket.place_on(chunk->below);
    bucket.end = bucket.limit;
    chunk->below = spare_;
    spare_ = chunk;
  }

  /// Pushes an entry whose bucket has no free place. Removing outdated entries may empty the
  /// bucket, so its bit is set again.
  [[gnu::noinline]] void push_on_full(Entry entry, Bucket& bucket, const Key* keys) {
    if (size_ > most_) drop_outdated(keys);
    if (bucket.is_full()) add_chunk(bucket);
    *bucket.end++ = entry;
    filled_ |= bit_of(bucket_of(entry.key));
  }

  [[gnu::noinline]] void add_chunk(Bucket& bucket) {
    if (spare_ == nullptr) add_slab(std::max(min_slab, n_chunks_ / 8));
    Chunk* const chunk = take_chunk();
    chunk->below = bucket.is_unused() ? nullptr : bucket.chunk();
    bucket.place_on(chunk);
  }

  Chunk* take_chunk() noexcept {
    Chunk* const chunk = spare_;
    spare_ = chunk->below;
    return chunk;
  }

  void add_slab(std::size_t n_chunks) {
    slabs_.push_back(std::unique_ptr<Chunk[]>(new Chunk[n_chunks]));  // uninitialised
    n_chunks_ += n_chunks;
    for (std::size_t i = n_chunks; i-- > 0;) {
      Chunk& chunk = slabs_.back()[i];
      chunk.below = spare_;
      spare_ = &chunk;
    }
  }

  /// Scans each bucket from the top down, and replaces an outdated entry by the last one of the
  /// bucket, which has been tested already.
  void drop_outdated(const Key* keys) {
    for (Bucket& bucket : buckets_) {
      if (bucket.is_unused()) continue;
      // pop() may have left an empty chunk on full ones.
      if (bucket.end == bucket.first() && bucket.chunk()->below != nullptr) drop_chunk(bucket);
      Entry* entry = bucket.end;
      for (Chunk* chunk = bucket.chunk(); chunk != nullptr;) {
        Chunk* const below = chunk->below;  // before the chunk may be dropped
        while (entry != chunk->entries) {
          --entry;
          if (!(keys[entry->vertex] < entry->key)) continue;
          *entry = *--bucket.end;
          --size_;
          if (bucket.end == bucket.first() && bucket.chunk()->below != nullptr) drop_chunk(bucket);
        }
        chunk = below;
        if (chunk != nullptr) entry = chunk->entries + per_chunk;
      }
      if (bucket.end == bucket.first())
        filled_ &= ~bit_of(static_cast<int>(&bucket - buckets_.data()));
    }
  }

  /// Distributes the first non-empty bucket over the buckets before it, and removes an entry with
  /// the least key.
  Entry refill() {
    if (buckets_[0].chunk()->below != nullptr) {
      drop_chunk(buckets_[0]);
      return *--buckets_[0].end;
    }
    Bucket& bucket = buckets_[first_of(filled_)];
    if (bucket.end == bucket.first() + 1 && bucket.chunk()->below == nullptr) {
      filled_ &= filled_ - 1;
      last_ = bits_of(bucket.first()->key);
      return *--bucket.end;
    }
    const Bits last = last_ = least_in(bucket);
    std::uint64_t filled = filled_ & (filled_ - 1);
    for (;;) {
      for (const Entry *entry = bucket.first(), *end = bucket.end; entry != end; ++entry) {
        const int nearer = std::bit_width(bits_of(entry->key) ^ last);
        Bucket& to = buckets_[at(nearer)];
        if (to.is_full()) [[unlikely]]
          add_chunk(to);
        *to.end++ = *entry;
        filled |= bit_of(nearer);
      }
      if (bucket.chunk()->below == nullptr) break;
      drop_chunk(bucket);
    }
    bucket.end = bucket.first();
    filled_ = filled;
    return *--buckets_[0].end;
  }

  static Bits least_in(const Bucket& bucket) {
    Bits least = ~Bits{0};
    const Entry* end = bucket.end;
    for (const Chunk* chunk = bucket.chunk(); chunk != nullptr; chunk = chunk->below) {
      if (chunk != bucket.chunk()) end = chunk->entries + per_chunk;
      for (const Entry* entry = chunk->entries; entry != end; ++entry) {
        least = std::min(least, bits_of(entry->key));
      }
    }
    return least;
  }

  std::array<Bucket, n_buckets> buckets_;
  std::uint64_t filled_ = 0;  // one bit for each non-empty bucket but the first
  Bits last_ = 0;             // of the key that was popped last
  std::size_t size_ = 0;
  const std::size_t most_;  // entries: beyond it, outdated ones are removed
  Chunk* spare_ = nullptr;
  std::size_t n_chunks_ = 0;
  std::vector<std::unique_ptr<Chunk[]>> slabs_;
};

}  // namespace warpgraph
