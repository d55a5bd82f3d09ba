// The emulated devices as peers: all can read each other's memory, which is the host's, unless the
// environment variable EMULATOR_PEERS is 0.
#include "runtime/runtime.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

using namespace emulator;

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  const char* const given = std::getenv("EMULATOR_PEERS");
  *can = device != peer && (given == nullptr || std::string_view(given) != "0") ? 1 : 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  int can = 0;
  cudaDeviceCanAccessPeer(&can, current_device(), peer);
  if (can != 0) return cudaSuccess;
  return set_last(explain(cudaErrorInvalidDevice, "these emulated devices are no peers"));
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int from, int to) {
  return cudaDeviceCanAccessPeer(value, from, to);
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  std::snprintf(id, static_cast<std::size_t>(length), "emulated:%d", device);
  return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, std::size_t) {
  return cudaSuccess;
}

cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
