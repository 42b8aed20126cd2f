#include "lang/program/order.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace catena::lang {
namespace {

enum class Color { untouched, open, done };

/// Depth first, with a stack of its own: a chain of 10,000 steps must not be 10,000 frames deep.
class CycleSearch {
 public:
  explicit CycleSearch(const std::vector<Step>& steps) : steps_{steps}, color_(steps.size()), in_cycle_(steps.size()) {}

  std::vector<std::vector<StepIndex>> run() {
    for (StepIndex start = 0; start < steps_.size(); ++start) {
      if (color_[start] == Color::untouched) search(start);
    }
    return std::move(found_);
  }

 private:
  struct Frame {
    StepIndex step;
    std::size_t next;  // dependency to look at
  };

  const std::vector<StepIndex>& deps(StepIndex step) const {
    static const std::vector<StepIndex> kNone;
    const auto* gate = std::get_if<AfterAll>(&steps_[step].gate);
    return gate == nullptr ? kNone : gate->deps;
  }

  void search(StepIndex start) {
    open(start);
    while (!path_.empty()) {
      auto& top = path_.back();
      const auto& waits_for = deps(top.step);
      if (top.next == waits_for.size()) {
        color_[top.step] = Color::done;
        path_.pop_back();
        continue;
      }
      const auto dep = waits_for[top.next++];
      if (color_[dep] == Color::untouched) {
        open(dep);
      } else if (color_[dep] == Color::open) {
        close_cycle(dep);
      }
    }
  }

  void open(StepIndex step) {
    color_[step] = Color::open;
    path_.push_back({step, 0});
  }

  void close_cycle(StepIndex first) {
    std::vector<StepIndex> cycle;
    for (auto frame = std::ranges::find(path_, first, &Frame::step); frame != path_.end(); ++frame) cycle.push_back(frame->step);
    if (std::ranges::any_of(cycle, [&](auto step) { return in_cycle_[step]; })) return;
    for (const auto step : cycle) in_cycle_[step] = true;
    std::rotate(cycle.begin(), std::ranges::min_element(cycle), cycle.end());
    found_.push_back(std::move(cycle));
  }

  const std::vector<Step>& steps_;
  std::vector<Color> color_;
  std::vector<bool> in_cycle_;
  std::vector<Frame> path_;
  std::vector<std::vector<StepIndex>> found_;
};

}  // namespace

std::vector<std::vector<StepIndex>> cycles(const std::vector<Step>& steps) { return CycleSearch{steps}.run(); }

void report_cycles(const std::vector<Step>& steps, Report& report) {
  for (const auto& cycle : cycles(steps)) {
    std::string spelled;
    for (const auto step : cycle) spelled += steps[step].id + " -> ";
    spelled += steps[cycle.front()].id;
    report.error(Code::dependency_cycle, fmt::format("steps wait for each other, so none could start: {}", spelled), steps[cycle.front()].where);
  }
}

void report_waits_for_final(const std::vector<Step>& steps, Report& report) {
  for (const auto& step : steps) {
    const auto* gate = std::get_if<AfterAll>(&step.gate);
    if (gate == nullptr || step.finally) continue;
    for (const auto dep : gate->deps) {
      if (!steps[dep].finally) continue;
      report.error(Code::dependency_cycle,
                   fmt::format("step '{0}' waits for '{1}', which has 'finally: true' and so waits for all steps that have not: neither could start; "
                               "give '{0}' 'finally: true' too, or take it from '{1}'",
                               step.id, steps[dep].id),
                   step.where);
    }
  }
}

}  // namespace catena::lang
