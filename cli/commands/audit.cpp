#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <deque>
#include <memory>
#include <optional>

#include "cli/commands/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/records.hpp"
#include "cli/since.hpp"
#include "client/records.hpp"

namespace catena::cli {
namespace {

using coordinator::AuditRow;

constexpr std::size_t kAuditTailMax = 100'000;

struct AuditOptions {
  coordinator::ReadAudit ask;
  std::string since;
  std::optional<std::size_t> tail;
  Form form = Form::table;
  Place place;
};

std::string asker_name(const storage::Asker& by) {
  if (by.name.empty()) return by.id.empty() ? "anyone" : by.id;
  return by.name;
}

class AuditPrinter {
 public:
  AuditPrinter(const AuditOptions& options, Console& console)
      : tail_{options.tail},
        for_people_{for_people(options.form)},
        console_{console},
        printer_{options.form,
                 "number",
                 {{.title = "TIME"},
                  {.title = "WHO", .shortens = true},
                  {.title = "VIA", .leaves = 1},
                  {.title = "ACT"},
                  {.title = "SUBJECT", .shortens = true},
                  {.title = "DETAIL", .shortens = true, .leaves = 3},
                  {.title = "REASON", .shortens = true, .leaves = 2}},
                 console} {}

  void take(const AuditRow& row) {
    if (!tail_) return print(row);
    kept_.push_back(row);
    if (kept_.size() > *tail_) kept_.pop_front();
  }
  void finish() {
    for (const auto& row : kept_) print(row);
    printer_.finish();
    if (none_ && for_people_) console_.say("the audit log has no entry that fits");
  }

 private:
  void print(const AuditRow& row) {
    none_ = false;
    printer_.add([&] { return client::to_json(row); },
                 [&]() -> Cells {
                   const auto& entry = row.entry;
                   return {iso8601(entry.at), asker_name(entry.by), std::string{storage::name(entry.by.via)}, entry.act, entry.subject,
                           entry.detail,      entry.reason};
                 });
  }

  std::optional<std::size_t> tail_;
  bool for_people_;
  bool none_ = true;
  Console& console_;
  std::deque<AuditRow> kept_;
  RecordPrinter printer_;
};

ExitCode audit(AuditOptions options, Console& console) {
  if (!options.since.empty()) {
    const auto since = parse_since(options.since, console.now());
    if (!since) return report(console, since.error());
    options.ask.since = *since;
  }
  const Interrupt interrupt;
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  AuditPrinter printer{options, console};
  while (true) {
    const auto page = shelf->questions->ask(options.ask);
    if (!page) return report(console, page.error());
    for (const auto& row : page->rows) printer.take(row);
    if (Interrupt::requested()) return ExitCode::interrupted;
    if (!page->more || console.out().closed()) break;
    options.ask.first = page->next;
  }
  printer.finish();
  return ExitCode::ok;
}

}  // namespace

Action define_audit(CLI::App& app) {
  const auto options = std::make_shared<AuditOptions>();
  auto& ask = options->ask;
  app.add_option("--subject", ask.subject,
                 "only what was asked of the chain, the worker or the token with this id, or that fits this pattern (* and ?)")
      ->option_text("ID");
  app.add_option("--who", ask.who, "only what was asked by who has this name or id, or fits this pattern")->option_text("NAME");
  app.add_option("--act", ask.act, "only this: cancel, retry, drain, ...")->option_text("ACT");
  app.add_option("--since", options->since, "only what was asked in this time (90s, 2h) or since this date or time")->option_text("WHEN");
  app.add_option("--tail", options->tail, "only the last so many of them")->check(CLI::Range(std::size_t{1}, kAuditTailMax))->option_text("N");
  add_record_output(app, options->form, "the numbers of entries");
  add_place(app, options->place);
  return [options](Console& console) { return audit(*options, console); };
}

}  // namespace catena::cli
