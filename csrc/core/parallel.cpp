#include "core/parallel.hpp"

#include "core/error.hpp"

namespace warpgraph {
namespace {
std::atomic<int> chosen_threads{0};
}

int num_threads() noexcept {
  const int chosen = chosen_threads.load(std::memory_order_relaxed);
  return chosen > 0 ? chosen : std::max(1, omp_get_max_threads());
}

void set_num_threads(int n) {
  EXPECTS(n >= 0 && n <= 4096, "the number of threads must be in 1..4096 (0: all cores), got ", n);
  chosen_threads.store(n, std::memory_order_relaxed);
}

}  // namespace warpgraph
