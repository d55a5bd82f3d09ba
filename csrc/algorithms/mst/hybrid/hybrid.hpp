// Boruvka's algorithm on CPU threads and a device together. Private to this folder.
//
// The device stores and joins the trees. The search for lightest edges, which takes most of the
// time, is shared: in each round CPU threads search some rows and the device the others, and the
// result of the threads is uploaded as one choice per tree. All copies overlap with the searches.
//
// Host and device take rows from opposite ends of the graph until they meet, so neither waits for
// the other. How many the device takes at first is tuned by measurement (see share_tuner.hpp); the
// article gives the CPU a fifth. In rounds that are faster without the threads these do nothing
// (see hybrid_autotuner.hpp).
//
// If the edges do not fit, every row is cut (see partitioned_rows.hpp): its light arcs are on the
// device, heavy ones in page-locked host memory, where threads search them, and the device over the
// bus. The device sends the threads its choices among light arcs, after which most rows need no
// search.
#pragma once

#include "algorithms/mst/sorted_rows/prepared_rows.hpp"
#include "core/device.hpp"

#include <memory>
#include <vector>

namespace warpgraph::mst {

/// Measurements of one round.
struct HybridRound {
  double host_share = 0;  // fraction of the work done by the threads
  double host_seconds = 0;
  double device_seconds = 0;
};

class HybridForest {
 public:
  virtual ~HybridForest() = default;
  /// The ranks of the forest's edges in ascending order. Concurrent calls run one after the other.
  virtual HostVector<rank_t> solve() = 0;
  [[nodiscard]] virtual std::size_t device_bytes() const = 0;
  /// The number of arcs on the device; every edge is two arcs.
  [[nodiscard]] virtual edge_t n_resident_arcs() const = 0;
  /// The rounds of the last solve in which CPU threads took part.
  [[nodiscard]] virtual std::vector<HybridRound> rounds() const = 0;
};

/// Copies as many arcs to the device as fit. `memory_limit`: bytes on the device, including arcs;
/// 0: all free memory. Throws OutOfMemory if not even the trees fit.
std::unique_ptr<HybridForest> make_hybrid_forest(std::shared_ptr<const PreparedRows> rows,
                                                 Device device, std::size_t memory_limit);

}  // namespace warpgraph::mst
