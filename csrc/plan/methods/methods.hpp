// What an algorithm registers: its methods, where they run, and how long they are expected to take.
#pragma once

#include "plan/devices.hpp"
#include "plan/model/formulas.hpp"
#include "plan/plan.hpp"
#include "plan/reasons.hpp"

#include <span>
#include <string_view>

namespace warpgraph::plan {

/// A plan whose devices are known, for the estimate of its time.
struct Case {
  const Facts& facts;
  const Request& request;
  const Plan& plan;
  std::span<const Device> devices;
  int n_threads = 1;  // on the host
  Shape shape = {};

  [[nodiscard]] bool on_gpu() const noexcept { return devices[0].is_cuda(); }
  /// Times as fast as on one core or one device.
  [[nodiscard]] double speedup() const;
};

struct Method {
  std::string_view name;
  bool on_host = true;
  bool on_gpu = false;
  bool on_workers = false;                       // several of the host share the work
  bool on_gpus = false;                          // several
  Formulas formula = {};                         // of the model of time
  double (*seconds)(const Case& run) = nullptr;  // where the model has no formula
};

/// Returns the seconds of a call: on one GPU less what earlier calls for the graph have lost
/// because it was not there.
[[nodiscard]] double expected_seconds(const Method& method, const Case& run);

/// Returns the seconds that the model alone tells, of one device or of all threads of the host.
[[nodiscard]] double modelled_seconds(const Method& method, const Case& run);

/// Returns a function for the seconds of the fastest of the methods on the host or on a GPU. All
/// arguments outlive it.
[[nodiscard]] std::function<double(Place, const Shape&)> fastest_of(std::span<const Method> methods,
                                                                    const Facts& facts,
                                                                    const Request& request,
                                                                    const Devices& devices);

/// Returns the fastest of some methods, which all run on the devices of the case. Asks for the
/// shape of the graph where that decides, and adds their times to the reasons.
[[nodiscard]] const Method& fastest_method(std::span<const Method* const> methods, const Case& run,
                                           Reasons& reasons);

/// Returns the shape of the graph.
[[nodiscard]] Shape shape_of(const Facts& facts);

/// Throws std::invalid_argument unless the method is "auto" or runs on the devices.
void require_method(std::span<const Method> methods, std::string_view method,
                    std::span<const Device> devices);

/// Returns the registered method of this name.
[[nodiscard]] const Method& method_of(std::span<const Method> methods, std::string_view name);

/// The bytes of a call beside its input and what the algorithm asks for (Facts::needs).
struct Memory {
  std::size_t results = 0;      // on the host
  Form form = Form::none;       // made before
  std::size_t converted = 0;    // weights, before the algorithm asks
  std::size_t held = 0;         // what else is there when it asks
  std::int64_t n_searches = 1;  // at a time: each asks for as much
  std::size_t on_gpu = 0;       // in all, with a copy of the graph; 0: not known
};

inline constexpr const char* no_method_for_gpus = "there is no method for GPUs";

/// Ends a plan: its reasons and, if it is to explain itself, its bytes and seconds.
void complete(Plan& plan, std::span<const Method> methods, const Facts& facts,
              const Request& request, const Devices& devices, const Memory& memory,
              Reasons& reasons);

/// Returns the bytes of the weights in the type of the distances, unless they have that.
[[nodiscard]] std::size_t bytes_converted(const Facts& facts, const Request& request);

/// Returns the number of searches that run at a time, each on a thread.
[[nodiscard]] std::int64_t searches_at_a_time(const Request& request, const Devices& devices);

/// Plans a call of one method on one device. Several GPUs share none of its work.
[[nodiscard]] Plan plan_alone(const Method& method, const Suits& suits, const Facts& facts,
                              const Request& request, const Devices& devices,
                              const Memory& memory = {});

/// Bytes that a search, components, ranks or a forest take on a device at most: the graph, with its
/// transposed or undirected form, and some arrays of vertices.
[[nodiscard]] std::size_t bytes_of_whole_graph(const Facts& facts);

/// Has "auto" and "cuda:all" choose GPUs that have these bytes, beside a copy that is kept there.
/// Without a limit of memory, "auto" tries: a call that a GPU refuses is repeated on the cores.
void bound_memory(Suits& suits, const Facts& facts, const Request& request);

// Searches from many sources, which all pairs may be found by, too.

struct SearchMethods {
  std::string_view method;
  std::string_view otherwise;  // what takes the call if a hierarchy cannot be made; empty: nothing
  double lost = 0;             // seconds, since no hierarchy is kept
  std::vector<Way> ways = {};  // that share the sources; empty: the method takes all
};

/// Returns the method of a search from one vertex on the devices of the plan, for which it is known
/// whether a weight is negative.
[[nodiscard]] std::string_view fastest_search(const Facts& facts, const Request& request,
                                              const Devices& devices, const Plan& plan);

/// Returns the method that is asked for, where negative weights ask for another one.
[[nodiscard]] std::string_view method_asked(const Request& request, bool has_negative,
                                            Reasons& reasons);

/// Returns the method of searches on devices that are known. `asked`: as method_asked() returns.
[[nodiscard]] SearchMethods choose_searches(const Facts& facts, const Request& request,
                                            std::string_view asked, const Devices& devices,
                                            std::span<const Device> chosen, Reasons& reasons);

/// Lets a plan have the ways of searches, and their devices.
void take_ways(Plan& plan, const SearchMethods& searches, std::int64_t n_sources);

/// Returns the seconds of searches from many sources by the fastest method.
[[nodiscard]] double seconds_of_searches(const Case& run);

/// Returns the memory of searches by a method, of which `device` is the first to search.
[[nodiscard]] Memory memory_of_searches(const Facts& facts, const Request& request,
                                        std::string_view method, Device device);

// The planners of the algorithms, in the files of their groups.

using Planner = Plan(const Facts& facts, const Request& request, const Devices& devices);
#define WARPGRAPH_PLANNED(algorithm, planner, needs) Planner planner;
#include "plan/planned.inc"
#undef WARPGRAPH_PLANNED

}  // namespace warpgraph::plan
