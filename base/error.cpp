#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace catena {
namespace {

std::vector<CodeInfo> code_table() {
  using enum Code;
  return {
      {file_unreadable, "file_unreadable", false, "a file cannot be opened or read"},
      {document_too_large, "document_too_large", false, "a definition is over the size limit"},
      {not_utf8, "not_utf8", false, "a document is not valid UTF-8"},
      {json_syntax, "json_syntax", false, "a document is not valid JSON"},
      {yaml_syntax, "yaml_syntax", false, "a document is not valid YAML"},
      {duplicate_key, "duplicate_key", false, "an object has the same key twice"},
      {nesting_too_deep, "nesting_too_deep", false, "a document nests deeper than the limit"},
      {number_out_of_range, "number_out_of_range", false, "a number does not fit in 64 bits"},
      {dialect_unknown, "dialect_unknown", false, "a document is in none of the dialects"},
      {dialect_ambiguous, "dialect_ambiguous", false, "a document fits more than one dialect"},
      {field_missing, "field_missing", false, "a definition lacks a field that it needs"},
      {field_type, "field_type", false, "a field of a definition has the wrong type"},
      {field_unknown, "field_unknown", false, "a definition has a field that nobody reads"},
      {field_value, "field_value", false, "a field of a definition has a value that is not allowed"},
      {fields_exclusive, "fields_exclusive", false, "two fields of a definition exclude each other"},
      {id_invalid, "id_invalid", false, "an id has characters that are not allowed"},
      {id_reserved, "id_reserved", false, "an id is a reserved word"},
      {id_duplicate, "id_duplicate", false, "two of a kind share an id or a name"},
      {definition_not_found, "definition_not_found", false, "no root has a definition at that path"},
      {path_outside_root, "path_outside_root", false, "a path leaves its root"},
      {program_not_found, "program_not_found", false, "the program of an exec: or serve: endpoint is nowhere"},
      {endpoint_unknown, "endpoint_unknown", false, "an endpoint has a form that nothing executes"},
      {endpoint_unmapped, "endpoint_unmapped", false, "an endpoint has a form that the configuration maps to nothing"},
      {capability_unknown, "capability_unknown", false, "no worker announces the capability of a remote: endpoint"},
      {builtin_unknown, "builtin_unknown", false, "a builtin: endpoint names no builtin"},
      {reference_syntax, "reference_syntax", false, "a REF: string cannot be parsed"},
      {reference_unknown, "reference_unknown", false, "a reference names a step or argument that does not exist"},
      {reference_unresolved, "reference_unresolved", false, "a reference found nothing at run time"},
      {dependency_cycle, "dependency_cycle", false, "steps wait for each other"},
      {dependency_unknown, "dependency_unknown", false, "a dependency names no step"},
      {dependency_self, "dependency_self", false, "a step depends on itself"},
      {call_cycle, "call_cycle", false, "definitions call each other without a condition, so that no chain of them could end"},
      {operator_unknown, "operator_unknown", false, "a condition names no operator"},
      {pattern_invalid, "pattern_invalid", false, "a regular expression cannot be parsed"},
      {expression_syntax, "expression_syntax", false, "an expression cannot be parsed"},
      {function_unknown, "function_unknown", false, "an expression calls a function that does not exist"},
      {variable_unknown, "variable_unknown", false, "an expression names a variable that does not exist"},
      {response_unmapped, "response_unmapped", false, "a required response is not in response_reference_map"},
      {feature_unavailable, "feature_unavailable", false, "the definition uses a feature that this version lacks"},
      {step_unreachable, "step_unreachable", false, "a step of a sequence can never be entered (a warning)"},
      {falls_into_handler, "falls_into_handler", false, "a sequence goes on into the step that handles its failures (a warning)"},
      {variable_unwritten, "variable_unwritten", false, "a state variable is read, and nothing writes it (a warning)"},
      {retry_not_idempotent, "retry_not_idempotent", false, "a step is retried that may happen only once (a warning)"},
      {not_convertible, "not_convertible", false, "a definition says what the other dialect cannot say"},
      {schedule_invalid, "schedule_invalid", false, "a cron expression, an interval, a time zone or a span of a schedule cannot be one"},
      {argument_missing, "argument_missing", false, "a required argument is not given"},
      {argument_unknown, "argument_unknown", false, "an argument is not declared"},
      {argument_type, "argument_type", false, "an argument has the wrong type"},
      {argument_enum, "argument_enum", false, "an argument is not one of the allowed values"},
      {argument_schema, "argument_schema", false, "an argument does not fit the JSON Schema of the definition"},
      {response_missing, "response_missing", false, "a tool did not return a required response"},
      {response_type, "response_type", false, "a response has the wrong type"},
      {response_enum, "response_enum", false, "a response is not one of the allowed values"},
      {expression_value, "expression_value", false, "an operator or function of an expression got a value that it cannot use"},
      {expression_limit, "expression_limit", false, "an expression took more steps, memory or depth than its limit"},
      {not_a_list, "not_a_list", false, "a fan-out iterates over something that is not a list"},
      {tool_failed, "tool_failed", false, "a tool said that it failed"},
      {tool_temporary, "tool_temporary", true, "a tool failed for now (exit code 75)"},
      {tool_output_invalid, "tool_output_invalid", false, "a tool's output is not a JSON object"},
      {tool_output_too_large, "tool_output_too_large", false, "a tool's output is over the limit"},
      {tool_timeout, "tool_timeout", true, "an attempt took longer than its timeout"},
      {tool_killed, "tool_killed", true, "a tool's process was ended by a signal"},
      {secret_not_found, "secret_not_found", false, "a worker does not know the secret that a tool's environment names"},
      {tool_not_started, "tool_not_started", false, "a tool's process could not be started"},
      {connection_failed, "connection_failed", true, "a tool's address could not be reached, or the connection broke"},
      {address_refused, "address_refused", false, "a tool's address is not allowed to be reached"},
      {postponed, "postponed", true, "an attempt asks to be made again later; it does not count"},
      {deadline_exceeded, "deadline_exceeded", false, "a step took longer than its deadline"},
      {approval_rejected, "approval_rejected", false,
       "a person, or the end of the time to answer, rejected a step or an item that waited for approval"},
      {chain_deadline, "chain_deadline", false, "a chain had not ended at its deadline"},
      {worker_lost, "worker_lost", true, "the worker of an attempt went away"},
      {given_back, "given_back", false, "a worker handed back an attempt that had not begun; it does not count"},
      {in_doubt, "in_doubt", false, "an attempt was lost, or its tool cannot say; what it does may or may not have happened"},
      {items_failed, "items_failed", false, "more items of a fan-out failed than are tolerated"},
      {child_failed, "child_failed", false, "a chain started by this step failed"},
      {depth_exceeded, "depth_exceeded", false, "composites nest deeper than the limit"},
      {family_limit, "family_limit", false, "a chain and its descendants are as many as may live at a time, and all wait to start another"},
      {visits_exceeded, "visits_exceeded", false, "a chain entered more steps than its limit"},
      {policy_violation, "policy_violation", false, "a submission lacks the context that a definition requires"},
      {cancelled, "cancelled", false, "somebody cancelled it"},
      {invariant_broken, "invariant_broken", false, "the engine found a state that cannot be; the chain is quarantined"},
      {file_not_found, "file_not_found", false, "the file store has no file at that path"},
      {file_version_not_found, "file_version_not_found", false, "a file of the file store has no such version"},
      {file_path_invalid, "file_path_invalid", false, "a path cannot be one of the file store"},
      {file_not_text, "file_not_text", false, "the content of a file is not UTF-8 text where text is needed"},
      {file_too_large, "file_too_large", false, "a file is over the size limit of the file store"},
      {version_conflict, "version_conflict", false, "a file, a definition or a schedule is not at the version that the request expects"},
      {chain_exists, "chain_exists", false, "a chain with that id exists"},
      {submission_conflict, "submission_conflict", false, "the submission key was given to another submission"},
      {chain_not_found, "chain_not_found", false, "no chain has that id"},
      {chain_state, "chain_state", false, "the chain's status does not allow this"},
      {unclean_ends, "unclean_ends", false, "the process ended uncleanly three times in a row while the chain was live; the chain is quarantined"},
      {memory_short, "memory_short", true, "the process uses as much memory as it may; it takes no new chains for now"},
      {worker_unknown, "worker_unknown", false, "no worker of that name has registered"},
      {schedule_not_found, "schedule_not_found", false, "no schedule has that name"},
      {storage_locked, "storage_locked", false, "a process of another user, or one that lets nobody in, uses the data directory"},
      {storage_io, "storage_io", false, "reading or writing the data directory failed"},
      {storage_corrupt, "storage_corrupt", false, "a stored record is damaged"},
      {storage_format, "storage_format", false, "the data directory was written by an incompatible version"},
      {storage_rewound, "storage_rewound", false, "the data directory lost records that were acknowledged"},
      {request_invalid, "request_invalid", false, "a request to the HTTP interface is malformed, or has a parameter that its route does not know"},
      {route_unknown, "route_unknown", false, "the HTTP interface has nothing at that path"},
      {method_not_allowed, "method_not_allowed", false, "the HTTP interface does not offer that method at that path"},
      {media_type_unsupported, "media_type_unsupported", false, "the body of a request is not of a type that its route reads"},
      {request_too_large, "request_too_large", false, "the body of a request is over the limit of its route"},
      {origin_refused, "origin_refused", false, "a request names another host than this one, or comes from a page of another origin"},
      {token_refused, "token_refused", false, "a request shows no access token, or one that is not valid"},
      {role_refused, "role_refused", false, "the access token of a request has a role that may not do this"},
      {namespace_refused, "namespace_refused", false, "who asks reaches one namespace, and this is of another one or of the whole cluster"},
      {overloaded, "overloaded", true, "as many requests wait as the coordinator holds; try again later"},
      {usage, "usage", false, "the command line is wrong"},
      {internal, "internal", false, "a defect in catena"},
  };
}

const std::vector<CodeInfo> kCodes = code_table();

}  // namespace

const CodeInfo& info(Code code) { return kCodes[static_cast<std::size_t>(code)]; }

std::string_view name(Code code) { return info(code).name; }

const std::vector<CodeInfo>& all_codes() { return kCodes; }

Code code_named(std::string_view wanted) {
  const auto row = std::ranges::find(kCodes, wanted, &CodeInfo::name);
  return row == kCodes.end() ? Code::internal : row->code;
}

std::string to_string(const Place& place) {
  if (place.file.empty()) return {};
  if (place.line == 0) return place.file;
  return fmt::format("{}:{}:{}", place.file, place.line, place.column);
}

bool operator==(const Error& a, const Error& b) { return to_json(a) == to_json(b) && a.where == b.where && a.notes == b.notes; }

Error make_error(Code code, std::string message, Place where) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  error.where = std::move(where);
  error.retryable = info(code).retryable;
  return error;
}

Json to_json(const Error& error) {
  Json json{{"code", name(error.code)}, {"message", error.message}, {"retryable", error.retryable}};
  if (!error.details.is_null()) json["details"] = error.details;
  if (error.cause) json["cause"] = to_json(*error.cause);
  return json;
}

std::string to_json_text(const Error& error) { return dump_lossy(to_json(error)); }

Error error_from_json(const Json& json) {
  Error error;
  if (!json.is_object()) return error;
  for (const auto& [member, value] : json.items()) {
    if (member == "code" && value.is_string()) error.code = code_named(value.get_ref<const std::string&>());
    if (member == "message" && value.is_string()) error.message = value.get<std::string>();
    if (member == "retryable" && value.is_boolean()) error.retryable = value.get<bool>();
    if (member == "details") error.details = value;
  }
  if (json.contains("cause")) error.cause = std::make_shared<const Error>(error_from_json(json["cause"]));
  return error;
}

std::string render(const Error& error) {
  const auto place = to_string(error.where);
  auto text = fmt::format("{}{}error[{}]: {}", place, place.empty() ? "" : ": ", name(error.code), error.message);
  // What it is comes before what to do about it.
  for (auto cause = error.cause; cause; cause = cause->cause) text += fmt::format("\n    caused by [{}]: {}", name(cause->code), cause->message);
  for (const auto& note : error.notes) text += "\n    " + note;
  return text;
}

}  // namespace catena
