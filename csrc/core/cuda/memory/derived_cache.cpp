#include "core/cuda/memory/derived_cache.hpp"

namespace warpgraph::cuda {

std::size_t DerivedCache::bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t sum = 0;
  for (const auto& [key, entry] : entries_) sum += entry.bytes;
  return sum;
}

std::shared_ptr<const void> DerivedCache::find_any(const Key& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : found->second.structure;
}

std::shared_ptr<const void> DerivedCache::get_any(const Key& key,
                                                  const FunctionRef<void(Entry&)>& make) {
  const std::lock_guard making(making_);
  if (std::shared_ptr<const void> found = find_any(key)) return found;
  Entry entry;
  make(entry);
  stream_.synchronize();
  const std::lock_guard lock(mutex_);
  return (entries_[key] = std::move(entry)).structure;
}

}  // namespace warpgraph::cuda
