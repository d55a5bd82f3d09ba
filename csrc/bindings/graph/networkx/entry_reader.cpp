#include "bindings/graph/networkx/entry_reader.hpp"

#include "bindings/graph/networkx/prefetch_entries.hpp"

#include <algorithm>
#include <optional>

namespace warpgraph {

/// Owner of references while __eq__ of a node may remove others.
class EntryReader::Owned {
 public:
  explicit Owned(std::span<const Entry> batch) : batch_(batch) {
    for (const Entry& entry : batch_) {
      Py_INCREF(entry.node);
      Py_INCREF(entry.edge);
    }
  }
  ~Owned() {
    for (const Entry& entry : batch_) {
      Py_DECREF(entry.node);
      Py_DECREF(entry.edge);
    }
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

 private:
  std::span<const Entry> batch_;
};

bool EntryReader::read_batch() {
  const std::span<Entry> batch(batch_.data(), std::exchange(n_batch_, 0));
  const bool runs_python = std::ranges::any_of(
      batch, [&](const Entry& entry) { return numbers_.runs_python(entry.node); });
  std::optional<Owned> owned;
  if (runs_python) {
    // Attributes of earlier batches are borrowed.
    if (weights_ != nullptr && !weights_->flush()) return false;
    owned.emplace(batch);
  }
  if (!find_heads(batch)) return false;
  // No Python code runs from here on.
  if (kind_.is_multigraph) {
    for (const Entry& entry : batch) {
      if (!PyDict_CheckExact(entry.edge)) return false;
      prefetch_entries(entry.edge);
    }
  }
  for (const Entry& entry : batch) {
    if (!(kind_.is_multigraph ? append_parallel(entry) : append(entry))) return false;
  }
  return !runs_python || weights_ == nullptr || weights_->flush();
}

bool EntryReader::find_heads(std::span<Entry> batch) {
  for (Entry& entry : batch) entry.hash = numbers_.hash(entry.node);
  for (Entry& entry : batch) {
    entry.head = numbers_.find(entry.node, entry.hash);
    if (entry.head < 0) return false;
    if (kind_.is_multigraph || reads_weight(entry)) __builtin_prefetch(entry.edge);
  }
  return true;
}

bool EntryReader::append(const Entry& entry) {
  heads.push_back(entry.head);
  if (weights_ == nullptr) return true;
  compare_attributes(entry);
  return !reads_weight(entry) || weights_->add(entry.edge);
}

bool EntryReader::append_parallel(const Entry& entry) {
  const Py_ssize_t n_edges = PyDict_GET_SIZE(entry.edge);
  heads.insert(heads.end(), static_cast<std::size_t>(n_edges), entry.head);
  row_sizes_[entry.tail] += n_edges;
  n_parallel_ += n_edges - 1;
  if (weights_ == nullptr) return true;
  compare_attributes(entry);
  if (!reads_weight(entry)) return true;
  Py_ssize_t place = 0;
  PyObject* attributes = nullptr;
  while (PyDict_Next(entry.edge, &place, nullptr, &attributes) != 0) {
    if (!weights_->add(attributes)) return false;
  }
  return true;
}

/// Adds an odd multiple of the address for one end of an edge and subtracts it for the other. The
/// factor depends on the edge, so differences of several edges do not cancel.
void EntryReader::compare_attributes(const Entry& entry) {
  const auto low = static_cast<std::uint64_t>(std::min(entry.tail, entry.head));
  const auto high = static_cast<std::uint64_t>(std::max(entry.tail, entry.head));
  const std::uint64_t mixed = ((high << 32) | low) * 0x9e3779b97f4a7c15;
  const std::uint64_t term =
      reinterpret_cast<std::uintptr_t>(entry.edge) * ((mixed ^ mixed >> 29) | 1);
  if (entry.tail < entry.head) difference_ += term;
  if (entry.tail > entry.head) difference_ -= term;
}

}  // namespace warpgraph
