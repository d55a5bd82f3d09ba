#include "algorithms/apsp/convert_rows.hpp"
#include "algorithms/apsp/streamed/host_matrix.hpp"
#include "algorithms/apsp/streamed/stream_member.cuh"

#include <exception>
#include <functional>
#include <optional>
#include <utility>

namespace warpgraph::apsp_detail {
namespace {

/// The bands of a stage, by the member whose rows they are.
class BandDeal {
 public:
  struct Dealt {
    RowRange band;
    std::size_t owner;
  };

  explicit BandDeal(std::size_t n_members) : bands_(n_members) {}

  /// Cuts the rows into bands. The stage's own rows are never in one band with others.
  void add(std::size_t owner, RowRange rows, RowRange pivots, std::int64_t height) {
    const auto [before, after] = around(rows, pivots);
    for (const RowRange part : {before, common(rows, pivots), after}) {
      for (std::int64_t first = part.first; first < part.end; first += height) {
        bands_[owner].push_back({first, std::min(first + height, part.end)});
      }
    }
  }

  /// Returns the next band for a member.
  std::optional<Dealt> next(std::size_t member) {
    if (!bands_[member].empty()) {
      const RowRange band = bands_[member].front();
      bands_[member].pop_front();
      return Dealt{band, member};
    }
    const auto most =
        std::max_element(bands_.begin(), bands_.end(),
                         [](const auto& a, const auto& b) { return a.size() < b.size(); });
    if (most->empty()) return {};
    const RowRange band = most->back();
    most->pop_back();
    return Dealt{band, static_cast<std::size_t>(most - bands_.begin())};
  }

 private:
  std::vector<std::deque<RowRange>> bands_;
};

/// The parts of a computation that depend on the type of weights and results.
struct TypedParts {
  std::vector<MemberInput> members;
  ResultRows result;
  /// Converts n rows of sums, plan.side values each, to the result's rows from `first` on. Throws
  /// std::overflow_error if a distance does not fit.
  std::function<void(std::int64_t first, std::int64_t n, const std::byte* sums)> convert;
};

class StreamedApsp {
 public:
  StreamedApsp(const TypedParts& parts, Accumulator acc, std::int64_t n_vertices,
               const StreamPlan& plan)
      : parts_(parts),
        n_vertices_(n_vertices),
        plan_(plan),
        row_bytes_(plan.side * bytes_per_value(acc)),
        matrix_(n_vertices, bytes_per_value(acc), parts.result) {
    const std::size_t n = parts.members.size();
    const std::vector<RowRange> rows = rows_of_members(plan.side, plan.tile, n);
    for (std::size_t i = 0; i < n; ++i) {
      members_.emplace_back(parts.members[i], acc, n_vertices, plan, rows[i]);
    }
    for (std::size_t slot = 0; slot < StreamPlan::n_slots; ++slot) {
      for (std::size_t i = 0; i < n; ++i) by_age_.push_back({i, slot});
    }
  }
  ~StreamedApsp() {
    for (const Member& member : members_) member.wait();
  }
  StreamedApsp(const StreamedApsp&) = delete;
  StreamedApsp& operator=(const StreamedApsp&) = delete;

  void run() {
    for (std::int64_t first = 0; first < plan_.side; first += plan_.depth) {
      first == 0 ? init_panels() : load_rows(first);
      close_panels(first);
      process_bands(first);
    }
    if (overflow_) std::rethrow_exception(overflow_);
  }

 private:
  using Member = StreamMember;

  struct Place {
    std::size_t member;
    std::size_t slot;
  };

  void init_panels() {
    for (const Member& member : members_) member.init_panels();
  }

  /// Copies the pivot rows to all members through the slots of one. The columns are there already.
  void load_rows(std::int64_t begin) {
    const PivotPanels panels = members_[0].panels_at(begin);
    const std::int64_t end = std::min(panels.end(), n_vertices_);
    std::size_t slot = 0;
    for (std::int64_t row = begin; row < end; row += plan_.band) {
      for (Member& member : members_) member.slots()[slot].done.synchronize();
      const std::int64_t n = std::min(plan_.band, end - row);
      std::byte* const loaded = members_[0].slots()[slot].staged.data();
      matrix_.load(row, n, loaded, row_bytes_);
      for (const Member& member : members_) {
        member.copy_pivot_rows(slot, member.panels_at(begin), row, n, loaded);
      }
      slot = (slot + 1) % StreamPlan::n_slots;
    }
    for (const Member& member : members_) member.finish_pivot_rows(member.panels_at(begin));
  }

  void close_panels(std::int64_t first) {
    const std::int64_t n_rounds = members_[0].panels_at(first).n_rounds();
    for (const Member& member : members_) member.load_diagonal(member.panels_at(first));
    for (std::int64_t round = 0; round < n_rounds; ++round) {
      for (const Member& member : members_) {
        member.submit_diagonal_round(member.panels_at(first), round);
      }
      poll();
    }
    members_[0].refuse_negative_cycle();
    for (const Member& member : members_) member.release_to_slots();
    for (std::int64_t round = 0; round < n_rounds; ++round) {
      for (const Member& member : members_) member.submit_round(member.panels_at(first), round);
      poll();
    }
    for (const Member& member : members_) member.wait_for_slots();
    meet();
    for (const Member& member : members_) {
      for (const Member& other : members_) {
        if (&other != &member) member.send_rows(member.panels_at(first), other);
      }
    }
    meet();
    for (const Member& member : members_) member.mask_panels(member.panels_at(first));
    // All members have masked their panels: a band that passes through another one returns columns
    // to its owner's crossing.
    meet();
    for (const Member& member : members_) member.release_to_slots();
  }

  /// Makes later work of each member wait for the earlier work of all.
  void meet() const {
    for (const Member& member : members_) member.record_ready();
    for (const Member& member : members_) {
      for (const Member& other : members_) {
        if (&other != &member) member.wait_for(other);
      }
    }
  }

  void process_bands(std::int64_t first) {
    BandDeal deal(members_.size());
    const RowRange pivots = members_[0].panels_at(first).pivots();
    for (std::size_t i = 0; i < members_.size(); ++i) {
      deal.add(i, members_[i].own_rows(), pivots, plan_.band);
    }
    const bool is_last = pivots.end == plan_.side;
    for (;;) {
      const auto [index, slot_index] = next_place();
      Member& member = members_[index];
      Slot& slot = member.slots()[slot_index];
      drain(slot, is_last);
      const auto dealt = deal.next(index);
      if (!dealt) break;
      const PivotPanels panels = member.panels_at(first);
      if (Member::is_loaded(dealt->band, panels)) {
        matrix_.load(dealt->band.first, member.n_vertices_in(dealt->band), slot.staged.data(),
                     row_bytes_);
      }
      member.submit(slot, dealt->band, panels, members_[dealt->owner]);
    }
    for (const auto& [index, slot] : by_age_) drain(members_[index].slots()[slot], is_last);
  }

  /// Returns a slot that is free, or the one that has been busy for longest.
  Place next_place() {
    const auto is_free = [&](const Place& place) {
      const Slot& slot = members_[place.member].slots()[place.slot];
      return slot.n_rows == 0 || slot.done.has_occurred();
    };
    auto chosen = std::find_if(by_age_.begin(), by_age_.end(), is_free);
    if (chosen == by_age_.end()) chosen = by_age_.begin();
    std::rotate(chosen, chosen + 1, by_age_.end());
    return by_age_.back();
  }

  /// Waits for the slot's band and stores it on the host.
  void drain(Slot& slot, bool last) {
    if (slot.n_rows == 0) return;
    slot.done.synchronize();
    const std::int64_t n = std::exchange(slot.n_rows, 0);
    if (last) {
      convert(slot, n);
    } else {
      matrix_.store(slot.first, n, slot.staged.data(), row_bytes_);
    }
    rows_stored_ += n;
    report_progress(rows_stored_, plan_.n_stages() * n_vertices_);
  }

  /// Converts a band. Bands end in any order; the error names the first distance that does not fit.
  void convert(const Slot& slot, std::int64_t n) {
    try {
      parts_.convert(slot.first, n, slot.staged.data());
    } catch (const std::overflow_error&) {
      if (overflow_ && overflow_row_ < slot.first) return;
      overflow_ = std::current_exception();
      overflow_row_ = slot.first;
    }
  }

  const TypedParts& parts_;
  const std::int64_t n_vertices_;
  const StreamPlan plan_;
  const std::int64_t row_bytes_;
  HostMatrix matrix_;
  std::deque<Member> members_;
  std::vector<Place> by_age_;  // slots, that which was used last at the end
  std::exception_ptr overflow_;
  std::int64_t overflow_row_ = 0;
  std::int64_t rows_stored_ = 0;
};

template <Accumulator acc, class R>
TypedParts typed_parts(std::span<const MemberGraph<R>> members, const CsrView<R>& host,
                       const ApspResult<R>& result) {
  TypedParts parts;
  for (const MemberGraph<R>& member : members) {
    const auto write = [graph = member.graph](std::int64_t first, const DistanceMatrix& rows,
                                              const cuda::Stream& stream) {
      write_adjacency<acc, R>(*graph, first, 0, rows.view<acc>(), stream);
    };
    parts.members.push_back({member.stream, write});
  }
  constexpr std::int64_t item = sizeof(R);
  parts.result = {reinterpret_cast<std::byte*>(result.distances), result.row_stride * item, item};
  parts.convert = [&host, side = padded_side(host.n_vertices, ApspMethod::blocked), result](
                      std::int64_t first, std::int64_t n, const std::byte* sums) {
    convert_rows<acc>(reinterpret_cast<const AccumulatorValue<acc>*>(sums), side, first, n,
                      host.n_vertices, result, HostMatrix::rows_per_block(host.n_vertices));
    if constexpr (acc == Accumulator::saturating_int64) {
      for (std::int64_t i = first; i < first + n; ++i) {
        check_saturation(host, result.distances + i * result.row_stride);
        poll();
      }
    }
  };
  return parts;
}

template <class R>
TypedParts typed_parts(Accumulator chosen, std::span<const MemberGraph<R>> members,
                       const CsrView<R>& host, const ApspResult<R>& result) {
  return dispatch_accumulator<R>(
      chosen, [&]<Accumulator acc>() { return typed_parts<acc, R>(members, host, result); });
}

std::size_t members_on(std::span<const MemberInput> members, Device device) {
  return static_cast<std::size_t>(std::count_if(members.begin(), members.end(), [&](auto& member) {
    return member.stream->device() == device;
  }));
}

/// Returns the members whose devices have `bytes` bytes for each of their members; at least one.
std::vector<MemberInput> with_memory(const std::vector<MemberInput>& members, std::size_t bytes,
                                     MemoryBudget budget) {
  std::vector<MemberInput> chosen;
  for (const MemberInput& member : members) {
    const Device device = member.stream->device();
    const std::size_t needed = (members_on(chosen, device) + 1) * bytes;
    if (budget.on(device).has(needed)) chosen.push_back(member);
  }
  if (chosen.empty()) chosen.push_back(members[0]);
  return chosen;
}

/// Returns the plan for the memory of the members' devices. Leaves out members that have none.
StreamPlan plan_within(std::vector<MemberInput>& members, Accumulator acc, vertex_t n_vertices,
                       MemoryBudget budget) {
  const auto item = static_cast<std::size_t>(bytes_per_value(acc));
  const std::size_t least = plan_stream(n_vertices, item, 0).device_bytes(item);
  members = with_memory(members, least, budget);
  std::size_t available = infinity<std::int64_t>();
  for (const MemberInput& member : members) {
    const Device device = member.stream->device();
    available = std::min(available, budget.on(device).available() / members_on(members, device));
  }
  const StreamPlan plan = plan_stream(n_vertices, item, available, members.size());
  budget.on(members[0].stream->device())
      .require("passing the matrix of all pairs' distances through a device in pieces",
               plan.device_bytes(item), "use device=\"cpu\"");
  return plan;
}

}  // namespace

StreamPlan plan_stream(vertex_t n_vertices, std::size_t bytes_per_value, std::size_t available,
                       std::size_t n_members) {
  StreamPlan plan;
  plan.side = padded_side(n_vertices, ApspMethod::blocked);
  plan.tile = tile_side(n_vertices);
  const auto row = static_cast<std::size_t>(plan.side) * bytes_per_value;
  const std::size_t max_bytes =
      std::min(StreamPlan::max_band_bytes, available / 4 / StreamPlan::n_slots);
  const auto whole_tiles = [&](std::int64_t n) { return std::max(n / plan.tile, std::int64_t{1}); };
  plan.band =
      std::min(whole_tiles(static_cast<std::int64_t>(max_bytes / row)) * plan.tile, plan.side);
  const auto fits = [&] { return plan.device_bytes(bytes_per_value) <= available; };
  std::int64_t tiles = whole_tiles(plan.max_depth_for(n_members));
  const auto deepen = [&] { plan.depth = tiles * plan.tile; };
  for (deepen(); tiles > 1 && !fits(); deepen()) --tiles;
  if (!fits()) plan.band = plan.tile;
  const std::int64_t n_stages = plan.n_stages();
  plan.depth = (plan.side / plan.tile + n_stages - 1) / n_stages * plan.tile;
  return plan;
}

template <class R>
void run_streamed(Accumulator acc, std::span<const MemberGraph<R>> members, const CsrView<R>& host,
                  const StreamPlan& plan, ApspResult<R> result) {
  const TypedParts parts = typed_parts(acc, members, host, result);
  StreamedApsp(parts, acc, host.n_vertices, plan).run();
}

template <class R>
void run_streamed_within(Accumulator acc, std::span<const MemberGraph<R>> members,
                         const CsrView<R>& host, MemoryBudget budget, ApspResult<R> result) {
  TypedParts parts = typed_parts(acc, members, host, result);
  const StreamPlan plan = plan_within(parts.members, acc, host.n_vertices, budget);
  StreamedApsp(parts, acc, host.n_vertices, plan).run();
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(run_streamed)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(run_streamed_within)

}  // namespace warpgraph::apsp_detail
