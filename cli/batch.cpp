#include "cli/batch.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "api/batch.hpp"
#include "base/chain_labels.hpp"
#include "base/limits.hpp"
#include "cli/environment.hpp"
#include "cli/find/tool_files.hpp"
#include "cli/interrupt.hpp"
#include "cli/line_source.hpp"
#include "cli/options.hpp"
#include "cli/show/text.hpp"
#include "cli/submission.hpp"

namespace catena::cli {
namespace {

/// Lines that are answered behind one that is not, and those on their way.
constexpr std::size_t kLinesHeld = 1024;

Result<api::Shelf> open_batch_shelf(const std::vector<std::string>& tools, const lang::ReadStored& stored) {
  auto opened = open_roots(tools, "");
  if (!opened) return fail(std::move(opened).error());
  auto known = configured_catalog();
  if (!known) return fail(std::move(known).error());
  auto finder = std::make_shared<const DefinitionRoots>(std::move(*opened));
  auto with_stored = std::make_shared<const lang::StoredFinder>(finder, stored);
  return api::Shelf{std::move(with_stored), std::move(*known), [finder](lang::Package& package) { return pin_tool_files(package, *finder); }};
}

class BatchLines {
 public:
  BatchLines(const BatchOptions& options, LineSource source, api::Shelf shelf, storage::Durability durability, Console& console)
      : options_{options}, source_{std::move(source)}, shelf_{std::move(shelf)}, durability_{durability}, console_{console} {
    std::error_code unknown;  // a directory that was removed: nothing is said then
    directory_ = std::filesystem::current_path(unknown).string();
  }

  client::ClusterClient::Given give() {
    while (held_.size() < kLinesHeld) {
      auto line = source_.next();
      if (!line) {
        failure_ = std::move(line).error();
        return {std::nullopt, false};
      }
      if (!*line) {
        console_.out().flush();
        return {std::nullopt, !source_.over()};
      }
      if ((*line)->text.find_first_not_of(" \t\r") == std::string::npos && !(*line)->too_long) continue;
      if (auto submission = read(**line)) return {std::move(submission), true};
      print_settled();
    }
    console_.out().flush();
    return {};
  }

  void settle(std::size_t number, Result<client::Submitted> came_to) {
    auto& line = held_[on_their_way_.extract(number).mapped() - printed_];
    line.settled = true;
    if (came_to) {
      line.line.chain = came_to->chain;
      line.line.submitted_before = came_to->again;
    } else {
      line.line.problem = api::Problem{std::move(came_to).error()};
    }
    print_settled();
  }

  ExitCode finish(const Result<void>& done) {
    console_.out().flush();
    const bool interrupted = !done && done.error().code == Code::cancelled;
    if (for_people(options_.output) || !done) {
      auto words = fmt::format("submitted {}", counted(submitted_, "chain"));
      if (before_ > 0) words += fmt::format(", {} of them before", before_);
      if (refused_ > 0) words += fmt::format("; {} refused", counted(refused_, "line"));
      if (!held_.empty()) words += fmt::format("; from line {} on nobody knows: lines with a key can be sent again", held_.front().line.number);
      console_.say(words);
    }
    if (interrupted) return ExitCode::interrupted;
    if (!done) return report(console_, done.error());
    if (failure_) return report(console_, *failure_);
    return refused_ > 0 ? ExitCode::failed : ExitCode::ok;
  }

 private:
  struct Held {
    api::BatchLine line;
    bool settled = false;
  };

  /// Nothing: it is refused.
  std::optional<actors::Submission> read(const SourceLine& source) {
    Held held;
    if (source.too_long) {
      held.line.number = source.number;
      held.line.problem =
          api::Problem{make_error(Code::document_too_large, fmt::format("the line has more than {} bytes", limits::kDocumentBytesMax))};
    } else {
      held.line = api::read_batch_line({source.number, source.text}, {.durability = durability_}, shelf_, book_);
    }
    std::optional<actors::Submission> submission;
    held.settled = held.line.problem.has_value();
    if (held.line.read) {
      submission = std::move(*held.line.read).whole();
      submission->directory = directory_;
      if (!options_.namespace_.empty()) submission->labels.try_emplace(std::string{kNamespaceLabel}, options_.namespace_);
      held.line.read.reset();
      on_their_way_.emplace(given_++, printed_ + held_.size());
    }
    held_.push_back(std::move(held));
    return submission;
  }

  void print_settled() {
    for (; !held_.empty() && held_.front().settled; ++printed_) {
      print(held_.front().line);
      held_.pop_front();
    }
  }

  void print(const api::BatchLine& line) {
    line.problem ? ++refused_ : ++submitted_;
    if (line.submitted_before) ++before_;
    const bool told = for_people(options_.output) || options_.output == Form::name;
    if (!told) return print_element(options_.output, api::batch_record(line, line.submitted_before || line.problem ? "" : "running"), "", console_);
    if (!line.problem) return console_.out().line(line.chain.value);
    if (line.problem->findings.empty()) return tell(line.problem->error, line.number);
    for (const auto& finding : line.problem->findings) tell(finding.error, line.number);
  }

  /// At its place in the batch, where it does not stand in a file of its own.
  void tell(Error error, std::size_t number) {
    const bool elsewhere = !error.where.file.empty() && error.where.file.starts_with('/');
    if (elsewhere) {
      error.message = fmt::format("line {}: {}", number, error.message);
    } else {
      error.where.file = options_.file == "-" ? "stdin" : options_.file;
      error.where.line = static_cast<std::uint32_t>(number);
    }
    console_.error(error);
  }

  const BatchOptions& options_;
  LineSource source_;
  api::Shelf shelf_;
  api::PinnedBook book_;
  storage::Durability durability_;
  Console& console_;
  std::string directory_;
  std::deque<Held> held_;
  std::map<std::size_t, std::size_t> on_their_way_;  // by the number of the submission that of the line, among all
  std::size_t given_ = 0;
  std::size_t printed_ = 0;
  std::size_t submitted_ = 0;
  std::size_t before_ = 0;
  std::size_t refused_ = 0;
  std::optional<Error> failure_;
};

}  // namespace

ExitCode submit_batch(const BatchOptions& options, client::ClusterClient& client, Console& console) {
  auto source = LineSource::open(options.file, limits::kDocumentBytesMax);
  if (!source) return report(console, source.error());
  auto shelf = open_batch_shelf(options.tools, options.stored);
  if (!shelf) return report(console, shelf.error());
  const auto configured = configuration();
  if (!configured) return report(console, configured.error());
  BatchLines lines{options, std::move(*source), std::move(*shelf), durability_named(configured->settings.durability), console};
  return lines.finish(client.submit_each([&] { return lines.give(); },
                                         [&](std::size_t number, Result<client::Submitted> came_to) { lines.settle(number, std::move(came_to)); }));
}

}  // namespace catena::cli
