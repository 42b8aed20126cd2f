#pragma once
// The steps of a composite as programs: the sequence itself, and one for each block in it.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lang/dialect/shared/object_reader.hpp"
#include "lang/program/definition.hpp"
#include "lang/program/lint.hpp"

namespace catena::lang {

/// The steps that call a tool, blocks included, in the order of the document: those of Definition::calls. Looks no closer than that.
[[nodiscard]] std::vector<const Node*> tool_steps(const Node& steps);

/// What the sequences of one definition share.
struct Composite {
  const Definition& definition;
  std::map<const Node*, const CallSite*> calls;
  NestedPrograms& nested;
  Report& report;
  std::vector<std::string> names = {};                          // of all steps, in blocks as well: for messages
  std::map<std::string, std::vector<WrittenJumps>> jumps = {};  // by key of the program; the definition's own under ""
};

enum class Around { chain, loop, branches };

/// The steps of a list that is not empty. `path` leads to the block in the definition; empty: the definition itself. Of a block the program
/// lacks what the step around it says.
[[nodiscard]] Program read_sequence(const Node& list, Around around, const std::string& path, Composite& composite);

/// Reports a list of steps that is missing, empty, too long or none; then nothing.
[[nodiscard]] const Node* read_steps(ObjectReader& owner, std::string_view key, Report& report);

}  // namespace catena::lang
