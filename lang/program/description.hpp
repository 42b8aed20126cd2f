#pragma once
// What a program that serves several tools says of them when it is asked to describe them, and how that is compared with what a chain has pinned. A
// tool of such a program is named behind the last word of a serve: endpoint: `serve:python3 tools.py#square`.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "lang/program/program.hpp"

namespace catena::lang {

/// The name that the program gets with each call as params.tool; empty: it serves one tool, or its arguments say which.
[[nodiscard]] std::string served_tool(const Endpoint& endpoint);
/// The words behind the program on its command line.
[[nodiscard]] std::vector<std::string> command_arguments(const Endpoint& endpoint);

/// Fields as definitions declare them: name, type_name, required, and what else there is of description, default_value and enum.
[[nodiscard]] Json fields_json(const Schema& schema);

/// The arguments of the endpoint as an order has them: what the chain has pinned of a served tool goes with its name, for the worker to compare.
[[nodiscard]] std::vector<std::string> described_arguments(const Endpoint& endpoint, const Schema& arguments, const Schema& responses);
/// What the order says of it: {"arguments", "responses"}; null: nothing, and nothing is compared.
[[nodiscard]] Json pinned_description(const Endpoint& endpoint);

/// By name: objects with the members of a definition but for `system_event_endpoint`.
using ServedTools = std::map<std::string, Json, std::less<>>;
/// The result of `describe`: {"tools": […]}. Error: tool_output_invalid, which says what is wrong with it.
[[nodiscard]] Result<ServedTools> read_served_tools(const Json& result);

/// How `said` takes or gives something else than `pinned`, in words, with "; " between them; empty: they are alike. Descriptions of fields may
/// differ.
[[nodiscard]] std::string difference(const Json& pinned, const Json& said);

/// A definition of one of the tools: `command` is what stands behind `serve:`. Members of the description that name an endpoint or steps are refused
/// (tool_output_invalid).
[[nodiscard]] Result<std::string> definition_text(const std::string& tool, const Json& said, const std::string& command);

}  // namespace catena::lang
