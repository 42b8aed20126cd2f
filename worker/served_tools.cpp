#include "worker/served_tools.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/suggest.hpp"
#include "lang/document/json_text.hpp"

namespace catena::worker {

Result<SaidOfTools> read_description(std::string_view line) {
  const auto text = lang::parse_json_text(line);
  if (!text) return fail(Code::tool_output_invalid, "it is not JSON: " + text.error().message);
  const auto message = lang::JsonView{*text}.parse();
  if (!message.is_object() || message.value("id", Json()) != 0)
    return fail(Code::tool_output_invalid, "it does not answer the question with the id 0");
  if (!message.value("error", Json()).is_null()) return SaidOfTools{};
  auto tools = lang::read_served_tools(message.value("result", Json()));
  if (!tools) return fail(std::move(tools).error());
  return SaidOfTools{true, std::move(*tools)};
}

std::string disagreement(SaidOfTools& said, const lang::Endpoint& endpoint) {
  if (!said.knows_describe || said.agreed.contains(endpoint.args.back())) return {};
  const auto tool = lang::served_tool(endpoint);
  const auto found = said.tools.find(tool);
  if (found == said.tools.end()) {
    std::vector<std::string> names;
    for (const auto& [name, ignored] : said.tools) names.push_back(name);
    return fmt::format("its program serves no tool '{}'{}", tool, did_you_mean(tool, names));
  }
  const auto pinned = lang::pinned_description(endpoint);
  auto differs = pinned.is_null() ? std::string{} : lang::difference(pinned, found->second);
  if (!differs.empty()) return fmt::format("its program describes it otherwise than the definition that the chain has pinned: {}", differs);
  said.agreed.insert(endpoint.args.back());
  return {};
}

}  // namespace catena::worker
