// Errors about a weight or a sum of weights, with their data.
#pragma once

#include "core/error.hpp"

#include <variant>

namespace warpgraph {

/// A weight or a distance of any type, exactly.
using Number = std::variant<std::int64_t, double>;

/// An error about the weight at a position of the graph's arrays; places() has the arc. Error is
/// std::invalid_argument for a weight that is refused, std::overflow_error for one that is too
/// large.
template <class Error>
struct EntryError : Naming<Error> {
  EntryError(edge_t at, Number refused, std::initializer_list<SentencePart> parts)
      : Naming<Error>(parts), position(at), weight(refused) {}
  edge_t position;
  Number weight;
};

/// The distance of an arc's tail and the weight of the arc add up beyond the distances' type.
struct SumOverflow : EntryError<std::overflow_error> {
  template <class W>
  SumOverflow(W of_tail, W of_arc, edge_t at, ByName arc, const char* advice)
      : EntryError(at, of_arc,
                   {"the distance ", of_tail, " of vertex ", ByName{arc.vertex}, " and the weight ",
                    of_arc, " of entry ", arc, " add up beyond the range of the distances' type; ",
                    advice}),
        distance(of_tail) {}
  Number distance;
};

/// The length of a path between two vertices is beyond the range of its type.
struct LengthOverflow : Naming<std::overflow_error> {
  LengthOverflow(vertex_t begin, vertex_t end, std::initializer_list<SentencePart> parts)
      : Naming(parts), from(begin), to(end) {}
  vertex_t from;
  vertex_t to;
};

}  // namespace warpgraph
