#include "base/json.hpp"

namespace catena {

std::string dump_lossy(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace catena
