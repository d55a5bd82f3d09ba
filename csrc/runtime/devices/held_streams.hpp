// Which events hold streams: what the search for stalls has to know about devices (waiting.hpp).
//
// A stream that waits for an event which was not recorded yet is held by a gate. All later work on
// it is behind that gate, and so is the work on other streams that wait for a point behind it. When
// the event is recorded at points of streams, what holds these holds the stream, too.
//
// Knowledge may be incomplete, as for streams that other libraries make wait: then a stall is not
// found. What is known is right: work that is said to be behind an event cannot be done before the
// event is recorded or given up, or the run has failed.
#pragma once

#include "runtime/waiting.hpp"

#include <memory>

namespace warpgraph::runtime {

struct StreamRef;
class EventFuture;
class Gate;

/// Events all of which come before a point of a stream. Null: nothing is known to hold it.
class Hold;

/// What holds work that is put on the stream now.
[[nodiscard]] std::shared_ptr<Hold> hold_of(StreamRef stream);
/// Work that is put on the stream from now on is behind the event, too, as long as the gate that
/// the stream has for it is closed.
void add_hold(StreamRef stream, const EventFuture& event, std::shared_ptr<Gate> gate) noexcept;
/// The same for all events of a hold, after the stream waits for a point behind them.
void add_hold(StreamRef stream, const std::shared_ptr<Hold>& hold) noexcept;
/// An event that endpoints of a run record and have not recorded yet, if the hold has one.
[[nodiscard]] Holder holder_of(const std::shared_ptr<Hold>& hold);

/// For the owner of a stream, before it waits for it in a destructor: waits until no event of the
/// run holds it. If the run fails meanwhile, or because of this wait, gates are opened.
void wait_while_held(StreamRef stream) noexcept;

}  // namespace warpgraph::runtime
