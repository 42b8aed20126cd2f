#include "lang/plan_result.hpp"

namespace catena::lang {

Result<std::string> plan_result(const Program& /*program*/, const PlanResult& /*plan*/, const Scope& /*scope*/) {
  return fail(Code::internal, "unfinished");
}

}  // namespace catena::lang
