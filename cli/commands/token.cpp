#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/chain_labels.hpp"
#include "base/suggest.hpp"
#include "cli/commands/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/records.hpp"
#include "cli/show/text.hpp"
#include "cli/verbs.hpp"
#include "coordinator/token_book.hpp"

namespace catena::cli {
namespace {

struct TokenOptions {
  Place place;
  std::string role;
  std::string name;
  std::string expires;
  std::string rate;
  std::uint32_t burst = 0;
  std::string namespace_;
  std::string id;
  Form form = Form::table;
};

/// Requests a second, as `50/s` or `50`.
std::optional<std::uint32_t> token_rate(std::string_view text) {
  if (text.ends_with("/s")) text.remove_suffix(2);
  std::uint32_t rate = 0;
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, rate);
  if (read.ec != std::errc{} || read.ptr != end || rate == 0) return std::nullopt;
  return rate;
}

Result<actors::CreateToken> token_wish(const TokenOptions& options) {
  actors::CreateToken wish;
  wish.name = options.name;
  const auto role = storage::token_role_named(options.role);
  if (!role) {
    const std::vector<std::string> known(storage::kTokenRoleNames.begin(), storage::kTokenRoleNames.end());
    return fail(Code::usage,
                fmt::format("no token has the role '{}'{}; there are viewer, operator and admin", options.role, did_you_mean(options.role, known)));
  }
  wish.role = *role;
  if (!options.rate.empty()) {
    const auto rate = token_rate(options.rate);
    if (!rate) return fail(Code::usage, fmt::format("--rate '{}' is no number of requests a second; write one such as 50/s", options.rate));
    wish.rate.per_second = *rate;
  }
  wish.rate.burst = options.burst;
  if (!options.namespace_.empty()) {
    if (auto right = check_namespace(options.namespace_); !right) return fail(std::move(right).error());
    wish.namespace_ = options.namespace_;
  }
  if (options.expires.empty()) return wish;
  const auto lasts = parse_duration(options.expires);
  if (!lasts || lasts->count() <= 0)
    return fail(Code::usage, fmt::format("--expires '{}' is no span of time; write one such as 12h, 30d or 365d", options.expires));
  wish.lasts = *lasts;
  return wish;
}

ExitCode create_access_token(const TokenOptions& options, Console& console) {
  const Interrupt interrupt;
  const auto wish = token_wish(options);
  if (!wish) return report(console, wish.error());
  const auto port = open_chains(options.place, 0, console);
  if (!port) return report(console, port.error());
  const auto made = (*port)->create_token(*wish);
  if (!made) return report(console, made.error());
  if (!for_people(options.form)) {
    Json json{{"id", made->id}, {"token", made->text}, {"role", storage::name(wish->role)}};
    if (!wish->namespace_.empty()) json["namespace"] = wish->namespace_;
    if (made->expires_at != 0) json["expires_at"] = iso8601(made->expires_at);
    print_record(options.form, dump_lossy(json), made->id, console);
    return ExitCode::ok;
  }
  console.out().line(made->text);
  console.out().flush();
  console.say(fmt::format("this is the only time that the token is shown; {}, and `catena token revoke {}` ends it",
                          made->expires_at == 0 ? std::string{"it does not expire"} : fmt::format("it expires at {}", iso8601(made->expires_at)),
                          made->id));
  return ExitCode::ok;
}

std::string_view token_state(const coordinator::TokenRow& token, UnixMillis now) {
  if (token.revoked_at != 0) return "revoked";
  return token.expires_at != 0 && token.expires_at <= now ? "expired" : "valid";
}

Json token_json(const coordinator::TokenRow& token, UnixMillis now) {
  Json json{{"id", token.id}, {"role", storage::name(token.role)}, {"state", token_state(token, now)}, {"created_at", iso8601(token.created_at)}};
  if (!token.name.empty()) json["name"] = token.name;
  if (!token.namespace_.empty()) json["namespace"] = token.namespace_;
  if (token.expires_at != 0) json["expires_at"] = iso8601(token.expires_at);
  if (token.rate.per_second != 0) {
    json["requests"] = {{"per_second", token.rate.per_second}, {"burst", token.rate.burst == 0 ? token.rate.per_second : token.rate.burst}};
  }
  if (token.revoked_at != 0) json["revoked_at"] = iso8601(token.revoked_at);
  return json;
}

ExitCode list_access_tokens(const TokenOptions& options, Console& console) {
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  const auto list = shelf->questions->ask(coordinator::ListTokens{});
  if (!list) return report(console, list.error());
  const auto now = console.now();
  const bool rates = std::ranges::any_of(list->tokens, [](const auto& token) { return token.rate.per_second != 0; });
  const bool spaces = std::ranges::any_of(list->tokens, [](const auto& token) { return !token.namespace_.empty(); });
  RecordPrinter printer{options.form,
                        "id",
                        {{.title = "ID"},
                         {.title = "ROLE"},
                         {.title = "NAME", .shortens = true},
                         {.title = "STATE"},
                         {.title = "EXPIRES", .leaves = 2},
                         {.title = "CREATED", .leaves = 1},
                         {.title = "RATE", .leaves = 3, .absent = !rates},
                         {.title = "NAMESPACE", .leaves = 4, .absent = !spaces}},
                        console};
  for (const auto& token : list->tokens) {
    printer.add([&] { return token_json(token, now); },
                [&] {
                  return Cells{token.id,
                               std::string{storage::name(token.role)},
                               token.name,
                               std::string{token_state(token, now)},
                               token.expires_at == 0 ? "never" : iso8601(token.expires_at),
                               iso8601(token.created_at),
                               coordinator::words(token.rate),
                               token.namespace_};
                });
  }
  printer.finish();
  if (for_people(options.form) && list->tokens.empty()) console.say("there are no access tokens; `catena token create --role viewer` makes one");
  return ExitCode::ok;
}

ExitCode revoke_access_token(const TokenOptions& options, Console& console) {
  const Interrupt interrupt;
  const auto port = open_chains(options.place, 0, console);
  if (!port) return report(console, port.error());
  const auto revoked = (*port)->revoke_token(options.id);
  if (!revoked) return report(console, revoked.error());
  if (!for_people(options.form)) {
    print_record(options.form, dump_lossy(Json{{"id", options.id}, {"state", "revoked"}}), options.id, console);
    return ExitCode::ok;
  }
  console.say(fmt::format("token {} is revoked", options.id));
  return ExitCode::ok;
}

void define_token_create(CLI::App& app, TokenOptions& options) {
  app.add_option("--role", options.role, "viewer (asks), operator (submits and controls chains, too) or admin (all)")
      ->required()
      ->option_text("ROLE");
  app.add_option("--name", options.name, "whom or what it is for")->option_text("NAME");
  app.add_option("--expires", options.expires, "how long it is valid, written 12h, 30d or 365d (default: it does not expire)")->option_text("SPAN");
  app.add_option("--namespace", options.namespace_, "whose chains it reaches, and nothing else (default: all there is)")->option_text("NAME");
  app.add_option("--rate", options.rate, "how many requests a second it may ask, written 50/s (default: as http.requests_per_second says)")
      ->option_text("RATE");
  app.add_option("--burst", options.burst, "of them, those that may come at once (default: as many as a second has)")->option_text("N");
  add_text_output(app, options.form, "the id of the token");
}

void define_token_list(CLI::App& app, TokenOptions& options) { add_record_output(app, options.form, "the ids of tokens"); }

void define_token_revoke(CLI::App& app, TokenOptions& options) {
  app.add_option("id", options.id, "the token's id, as `catena token list` tells it")->required()->option_text("ID");
  add_text_output(app, options.form, "the id of the token");
}

constexpr CommandVerb<TokenOptions> kTokenVerbs[]{
    {"create", "make a token and print it, once", define_token_create, create_access_token},
    {"list", "list the tokens there are, without what is secret of them", define_token_list, list_access_tokens},
    {"revoke", "end a token now", define_token_revoke, revoke_access_token},
};

}  // namespace

Action define_token(CLI::App& app) {
  return define_verbs<TokenOptions>(app, kTokenVerbs, [](CLI::App& verb, TokenOptions& options) { add_place(verb, options.place); });
}

}  // namespace catena::cli
