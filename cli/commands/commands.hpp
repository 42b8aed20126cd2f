#pragma once
// Every command: adds its options to `app`, answers what runs it.
#include "cli/command.hpp"

namespace catena::cli {

Action define_run(CLI::App& app);
Action define_submit(CLI::App& app);
Action define_wait(CLI::App& app);
Action define_watch(CLI::App& app);
Action define_validate(CLI::App& app);
Action define_list(CLI::App& app);
Action define_show(CLI::App& app);
Action define_explain(CLI::App& app);
Action define_history(CLI::App& app);
Action define_report(CLI::App& app);
Action define_logs(CLI::App& app);
Action define_resume(CLI::App& app);
Action define_fork(CLI::App& app);
Action define_retry(CLI::App& app);
Action define_skip(CLI::App& app);
Action define_pause(CLI::App& app);
Action define_unpause(CLI::App& app);
Action define_amend(CLI::App& app);
Action define_signal(CLI::App& app);
Action define_approvals(CLI::App& app);
Action define_approve(CLI::App& app);
Action define_reject(CLI::App& app);
Action define_cancel(CLI::App& app);
Action define_kill(CLI::App& app);
Action define_resolve(CLI::App& app);
Action define_rm(CLI::App& app);
Action define_prune(CLI::App& app);
Action define_store(CLI::App& app);
Action define_coordinator(CLI::App& app);
Action define_worker(CLI::App& app);
Action define_nodes(CLI::App& app);
Action define_cordon(CLI::App& app);
Action define_uncordon(CLI::App& app);
Action define_drain(CLI::App& app);
Action define_graph(CLI::App& app);
Action define_convert(CLI::App& app);
Action define_dev(CLI::App& app);
Action define_openapi(CLI::App& app);
Action define_tools(CLI::App& app);
Action define_new(CLI::App& app);
Action define_test(CLI::App& app);
Action define_errors(CLI::App& app);
Action define_fs(CLI::App& app);
Action define_definitions(CLI::App& app);
Action define_cert(CLI::App& app);
Action define_token(CLI::App& app);
Action define_profile(CLI::App& app);
Action define_open(CLI::App& app);
Action define_audit(CLI::App& app);
Action define_diff(CLI::App& app);
Action define_doctor(CLI::App& app);
Action define_schedule(CLI::App& app);
Action define_webhooks(CLI::App& app);
Action define_eval(CLI::App& app);
Action define_functions(CLI::App& app);
Action define_config(CLI::App& app);
Action define_version(CLI::App& app);
Action define_completion(CLI::App& app);

}  // namespace catena::cli
