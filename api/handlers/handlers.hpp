#pragma once
// One function a route. Each reads what its request says and answers, or says what the actors of the coordinator are to be asked.
#include "api/route.hpp"

namespace catena::api {

// the server itself
[[nodiscard]] Outcome<Answer> tell_alive(const Asked& asked);
[[nodiscard]] Worked tell_ready(const Asked& asked, const Means& means);
[[nodiscard]] Outcome<Answer> tell_openapi(const Asked& asked);
[[nodiscard]] Worked tell_metrics(const Asked& asked, const Means& means);
[[nodiscard]] Worked read_feed(const Asked& asked, const Means& means);
[[nodiscard]] Worked read_audit(const Asked& asked, const Means& means);
[[nodiscard]] Worked list_webhooks(const Asked& asked, const Means& means);
[[nodiscard]] Worked replay_webhook(const Asked& asked, const Means& means);
[[nodiscard]] Outcome<Answer> tell_limits(const Asked& asked);
[[nodiscard]] Worked tell_store(const Asked& asked, const Means& means);
[[nodiscard]] Worked tell_diagnosis(const Asked& asked, const Means& means);
[[nodiscard]] Worked back_up_store(const Asked& asked, const Means& means);
[[nodiscard]] Outcome<Answer> list_errors(const Asked& asked);
[[nodiscard]] Outcome<Answer> tell_error(const Asked& asked);

// chains
[[nodiscard]] Worked submit_chain(const Asked& asked, const Means& means);
[[nodiscard]] Worked submit_batch(const Asked& asked, const Means& means);
[[nodiscard]] Worked list_chains(const Asked& asked, const Means& means);
[[nodiscard]] Worked tell_chain(const Asked& asked, const Means& means);
[[nodiscard]] Worked list_children(const Asked& asked, const Means& means);
[[nodiscard]] Worked remove_chain(const Asked& asked, const Means& means);

// what is in a chain
[[nodiscard]] Worked list_steps(const Asked& asked, const Means& means);
[[nodiscard]] Worked list_items(const Asked& asked, const Means& means);
[[nodiscard]] Worked tell_item_states(const Asked& asked, const Means& means);
[[nodiscard]] Worked group_failures(const Asked& asked, const Means& means);
[[nodiscard]] Worked group_chain_failures(const Asked& asked, const Means& means);
[[nodiscard]] Worked follow_chain(const Asked& asked, const Means& means);
[[nodiscard]] Worked read_results(const Asked& asked, const Means& means);
[[nodiscard]] Worked read_history(const Asked& asked, const Means& means);
[[nodiscard]] Worked read_logs(const Asked& asked, const Means& means);
[[nodiscard]] Worked read_arguments(const Asked& asked, const Means& means);
[[nodiscard]] Worked read_context(const Asked& asked, const Means& means);
[[nodiscard]] Worked read_response(const Asked& asked, const Means& means);
[[nodiscard]] Worked read_step_response(const Asked& asked, const Means& means);
[[nodiscard]] Worked read_item_response(const Asked& asked, const Means& means);

// a chain as a picture
[[nodiscard]] Worked draw_chain(const Asked& asked, const Means& means);
[[nodiscard]] Worked diff_chains(const Asked& asked, const Means& means);
[[nodiscard]] Worked read_definition(const Asked& asked, const Means& means);
[[nodiscard]] Worked tell_timeline(const Asked& asked, const Means& means);
[[nodiscard]] Worked tell_slowest_items(const Asked& asked, const Means& means);
[[nodiscard]] Worked tell_item_workers(const Asked& asked, const Means& means);

// why chains do not move
[[nodiscard]] Worked explain_chain(const Asked& asked, const Means& means);
[[nodiscard]] Worked explain_all(const Asked& asked, const Means& means);

// what a person asks of a chain
[[nodiscard]] Worked cancel_chain(const Asked& asked, const Means& means);
[[nodiscard]] Worked kill_chain(const Asked& asked, const Means& means);
[[nodiscard]] Worked pause_chain(const Asked& asked, const Means& means);
[[nodiscard]] Worked unpause_chain(const Asked& asked, const Means& means);
[[nodiscard]] Worked amend_chain(const Asked& asked, const Means& means);
[[nodiscard]] Worked signal_chain(const Asked& asked, const Means& means);
[[nodiscard]] Worked list_approvals(const Asked& asked, const Means& means);
[[nodiscard]] Worked approve_tasks(const Asked& asked, const Means& means);
[[nodiscard]] Worked reject_tasks(const Asked& asked, const Means& means);
[[nodiscard]] Worked resume_chain(const Asked& asked, const Means& means);
[[nodiscard]] Worked fork_chain(const Asked& asked, const Means& means);
[[nodiscard]] Worked retry_chain(const Asked& asked, const Means& means);
[[nodiscard]] Worked skip_tasks(const Asked& asked, const Means& means);
[[nodiscard]] Worked resolve_tasks(const Asked& asked, const Means& means);

// what the command line asks
[[nodiscard]] Worked post_calls(const Asked& asked, const Means& means);

// definitions, files and workers
[[nodiscard]] Worked validate_definition(const Asked& asked, const Means& means);
[[nodiscard]] Worked list_definitions(const Asked& asked, const Means& means);
[[nodiscard]] Worked tell_definition(const Asked& asked, const Means& means);
[[nodiscard]] Worked read_definition_source(const Asked& asked, const Means& means);
[[nodiscard]] Worked put_definition(const Asked& asked, const Means& means);
[[nodiscard]] Worked remove_definition(const Asked& asked, const Means& means);
[[nodiscard]] Worked list_schedules(const Asked& asked, const Means& means);
[[nodiscard]] Worked tell_schedule(const Asked& asked, const Means& means);
[[nodiscard]] Worked put_schedule(const Asked& asked, const Means& means);
[[nodiscard]] Worked remove_schedule(const Asked& asked, const Means& means);
[[nodiscard]] Worked pause_schedule(const Asked& asked, const Means& means);
[[nodiscard]] Worked resume_schedule(const Asked& asked, const Means& means);
[[nodiscard]] Worked trigger_schedule(const Asked& asked, const Means& means);
[[nodiscard]] Worked backfill_schedule(const Asked& asked, const Means& means);
[[nodiscard]] Worked list_files(const Asked& asked, const Means& means);
[[nodiscard]] Worked tell_file(const Asked& asked, const Means& means);
[[nodiscard]] Worked list_file_versions(const Asked& asked, const Means& means);
[[nodiscard]] Worked read_file_content(const Asked& asked, const Means& means);
[[nodiscard]] Worked put_file(const Asked& asked, const Means& means);
[[nodiscard]] Worked remove_file(const Asked& asked, const Means& means);
[[nodiscard]] Worked check_definition(const Asked& asked, const Means& means);
[[nodiscard]] Worked draw_definition(const Asked& asked, const Means& means);
[[nodiscard]] Worked test_definition(const Asked& asked, const Means& means);
[[nodiscard]] Worked list_nodes(const Asked& asked, const Means& means);
[[nodiscard]] Worked cordon_node(const Asked& asked, const Means& means);
[[nodiscard]] Worked uncordon_node(const Asked& asked, const Means& means);
[[nodiscard]] Worked drain_node(const Asked& asked, const Means& means);

// the web page
[[nodiscard]] Outcome<Answer> go_to_page(const Asked& asked);
[[nodiscard]] Outcome<Answer> send_page(const Asked& asked);
[[nodiscard]] Outcome<Answer> send_page_file(const Asked& asked);

/// The number behind which a reader of a stream goes on: what the header of one that comes back says, or the parameter `after`. Nothing: neither is
/// there.
[[nodiscard]] Outcome<std::optional<std::uint64_t>> place_of(const Asked& asked);

/// A JSON answer.
[[nodiscard]] Answer json_answer(const Json& json, int status = 200);
/// The path of a chain.
[[nodiscard]] std::string chain_path(const ChainId& chain);

/// Of an answer beside its streams: larger values are links.
inline constexpr std::size_t kInlineBytesMax = 512UL << 10U;
/// Rows of a page where a request names no number.
inline constexpr std::uint64_t kRowsByDefault = 100;

}  // namespace catena::api
