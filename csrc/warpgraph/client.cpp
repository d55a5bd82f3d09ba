#include "warpgraph/client.hpp"

#include <atomic>

namespace warpgraph {
namespace {

const Client no_client;
std::atomic<const Client*> current{&no_client};

}  // namespace

const Client& client() noexcept { return *current.load(std::memory_order_relaxed); }
void set_client(const Client& client) noexcept {
  current.store(&client, std::memory_order_relaxed);
}

}  // namespace warpgraph
