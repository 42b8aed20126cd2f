#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/records.hpp"
#include "cli/verbs.hpp"
#include "client/records.hpp"

namespace catena::cli {
namespace {

struct WebhooksOptions {
  Place place;
  Form form = Form::table;
  std::vector<std::string> states;
  std::string chain;
  std::string id;
};

std::string last_of(const storage::Delivery& delivery) {
  if (!delivery.error.empty()) return delivery.error;
  return delivery.status == 0 ? std::string{} : std::to_string(delivery.status);
}

coordinator::ReadWebhooks webhooks_wanted(const WebhooksOptions& options) {
  coordinator::ReadWebhooks ask;
  ask.about = options.chain;
  for (std::size_t state = 0; state < storage::kDeliveryStateNames.size(); ++state) {
    if (std::ranges::find(options.states, storage::kDeliveryStateNames.at(state)) != options.states.end())
      ask.states.push_back(static_cast<storage::DeliveryState>(state));
  }
  return ask;
}

ExitCode list_deliveries(const WebhooksOptions& options, Console& console) {
  const Interrupt interrupt;
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  RecordPrinter printer{options.form,
                        "id",
                        {{.title = "ID"},
                         {.title = "STATE"},
                         {.title = "CHAIN", .shortens = true},
                         {.title = "EVENT"},
                         {.title = "TRIES", .leaves = 3},
                         {.title = "NEXT TRY", .leaves = 2},
                         {.title = "LAST", .shortens = true},
                         {.title = "URL", .shortens = true, .leaves = 1}},
                        console};
  auto ask = webhooks_wanted(options);
  while (true) {
    const auto page = shelf->questions->ask(ask);
    if (!page) return report(console, page.error());
    for (const auto& row : page->rows) {
      printer.add([&] { return client::to_json(row); },
                  [&]() -> Cells {
                    return {row.id,
                            std::string{storage::name(row.state)},
                            row.chain.value,
                            row.event,
                            std::to_string(row.tries),
                            row.next_at == 0 ? std::string{} : iso8601(row.next_at),
                            last_of(row),
                            row.url.substr(0, row.url.find('?'))};
                  });
    }
    if (Interrupt::requested()) return ExitCode::interrupted;
    if (page->next.empty() || console.out().closed()) break;
    ask.after = page->next;
  }
  printer.finish();
  if (for_people(options.form) && printer.count() == 0) console.say("there are no deliveries of webhooks");
  return ExitCode::ok;
}

ExitCode replay_delivery(const WebhooksOptions& options, Console& console) {
  const Interrupt interrupt;
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  if (!shelf->client)
    return report(console, make_error(Code::usage, "webhooks are delivered by a coordinator: give --cluster ADDR:PORT or --profile NAME"));
  const auto replayed = shelf->client->replay_delivery(options.id);
  if (!replayed) return report(console, replayed.error());
  if (!for_people(options.form)) {
    print_record(options.form, dump_lossy(Json{{"id", options.id}, {"state", storage::name(storage::DeliveryState::pending)}}), options.id, console);
    return ExitCode::ok;
  }
  console.say(fmt::format("{} is delivered once more", options.id));
  return ExitCode::ok;
}

void define_list_deliveries(CLI::App& app, WebhooksOptions& options) {
  app.add_option("--state", options.states, "only deliveries in this state: pending, delivered or given_up; may be given several times")
      ->check(CLI::IsMember({"pending", "delivered", "given_up"}))
      ->allow_extra_args(false)
      ->option_text("STATE");
  app.add_option("--chain", options.chain, "only those that tell of this chain")->option_text("ID");
  add_record_output(app, options.form, "the ids of deliveries");
}

void define_replay_delivery(CLI::App& app, WebhooksOptions& options) {
  app.add_option("id", options.id, "the delivery's id, as `catena webhooks list` tells it")->required()->option_text("ID");
  add_text_output(app, options.form, "the id of the delivery");
}

constexpr CommandVerb<WebhooksOptions> kWebhookVerbs[]{
    {"list", "list what webhooks were told, what waits and what was given up", define_list_deliveries, list_deliveries},
    {"replay", "deliver once more, also what arrived", define_replay_delivery, replay_delivery},
};

}  // namespace

Action define_webhooks(CLI::App& app) {
  return define_verbs<WebhooksOptions>(app, kWebhookVerbs, [](CLI::App& verb, WebhooksOptions& options) { add_place(verb, options.place); });
}

}  // namespace catena::cli
