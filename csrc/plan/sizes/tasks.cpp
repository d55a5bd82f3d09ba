#include "plan/sizes/tasks.hpp"

#include "core/error.hpp"
#include "plan/rates.hpp"
#include "plan/rates_of_points.hpp"

#include <algorithm>
#include <array>

namespace warpgraph::plan {

std::size_t rows_of_trees(std::size_t n_wanted, std::size_t bytes_a_row, std::size_t memory) {
  const std::size_t that_fit = memory / 2 / std::max<std::size_t>(bytes_a_row, 1);
  return std::max<std::size_t>(std::min({n_wanted, rates::rows_of_trees, that_fit}), 1);
}

std::size_t bytes_to_place(std::size_t n_neighbours, std::size_t dimension,
                           std::size_t n_clusters) {
  return rates::bytes_of_a_placed_neighbour * n_neighbours +
         rates::bytes_of_a_placed_coordinate * dimension +
         (n_clusters == 0 ? sizeof(std::int32_t) + sizeof(double) : n_clusters * sizeof(double));
}

std::size_t rows_to_place(std::size_t n_new, std::size_t bytes_a_row, std::size_t memory) {
  const std::size_t that_fit = std::min(memory, rates::bytes_to_place_at_once) / bytes_a_row;
  return std::min({n_new, rates::rows_to_place_at_once, std::max<std::size_t>(that_fit, 1)});
}

std::size_t bytes_of_tree(std::size_t n_points, std::size_t dimension) {
  return sizeof(double) * n_points * (dimension + rates::numbers_of_a_point_in_a_tree);
}

std::int64_t queries_at_a_time(std::int64_t n_points) {
  return std::max<std::int64_t>(rates::distances_of_queries / n_points, 1);
}

rates::TaskBytes bytes_of_task(std::string_view task) {
  const auto found = std::ranges::find(rates::tasks, task, &rates::TaskBytes::task);
  EXPECTS(found != rates::tasks.end(), "nothing is known of the memory of tasks of ", task);
  return *found;
}

namespace {

constexpr std::int64_t no_limit = std::int64_t{1} << 62;  // sums with it do not overflow

/// A task that holds a part of the arcs, and beside them numbers of all vertices and of those of
/// its range. Names of rates::tasks: that of the arcs, and those that have the bytes of these
/// numbers.
struct PartTask {
  std::string_view task;
  std::string_view of_all;
  std::string_view of_a_range;
};
constexpr std::array part_tasks{
    PartTask{"pagerank", "all scores", "pagerank"},
    PartTask{"search", "search", "search of a range"},
};

}  // namespace

std::int64_t edges_at_a_time(std::string_view task, std::int64_t limit, std::int64_t n_vertices,
                             std::int64_t arcs_an_edge) {
  if (limit == 0) return rates::most_edges_at_a_time;
  const rates::TaskBytes bytes = bytes_of_task(task);
  const std::int64_t left = limit - bytes.of_a_vertex * n_vertices;
  return std::clamp(left / (bytes.of_an_edge * arcs_an_edge), rates::fewest_edges_at_a_time,
                    rates::most_edges_at_a_time);
}

std::int64_t arcs_of_a_part(std::string_view task, std::string_view function, std::int64_t limit,
                            std::int64_t n_vertices, std::int64_t n_of_a_range) {
  if (limit == 0) return no_limit;
  const auto part = std::ranges::find(part_tasks, task, &PartTask::task);
  EXPECTS(part != part_tasks.end(), "tasks of ", task, " hold no parts");
  const std::int64_t taken = bytes_of_task(part->of_all).of_a_vertex * n_vertices +
                             bytes_of_task(part->of_a_range).of_a_vertex * n_of_a_range;
  if (limit < taken) {
    throw OutOfMemory(
        concat(function, " needs ", taken,
               " bytes a task for the numbers of vertices alone, but a task may take ", limit,
               "; use workers with more memory, or fewer tasks at a time on each"));
  }
  return std::max(rates::fewest_arcs_of_a_part, (limit - taken) / bytes_of_task(task).of_an_edge);
}

bool hold_all_scores(std::int64_t limit, std::int64_t n_vertices) {
  const std::int64_t bytes = bytes_of_task("all scores").of_a_vertex * n_vertices;
  return limit == 0 || rates::memory_to_all_scores * bytes <= limit;
}

std::int64_t forests_at_a_time(std::int64_t n_wanted, std::int64_t limit, std::int64_t n_vertices) {
  if (limit == 0 || n_vertices == 0) return n_wanted;
  // A forest has fewer edges than vertices. A merge takes two forests at least, whether they fit or
  // not.
  const std::int64_t that_fit = limit / (bytes_of_task("merged forests").of_an_edge * n_vertices);
  return std::max<std::int64_t>(2, std::min(n_wanted, that_fit));
}

void require_whole_graph(std::int64_t limit, std::int64_t n_vertices, std::int64_t bytes_of_edges) {
  const std::int64_t needed = bytes_of_task("many_to_many").of_a_vertex * n_vertices +
                              rates::copies_of_a_whole_graph * bytes_of_edges;
  if (needed <= limit) return;
  throw OutOfMemory(
      concat("many_to_many keeps the whole graph on each worker: putting it together takes at "
             "least ",
             needed, " bytes, but a task may take ", limit,
             "; use workers with more memory, or fewer tasks at a time on each, or sssp, which "
             "divides the graph among workers"));
}

}  // namespace warpgraph::plan
