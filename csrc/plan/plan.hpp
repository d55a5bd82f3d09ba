// Plans: by which method, and where, a call computes its result, what it needs and how long it is
// expected to take. Nothing else chooses.
//
// A plan is a function of three things: the facts of the graph, the request, and the devices that
// the caller wants on this machine. It reads no data and allocates nothing of the size of the
// graph, so that tests and wg.explain() make plans for any graph and machine. Methods never differ
// in their results (where they may round differently, the plan depends on the graph alone), so a
// plan that rests on a wrong estimate costs time only.
//
// Algorithms register their methods in the file of their group: where they run, their expected
// time, the bytes they need, and the rule that chooses among them. Measured rates: rates.hpp.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "plan/facts.hpp"
#include "plan/machine.hpp"
#include "plan/number.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpgraph::plan {

using warpgraph::dispatch;
using warpgraph::Number;
using warpgraph::number_of;

/// The arguments of a call that decide how it is run.
struct Request {
  std::string method = "auto";
  bool devices_only = false;  // the rest is planned when the form that is searched has been made
  bool is_directed = true;
  bool unweighted = false;
  bool is_kept = false;        // the caller keeps the graph for further calls
  bool is_restricted = false;  // by a limit or targets: a search may end early
  bool has_limit = false;      // on distances
  bool wants_predecessors = false;
  Number distances = Number::float64;
  std::int64_t n_sources = 1;              // of PageRank: where walks start; 0: everywhere
  std::int64_t n_targets = -1;             // the columns of a result of many sources; -1: many
  std::int64_t n_landmarks = 0;            // at most, of method "alt"
  std::vector<std::int32_t> some_sources;  // three of them, or all
  bool results_on_device = false;          // the caller's array of distances
  bool of_edges = false;                   // scores of betweenness
  bool maximum = false;                    // of a forest
  bool has_start = false;                  // of PageRank: the scores before the first iteration
  double error_pushed = 0;  // of PageRank: that pushes may leave; 0: they may not end
  MemoryBudget budget = {};
  bool reads_weights = false;        // of the caller, as they are
  bool converts_weights = false;     // of the caller, to the type of the distances
  bool explains = false;             // the plan has its reasons, bytes and seconds
  bool asks_for_needs = false;       // the plan has the needs of its algorithm
  std::size_t bytes_before = 0;      // that the call takes before its plan, beside results
  std::size_t bytes_of_vectors = 0;  // of PageRank: that it makes of mappings, to pull
  bool is_empty = false;             // nothing is to be searched for: the algorithm does not run
  bool is_only_planned = false;  // no call follows: the graph does not count it, or copy anything
};

/// A way of the pieces of a call, as of its sources, and the seconds that it takes.
struct Way {
  std::string_view method;
  Device device;
  std::int64_t n_first = 0;  // pieces by which it is measured, and the fewest that it takes
  double once = 0;           // seconds, in each call
  double each = 0;           // of a piece

  [[nodiscard]] double seconds(std::int64_t n_pieces) const {
    return once + each * static_cast<double>(n_pieces);
  }
};

struct Plan {
  std::string_view method;            // as callers name it
  std::string_view otherwise;         // what takes the call where the method fails; empty: nothing
  std::string_view search;            // of all pairs by many_to_many, or a path: the method of its
                                      // searches
  std::string_view search_otherwise;  // what takes these where that fails; empty: nothing
  std::vector<Device> devices;
  bool has_negative = false;        // what the facts said, if they were asked
  bool is_mirrored = false;         // the same
  bool divides_edge_lists = false;  // the facts may say so the next time
  bool uses_transposed = false;     // the transposed graph, which is made if it is not kept
  bool counts_search = false;       // the facts count one more directed search
  bool counts_gather = false;       // the facts count one more call that gathers along arcs
  bool orders_by_degree = false;    // gathers read a copy of the graph in the order of degrees
  bool accelerates = false;         // iterations, if the transposed graph is the graph itself
  double lost = 0;                  // seconds, since no GPU was ready, or the graph not there
  double lost_searching = 0;        // seconds, since the graph keeps no hierarchy
  std::uint64_t kind = 0;           // of calls that take about as long; 0: nothing is learnt
  Seconds expected;                 // if something is learnt, and something is made first
  std::int64_t max_visits = 0;      // of a push, after which `otherwise` takes the call
  std::vector<Way> ways;            // that are measured while the call runs; empty: one is known
  // What follows is there if the plan explains itself.
  std::size_t bytes = 0;  // on each device, beside the input; an upper bound, or 0: not known
  std::size_t bytes_of_form = 0;             // of these, what is there when weights are converted
  std::size_t bytes_held = 0;                // and when the algorithm asks
  std::vector<MemoryNeed> needs_of_form;     // see Facts
  std::vector<MemoryNeed> needs_of_weights;  // of converting them
  std::vector<MemoryNeed> needs;             // see Facts
  std::string refusal;                       // why the call will lack memory; empty: it will not
  double seconds = 0;                        // expected
  std::vector<std::string> reasons;          // sentences
};

/// Plans a call of an algorithm, by its name in Python. Throws std::invalid_argument if the method
/// does not run on the devices, and DeviceError if these do not work together.
[[nodiscard]] Plan make_plan(std::string_view algorithm, const Facts& facts, const Request& request,
                             const Devices& devices);

/// Returns whether the plan of a call on a GPU may ask for the depth of the graph.
[[nodiscard]] bool may_ask_for_depth(std::string_view algorithm, const Request& request);
/// Returns whether it does for a graph of these sizes: one with a hub, and with more arcs a vertex
/// than roads have.
[[nodiscard]] bool asks_for_depth(std::int64_t n_vertices, std::int64_t n_arcs,
                                  std::int64_t longest_row);

}  // namespace warpgraph::plan
