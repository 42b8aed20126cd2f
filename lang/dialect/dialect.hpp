#pragma once
// The table of dialects: how a document is recognised, and who reads and lowers it.
#include <span>
#include <string_view>

#include "lang/program/definition.hpp"
#include "lang/program/report.hpp"

namespace catena::lang {

struct Dialect {
  std::string_view name;
  std::string_view looks_for;
  bool (*fits)(const Node& document);
  /// What the document declares and whom it calls. Null: this version recognises the dialect and does not read it.
  Definition (*read)(const Node& document, Report& report);
  /// The program of a definition whose calls have been found, and those that are part of it. A call without target was reported and is not
  /// checked further.
  Program (*lower)(const Definition& definition, NestedPrograms& nested, Report& report);
};

[[nodiscard]] std::span<const Dialect> dialects();

/// The one dialect that the document is in, by content. Errors: dialect_unknown, dialect_ambiguous, feature_unavailable.
[[nodiscard]] Result<const Dialect*> recognise(const Node& document);

}  // namespace catena::lang
