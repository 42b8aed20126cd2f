#include "lang/dialect/tool/agent.hpp"

#include "lang/dialect/tool/tool.hpp"

namespace catena::lang {

Definition read_agent(const Node& document, Report& report) { return read_definition(document, kAgentSpelling, report); }

Program lower_agent(const Definition& definition, NestedPrograms& /*nested*/, Report& report) {
  return lower_definition(definition, kAgentSpelling, report);
}

}  // namespace catena::lang
