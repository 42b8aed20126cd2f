#include "cli/show/live.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/unicode.hpp"
#include "cli/console.hpp"
#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

using coordinator::ListedChain;
using coordinator::StepRow;
using engine::VisitStatus;

constexpr std::size_t kChildrenShown = 3;  // of a step

/// In the order in which they are folded where there is not room for all.
enum class LiveStage : std::uint8_t { finished, waiting, failed, running };

LiveStage stage_of(const StepRow& row) {
  if (row.status == VisitStatus::failed) return LiveStage::failed;
  if (engine::settled(row.status)) return LiveStage::finished;
  return row.entered_at == 0 ? LiveStage::waiting : LiveStage::running;
}

/// A part of a line, with how it looks.
struct Part {
  std::string text;
  Shade shade = Shade::plain;
};

class Line {
 public:
  Line& add(std::string_view text, Shade shade = Shade::plain) {
    parts_.push_back({printable(text), shade});
    return *this;
  }
  [[nodiscard]] std::size_t width() const {
    std::size_t columns = 0;
    for (const auto& part : parts_) columns += display_width(part.text);
    return columns;
  }
  [[nodiscard]] std::string text(const LiveLook& look) const {
    std::string text;
    auto room = look.width;
    for (const auto& part : parts_) {
      const auto shown = cut(part.text, room, look.style);
      text += painted(shown, part.shade, look.style);
      room -= display_width(shown);
      if (shown != part.text) break;
    }
    return text;
  }

 private:
  std::vector<Part> parts_;
};

std::string_view spinner(UnixMillis now, const Style& style) {
  static constexpr std::array<std::string_view, 10> kTurns{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
  static constexpr std::array<std::string_view, 4> kPlainTurns{"|", "/", "-", "\\"};
  constexpr UnixMillis kTurnMillis = 100;
  const auto turn = static_cast<std::size_t>(now / kTurnMillis);
  return style.symbols ? kTurns[turn % kTurns.size()] : kPlainTurns[turn % kPlainTurns.size()];
}

std::string_view dot(const Style& style) { return style.symbols ? " · " : ", "; }

std::string bar(std::uint64_t done, std::uint64_t total, std::size_t width, const Style& style) {
  if (width == 0 || total == 0) return {};
  const auto full = static_cast<std::size_t>(std::min(done, total) * width / total);
  std::string text = style.symbols ? "" : "[";
  for (std::size_t at = 0; at < width; ++at) text += at < full ? (style.symbols ? "█" : "#") : (style.symbols ? "░" : "-");
  return text + (style.symbols ? "  " : "]  ");
}

class Picture {
 public:
  Picture(const LiveView& view, const ProgressMeter& meter, UnixMillis now, const LiveLook& look)
      : view_{view}, meter_{meter}, now_{now}, look_{look} {
    for (const auto& row : view.steps) ids_ = std::max(ids_, display_width(printable(row.id)));
    constexpr std::size_t kIdsMost = 28;
    ids_ = std::min({ids_, kIdsMost, look.width / 3});
  }

  std::vector<std::string> lines() {
    const auto room = look_.height > 2 ? look_.height - 2 : 1;  // the head, and the line on which the cursor stands
    collect();
    for (const auto kind : {LiveStage::finished, LiveStage::waiting, LiveStage::failed}) fold(kind, room);
    if (count() > room) {
      for (auto& entry : entries_) entry.below.clear();
    }
    std::vector<std::string> all{head()};
    for (const auto& entry : entries_) {
      all.push_back(entry.line.text(look_));
      for (const auto& below : entry.below) all.push_back(below.text(look_));
    }
    if (all.size() > room + 1) {
      const auto more = all.size() - room;
      all.resize(room);
      all.push_back(Line{}.add(fmt::format("  {} {} more", ellipsis(look_.style), more), Shade::faint).text(look_));
    }
    return all;
  }

 private:
  struct Entry {
    LiveStage kind = LiveStage::waiting;
    Line line = {};
    std::vector<Line> below = {};
    std::size_t folded = 0;  // steps that this line stands for
  };

  [[nodiscard]] std::string head() const {
    const auto& counts = meter_.counts();
    Line line;
    line.add(spinner(now_, look_.style), Shade::busy).add(" ").add(view_.chain.value, Shade::strong);
    if (counts) line.add(fmt::format("{}{}/{} steps", dot(look_.style), counts->steps_settled, counts->steps_total));
    if (counts && !counts->family.empty()) line.add(fmt::format("{}{}", dot(look_.style), counts->family));
    line.add(fmt::format("{}{}", dot(look_.style), span_text(Millis{now_ - meter_.started()})));
    return line.text(look_);
  }

  void collect() {
    auto below = children_by_step();
    for (const auto& row : view_.steps) {
      Entry entry{stage_of(row), step_line(row), {}, 0};
      if (const auto found = below.find(row.id); found != below.end() && entry.kind == LiveStage::running) entry.below = std::move(found->second);
      entries_.push_back(std::move(entry));
    }
  }

  [[nodiscard]] std::size_t count() const {
    std::size_t lines = 0;
    for (const auto& entry : entries_) lines += 1 + entry.below.size();
    return lines;
  }

  /// As many of a kind as it takes become one line, which stands where the first of them stood.
  void fold(LiveStage kind, std::size_t room) {
    if (count() <= room) return;
    const auto too_many = count() - room;
    std::vector<Entry> kept;
    std::size_t folded = 0;
    std::size_t at = 0;
    for (auto& entry : entries_) {
      if (entry.kind != kind || folded > too_many) {
        kept.push_back(std::move(entry));
        continue;
      }
      if (folded++ == 0) {
        at = kept.size();
        kept.push_back(std::move(entry));
      }
    }
    if (folded > 1) {
      const auto words = kind == LiveStage::finished ? "steps are done" : kind == LiveStage::waiting ? "steps wait" : "steps have failed";
      const auto status = kind == LiveStage::finished ? "completed" : kind == LiveStage::waiting ? "blocked" : "failed";
      kept[at] = {kind,
                  Line{}
                      .add("  ")
                      .add(symbol_of_status(status, look_.style), shade_of_status(status))
                      .add(fmt::format(" {} {}", folded, words), Shade::faint),
                  {},
                  folded};
    }
    entries_ = std::move(kept);
  }

  [[nodiscard]] Line step_line(const StepRow& row) const {
    Line line;
    line.add("  ");
    const auto kind = stage_of(row);
    const auto status = engine::name(row.status);
    if (kind == LiveStage::running) {
      line.add(spinner(now_, look_.style), Shade::busy);
    } else {
      line.add(symbol_of_status(kind == LiveStage::waiting ? "blocked" : status, look_.style), shade_of_status(status));
    }
    const auto id = cut(printable(row.id), ids_, look_.style);
    line.add(" ").add(id, kind == LiveStage::waiting ? Shade::faint : Shade::plain);
    if (kind == LiveStage::waiting) return line;
    line.add(std::string(ids_ - display_width(id) + 2, ' '));
    if (kind == LiveStage::running && row.fan_out) return add_fan_out(line, row), add_approvals(line, row), line;
    const auto took = span_text(Millis{std::max<UnixMillis>((row.settled_at != 0 ? row.settled_at : now_) - row.entered_at, 0)});
    if (kind == LiveStage::finished && row.status != VisitStatus::completed) return line.add(status, Shade::faint), line;
    line.add(took, Shade::faint);
    if (!row.signal.empty()) line.add(fmt::format("{}waits for signal {}", dot(look_.style), row.signal), Shade::faint);
    add_approvals(line, row);
    if (row.fan_out) line.add(fmt::format("{}{}/{} items", dot(look_.style), row.ok + row.failed, row.items), Shade::faint);
    add_failed(line, row.failed);
    if (kind == LiveStage::failed && row.error) line.add(fmt::format("{}{}", dot(look_.style), row.error->message), Shade::bad);
    return line;
  }

  void add_approvals(Line& line, const StepRow& row) const {
    if (row.awaits_approval == 0) return;
    const auto text = row.fan_out ? fmt::format("{} wait for approval", row.awaits_approval) : std::string{"waits for approval"};
    line.add(fmt::format("{}{}", dot(look_.style), text), Shade::faint);
  }

  void add_failed(Line& line, std::uint64_t failed) const {
    if (failed != 0) line.add(dot(look_.style), Shade::faint).add(fmt::format("{} failed", failed), Shade::bad);
  }

  void add_fan_out(Line& line, const StepRow& row) const {
    FanOutCounts counts{row.id, row.ok + row.failed, row.items};
    if (meter_.counts()) {
      const auto& known = meter_.counts()->fan_outs;
      const auto found = std::ranges::find(known, row.id, &FanOutCounts::step);
      if (found != known.end()) counts = *found;
    }
    // The time that is left is worth more than a long bar, and more than its range: the first of these that there is room for.
    struct Share {
      std::size_t bar;
      Left left;
    };
    static constexpr std::array kShares{Share{20, Left::with_range}, Share{10, Left::with_range}, Share{10, Left::alone}, Share{0, Left::alone}};
    for (const auto& share : kShares) {
      auto whole = line;
      whole.add(bar(counts.settled, counts.total, share.bar, look_.style), Shade::good).add(fmt::format("{}/{}", counts.settled, counts.total));
      add_failed(whole, row.failed);
      if (const auto pace = meter_.pace(counts)) {
        whole.add(fmt::format("{}{}", dot(look_.style), rate_text(pace->per_second)));
        whole.add(fmt::format("{}{}", dot(look_.style), left_text(*pace, share.left)), Shade::faint);
      }
      const bool last = share.bar == kShares.back().bar;
      if (last || whole.width() <= look_.width) {
        line = std::move(whole);
        return;
      }
    }
  }

  /// Child chains that run, nested, below the step of this chain that they come from.
  [[nodiscard]] std::map<std::string, std::vector<Line>> children_by_step() const {
    std::map<ChainId, std::vector<const ListedChain*>> by_parent;
    for (const auto& child : view_.children) by_parent[child.parent].push_back(&child);
    std::map<std::string, std::vector<Line>> below;
    std::map<std::string, std::vector<const ListedChain*>> of_step;
    for (const auto* child : by_parent[view_.chain]) of_step[step_of(*child, view_.chain)].push_back(child);
    for (const auto& [step, children] : of_step) add_children(below[step], children, view_.chain, by_parent, 2);
    return below;
  }

  void add_children(std::vector<Line>& lines, const std::vector<const ListedChain*>& children, const ChainId& parent,
                    const std::map<ChainId, std::vector<const ListedChain*>>& by_parent, std::size_t depth) const {
    const std::string indent(2 * depth, ' ');
    for (std::size_t at = 0; at < std::min(children.size(), kChildrenShown); ++at) {
      const auto& child = *children[at];
      auto& line = lines.emplace_back();
      line.add(indent).add(symbol_of_status(engine::name(child.status), look_.style), shade_of_status(engine::name(child.status)));
      line.add(" ").add(short_id(child, parent)).add(fmt::format("  {}/{} steps", child.steps_settled, child.steps), Shade::faint);
      if (!child.name.empty()) line.add("  ").add(child.name, Shade::faint);
      if (const auto found = by_parent.find(child.id); found != by_parent.end()) add_children(lines, found->second, child.id, by_parent, depth + 1);
    }
    if (children.size() > kChildrenShown)
      lines.emplace_back().add(fmt::format("{}{} {} more run", indent, ellipsis(look_.style), children.size() - kChildrenShown), Shade::faint);
  }

  static std::string_view short_id(const ListedChain& child, const ChainId& parent) {
    const std::string_view id{child.id.value};
    return id.starts_with(parent.value + "/") ? id.substr(parent.value.size() + 1) : id;
  }
  /// "<chain>/<step>[@<visit>][/<index>]"
  static std::string step_of(const ListedChain& child, const ChainId& parent) {
    const auto id = short_id(child, parent);
    return std::string{id.substr(0, id.find_first_of("@/"))};
  }

  const LiveView& view_;
  const ProgressMeter& meter_;
  UnixMillis now_;
  const LiveLook& look_;
  std::size_t ids_ = 0;  // columns
  std::vector<Entry> entries_;
};

}  // namespace

std::vector<std::string> live_lines(const LiveView& view, const ProgressMeter& meter, UnixMillis now, const LiveLook& look) {
  return Picture{view, meter, now, look}.lines();
}

}  // namespace catena::cli
