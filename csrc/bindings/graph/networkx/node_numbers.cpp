#include "bindings/graph/networkx/node_numbers.hpp"

#include "bindings/graph/networkx/objects.hpp"
#include "bindings/graph/networkx/pauses.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace warpgraph {
namespace {

/// Upper bound on the entries of the table per node: together they have the bytes of the hash
/// table.
constexpr std::int64_t max_entries_per_node = 8;

Py_hash_t hash_of(PyObject* node) {
  const Py_hash_t hash = PyObject_Hash(node);
  if (hash == -1) throw py::error_already_set();
  return hash;
}

}  // namespace

NodeNumbers::NodeNumbers(py::list nodes) : nodes_(std::move(nodes)) {
  PyObject** const items = reinterpret_cast<PyListObject*>(nodes_.ptr())->ob_item;
  are_plain_ = std::all_of(items, items + nodes_.size(), &NodeNumbers::is_plain);
  make_table();
}

void NodeNumbers::make_table() {
  const auto n = static_cast<std::int64_t>(nodes_.size());
  HostVector<std::int64_t> values(static_cast<std::size_t>(n));
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();
  for (std::int64_t i = 0; i < n; ++i) {
    PyObject* const node = PyList_GET_ITEM(nodes_.ptr(), i);
    if (!PyLong_CheckExact(node)) return;
    std::int64_t value = 0;
    if (!fits_int64(node, value)) return;
    values[static_cast<std::size_t>(i)] = value;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // Unsigned: the difference of two integers may have 64 bits.
  const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (n == 0 || span >= static_cast<std::uint64_t>(max_entries_per_node * n)) return;
  lowest_ = low;
  table_.assign(static_cast<std::size_t>(span) + 1, vertex_t{-1});
  for (std::size_t i = 0; i < values.size(); ++i) {
    table_[static_cast<std::size_t>(values[i] - low)] = static_cast<vertex_t>(i);
  }
}

/// Makes the hash table, at most half of whose slots are in use. Nodes are keys of a dictionary
/// already, so no two are equal.
void NodeNumbers::make_slots() {
  const std::size_t size = std::bit_ceil(2 * nodes_.size() + 2);
  shift_ = std::numeric_limits<std::uint64_t>::digits - std::countr_zero(size);
  HostVector<Slot> slots(size, Slot{0, -1});
  Pauses pauses;
  for (std::size_t v = 0; v < nodes_.size(); ++v) {
    const Py_hash_t hash = hash_of(PyList_GET_ITEM(nodes_.ptr(), static_cast<Py_ssize_t>(v)));
    std::size_t i = first_slot(hash);
    while (slots[i].number >= 0) i = (i + 1) & (size - 1);
    slots[i] = {hash, static_cast<vertex_t>(v)};
    if (pauses.is_due(1)) pauses.pause();
  }
  slots_ = std::move(slots);
}

Py_hash_t NodeNumbers::hash(PyObject* node) {
  if (is_in_table(node)) return 0;
  if (slots_.empty()) make_slots();
  const Py_hash_t hash = hash_of(node);
  __builtin_prefetch(&slots_[first_slot(hash)]);
  return hash;
}

vertex_t NodeNumbers::find(PyObject* node, Py_hash_t hash) const {
  if (is_in_table(node)) {
    std::int64_t value = 0;
    const bool fits = fits_int64(node, value);
    // As unsigned numbers, values below the lowest are beyond the table.
    const auto place = static_cast<std::size_t>(value) - static_cast<std::size_t>(lowest_);
    return fits && place < table_.size() ? table_[place] : vertex_t{-1};
  }
  for (std::size_t i = first_slot(hash);; i = (i + 1) & (slots_.size() - 1)) {
    const Slot slot = slots_[i];
    if (slot.number < 0) return -1;
    if (slot.hash != hash) continue;
    PyObject* const found = PyList_GET_ITEM(nodes_.ptr(), slot.number);
    const int equal = PyObject_RichCompareBool(found, node, Py_EQ);
    if (equal < 0) throw py::error_already_set();
    if (equal > 0) return slot.number;
  }
}

}  // namespace warpgraph
