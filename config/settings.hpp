#pragma once
// What an operator can set. file < environment < flag; unknown names are errors that say the nearest known one.
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace catena::config {

/// An option with names of its own: `name: value` each.
using Table = std::map<std::string, std::string>;

struct Settings {
  std::string data_dir;             // empty: $XDG_STATE_HOME/catena
  std::string durability = "sync";  // sync, async, none
  std::string backup_dir;           // empty: no backups are made over HTTP
  bool accept_rewound = false;      // go on with a data directory that lost acknowledged records
  std::vector<std::string> roots;   // folders with definitions and programs
  std::uint32_t slots = 0;          // 0: twice the processors, at least 4
  std::uint32_t checkpoint_every = 2048;
  std::uint32_t children_at_a_time = 32;
  std::uint32_t family_max = 10'000;      // live descendants of one submitted chain
  std::uint32_t sleep_after_ms = 30'000;  // how long a chain that only waits stays in a coordinator's memory
  std::uint32_t order_items_max = 2048;   // items in one order to a worker
  std::uint32_t order_target_ms = 20;     // how long an order should keep a slot busy
  std::string coordinator_listen = "127.0.0.1:7420";
  std::uint32_t coordinator_slots = 0;  // attempts that it runs itself
  std::uint32_t coordinator_drain_timeout_ms = 10'000;
  std::uint64_t coordinator_memory_max = 0;  // bytes; 0: a part of what there is
  std::string cluster_address;               // host:port of the coordinator; empty: none
  std::string cluster_token_file;            // empty: no token
  std::string cluster_ca_file;               // the three TLS files are all there or all empty
  std::string cluster_certificate_file;
  std::string cluster_key_file;
  bool cluster_insecure_link = false;      // links beyond loopback without TLS
  std::uint32_t cluster_lease_ms = 5'000;  // at least three heartbeats
  std::uint32_t cluster_heartbeat_ms = 1'000;
  std::uint32_t cluster_adopt_ms = 0;  // 0: see adopt_ms()
  std::uint32_t limits_connections = 1'024;
  std::uint32_t limits_connections_per_address = 512;
  std::uint32_t limits_waiting = 256;  // accepted and not yet admitted
  std::uint32_t limits_waiting_per_address = 64;
  std::uint32_t limits_handshake_timeout_ms = 10'000;
  std::string worker_name;  // empty: that of its certificate, else the host name
  Table worker_labels;
  std::string worker_cache_dir;                    // empty: under the data directory
  std::uint64_t worker_cache_bytes = 4ULL << 30U;  // 0: without bound
  std::uint32_t worker_drain_timeout_ms = 30'000;
  std::uint32_t worker_redial_max_ms = 5'000;
  std::string worker_run_as;                 // the user that tools run as; empty: that of the worker
  std::vector<std::string> worker_env_pass;  // variables that tools get besides those that all get
  Table worker_secrets;                      // name to where it comes from
  Table capabilities;                        // of this worker: name to endpoint
  bool process_inspectable = false;
  bool http_allow_link_local = false;
  std::string http_ca_file;             // empty: none
  std::string http_listen;              // of the HTTP interface, host:port; empty: there is none
  std::vector<std::string> http_hosts;  // names by which it is called, besides those that it knows
  std::string http_certificate_file;    // of the HTTP interface; certificate and key come together, empty: no TLS
  std::string http_key_file;
  std::string http_client_ca_file;             // of those that call it; empty: they are not asked for certificates
  Table http_certificate_roles;                // names in certificates of clients to roles
  std::uint32_t http_requests_per_second = 0;  // of one caller; 0: any number
  std::uint32_t http_burst = 0;                // 0: as many as a second has
  std::uint32_t http_open_requests = 0;        // of one caller; 0: any number
  bool http_tokens = false;                    // each request shows an access token
  bool http_without_authentication = false;    // it may listen beyond loopback
  std::string oidc_issuer;                     // whose tokens the HTTP interface accepts; empty: nobody's
  std::string oidc_audience;
  std::string oidc_jwks_file;  // where its keys are: a file, or a URL; neither: where the issuer says
  std::string oidc_jwks_url;
  std::string oidc_claim = "groups";  // from which roles follow
  Table oidc_roles;                   // values of that claim to roles
  std::uint32_t oidc_clock_skew_ms = 30'000;
  std::string llm_base_url;  // of a chat endpoint as OpenAI has it; empty: none
  std::string llm_model;
  std::string llm_api_key_file;  // the key itself is no setting
  std::string llm_api_key_env;
  std::string logs_keep = "all";  // of which attempts: all, failed, none
  std::uint64_t logs_attempt_max = 64ULL << 10U;
  std::uint64_t logs_chain_max = 64ULL << 20U;
  std::uint64_t feed_keep = 100'000;              // notices of the feed; 0: no feed is kept
  std::uint64_t audit_keep = 100'000;             // entries of the audit log; 0: no audit log is kept
  Table webhooks_chains;                          // standing ones: name to address and what it is told
  Table webhooks_secrets;                         // name to where it comes from
  bool webhooks_allow_private = false;            // receivers may have addresses of private networks
  std::uint64_t webhooks_keep = 1'000;            // deliveries that were delivered or given up
  std::uint64_t webhooks_pending = 50'000;        // that wait, at most
  std::string traces_endpoint;                    // base URL of a receiver of OTLP; empty: see OTEL_EXPORTER_OTLP_ENDPOINT
  std::string plan_binder;                        // name of the tool that fills in what plans leave open; empty: none
  std::uint32_t idempotency_ttl_ms = 86'400'000;  // how long keys of submissions are kept
  std::uint32_t collect_every_ms = 600'000;       // between two collections of what nothing refers to; 0: none
  Table retention;                                // how chains ended to how long they are kept then
  Table endpoints;                                // forms of other systems to endpoints

  /// How long a coordinator that starts waits for the workers of what ran.
  [[nodiscard]] std::int64_t adopt_ms() const { return cluster_adopt_ms == 0 ? std::int64_t{2} * cluster_lease_ms : cluster_adopt_ms; }
  [[nodiscard]] bool has_tls() const { return !cluster_ca_file.empty(); }
};

/// One option. `read` changes the settings or says what it expects; a table has `table` instead.
struct Option {
  std::string_view section;
  std::string_view key;  // empty: the whole section is one table
  std::string_view meaning;
  Result<void> (*read)(Settings& settings, std::string_view text);
  std::string (*show)(const Settings& settings);
  Table Settings::*table = nullptr;
  bool live = false;  // a running process takes a new value when it is told to read again
  [[nodiscard]] std::string name() const { return std::string{section} + (key.empty() ? "" : ".") + std::string{key}; }
  /// CATENA_SECTION__KEY; a table is a JSON object there.
  [[nodiscard]] std::string variable() const;
};
[[nodiscard]] std::span<const Option> options();

/// Where a setting comes from, by option name: "default", the file, the variable.
struct Loaded {
  Settings settings;
  std::map<std::string, std::string> origin;
};

/// Reads variables of the process's environment; a test hands in its own.
using Environment = std::function<std::optional<std::string>(const std::string& variable)>;
[[nodiscard]] Environment process_environment();

/// Of these names of variables, those that look like one of CATENA_… and that nothing reads: a warning each, with the nearest that is read.
[[nodiscard]] std::vector<Error> unknown_variables(std::span<const std::string> names);

/// The file named, or the first there is of CATENA_CONFIG, $XDG_CONFIG_HOME/catena/catena.yaml, /etc/catena/catena.yaml; then the
/// environment. Errors: file_unreadable, yaml_syntax, field_unknown, field_type, field_value, each with file, line and column (of what
/// two options together get wrong, with the file).
[[nodiscard]] Result<Loaded> load(const std::optional<std::string>& file, const Environment& environment);

/// A file with every option, its meaning and its value: what `catena config` prints, and reads back.
[[nodiscard]] std::string show(const Loaded& loaded);

/// The same for the defaults: deploy/catena.example.yaml.
[[nodiscard]] std::string example();

/// What becomes of a running process's settings when they are read again.
struct Reloaded {
  Loaded loaded;                     // as they run now: live options as they were read, the others as they were
  std::vector<std::string> changed;  // names of options that were taken over
  std::vector<std::string> waiting;  // that differ, and need a new start
};
[[nodiscard]] Reloaded reload(const Loaded& running, const Loaded& read);

}  // namespace catena::config
