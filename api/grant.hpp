#pragma once
// What somebody may who has a certain name or token.
#include <string>

#include "coordinator/token_book.hpp"

namespace catena::api {

struct Grant {
  storage::TokenRole role = storage::TokenRole::viewer;
  std::string namespace_ = {};  // empty: of all there is
  friend bool operator==(const Grant&, const Grant&) = default;
};

}  // namespace catena::api
