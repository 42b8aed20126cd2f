#pragma once
// A definition that was read but not lowered: what it declares to its callers, and whom it calls. All definitions of a package
// are read before the first is lowered, so that a call can be checked against what it calls, recursion included.
#include <optional>
#include <string>
#include <vector>

#include "lang/document/document.hpp"
#include "lang/program/program.hpp"

namespace catena::lang {

struct Dialect;
struct Definition;

/// A place where a definition calls another: by path, by name, or inline. None of them: it was written wrongly, or is no call.
struct CallSite {
  std::string id;                   // of the calling step; names an inline definition
  std::optional<std::string> path;  // as written
  std::optional<std::string> tool;  // the name of a definition in the tool roots
  const Node* inlined = nullptr;
  Place where;
  const Definition* target = nullptr;  // once it was found
};

/// What a definition says for steps that call it and do not say it themselves.
struct CallSettings {
  std::optional<RetryPolicy> retry;
  std::optional<Millis> timeout;
  std::optional<Millis> heartbeat_timeout;
  std::optional<Millis> deadline;
  std::optional<EffectClass> effect;
  std::vector<std::string> needs;
  Surroundings surroundings;
  std::optional<ApprovalRule> approve;
};

struct Definition {
  const Dialect* dialect = nullptr;
  std::string key;                 // of the package
  std::string file;                // key of the source that holds it; differs from `key` when it is inline
  const Node* document = nullptr;  // the source must outlive the definition
  std::string name;
  std::string description;
  Schema arguments;
  Schema responses;
  bool primitive = false;
  bool names_its_step = true;                // of a primitive that is run by itself; see Catalog
  std::optional<std::string> endpoint_text;  // of a primitive, as written
  std::optional<Endpoint> endpoint;          // what it means, once the loader has looked; empty when it means nothing
  Place endpoint_where;
  std::vector<std::string> files;  // of a primitive that runs a program: what it is shipped with, as written
  CallSettings settings;
  FailurePolicy failure_policy = FailurePolicy::finish;
  std::vector<CallSite> calls;                // in the order of the document; of the tool and agent dialects one a step
  std::vector<std::string> requires_context;  // names that a submission's context must carry
  bool wants_binder = false;                  // a plan: the loader looks for the catalog's binder
  const Definition* binder = nullptr;         // once it was found
};

}  // namespace catena::lang
