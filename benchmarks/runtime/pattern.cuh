// Contents of messages by which every word of a copy can be checked, and kernels that access them.
#pragma once

#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/warp.cuh"
#include "core/threads/parallel.hpp"

#include <cstdint>

namespace warpgraph::benchmark {

using Word = std::uint32_t;

/// Word i of a message. Messages of different seeds differ in every word.
struct Pattern {
  Word seed = 0;
  __host__ __device__ Word operator()(Word i) const { return i * 2654435761U + seed; }
};

/// The same number everywhere.
struct Constant {
  Word value = 0;
  __host__ __device__ Word operator()(Word) const { return value; }
};

/// A random order of 2^bits indices: a bijection, so that no word is written twice.
struct RandomOrder {
  unsigned bits = 0;
  __host__ __device__ Word operator()(Word i) const {
    const Word mask = bits == 32 ? ~Word{0} : (Word{1} << bits) - 1;
    i = i * 2654435761U & mask;
    i ^= i >> (bits / 2);
    i = i * 2246822519U & mask;
    return i ^ i >> (bits / 2);
  }
};

/// One word after the other: neighbouring threads access neighbouring words.
struct Coalesced {
  __host__ __device__ Word operator()(Word i) const { return i; }
};

template <class Contents>
__global__ void fill_words_kernel(Word* to, Contents contents, std::int64_t n) {
  const std::int64_t i = cuda::global_index();
  if (i < n) to[i] = contents(static_cast<Word>(i));
}

template <class Contents>
void fill_words(Word* to, Contents contents, std::size_t n, const cuda::Stream& stream) {
  cuda::launch_for(stream, static_cast<std::int64_t>(n), fill_words_kernel<Contents>, to, contents,
                   static_cast<std::int64_t>(n));
}

template <class Contents>
__global__ void count_equal_kernel(const Word* words, Contents contents, Word first, std::int64_t n,
                                   unsigned long long* equal) {
  const std::int64_t i = cuda::global_index();
  const bool is_equal = i < n && words[i] == contents(first + static_cast<Word>(i));
  const unsigned vote = __ballot_sync(cuda::all_lanes, is_equal);
  if (vote != 0 && cuda::lane() == 0) {
    atomicAdd(equal, static_cast<unsigned long long>(__popc(vote)));
  }
}

/// The number of words i of n with contents(first + i), read by the stream's device. Waits.
template <class Contents>
std::size_t count_equal(const Word* words, Contents contents, std::size_t first, std::size_t n,
                        const cuda::Stream& stream) {
  const cuda::DeviceBuffer<unsigned long long> equal(1, stream);
  cuda::fill_bytes(equal.data(), 0, 1, stream);
  cuda::launch_for(stream, static_cast<std::int64_t>(n), count_equal_kernel<Contents>, words,
                   contents, static_cast<Word>(first), static_cast<std::int64_t>(n), equal.data());
  return cuda::read_back(equal.data(), stream);
}

/// The same on the host.
inline std::size_t count_equal_on_host(const Word* words, Pattern contents, std::size_t first,
                                       std::size_t n) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < n; ++i) equal += words[i] == contents(static_cast<Word>(first + i));
  return equal;
}

inline void fill_words_on_host(Word* to, Pattern contents, std::size_t n) {
  parallel_for(static_cast<std::int64_t>(n),
               [&](std::int64_t i) { to[i] = contents(static_cast<Word>(i)); });
}

}  // namespace warpgraph::benchmark
