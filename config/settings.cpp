#include "config/settings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <concepts>
#include <cstdlib>
#include <limits>

#include "base/suggest.hpp"
#include "base/time.hpp"
#include "config/read_values.hpp"
#include "config/together.hpp"
#include "config/yaml_file.hpp"

namespace catena::config {
namespace {

Result<void> read_durability(Settings& settings, std::string_view text) {
  if (text != "sync" && text != "async" && text != "none") return fail(Code::field_value, fmt::format("'{}' is none of sync, async, none", text));
  settings.durability = text;
  return {};
}

Result<void> read_logs_keep(Settings& settings, std::string_view text) {
  if (text != "all" && text != "failed" && text != "none") return fail(Code::field_value, fmt::format("'{}' is none of all, failed, none", text));
  settings.logs_keep = text;
  return {};
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ":") + part;
  return text;
}

Result<void> read_env_pass(Settings& settings, std::string_view text) {
  auto names = split(text, ':');
  for (const auto& name : names) {
    if (name.starts_with("CATENA_") || name.find('=') != std::string::npos)
      return fail(Code::field_value, fmt::format("'{}' cannot be passed on: CATENA_… is catena's own, and a name has no '='", name));
  }
  settings.worker_env_pass = std::move(names);
  return {};
}

std::string shown(const Table& table) { return Json(table).dump(); }

/// "host:port", "[address]:port" for IPv6.
Result<void> check_address(std::string_view text, std::uint32_t least_port) {
  const auto colon = text.rfind(':');
  const auto host = text.substr(0, colon == std::string_view::npos ? 0 : colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  const auto port = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  std::uint32_t number = 0;
  const auto [end, ec] = std::from_chars(port.data(), port.data() + port.size(), number);
  const bool is_port = ec == std::errc{} && end == port.data() + port.size() && number >= least_port && number <= 65535;
  const bool is_host =
      !host.empty() && host.find_first_of(" \t/") == std::string_view::npos && (bracketed || host.find_first_of(":[]") == std::string_view::npos);
  if (!is_port || !is_host) return fail(Code::field_value, fmt::format("'{}' is not host:port, or [address]:port for IPv6", text));
  return {};
}

Result<void> read_listen(Settings& settings, std::string_view text) {
  if (auto checked = check_address(text, 0); !checked) return checked;
  settings.coordinator_listen = text;
  return {};
}

Result<void> read_http_listen(Settings& settings, std::string_view text) {
  if (!text.empty()) {
    if (auto checked = check_address(text, 0); !checked) return checked;
  }
  settings.http_listen = text;
  return {};
}

Result<void> read_cluster_address(Settings& settings, std::string_view text) {
  if (!text.empty()) {
    if (auto checked = check_address(text, 1); !checked) return checked;
  }
  settings.cluster_address = text;
  return {};
}

Result<void> read_clock_skew(Settings& settings, std::string_view text) {
  constexpr std::uint32_t kSkewMost = 300'000;
  auto read = settings.oidc_clock_skew_ms;
  if (auto span = read_span(read, text, 0); !span) return span;
  if (read > kSkewMost) return fail(Code::field_value, fmt::format("'{}' is more than 5m: set the clocks instead", text));
  settings.oidc_clock_skew_ms = read;
  return {};
}

// Rows by the type of their member.
constexpr bool kLive = true;

template <std::string Settings::*Member>
constexpr Option text(std::string_view section, std::string_view key, std::string_view meaning, bool live = false) {
  return {section,
          key,
          meaning,
          [](Settings& s, std::string_view value) -> Result<void> {
            s.*Member = value;
            return {};
          },
          [](const Settings& s) { return s.*Member; },
          nullptr,
          live};
}
template <auto Member, auto Least>
constexpr Option number(std::string_view section, std::string_view key, std::string_view meaning, bool live = false) {
  return {section,
          key,
          meaning,
          [](Settings& s, std::string_view value) { return read_number(s.*Member, value, {Least}); },
          [](const Settings& s) { return std::to_string(s.*Member); },
          nullptr,
          live};
}
template <std::uint32_t Settings::*Member, std::uint32_t Least>
constexpr Option span(std::string_view section, std::string_view key, std::string_view meaning, bool live = false) {
  return {section,
          key,
          meaning,
          [](Settings& s, std::string_view value) { return read_span(s.*Member, value, Least); },
          [](const Settings& s) { return to_string(Millis{s.*Member}); },
          nullptr,
          live};
}
template <bool Settings::*Member>
constexpr Option flag(std::string_view section, std::string_view key, std::string_view meaning) {
  return {section, key, meaning, [](Settings& s, std::string_view value) { return read_flag(s.*Member, value); },
          [](const Settings& s) { return std::string{s.*Member ? "true" : "false"}; }};
}
template <Table Settings::*Member>
constexpr Option table(std::string_view section, std::string_view key, std::string_view meaning) {
  return {section, key, meaning, nullptr, [](const Settings& s) { return shown(s.*Member); }, Member};
}

constexpr std::array kOptions{
    text<&Settings::data_dir>("storage", "data_dir", "where chains are kept; empty: $XDG_STATE_HOME/catena"),
    Option{"storage", "durability", "what is acknowledged survives: sync (loss of power), async (end of the process), none", read_durability,
           [](const Settings& s) { return s.durability; }},
    text<&Settings::backup_dir>("storage", "backup_dir",
                                "where POST /v1/store:backup makes backups, a directory of its own for each; empty: nowhere"),
    flag<&Settings::accept_rewound>("storage", "accept_rewound", "true: go on with a data directory that lost acknowledged records"),
    number<&Settings::checkpoint_every, 16>("storage", "checkpoint_every", "events between two checkpoints of a chain"),
    span<&Settings::collect_every_ms, 0>("storage", "collect_every",
                                         "the time between two looks for contents that no chain and no file refers to any more; 0: none"),
    Option{"tools", "roots", "folders with definitions and programs, in order, separated by ':'",
           [](Settings& s, std::string_view value) -> Result<void> {
             s.roots = split(value, ':');
             return {};
           },
           [](const Settings& s) { return joined(s.roots); }},
    Option{"coordinator", "listen", "where the coordinator listens for workers and clients, host:port; port 0: any that is free", read_listen,
           [](const Settings& s) { return s.coordinator_listen; }},
    number<&Settings::coordinator_slots, 0>("coordinator", "slots",
                                            "attempts that the coordinator itself runs at a time; 0: none, workers run them all"),
    span<&Settings::coordinator_drain_timeout_ms, 0>(
        "coordinator", "drain_timeout", "how long the coordinator's own attempts have to end when it is stopped; those of workers go on without it",
        kLive),
    number<&Settings::coordinator_memory_max, 0>(
        "coordinator", "memory_max",
        "bytes of memory at which the process takes no new chains and starts no child chains, until it uses a tenth less; 0: 80 % of what its "
        "cgroup or the machine has"),
    Option{"cluster", "address", "the coordinator that workers join and clients ask, host:port; empty: none", read_cluster_address,
           [](const Settings& s) { return s.cluster_address; }},
    text<&Settings::cluster_token_file>("cluster", "token_file",
                                        "a file that holds the join token and nothing else; empty: no token is asked for, none is sent", kLive),
    text<&Settings::cluster_ca_file>("cluster", "ca_file",
                                     "the certificate (PEM) of the cluster's CA; the three TLS files come together, empty: no TLS"),
    text<&Settings::cluster_certificate_file>("cluster", "certificate_file", "the certificate (PEM) of this node; read anew for each connection"),
    text<&Settings::cluster_key_file>("cluster", "key_file", "the private key (PEM) of that certificate"),
    flag<&Settings::cluster_insecure_link>("cluster", "insecure_link",
                                           "true: links beyond loopback may go without TLS; whoever sees the network sees and changes everything"),
    span<&Settings::cluster_lease_ms, 300>("cluster", "lease", "the silence after which a worker is given up; at least three heartbeats"),
    span<&Settings::cluster_heartbeat_ms, 100>("cluster", "heartbeat", "the time between two heartbeats of a worker"),
    span<&Settings::cluster_adopt_ms, 0>("cluster", "adopt",
                                         "how long after its port is open a coordinator waits for workers to come back with what they "
                                         "still run, at least a lease; 0: two leases"),
    number<&Settings::limits_connections, 1>("limits", "connections", "connections that the coordinator holds at a time"),
    number<&Settings::limits_connections_per_address, 1>("limits", "connections_per_address", "and how many of them from one address"),
    number<&Settings::limits_waiting, 1>("limits", "waiting", "connections that may wait to be admitted at a time"),
    number<&Settings::limits_waiting_per_address, 1>("limits", "waiting_per_address", "and how many of them from one address"),
    span<&Settings::limits_handshake_timeout_ms, 100>("limits", "handshake_timeout", "how long a connection has for TLS, token and role"),
    text<&Settings::worker_name>("worker", "name",
                                 "the worker's name in the cluster, one of its kind; empty: the name in its certificate, else the host name"),
    number<&Settings::slots, 0>("worker", "slots", "attempts that run at a time; 0: twice the processors, at least 4"),
    table<&Settings::worker_labels>("worker", "labels", "what this worker says of itself, for steps that need it: {key: value}"),
    table<&Settings::capabilities>("worker", "capabilities",
                                   "what this worker announces, for remote: endpoints: {name: endpoint}; programs by absolute path or on PATH"),
    text<&Settings::worker_cache_dir>("worker", "cache_dir", "where a worker keeps programs that it fetched; empty: worker/ under storage.data_dir"),
    number<&Settings::worker_cache_bytes, 0>(
        "worker", "cache_bytes", "bytes of programs that are kept there: beyond, those not used for longest go, never one in use; 0: without bound"),
    span<&Settings::worker_drain_timeout_ms, 0>(
        "worker", "drain_timeout", "how long running attempts have to end when the worker is told to leave; what has not ended is stopped", kLive),
    span<&Settings::worker_redial_max_ms, 100>("worker", "redial_max",
                                               "the longest time from one call to a coordinator that cannot be reached to the next"),
    text<&Settings::worker_run_as>("worker", "run_as",
                                   "the user that exec: and serve: tools and run_program run as, with the user's groups and home; only where catena "
                                   "is started as root; empty: the user of catena"),
    Option{"worker", "env_pass",
           "names of variables, separated by ':', that tools get from the environment of catena besides PATH HOME LANG LC_ALL TZ TMPDIR USER",
           read_env_pass, [](const Settings& s) { return joined(s.worker_env_pass); }},
    table<&Settings::worker_secrets>("worker", "secrets",
                                     "what SECRET:name in the environment of a tool is on this worker: {name: 'file:/path', 'env:NAME' or "
                                     "'command:/program args'}; the name '*' stands for all others, {name} in its value for theirs"),
    flag<&Settings::process_inspectable>(
        "process", "inspectable",
        "true: debuggers, core dumps and tools of the same user may look into this process, which holds keys and tokens; for finding faults"),
    flag<&Settings::http_allow_link_local>("http", "allow_link_local", "true: tools may reach link-local and cloud metadata addresses"),
    text<&Settings::http_ca_file>("http", "ca_file", "certificates (PEM) that https: trusts besides those of the system; empty: none"),
    Option{"http", "listen", "where the HTTP interface of the coordinator listens, host:port; port 0: any that is free; empty: there is none",
           read_http_listen, [](const Settings& s) { return s.http_listen; }},
    Option{"http", "hosts", "names by which clients may call the HTTP interface besides its address and localhost, separated by ':'",
           [](Settings& s, std::string_view value) -> Result<void> {
             s.http_hosts = split(value, ':');
             return {};
           },
           [](const Settings& s) { return joined(s.http_hosts); }},
    text<&Settings::http_certificate_file>("http", "certificate_file",
                                           "the certificate (PEM) of the HTTP interface; read anew for each connection; empty: no TLS"),
    text<&Settings::http_key_file>("http", "key_file", "the private key (PEM) of that certificate"),
    text<&Settings::http_client_ca_file>("http", "client_ca_file",
                                         "certificates (PEM) of the authorities of clients that may show a certificate; empty: none may"),
    table<&Settings::http_certificate_roles>("http", "certificate_roles",
                                             "what clients may that show a certificate, by the name in it (CN), which may end in *: {name: viewer, "
                                             "operator or admin}, of one namespace as operator@NAMESPACE"),
    number<&Settings::http_requests_per_second, 0>("http", "requests_per_second",
                                                   "requests a second of one access token, certificate or, without these, address; 0: any number"),
    number<&Settings::http_burst, 0>("http", "burst", "of them, those that may come at once; 0: as many as a second has"),
    number<&Settings::http_open_requests, 0>("http", "open_requests",
                                             "requests of one of these that are being answered at a time, waits and streams included; 0: any number"),
    flag<&Settings::http_tokens>("http", "tokens", "true: each request to the HTTP interface shows an access token (catena token create)"),
    flag<&Settings::http_without_authentication>(
        "http", "without_authentication",
        "true: the HTTP interface may listen beyond loopback; it asks nobody who he is, so whoever reaches it can do everything"),
    text<&Settings::oidc_issuer>(
        "oidc", "issuer",
        "the issuer whose tokens (JWT) the HTTP interface accepts, as it stands in them (iss): https://id.example.org; empty: none"),
    text<&Settings::oidc_audience>("oidc", "audience", "what tokens of the issuer have to be for (aud): the name of this service there"),
    text<&Settings::oidc_jwks_file>("oidc", "jwks_file",
                                    "a file with the issuer's public keys (JWKS), read again while it runs; empty: they are fetched"),
    text<&Settings::oidc_jwks_url>("oidc", "jwks_url", "where the issuer's public keys are fetched; empty: where its discovery document says"),
    text<&Settings::oidc_claim>("oidc", "claim", "the claim of a token that roles follow from; of one within others with dots: realm_access.roles"),
    table<&Settings::oidc_roles>("oidc", "roles",
                                 "what callers may by a value of that claim, which may end in *: {value: viewer, operator or admin}, of one "
                                 "namespace as operator@NAMESPACE"),
    Option{"oidc", "clock_skew", "by how much the clocks of issuer and coordinator may differ, 5m at most", read_clock_skew,
           [](const Settings& s) { return to_string(Millis{s.oidc_clock_skew_ms}); }},
    text<&Settings::llm_base_url>("llm", "base_url", "the chat endpoint behind llm_text, as OpenAI's clients understand it: https://host/v1"),
    text<&Settings::llm_model>("llm", "model", "the model that llm_text asks where the chain names none"),
    text<&Settings::llm_api_key_file>("llm", "api_key_file", "a file that holds the key of that endpoint and nothing else; never the key itself"),
    text<&Settings::llm_api_key_env>("llm", "api_key_env", "or the name of the environment variable that holds it"),
    number<&Settings::children_at_a_time, 1>("chains", "children_at_a_time",
                                             "child chains of one fan-out that run at a time, where it sets no max_concurrency"),
    number<&Settings::family_max, 1>("chains", "family_max", "descendants of one submitted chain that live at a time; further ones wait for room"),
    span<&Settings::sleep_after_ms, 0>(
        "chains", "sleep_after",
        "how long a chain that only waits stays before it leaves the memory of its coordinator, until something happens to it; 0: it stays"),
    number<&Settings::order_items_max, 1>("chains", "order_items_max", "items of a fan-out in one order to a worker, at most"),
    span<&Settings::order_target_ms, 1>("chains", "order_target",
                                        "how long an order should keep a slot busy: short items travel by the thousand, long ones alone"),
    table<&Settings::retention>(
        "chains", "retention",
        "how long chains are kept after they ended, 1m at least: {succeeded: 7d, failed: 30d, cancelled: 30d}; those that are "
        "not named: for ever"),
    span<&Settings::idempotency_ttl_ms, 60'000>(
        "chains", "idempotency_ttl",
        "how long the key of a submission (--idempotency-key) is kept after it, 1m at least: the same submission makes no second chain until then"),
    Option{"logs", "keep", "of which attempts of exec: and serve: tools what they print is kept with the chain: all, failed, none", read_logs_keep,
           [](const Settings& s) { return s.logs_keep; }},
    number<&Settings::logs_attempt_max, 1024>(
        "logs", "attempt_max", "bytes that are kept of each stream of an attempt: one half from its beginning, the other from its end"),
    number<&Settings::logs_chain_max, (1ULL << 20U)>("logs", "chain_max",
                                                     "bytes that are kept of all attempts of a chain; beyond, what came first goes first"),
    number<&Settings::feed_keep, 0>("feed", "keep",
                                    "how many notices of what became of chains a coordinator keeps for those who follow them all; 0: none"),
    number<&Settings::audit_keep, 0>("audit", "keep",
                                     "how many entries the audit log keeps at least, of what persons asked of chains, workers and tokens; 0: none"),
    table<&Settings::webhooks_chains>(
        "webhooks", "chains", "who is told what becomes of chains: {name: 'URL [events=failed,cancelled] [secret=SECRET:name] [label=key=value]'}"),
    table<&Settings::webhooks_secrets>("webhooks", "secrets", "what SECRET:name of a webhook is, as worker.secrets: {name: 'file:/path'}"),
    flag<&Settings::webhooks_allow_private>("webhooks", "allow_private", "true: webhooks may have addresses of this machine and of private networks"),
    number<&Settings::webhooks_keep, 0>("webhooks", "keep", "how many deliveries that arrived or were given up are kept, to be seen and replayed"),
    number<&Settings::webhooks_pending, 1>("webhooks", "pending", "how many deliveries wait at most; beyond, the oldest is given up"),
    text<&Settings::traces_endpoint>("traces", "endpoint", "URL of a receiver of traces (OTLP over HTTP); empty: OTEL_EXPORTER_OTLP_ENDPOINT"),
    text<&Settings::plan_binder>(
        "plan", "binder", "the name of the tool that is asked for what a plan's tools require and no result has, such as llm_text; empty: none"),
    table<&Settings::endpoints>("endpoints", "",
                                "endpoints of other systems and what stands for them; a key may end in *, which is {name} in the value"),
};

std::string name_of(const Row& row) { return row.key.empty() ? row.section : row.section + "." + row.key; }

/// The option that a row sets; a section that is one table takes rows of any key.
Result<const Option*> option_of(const Row& row) {
  const auto* const option = std::ranges::find_if(kOptions, [&](const Option& known) {
    return known.section == row.section && (known.key == row.key || (known.key.empty() && !row.key.empty()));
  });
  if (option != kOptions.end()) return option;
  std::vector<std::string> names;
  for (const auto& known : kOptions) names.push_back(known.name());
  return fail(Code::field_unknown, fmt::format("there is no option '{}'{}", name_of(row), did_you_mean(name_of(row), names)), row.where);
}

Result<void> add_entry(Table& table, const std::string& key, const std::string& value) {
  if (!table.emplace(key, value).second) return fail(Code::field_value, fmt::format("'{}' is there twice", key));
  return {};
}

Result<void> add_row(Settings& settings, const Option& option, const Row& row) {
  auto& table = settings.*option.table;
  if (!option.key.empty() || row.key.empty()) {
    if (!row.table) return fail(Code::field_type, "must be a table, 'name: value' each");
    table.clear();
    for (const auto& [key, value] : *row.table) {
      if (auto added = add_entry(table, key, value); !added) return added;
    }
    return {};
  }
  if (row.table || row.values.size() != 1) return fail(Code::field_type, fmt::format("'{}' must have one plain value", row.key));
  return add_entry(table, row.key, row.values.front());
}

Result<void> read_row(Settings& settings, const Option& option, const Row& row) {
  if (option.table != nullptr) return add_row(settings, option, row);
  if (row.table) return fail(Code::field_type, "must be a plain value or a list of them");
  return option.read(settings, joined(row.values));
}

Result<void> apply_row(Loaded& loaded, const Row& row, const std::string& file) {
  const auto option = option_of(row);
  if (!option) return fail(option.error());
  if (auto read = read_row(loaded.settings, **option, row); !read) {
    return fail(read.error().code, fmt::format("option '{}': {}", (*option)->name(), read.error().message), row.where);
  }
  loaded.origin[(*option)->name()] = file;
  return {};
}

/// A table is a JSON object in a variable.
Result<Row> row_of_variable(const Option& option, const std::string& value) {
  Row row{std::string{option.section}, std::string{option.key}, {value}, {}, {option.variable(), 0, 0}};
  if (option.table == nullptr) return row;
  row.table.emplace();
  const auto json = Json::parse(value, nullptr, /*allow_exceptions=*/false);
  const bool strings = json.is_object() && std::ranges::all_of(json, [](const Json& member) { return member.is_string(); });
  if (!strings) return fail(Code::field_type, fmt::format("option '{}' must be a JSON object whose values are strings", option.name()), row.where);
  for (const auto& [key, member] : json.items()) row.table->emplace_back(key, member.get<std::string>());
  return row;
}

/// The file to read, if there is one: the one named must be there, the usual places may be empty.
std::optional<std::string> config_file(const std::optional<std::string>& named, const Environment& environment) {
  if (named) return named;
  if (const auto variable = environment("CATENA_CONFIG")) return variable;
  std::vector<std::string> places;
  if (const auto home = environment("XDG_CONFIG_HOME")) {
    places.push_back(*home + "/catena/catena.yaml");
  } else if (const auto user = environment("HOME")) {
    places.push_back(*user + "/.config/catena/catena.yaml");
  }
  places.emplace_back("/etc/catena/catena.yaml");
  const auto found = std::ranges::find_if(places, [](const std::string& place) { return ::access(place.c_str(), F_OK) == 0; });
  return found == places.end() ? std::nullopt : std::optional{*found};
}

/// Every option with its meaning and its value; `remark` is what else is said of it.
template <class Remark>
std::string rows(const Remark& remark, const Settings& settings) {
  std::string text;
  std::string_view section;
  for (const auto& option : kOptions) {
    const bool whole = option.key.empty();
    if (option.section != section) text += fmt::format("{}{}", section.empty() ? "" : "\n", whole ? "" : fmt::format("{}:\n", option.section));
    section = option.section;
    const auto value = option.show(settings);
    // a JSON object is a YAML one as well
    text += fmt::format("{0}# {1} ({2}{3}{4})\n{0}{5}: {6}\n", whole ? "" : "  ", option.meaning, option.variable(),
                        option.live ? "; read again on SIGHUP" : "", remark(option), whole ? option.section : option.key,
                        option.table != nullptr ? value : Json(value).dump());
  }
  return text;
}

}  // namespace

std::string Option::variable() const {
  auto text = fmt::format("CATENA_{}{}{}", section, key.empty() ? "" : "__", key);
  std::ranges::transform(text, text.begin(), [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
  return text;
}

std::span<const Option> options() { return kOptions; }

std::vector<Error> unknown_variables(std::span<const std::string> names) {
  // Read elsewhere: by the command line, by tools (which get some of these), and in builds with failpoints.
  constexpr std::array<std::string_view, 12> kOthers{"CATENA_PROFILE", "CATENA_WORK_DIR", "CATENA_FAILPOINT_AT", "CATENA_CONFIG",
                                                     "CATENA_TOOLS",   "CATENA_DATA_DIR", "CATENA_FAILPOINT",    "CATENA_IDEMPOTENCY_KEY",
                                                     "CATENA_ATTEMPT", "CATENA_TOOL",     "CATENA_KEEPER",       "CATENA_CONTEXT"};
  std::vector<std::string> known{kOthers.begin(), kOthers.end()};
  for (const auto& option : kOptions) known.push_back(option.variable());
  std::vector<Error> warnings;
  for (const auto& name : names) {
    if (!name.starts_with("CATENA_") || std::ranges::find(known, name) != known.end()) continue;
    // Scripts have variables of their own: said is only what looks like one of these.
    const auto hint = did_you_mean(name, known);
    if (hint.empty() && name.find("__") == std::string::npos) continue;
    warnings.push_back(make_error(
        Code::field_unknown, fmt::format("nothing reads the environment variable '{}'{}; `catena config` names those of the settings", name, hint)));
  }
  return warnings;
}

Environment process_environment() {
  return [](const std::string& variable) -> std::optional<std::string> {
    const char* value = std::getenv(variable.c_str());
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string{value};
  };
}

Result<Loaded> load(const std::optional<std::string>& named, const Environment& environment) {
  Loaded loaded;
  if (const auto file = config_file(named, environment)) {
    const auto rows = read_yaml_file(*file);
    if (!rows) return fail(rows.error());
    for (const auto& row : *rows) {
      if (auto applied = apply_row(loaded, row, *file); !applied) return fail(applied.error());
    }
  }
  for (const auto& option : kOptions) {
    const auto value = environment(option.variable());
    if (!value) continue;
    const auto row = row_of_variable(option, *value);
    if (!row) return fail(row.error());
    if (auto applied = apply_row(loaded, *row, option.variable()); !applied) return fail(applied.error());
  }
  if (auto checked = check_together(loaded); !checked) return fail(checked.error());
  return loaded;
}

std::string show(const Loaded& loaded) {
  return rows(
      [&](const Option& option) {
        const auto origin = loaded.origin.find(option.name());
        return fmt::format("; from: {}", origin == loaded.origin.end() ? "default" : origin->second);
      },
      loaded.settings);
}

std::string example() {
  return "# Every option of catena with its default. The environment wins over the file, the command line over both.\n\n" +
         rows([](const Option&) { return std::string{}; }, Settings{});
}

Reloaded reload(const Loaded& running, const Loaded& read) {
  Reloaded reloaded{running, {}, {}};
  for (const auto& option : kOptions) {
    const auto value = option.show(read.settings);
    if (value == option.show(running.settings)) continue;
    if (!option.live) {
      reloaded.waiting.push_back(option.name());
      continue;
    }
    // a live option is no table, and its value was accepted when it was read
    if (const auto changed = option.read(reloaded.loaded.settings, value); !changed) continue;
    const auto origin = read.origin.find(option.name());
    origin == read.origin.end() ? static_cast<void>(reloaded.loaded.origin.erase(option.name()))
                                : static_cast<void>(reloaded.loaded.origin[option.name()] = origin->second);
    reloaded.changed.push_back(option.name());
  }
  return reloaded;
}

}  // namespace catena::config
