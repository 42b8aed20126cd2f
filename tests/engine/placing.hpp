#pragma once
// Workers and wants for tests of placement.
#include <memory>
#include <string>
#include <vector>

#include "engine/placement.hpp"

namespace catena::engine::test {

using Words = std::vector<std::string>;

inline std::shared_ptr<const Offered> offers(Words labels, Words kinds = {"exec", "builtin"}, Words capabilities = {}) {
  return std::make_shared<const Offered>(Offered{std::move(kinds), std::move(capabilities), std::move(labels)});
}

inline Node node(const std::string& id, std::uint32_t slots, Words labels = {}) {
  return {WorkerId{id}, 1, offers(std::move(labels)), slots, std::int64_t{slots} * kOrdersPerSlot, NodeState::open, {}};
}

inline Want want(WantKey key, ShareKey share, std::uint32_t wanted, Words labels = {}) {
  Want made;
  made.key = key;
  made.share = share;
  made.need = {"exec", {}, std::move(labels), {}};
  made.wanted = wanted;
  return made;
}

}  // namespace catena::engine::test
