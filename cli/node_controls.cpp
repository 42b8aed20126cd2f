#include "cli/node_controls.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <thread>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"

namespace catena::cli {
namespace {

constexpr std::chrono::milliseconds kLeaveLookEvery{300};

/// The cluster's word, which has the nearest name already.
Error with_hint(Error error) {
  if (error.code == Code::worker_unknown) error.notes.emplace_back("`catena nodes` lists those there are");
  return error;
}

std::string_view state_after(actors::NodeVerb what, bool is_there) {
  switch (what) {
    case actors::NodeVerb::cordon: return "cordoned";
    case actors::NodeVerb::uncordon: return "open";
    case actors::NodeVerb::drain: break;
  }
  return is_there ? "draining" : "cordoned";
}

/// In words for people, else as a record.
void tell_node(Form form, const std::string& worker, std::string_view state, bool is_there, const std::string& words, Console& console) {
  if (for_people(form)) return console.out().line(words);
  print_element(form, {{"node", worker}, {"state", state}, {"present", is_there}}, worker, console);
}

/// Until none of the workers is there.
ExitCode wait_for_leave(std::vector<actors::NodeInfo> left, Form form, client::ClusterClient& client, Console& console) {
  while (!left.empty()) {
    const auto nodes = client.nodes();
    if (!nodes) return report(console, nodes.error());
    const auto gone = [&](const actors::NodeInfo& worker) { return has_left(worker, *nodes); };
    for (const auto& worker : left) {
      if (gone(worker)) tell_node(form, worker.id.value, "left", false, fmt::format("{} has left", worker.id.value), console);
    }
    std::erase_if(left, gone);
    console.out().flush();
    if (Interrupt::requested()) return ExitCode::interrupted;
    if (!left.empty()) std::this_thread::sleep_for(kLeaveLookEvery);
  }
  return ExitCode::ok;
}

}  // namespace

void add_node_control(CLI::App& app, NodeControlRequest& request) {
  app.add_option("nodes", request.workers, "workers, as `catena nodes` names them")->required()->option_text("NODE...");
  add_reason(app, request.reason);
  add_text_output(app, request.form, "the names of workers");
  add_cluster(app, request.place);
}

bool has_left(const actors::NodeInfo& before, const actors::Nodes& now) {
  return std::ranges::none_of(
      now.nodes, [&](const actors::NodeInfo& node) { return node.id == before.id && node.incarnation == before.incarnation && node.lost_ms < 0; });
}

std::string outcome(actors::NodeVerb what, std::string_view worker, bool is_there) {
  switch (what) {
    case actors::NodeVerb::cordon: return fmt::format("{} is cordoned{}", worker, is_there ? "" : ", and away");
    case actors::NodeVerb::uncordon: return fmt::format("{} is open{}", worker, is_there ? "" : ", and away");
    case actors::NodeVerb::drain: break;
  }
  if (is_there) return fmt::format("{} is draining", worker);
  return fmt::format("{0} is away, and there is nothing to drain: when it comes back it is cordoned, until `catena uncordon {0}`", worker);
}

ExitCode control_nodes(const NodeControlRequest& request, actors::NodeVerb what, Console& console) {
  const Interrupt interrupt;
  const auto client = connect_cluster(request.place, console);
  if (!client) return report(console, client.error());
  auto code = ExitCode::ok;
  // Before the controls: a worker that is drained may have left when they are answered.
  const auto before = (*client)->nodes();
  if (!before) return report(console, before.error());
  std::vector<actors::NodeInfo> leaving;
  for (const auto& worker : request.workers) {
    const auto taken = (*client)->control_node({.worker = WorkerId{worker}, .what = what, .reason = request.reason});
    if (!taken) {
      code = worse(code, report(console, with_hint(taken.error())));
      continue;
    }
    const auto node = std::ranges::find(before->nodes, worker, [](const actors::NodeInfo& info) { return info.id.value; });
    const bool is_there = node != before->nodes.end() && node->lost_ms < 0;
    tell_node(request.form, worker, state_after(what, is_there), is_there, outcome(what, worker, is_there), console);
    if (is_there) leaving.push_back(*node);
  }
  console.out().flush();
  if (!request.wait) return code;
  return worse(code, wait_for_leave(leaving, request.form, **client, console));
}

}  // namespace catena::cli
