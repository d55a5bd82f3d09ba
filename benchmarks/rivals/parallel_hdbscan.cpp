// Trees of mutual-reachability distances by the parallel HDBSCAN* code of Wang, Yu, Gu and Shun
// (SIGMOD 2021), compiled with its sources and parlaylib's headers; README.md has the command.
//
//   parallel_hdbscan POINTS DIMENSION N MIN_SAMPLES ROUNDS
//
// POINTS holds float64 coordinates, point after point. Prints the seconds of each round, from the
// points in memory to the edges, and the weight of the tree.
#include "getTime.h"
#include "hdbscan/hdbscan.h"
#include "hdbscan/point.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <vector>

namespace {

struct Input {
  const char* file;
  std::size_t n;
  std::size_t min_samples;
  int rounds;
};

template <int dimension>
void run(const Input& input) {
  std::vector<double> coordinates(input.n * dimension);
  std::ifstream file(input.file, std::ios::binary);
  file.read(reinterpret_cast<char*>(coordinates.data()),
            static_cast<std::streamsize>(coordinates.size() * sizeof(double)));
  if (!file) throw std::runtime_error("the file is shorter than the points");
  parlay::sequence<pargeo::point<dimension>> points(input.n);
  for (std::size_t i = 0; i < input.n; ++i) {
    for (int j = 0; j < dimension; ++j) points[i][j] = coordinates[i * dimension + j];
  }
  for (int round = 0; round < input.rounds; ++round) {
    pargeo::timer timer;
    timer.start();
    const auto edges = pargeo::hdbscan<dimension>(points, input.min_samples);
    const double seconds = timer.stop();
    double weight = 0;
    for (const auto& edge : edges) weight += edge.weight;
    std::cout << std::setprecision(15) << "Trial Time: " << seconds << "\nWeight: " << weight
              << std::endl;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: %s POINTS DIMENSION N MIN_SAMPLES ROUNDS\n", argv[0]);
    return 2;
  }
  const Input input{argv[1], std::strtoull(argv[3], nullptr, 10),
                    std::strtoull(argv[4], nullptr, 10), std::atoi(argv[5])};
  switch (std::atoi(argv[2])) {
    case 2:
      run<2>(input);
      return 0;
    case 3:
      run<3>(input);
      return 0;
    case 5:
      run<5>(input);
      return 0;
    default:
      std::fprintf(stderr, "points have 2, 3 or 5 coordinates\n");
      return 2;
  }
}
