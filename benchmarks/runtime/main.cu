// Links and routers of the runtime beside plain CUDA calls: the experiments of section 2.1 (figure
// 2) and table 6 of Ben-Nun, Sutton, Pai, Pingali: "Groute", PPoPP 2017, on this machine. With
// --worklists, those of table 5 instead.
//
//     runtime_benchmarks [--worklists] [--smoke] [--devices N] [--repeat N] [--only REGEX]
//
// Prints a line of JSON for each case. Ends with status 1 and a sentence on stderr if a result is
// wrong or an operation fails.
#include "cases.hpp"
#include "core/error.hpp"
#include "runtime/devices/topology.hpp"

#include <algorithm>
#include <cstdio>
#include <regex>
#include <sstream>
#include <string_view>

namespace warpgraph::benchmark {
namespace {

std::string quoted(const std::string& text) { return '"' + text + '"'; }

std::string json_of(const Sizes& sizes) {
  std::string text;
  for (const auto& [name, count] : sizes) {
    text += concat(text.empty() ? "" : ", ", quoted(name), ": ", count);
  }
  return '{' + text + '}';
}

std::string json_of(const Seconds& runs) {
  std::ostringstream text;
  text.precision(9);
  for (std::size_t i = 0; i < runs.size(); ++i) text << (i == 0 ? "" : ", ") << runs[i];
  return '[' + text.str() + ']';
}

std::string floor_of(const Case& chosen) {
  if (chosen.max_a_second == 0) return "null";
  return concat("{\"operations\": ", chosen.operations,
                ", \"operations_per_second\": ", chosen.max_a_second,
                ", \"seconds\": ", chosen.operations / chosen.max_a_second, '}');
}

}  // namespace

std::vector<Device> Options::devices() const {
  std::vector<Device> all;
  for (int i = 0; i < n_devices; ++i) all.push_back({Device::Kind::cuda, i});
  return all;
}

bool Options::choose(const std::string& name) const {
  return std::regex_search(name, std::regex(only));
}

void measure(const Options& options, const Case& chosen) {
  if (!options.choose(chosen.name)) return;
  const auto start = Clock::now();
  std::string runs;
  for (const auto& [name, series] : chosen.contestants) {
    std::fprintf(stderr, "%s: %s\n", chosen.name.c_str(), name.c_str());
    runs +=
        concat(runs.empty() ? "" : ", ", quoted(name), ": ", json_of(series(options.repetitions)));
  }
  Sizes sizes = chosen.size;
  if (chosen.size_afterwards) {
    for (auto& more : chosen.size_afterwards()) sizes.push_back(std::move(more));
  }
  const std::string line =
      concat("{\"case\": ", quoted(chosen.name), ", \"device\": ", quoted(chosen.where),
             ", \"size\": ", json_of(sizes), ", \"ours\": ", quoted(chosen.contestants[0].name),
             ", \"runs\": {", runs, "}, \"floor\": ", floor_of(chosen), '}');
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
  std::fprintf(stderr, "  %.1f s\n", seconds_since(start));
}

Seconds repeated(int n, const std::function<double()>& run) {
  run();
  Seconds seconds;
  for (int i = 0; i < n; ++i) seconds.push_back(run());
  return seconds;
}

std::string megabytes(std::size_t bytes) {
  constexpr std::size_t one = std::size_t{1} << 20;
  if (bytes >= one) return concat(bytes / one, " MB");
  return bytes >= 1024 ? concat(bytes / 1024, " KB") : concat(bytes, " bytes");
}

}  // namespace warpgraph::benchmark

namespace {

using warpgraph::benchmark::Options;

Options parse(int count, char** arguments) {
  Options options;
  options.n_devices = warpgraph::cuda_device_count();
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    const bool has_value = i + 1 < count;
    if (name == "--smoke") {
      options.smoke = true;
    } else if (name == "--worklists") {
      options.worklists = true;
    } else if (name == "--devices" && has_value) {
      options.n_devices = std::min(options.n_devices, std::stoi(arguments[++i]));
    } else if (name == "--repeat" && has_value) {
      options.repetitions = std::stoi(arguments[++i]);
    } else if (name == "--only" && has_value) {
      options.only = arguments[++i];
    } else {
      throw std::invalid_argument("unknown option " + std::string(name));
    }
  }
  return options;
}

void run(const Options& options) {
  if (options.n_devices == 0) {
    throw std::runtime_error("there is no GPU: " + warpgraph::cuda_unavailable_reason());
  }
  warpgraph::runtime::connect_devices(options.devices());
  if (options.worklists) return warpgraph::benchmark::worklists(options);
  warpgraph::benchmark::direct_access(options);
  warpgraph::benchmark::packets(options);
  warpgraph::benchmark::broadcast_to_all(options);
  warpgraph::benchmark::latency(options);
  warpgraph::benchmark::host_links(options);
  warpgraph::benchmark::unlike_endpoints(options);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    run(parse(count, arguments));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "runtime_benchmarks: %s\n", error.what());
    return 1;
  }
  return 0;
}
