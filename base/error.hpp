#pragma once
// Errors are values. One closed table of codes serves validation, attempts, storage and the command line.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace catena {

enum class Code : std::uint16_t {
  // reading a document
  file_unreadable,
  document_too_large,
  not_utf8,
  json_syntax,
  yaml_syntax,
  duplicate_key,
  nesting_too_deep,
  number_out_of_range,
  dialect_unknown,
  dialect_ambiguous,
  // a definition
  field_missing,
  field_type,
  field_unknown,
  field_value,
  fields_exclusive,
  id_invalid,
  id_reserved,
  id_duplicate,
  definition_not_found,
  path_outside_root,
  program_not_found,
  endpoint_unknown,
  endpoint_unmapped,
  capability_unknown,
  builtin_unknown,
  reference_syntax,
  reference_unknown,
  reference_unresolved,
  dependency_cycle,
  dependency_unknown,
  dependency_self,
  call_cycle,
  operator_unknown,
  pattern_invalid,
  expression_syntax,
  function_unknown,
  variable_unknown,
  response_unmapped,
  feature_unavailable,
  step_unreachable,
  falls_into_handler,
  variable_unwritten,
  retry_not_idempotent,
  not_convertible,
  schedule_invalid,
  // values against a schema
  argument_missing,
  argument_unknown,
  argument_type,
  argument_enum,
  argument_schema,
  response_missing,
  response_type,
  response_enum,
  // running
  expression_value,
  expression_limit,
  not_a_list,
  tool_failed,
  tool_temporary,
  tool_output_invalid,
  tool_output_too_large,
  tool_timeout,
  tool_killed,
  secret_not_found,
  tool_not_started,
  connection_failed,
  address_refused,
  postponed,
  deadline_exceeded,
  approval_rejected,
  chain_deadline,
  worker_lost,
  given_back,
  in_doubt,
  items_failed,
  child_failed,
  depth_exceeded,
  family_limit,
  visits_exceeded,
  policy_violation,
  cancelled,
  invariant_broken,
  // files
  file_not_found,
  file_version_not_found,
  file_path_invalid,
  file_not_text,
  file_too_large,
  version_conflict,
  // chains and storage
  chain_exists,
  submission_conflict,
  chain_not_found,
  chain_state,
  unclean_ends,
  memory_short,
  worker_unknown,
  schedule_not_found,
  storage_locked,
  storage_io,
  storage_corrupt,
  storage_format,
  storage_rewound,
  // the HTTP interface
  request_invalid,
  route_unknown,
  method_not_allowed,
  media_type_unsupported,
  request_too_large,
  origin_refused,
  token_refused,
  role_refused,
  namespace_refused,
  overloaded,
  // the command line
  usage,
  internal,
};

/// What a code is called in every output, and whether a further attempt may help when a tool does not say so itself.
struct CodeInfo {
  Code code;
  std::string_view name;
  bool retryable;
  std::string_view meaning;
};

[[nodiscard]] const CodeInfo& info(Code code);
[[nodiscard]] std::string_view name(Code code);
/// All rows in the order of the enum: for docs and shell output.
[[nodiscard]] const std::vector<CodeInfo>& all_codes();
/// The code with that name; `internal` when there is none.
[[nodiscard]] Code code_named(std::string_view name);

/// A place in a document a person wrote. line and column count from 1; 0 means unknown.
struct Place {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend bool operator==(const Place&, const Place&) = default;
};
[[nodiscard]] std::string to_string(const Place& place);

struct Error {
  Code code = Code::internal;
  std::string message;             // what was wrong and what to do, in one sentence or two
  Place where;                     // empty file: no place in a document
  std::vector<std::string> notes;  // further lines for a person
  bool retryable = false;          // a further attempt may succeed
  Json details = nullptr;          // machine-readable, for example {"exit_code": 3, "stderr": "…"}
  std::shared_ptr<const Error> cause;

  friend bool operator==(const Error& a, const Error& b);
};

/// An error with its code's default for `retryable`.
[[nodiscard]] Error make_error(Code code, std::string message, Place where = {});

/// {code, message, retryable, details?, cause?}, the form of LANGUAGE: what references and outputs see.
[[nodiscard]] Json to_json(const Error& error);
/// to_json as text. Bytes that are no UTF-8 become U+FFFD: an error can always be told.
[[nodiscard]] std::string to_json_text(const Error& error);
/// The inverse of to_json; unknown codes become `internal`, so old records stay readable.
[[nodiscard]] Error error_from_json(const Json& json);

/// `file:line:column: error[code]: message`, then one indented line a cause and note.
[[nodiscard]] std::string render(const Error& error);

}  // namespace catena
