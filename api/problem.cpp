#include "api/problem.hpp"

#include <fmt/format.h>

#include <array>

namespace catena::api {
namespace {

// In the order of the codes. What goes wrong with a chain that runs is no problem of a request: a chain that failed is an answer with status 200.
// Those codes stand here for what tells of them in another way.
constexpr std::array kProblems{
    ProblemInfo{Code::file_unreadable, 422, Source::request, true},
    ProblemInfo{Code::document_too_large, 413, Source::request, true},
    ProblemInfo{Code::not_utf8, 400, Source::request, true},
    ProblemInfo{Code::json_syntax, 400, Source::request, true},
    ProblemInfo{Code::yaml_syntax, 422, Source::request, true},
    ProblemInfo{Code::duplicate_key, 400, Source::request, true},
    ProblemInfo{Code::nesting_too_deep, 400, Source::request, true},
    ProblemInfo{Code::number_out_of_range, 400, Source::request, true},
    ProblemInfo{Code::dialect_unknown, 422, Source::request, true},
    ProblemInfo{Code::dialect_ambiguous, 422, Source::request, true},
    ProblemInfo{Code::field_missing, 422, Source::request, true},
    ProblemInfo{Code::field_type, 422, Source::request, true},
    ProblemInfo{Code::field_unknown, 422, Source::request, true},
    ProblemInfo{Code::field_value, 422, Source::request, true},
    ProblemInfo{Code::fields_exclusive, 422, Source::request, true},
    ProblemInfo{Code::id_invalid, 422, Source::request, true},
    ProblemInfo{Code::id_reserved, 422, Source::request, true},
    ProblemInfo{Code::id_duplicate, 422, Source::request, true},
    ProblemInfo{Code::definition_not_found, 422, Source::request, true},
    ProblemInfo{Code::path_outside_root, 422, Source::request, true},
    ProblemInfo{Code::program_not_found, 422, Source::request, true},
    ProblemInfo{Code::endpoint_unknown, 422, Source::request, true},
    ProblemInfo{Code::endpoint_unmapped, 422, Source::request, true},
    ProblemInfo{Code::capability_unknown, 422, Source::request, true},
    ProblemInfo{Code::builtin_unknown, 422, Source::request, true},
    ProblemInfo{Code::reference_syntax, 422, Source::request, true},
    ProblemInfo{Code::reference_unknown, 422, Source::request, true},
    ProblemInfo{Code::reference_unresolved, 409, Source::chain, true},
    ProblemInfo{Code::dependency_cycle, 422, Source::request, true},
    ProblemInfo{Code::dependency_unknown, 422, Source::request, true},
    ProblemInfo{Code::dependency_self, 422, Source::request, true},
    ProblemInfo{Code::call_cycle, 422, Source::request, true},
    ProblemInfo{Code::operator_unknown, 422, Source::request, true},
    ProblemInfo{Code::pattern_invalid, 422, Source::request, true},
    ProblemInfo{Code::expression_syntax, 422, Source::request, true},
    ProblemInfo{Code::function_unknown, 422, Source::request, true},
    ProblemInfo{Code::variable_unknown, 422, Source::request, true},
    ProblemInfo{Code::response_unmapped, 422, Source::request, true},
    ProblemInfo{Code::feature_unavailable, 422, Source::request, true},
    ProblemInfo{Code::step_unreachable, 422, Source::request, true},
    ProblemInfo{Code::falls_into_handler, 422, Source::request, true},
    ProblemInfo{Code::variable_unwritten, 422, Source::request, true},
    ProblemInfo{Code::retry_not_idempotent, 422, Source::request, true},
    ProblemInfo{Code::not_convertible, 422, Source::request, true},
    ProblemInfo{Code::schedule_invalid, 422, Source::request, true},
    ProblemInfo{Code::argument_missing, 422, Source::request, true},
    ProblemInfo{Code::argument_unknown, 422, Source::request, true},
    ProblemInfo{Code::argument_type, 422, Source::request, true},
    ProblemInfo{Code::argument_enum, 422, Source::request, true},
    ProblemInfo{Code::argument_schema, 422, Source::request, true},
    ProblemInfo{Code::response_missing, 422, Source::request, true},
    ProblemInfo{Code::response_type, 422, Source::request, true},
    ProblemInfo{Code::response_enum, 422, Source::request, true},
    ProblemInfo{Code::expression_value, 422, Source::request, true},
    ProblemInfo{Code::expression_limit, 422, Source::request, true},
    ProblemInfo{Code::not_a_list, 409, Source::chain, true},
    ProblemInfo{Code::tool_failed, 409, Source::chain, false},
    ProblemInfo{Code::tool_temporary, 409, Source::chain, false},
    ProblemInfo{Code::tool_output_invalid, 409, Source::chain, false},
    ProblemInfo{Code::tool_output_too_large, 409, Source::chain, false},
    ProblemInfo{Code::tool_timeout, 409, Source::chain, false},
    ProblemInfo{Code::tool_killed, 409, Source::chain, false},
    ProblemInfo{Code::secret_not_found, 409, Source::chain, false},
    ProblemInfo{Code::tool_not_started, 409, Source::chain, false},
    ProblemInfo{Code::connection_failed, 409, Source::chain, false},
    ProblemInfo{Code::address_refused, 409, Source::chain, false},
    ProblemInfo{Code::postponed, 409, Source::chain, false},
    ProblemInfo{Code::deadline_exceeded, 409, Source::chain, false},
    ProblemInfo{Code::approval_rejected, 409, Source::chain, false},
    ProblemInfo{Code::chain_deadline, 409, Source::chain, false},
    ProblemInfo{Code::worker_lost, 409, Source::chain, false},
    ProblemInfo{Code::given_back, 409, Source::chain, false},
    ProblemInfo{Code::in_doubt, 409, Source::chain, false},
    ProblemInfo{Code::items_failed, 409, Source::chain, false},
    ProblemInfo{Code::child_failed, 409, Source::chain, false},
    ProblemInfo{Code::depth_exceeded, 409, Source::chain, true},
    ProblemInfo{Code::family_limit, 409, Source::chain, true},
    ProblemInfo{Code::visits_exceeded, 409, Source::chain, true},
    ProblemInfo{Code::policy_violation, 422, Source::request, true},
    ProblemInfo{Code::cancelled, 409, Source::chain, false},
    ProblemInfo{Code::invariant_broken, 500, Source::server, true},
    ProblemInfo{Code::file_not_found, 404, Source::request, true},
    ProblemInfo{Code::file_version_not_found, 404, Source::request, true},
    ProblemInfo{Code::file_path_invalid, 422, Source::request, true},
    ProblemInfo{Code::file_not_text, 422, Source::request, true},
    ProblemInfo{Code::file_too_large, 413, Source::request, true},
    ProblemInfo{Code::version_conflict, 412, Source::request, true},
    ProblemInfo{Code::chain_exists, 409, Source::request, true},
    ProblemInfo{Code::submission_conflict, 422, Source::request, true},
    ProblemInfo{Code::chain_not_found, 404, Source::request, true},
    ProblemInfo{Code::chain_state, 409, Source::request, true},
    ProblemInfo{Code::unclean_ends, 409, Source::request, true},
    ProblemInfo{Code::memory_short, 503, Source::server, true},
    ProblemInfo{Code::worker_unknown, 404, Source::request, true},
    ProblemInfo{Code::schedule_not_found, 404, Source::request, true},
    ProblemInfo{Code::storage_locked, 503, Source::server, true},
    ProblemInfo{Code::storage_io, 500, Source::server, false},
    ProblemInfo{Code::storage_corrupt, 500, Source::server, true},
    ProblemInfo{Code::storage_format, 500, Source::server, true},
    ProblemInfo{Code::storage_rewound, 500, Source::server, true},
    ProblemInfo{Code::request_invalid, 400, Source::request, true},
    ProblemInfo{Code::route_unknown, 404, Source::request, true},
    ProblemInfo{Code::method_not_allowed, 405, Source::request, true},
    ProblemInfo{Code::media_type_unsupported, 415, Source::request, true},
    ProblemInfo{Code::request_too_large, 413, Source::request, true},
    ProblemInfo{Code::origin_refused, 403, Source::request, true},
    ProblemInfo{Code::token_refused, 401, Source::request, true},
    ProblemInfo{Code::role_refused, 403, Source::request, true},
    ProblemInfo{Code::namespace_refused, 403, Source::request, true},
    ProblemInfo{Code::overloaded, 503, Source::server, true},
    ProblemInfo{Code::usage, 400, Source::request, true},
    ProblemInfo{Code::internal, 500, Source::server, false},
};

constexpr bool follows_the_codes() {
  for (std::size_t row = 0; row < kProblems.size(); ++row) {
    if (static_cast<std::size_t>(kProblems.at(row).code) != row) return false;
  }
  return kProblems.size() == static_cast<std::size_t>(Code::internal) + 1;
}
static_assert(follows_the_codes(), "each code has its row, at its place");

Json finding_json(const Finding& finding) {
  const auto& error = finding.error;
  Json json{{"code", catena::name(error.code)}, {"detail", error.message}};
  if (!finding.pointer.empty()) json[finding.pointer.starts_with('/') ? "pointer" : "parameter"] = finding.pointer;
  if (!finding.in_body && !error.where.file.empty()) json["file"] = error.where.file;
  if (error.where.line != 0) json["line"] = error.where.line;
  if (error.where.column != 0) json["column"] = error.where.column;
  if (auto suggestion = suggestion_in(error.message); !suggestion.empty()) json["suggestion"] = std::move(suggestion);
  if (!error.notes.empty()) json["notes"] = error.notes;
  return json;
}

}  // namespace

/// "; did you mean 'x'?" at the end of a message, as base/suggest has it.
std::string suggestion_in(const std::string& message) {
  constexpr std::string_view kBegin = "did you mean '";
  const auto begin = message.rfind(kBegin);
  if (begin == std::string::npos) return {};
  const auto from = begin + kBegin.size();
  const auto end = message.find('\'', from);
  return end == std::string::npos ? std::string{} : message.substr(from, end - from);
}

std::string_view name(Source source) {
  switch (source) {
    case Source::request: return "request";
    case Source::chain: return "chain";
    case Source::server: return "server";
  }
  return "server";
}

const ProblemInfo& problem_info(Code code) { return kProblems.at(static_cast<std::size_t>(code)); }

std::string problem_path(Code code) { return fmt::format("/v1/errors/{}", catena::name(code)); }

Json to_json(const Problem& problem, bool reads) {
  const auto& error = problem.error;
  const auto& known = problem_info(error.code);
  const auto status = problem.status.value_or(known.status);
  Json json{{"type", problem_path(error.code)},
            {"title", info(error.code).meaning},
            {"status", status},
            {"detail", error.message},
            {"code", catena::name(error.code)},
            {"source", name(known.source)},
            {"retryable", error.retryable},
            {"safe_to_resend", reads || known.safe_to_resend}};
  if (!error.notes.empty()) json["notes"] = error.notes;
  for (const auto& finding : problem.findings) json["errors"].push_back(finding_json(finding));
  return json;
}

Answer to_answer(const Problem& problem, bool reads) {
  const auto status = problem.status.value_or(problem_info(problem.error.code).status);
  Answer answer{status, dump_lossy(to_json(problem, reads)), std::string{kProblemType}, problem.headers};
  const auto is_retry_after = [](const auto& header) { return header.first == "Retry-After"; };
  if (status == 503 && std::ranges::none_of(answer.headers, is_retry_after)) answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

}  // namespace catena::api
