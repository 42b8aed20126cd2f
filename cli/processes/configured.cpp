#include "cli/processes/configured.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/suggest.hpp"
#include "base/time.hpp"
#include "cli/environment.hpp"
#include "cli/options.hpp"
#include "cli/processes/capabilities.hpp"
#include "cli/processes/http_interface.hpp"
#include "cli/processes/inspection.hpp"
#include "cli/processes/process_memory.hpp"
#include "cli/processes/webhook_ports.hpp"
#include "worker/secrets.hpp"
#include "worker/tool_user.hpp"

namespace catena::cli {

namespace {

/// A client that lost its connection asks again for longer than a moment: the chain that it began must not be gone by then, and begin again.
constexpr Millis kRetentionLeast{60'000};

Result<coordinator::Retention> retention_of(const config::Table& table) {
  coordinator::Retention retention;
  const std::vector<std::string> names{"succeeded", "failed", "cancelled"};
  const std::array kept{&retention.succeeded, &retention.failed, &retention.cancelled};
  for (const auto& [name, text] : table) {
    const auto at = std::ranges::find(names, name);
    if (at == names.end()) {
      return fail(Code::field_unknown, fmt::format("option 'chains.retention': '{}' is no way to end{}; there are {}", name,
                                                   did_you_mean(name, names), fmt::join(names, ", ")));
    }
    const auto span = parse_duration(text);
    if (!span || *span < kRetentionLeast) {
      return fail(Code::field_value,
                  fmt::format("option 'chains.retention': '{}' for {} is no duration of 1m or more; write one such as 12h, 7d or 30d", text, name));
    }
    *kept[static_cast<std::size_t>(at - names.begin())] = *span;
  }
  return retention;
}

}  // namespace

Result<coordinator::Settings> chain_settings(const config::Settings& settings) {
  coordinator::Settings chains;
  chains.checkpoint_every = settings.checkpoint_every;
  chains.children_at_a_time = settings.children_at_a_time;
  chains.family_max = settings.family_max;
  chains.memory_max = memory_mark(settings.coordinator_memory_max, memory_there_is(read_system_file));
  chains.order_items_max = settings.order_items_max;
  chains.order_target_us = std::int64_t{settings.order_target_ms} * 1000;
  chains.collect_every_ms = settings.collect_every_ms;
  chains.keys_kept_ms = settings.idempotency_ttl_ms;
  chains.audit_keep = settings.audit_keep;
  auto retention = retention_of(settings.retention);
  if (!retention) return fail(std::move(retention).error());
  chains.retention = *retention;
  auto webhooks = standing_webhooks(settings.webhooks_chains);
  if (!webhooks) return fail(std::move(webhooks).error());
  chains.webhooks = std::move(*webhooks);
  chains.webhooks_keep = settings.webhooks_keep;
  chains.webhooks_pending = settings.webhooks_pending;
  return chains;
}

coordinator::LogLimits log_limits(const config::Settings& settings) {
  coordinator::LogLimits limits;
  limits.keep = settings.logs_keep == "all" ? actors::LogKeep::all : settings.logs_keep == "failed" ? actors::LogKeep::failed : actors::LogKeep::none;
  limits.attempt_max = settings.logs_attempt_max;
  limits.chain_max = settings.logs_chain_max;
  return limits;
}

Result<worker::ExecutorOptions> executor_options(const config::Settings& settings) {
  worker::ExecutorOptions executors;
  executors.http.allow_link_local = settings.http_allow_link_local;
  executors.http.ca_file = settings.http_ca_file;
  auto capabilities = announced(settings.capabilities, search_path());
  if (!capabilities) return fail(std::move(capabilities).error());
  executors.capabilities = std::move(*capabilities);
  executors.llm = {.base_url = settings.llm_base_url,
                   .model = settings.llm_model,
                   .api_key_file = settings.llm_api_key_file,
                   .api_key_env = settings.llm_api_key_env};
  executors.env_pass = settings.worker_env_pass;
  auto secrets = worker::Secrets::from(settings.worker_secrets);
  if (!secrets) return fail(secrets.error().code, "option 'worker.secrets': " + secrets.error().message);
  executors.secrets = std::make_shared<const worker::Secrets>(std::move(*secrets));
  if (!settings.worker_run_as.empty()) {
    auto user = worker::find_tool_user(settings.worker_run_as);
    if (!user) {
      user.error().message = "option 'worker.run_as': " + user.error().message;
      return fail(std::move(user).error());
    }
    executors.user = std::make_shared<const worker::ToolUser>(std::move(*user));
  }
  return executors;
}

std::string programs_directory(const config::Settings& settings, const std::string& data_dir) {
  return settings.worker_cache_dir.empty() ? data_dir + "/worker" : settings.worker_cache_dir;
}

void apply_inspection(const config::Settings& settings) {
  if (settings.process_inspectable) set_inspection(Inspection::allowed);
}

Result<std::unique_ptr<Embedded>> open_embedded(const std::string& directory, std::uint32_t slots, const Clock* clock) {
  const auto configured = configuration();
  if (!configured) return fail(configured.error());
  const auto& settings = configured->settings;
  apply_inspection(settings);
  EmbeddedOptions options;
  options.data_dir = directory;
  options.clock = clock;
  options.programs_dir = programs_directory(settings, directory);
  options.programs_bytes = settings.worker_cache_bytes;
  options.slots = slots != 0 ? slots : settings.slots;
  options.accept_rewound = settings.accept_rewound;
  auto chains = chain_settings(settings);
  if (!chains) return fail(std::move(chains).error());
  options.chains = std::move(*chains);
  options.chains.webhooks.clear();  // a process that ends with its chain delivers nothing: standing webhooks are told by coordinators
  options.logs = log_limits(settings);
  options.chains.tools_start_where_submitted = true;
  auto executors = executor_options(settings);
  if (!executors) return fail(std::move(executors).error());
  options.executors = std::move(*executors);
  options.definitions = definition_shelf(settings);
  return Embedded::open(options);
}

}  // namespace catena::cli
