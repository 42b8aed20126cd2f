#pragma once
// The arguments that the attempts of a visit run with, read from the store: what all of them share is read once, and of a fan-out the input record
// that was asked for last is kept.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "engine/payload.hpp"
#include "lang/document/json_text.hpp"
#include "lang/program/program.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

struct VisitArguments {
  const storage::Kv& kv;
  const ChainId& chain;
  const lang::Step& step;
  VisitId visit;
  const engine::Payload& shared;
};

class ItemArguments {
 public:
  /// `before`: of a round that carries on from the one before, what that one responded; read from the store where there is none. Errors: those of the
  /// store, and of the item's own transforms.
  [[nodiscard]] Result<lang::JsonText> of(const VisitArguments& visit, ItemIndex item, const lang::JsonText* before = nullptr);

 private:
  [[nodiscard]] Result<const lang::JsonText*> shared(const VisitArguments& visit);
  [[nodiscard]] Result<std::string_view> record(const VisitArguments& visit, ItemIndex item);

  std::optional<lang::JsonText> shared_;
  std::uint32_t chunk_index_ = UINT32_MAX;  // the input record read last
  std::vector<std::string> chunk_;          // its items
};

}  // namespace catena::coordinator
