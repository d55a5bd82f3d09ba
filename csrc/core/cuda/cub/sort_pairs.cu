#include "core/cuda/cub/scratch.cuh"
#include "core/cuda/cub/sort_pairs.hpp"

#include <cub/device/device_radix_sort.cuh>

namespace warpgraph::cuda::detail {

template <class Key, class Value>
void radix_sort_pairs(const Key* keys, Key* sorted_keys, const Value* values, Value* sorted_values,
                      std::int64_t n, int bits, const Stream& stream) {
  with_scratch(stream, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted_keys, values, sorted_values,
                                           n, 0, bits, stream.get());
  });
}

template <class Key, class Value>
bool radix_sort_to_either(Key* keys, Key* other_keys, Value* values, Value* other_values,
                          std::int64_t n, int bits, const Stream& stream) {
  cub::DoubleBuffer<Key> both_keys(keys, other_keys);
  cub::DoubleBuffer<Value> both_values(values, other_values);
  with_scratch(stream, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, both_keys, both_values, n, 0, bits,
                                           stream.get());
  });
  return both_keys.selector != 0;  // the selector of the values is the same
}

template <class Key>
void radix_sort_keys(const Key* keys, Key* sorted_keys, std::int64_t n, int bits,
                     const Stream& stream) {
  with_scratch(stream, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, sorted_keys, n, 0, bits,
                                          stream.get());
  });
}

#define INSTANTIATE_FOR_VALUE(Key, Value)                                                   \
  template void radix_sort_pairs(const Key*, Key*, const Value*, Value*, std::int64_t, int, \
                                 const Stream&);                                            \
  template bool radix_sort_to_either(Key*, Key*, Value*, Value*, std::int64_t, int, const Stream&);
#define INSTANTIATE(Key)                    \
  INSTANTIATE_FOR_VALUE(Key, std::uint32_t) \
  INSTANTIATE_FOR_VALUE(Key, std::uint64_t) \
  template void radix_sort_keys(const Key*, Key*, std::int64_t, int, const Stream&);
INSTANTIATE(std::uint32_t)
INSTANTIATE(std::uint64_t)
#undef INSTANTIATE
#undef INSTANTIATE_FOR_VALUE

}  // namespace warpgraph::cuda::detail
