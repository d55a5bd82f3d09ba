// Boruvka's algorithm on CPU threads and a device together. Private to this folder.
//
// The trees, and what joins them, are the device's. The search for lightest edges, which takes most
// of the time, is for both: in each round CPU threads search some rows and the device the others,
// and what the threads have found goes up as one choice a tree. All copies run beside the searches.
//
// Both take rows from their end of the graph until they meet, so nobody waits for the other. How
// many the device takes at first is what was measured before (see share.hpp); the article gives the
// CPU a fifth. In rounds that are faster without the threads they rest (see experience.hpp).
//
// Where edges do not fit, every row is cut (see divided_rows.hpp): its light arcs are on the
// device, heavy ones in page-locked host memory, where threads search them, and the device over the
// bus. It tells the threads what it has found among light arcs, and most rows need no more.
#pragma once

#include "algorithms/mst/sorted_rows/boruvka_rows.hpp"
#include "core/device.hpp"

#include <memory>
#include <vector>

namespace warpgraph::mst {

struct HybridOptions {
  std::size_t memory_limit = 0;  // bytes on the device, edges included; 0: whatever is free
  /// For comparison: the device alone, which reads all rows that do not fit over the bus.
  bool device_alone = false;
};

/// How one round went, for measurements.
struct HybridRound {
  double host_share = 0;  // of the work that was the threads'
  double host_seconds = 0;
  double device_seconds = 0;
};

class HybridForest {
 public:
  virtual ~HybridForest() = default;
  /// The ranks of the forest's edges in their order. One call at a time; others wait.
  virtual HostVector<rank_t> solve() = 0;
  [[nodiscard]] virtual std::size_t device_bytes() const = 0;
  /// So many of the arcs lie on the device; every edge is two.
  [[nodiscard]] virtual edge_t n_resident_arcs() const = 0;
  /// How the rounds of the last solve went that CPU threads took part in.
  [[nodiscard]] virtual std::vector<HybridRound> rounds() const = 0;
};

/// Copies to the device what fits there. Throws OutOfMemory if not even the trees do.
std::unique_ptr<HybridForest> make_hybrid_forest(std::shared_ptr<const PreparedRows> rows,
                                                 Device device, const HybridOptions& options);

}  // namespace warpgraph::mst
