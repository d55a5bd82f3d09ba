#include "plan/methods/methods.hpp"

#include "core/memory/memory_budget.hpp"
#include "plan/rates.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace warpgraph::plan {
namespace {

bool runs_on(const Method& method, std::span<const Device> devices) {
  const bool on_gpu = devices[0].is_cuda();
  if (devices.size() > 1) return on_gpu ? method.on_gpus : method.on_workers;
  return on_gpu ? method.on_gpu : method.on_host;
}

}  // namespace

double Case::speedup() const {
  const auto n = static_cast<double>(devices.size());
  if (on_gpu()) return 1 / (rates::undivided_search + (1 - rates::undivided_search) / n);
  return std::max(1.0, n_threads * rates::speedup_of_a_core);
}

void require_method(std::span<const Method> methods, std::string_view method,
                    std::span<const Device> devices) {
  const auto fits = [&](const Method& known) {
    return known.name == method && runs_on(known, devices);
  };
  if (method == "auto" || std::ranges::any_of(methods, fits)) return;
  std::string allowed = quoted("auto");
  for (const Method& known : methods) {
    if (runs_on(known, devices)) allowed += ", " + quoted(known.name);
  }
  const std::string place = devices.size() == 1
                                ? devices[0].name()
                                : concat("the ", devices.size(), " devices of a list");
  throw std::invalid_argument(concat("method ", quoted(method), " does not run on ", place,
                                     "; there, method must be one of ", allowed));
}

const Method& method_of(std::span<const Method> methods, std::string_view name) {
  const auto found = std::ranges::find(methods, name, &Method::name);
  EXPECTS(found != methods.end(), "unknown method ", quoted(name));
  return *found;
}

namespace {

bool must_be_copied(const Facts& facts) { return !facts.is_on_devices || facts.is_new_on_devices; }

Size size_of(const Case& run) {
  const Facts& facts = run.facts;
  const Request& request = run.request;
  const auto n = static_cast<double>(facts.n_vertices);
  Size size{.vertices = n, .arcs = static_cast<double>(facts.n_arcs), .shape = run.shape};
  size.shape.levels = std::min(size.shape.levels, n);
  size.shape.longest_row = std::min(size.shape.longest_row, n);
  size.sources = static_cast<double>(request.n_sources);
  size.columns = request.n_targets < 0 ? n : static_cast<double>(request.n_targets);
  size.dimensions = static_cast<double>(facts.n_dimensions);
  size.queries = facts.n_new > 0 ? static_cast<double>(facts.n_new) : n;
  return size;
}

Place place_of(const Case& run) { return run.on_gpu() ? Place::gpu : Place::cores; }

/// Returns whether the call makes what later ones find: a copy on a GPU, or a checked graph.
bool prepares(const Case& run) {
  return run.on_gpu() ? must_be_copied(run.facts) : !run.facts.is_used;
}

/// Returns the seconds of what this call has to make first.
double preparing_of(const Seconds& found, const Case& run) {
  return prepares(run) ? std::max(found.preparing - run.facts.lost, 0.0) : 0;
}

std::size_t largest(std::span<const MemoryNeed> needs) {
  std::size_t most = 0;
  for (const MemoryNeed& need : needs) most = std::max(most, need.bytes);
  return most;
}

/// Fills in what the plan needs beside its input.
void plan_memory(Plan& plan, const Facts& facts, const Request& request, const Memory& memory) {
  if (plan.devices[0].is_cuda()) {
    const std::size_t there = must_be_copied(facts) ? 0 : facts.bytes;
    plan.bytes = memory.on_gpu - std::min(memory.on_gpu, there);
    return;
  }
  const std::size_t held = request.is_empty ? 0 : memory.held + memory.converted;
  plan.bytes = memory.results + held;
  if (!facts.needs || !facts.needs_of_form) return;
  NeedsOfForm form = facts.needs_of_form(memory.form);
  const std::size_t before = form.bytes + held;
  plan.bytes_of_form = form.bytes;
  plan.bytes_held = before;
  plan.needs_of_form = std::move(form.needs);
  plan.needs = request.is_empty ? std::vector{MemoryNeed{}} : facts.needs(plan);
  if (plan.needs.empty()) {
    plan.bytes = 0;
    return;
  }
  const auto n_searches = static_cast<std::size_t>(std::max<std::int64_t>(memory.n_searches, 1));
  const std::size_t left = request.budget.after(before).left();
  std::size_t least = 0;  // with less memory, fewer searches run at a time
  for (const MemoryNeed& need : plan.needs) {
    if (!need.what.empty()) least = std::max(least, need.bytes);
  }
  const std::size_t all = n_searches * largest(plan.needs);
  const std::size_t work = std::max(least, std::min(all, left));
  plan.bytes = memory.results + std::max(largest(plan.needs_of_form), before + work);
  if (!request.is_empty && memory.converted > 0) {
    const std::string_view type = name_of(request.distances);
    plan.needs_of_weights.push_back({concat("converting the weights to ", type),
                                     bytes_converted(facts, request),
                                     concat("pass a graph with ", type, " weights")});
  }
}

}  // namespace

std::size_t bytes_converted(const Facts& facts, const Request& request) {
  if (request.unweighted || !facts.converts_weights) return 0;
  return static_cast<std::size_t>(facts.n_arcs) * bytes_of(request.distances);
}

double modelled_seconds(const Method& method, const Case& run) {
  const Seconds found = seconds_by(method.formula, place_of(run), size_of(run), run.n_threads);
  return found.running + preparing_of(found, run);
}

double expected_seconds(const Method& method, const Case& run) {
  if (!method.formula.are_known()) return method.seconds(run);
  const Place place = place_of(run);
  const Seconds found = seconds_by(method.formula, place, size_of(run), run.n_threads);
  const std::optional<double> learnt =
      run.facts.learnt ? run.facts.learnt(method.name, place) : std::nullopt;
  const double on_one = learnt.value_or(found.running) + preparing_of(found, run);
  return run.devices.size() == 1 ? on_one : on_one / run.speedup();
}

std::function<double(Place, const Shape&)> fastest_of(std::span<const Method> methods,
                                                      const Facts& facts, const Request& request,
                                                      const Devices& devices) {
  return [=, &facts, &request, &devices](Place place, const Shape& shape) {
    const std::array where{place == Place::gpu ? Device{Device::Kind::cuda, 0} : Device{}};
    const Plan none;
    const Case run{facts, request, none, where, devices.machine->n_threads, shape};
    double least = std::numeric_limits<double>::infinity();
    for (const Method& method : methods) {
      if (!runs_on(method, where)) continue;
      if (request.method != "auto" && request.method != method.name) continue;
      least = std::min(least, expected_seconds(method, run));
    }
    return least;
  };
}

const Method& fastest_method(std::span<const Method* const> methods, const Case& run,
                             Reasons& reasons) {
  const auto fastest = [&](const Shape& shape) {
    Case shaped = run;
    shaped.shape = shape;
    return *std::ranges::min_element(
        methods, {}, [&](const Method* method) { return expected_seconds(*method, shaped); });
  };
  if (methods.size() == 1) return *methods[0];
  Shape shape = least_shape;
  if (reasons.are_wanted() || fastest(least_shape) != fastest(most_shape)) {
    shape = shape_of(run.facts);
  }
  const Method* const found = fastest(shape);
  if (!reasons.are_wanted()) return *found;
  Case shaped = run;
  shaped.shape = shape;
  std::string times;
  for (const Method* const method : methods) {
    const bool is_learnt =
        run.facts.learnt && run.facts.learnt(method->name, place_of(run)).has_value();
    times += concat(times.empty() ? "" : ", ", method->name, " ",
                    milliseconds(expected_seconds(*method, shaped)), " ms",
                    is_learnt ? " as learnt" : "");
  }
  reasons.add("expected on ", joined(run.devices), ": ", times);
  return *found;
}

Shape shape_of(const Facts& facts) {
  Shape shape{.longest_row = facts.arcs_per_vertex()};
  if (facts.n_arcs == 0 || facts.n_vertices == 0) return shape;  // of points, or of edges
  if (facts.levels) shape.levels = facts.levels();
  if (facts.longest_row) shape.longest_row = static_cast<double>(facts.longest_row());
  return shape;
}

std::int64_t searches_at_a_time(const Request& request, const Devices& devices) {
  return std::min<std::int64_t>(request.n_sources, devices.machine->n_threads);
}

void complete(Plan& plan, std::span<const Method> methods, const Facts& facts,
              const Request& request, const Devices& devices, const Memory& memory,
              Reasons& reasons) {
  const Method& method = method_of(methods, plan.method);
  const Case known{facts, request, plan, plan.devices, devices.machine->n_threads};
  if (facts.learnt && method.formula.are_known() && prepares(known)) {
    plan.expected = seconds_by(method.formula, place_of(known), size_of(known), known.n_threads);
  }
  if (!request.explains) return;
  if (plan.devices[0].is_cuda() && facts.structure_bytes > 0 && must_be_copied(facts)) {
    const bool reads_weights = request.reads_weights || request.converts_weights;
    const std::size_t read = reads_weights ? facts.bytes : facts.structure_bytes;
    reasons.add("the graph is copied to ", joined(plan.devices), ", ",
                facts.makes_undirected ? "with every edge both ways" : format_bytes(read));
  }
  if (request.is_restricted || request.has_limit) {
    reasons.add("the time is that of a search without a limit or targets, and an upper bound here");
  }
  const bool none_on_gpu = std::ranges::none_of(methods, &Method::on_gpu);
  if (none_on_gpu) reasons.add(no_method_for_gpus);
  plan.reasons = reasons.take();
  if (none_on_gpu) std::ranges::rotate(plan.reasons, plan.reasons.end() - 1);  // the first one
  plan_memory(plan, facts, request, memory);
  Case run{facts, request, plan, plan.devices, devices.machine->n_threads};
  if (!method.formula.are_known() || method.formula.read_shape()) run.shape = shape_of(facts);
  if (plan.ways.empty()) plan.seconds = expected_seconds(method, run);
}

Plan plan_alone(const Method& method, const Suits& suits, const Facts& facts,
                const Request& request, const Devices& devices, const Memory& memory) {
  Reasons reasons(request.explains);
  Plan plan;
  plan.method = method.name;
  plan.devices = choose_devices(devices, suits, reasons, plan.lost);
  complete(plan, {&method, 1}, facts, request, devices, memory, reasons);
  return plan;
}

std::size_t bytes_of_whole_graph(const Facts& facts) {
  return 3 * facts.bytes + 64 * static_cast<std::size_t>(facts.n_vertices);
}

void bound_memory(Suits& suits, const Facts& facts, const Request& request) {
  const std::size_t whole = bytes_of_whole_graph(facts);
  suits.bytes_on_one = whole;
  suits.budget = request.budget;
  if (request.budget.is_limited()) {
    suits.least_bytes = whole - (must_be_copied(facts) ? 0 : facts.bytes);
  }
}

}  // namespace warpgraph::plan
