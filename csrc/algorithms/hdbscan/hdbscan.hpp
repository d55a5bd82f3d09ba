// HDBSCAN*: clusters that differ in density, in noise, from the dendrogram of mutual-reachability
// distances, that is after the spanning tree. The parts, each with its definitions and sources:
//
//   condensed_tree.hpp   which clusters there are at any density, and when points leave them
//   selection.hpp        flat clusters, labels, probabilities, outlier scores, exemplars
//   centres.hpp          weighted centroids and medoids
//   membership.hpp       new points, and how much a point belongs to every cluster
//
// All of it runs on CPU cores; condensed tree, selection, labels and probabilities on a GPU, too
// (device/device_hdbscan.hpp). Results do not depend on the device or the number of threads.
#pragma once

#include "algorithms/hdbscan/centres.hpp"
#include "algorithms/hdbscan/condensed_tree.hpp"
#include "algorithms/hdbscan/membership.hpp"
#include "algorithms/hdbscan/selection.hpp"
