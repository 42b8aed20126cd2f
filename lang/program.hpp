#pragma once
// The intermediate representation: what every dialect is lowered to and what the engine runs. A step has a gate (after all it
// depends on, or on entry) and a route for success and for failure: a graph is "gates, no jumps", a state machine "entry
// gates, jumps". Values only; nothing here knows files, clocks or actors.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/json.hpp"
#include "base/limits.hpp"
#include "base/time.hpp"
#include "lang/expr/ast.hpp"

namespace catena::lang {

// ---- expressions -------------------------------------------------------------------------------------------------------

/// Where a reference starts.
enum class Root {
  input,     // an argument of the chain
  state,     // a variable of the chain's state (sequences)
  step,      // a step: response, status, error
  response,  // the response of the step itself (shape, writes)
  item,      // the element of a fan-out
  context,   // what the submission carries along
};

struct Expr;

struct Literal {
  Json value;
};
/// What a reference means that passes a value declared `file`: the value is a path in the file store.
struct FileRef {
  std::size_t segments = 0;  // of Ref::path that lead to the file; those behind are its attributes
  bool stays_a_path = false; // the bare reference goes to a place that is declared `file` itself; else it is the content
  friend bool operator==(const FileRef&, const FileRef&) = default;
};
/// REF:<context>.<segments>, resolved by name at validation.
struct Ref {
  Root root = Root::input;
  StepIndex step = 0;             // for Root::step
  std::vector<std::string> path;  // segments behind the context, as written
  std::string text;               // the reference as written, for messages
  std::optional<FileRef> file = std::nullopt;
};
/// An expression of lang/expr, with what its references mean by their text (REF:…). Never changed once it is built.
struct Computed {
  expr::ExpressionPtr expression;
  std::map<std::string, Ref, std::less<>> references;
};
struct ListExpr {
  std::vector<Expr> items;
};
struct ObjectExpr {
  std::vector<std::pair<std::string, Expr>> members;
};

struct Expr {
  std::variant<Literal, Ref, ListExpr, ObjectExpr, Computed> node = Literal{};
  Place where;
};

// ---- conditions --------------------------------------------------------------------------------------------------------

struct Condition;
enum class Logic { all, any, none };  // AND, OR, NOT (none of them holds)

struct Test {
  std::string op;  // a row of lang/op
  Expr param;
  Expr value;
};
struct Group {
  Logic logic = Logic::all;
  std::vector<Condition> conditions;
};
struct Condition {
  std::variant<Test, Group> node = Group{};  // an empty AND is true
  Place where;
};

// ---- schemas -----------------------------------------------------------------------------------------------------------

enum class Type { any, string, number, integer, boolean, object, list, file };

struct Field {
  std::string name;
  Type type = Type::any;
  std::string description;
  bool required = false;
  std::optional<Json> default_value;
  std::vector<Json> allowed;  // enum; empty: anything of the type
};

struct Schema {
  std::vector<Field> fields;
  bool additional = false;  // unknown names pass
  [[nodiscard]] const Field* find(std::string_view name) const;
};

// ---- steps -------------------------------------------------------------------------------------------------------------

struct AfterAll {
  std::vector<StepIndex> deps;  // sorted, unique
};
struct OnEntry {};
using Gate = std::variant<AfterAll, OnEntry>;

struct Settle {};                       // nothing more: gates decide what follows
struct Go { StepIndex target = 0; };    // enter that step (a new visit)
struct FinishOk {};                     // the chain ends
struct FinishFailed {};                 // the chain fails with this step's error
using Route = std::variant<Settle, Go, FinishOk, FinishFailed>;

enum class Join { all, any, first_success, count };
enum class OnItemFailure { fail, null, error };

struct FanOut {
  Expr over;
  std::string as;                          // the argument that carries the item
  Join join = Join::all;
  std::uint32_t join_count = 0;            // for Join::count
  std::uint32_t window = 0;                // most items at a time; 0: as many as the workers take
  std::uint32_t tolerated = 0;             // failed items that do not fail the step
  std::optional<double> tolerated_percentage;
  OnItemFailure on_item_failure = OnItemFailure::fail;
};

struct RetryPolicy {
  std::uint32_t max_attempts = 1;  // 0: no limit
  Millis initial_interval{1000};
  double backoff = 2.0;
  Millis max_interval{60'000};
  double jitter = 0.2;
  std::vector<std::string> non_retryable;  // names of codes
  friend bool operator==(const RetryPolicy&, const RetryPolicy&) = default;
};

/// What a lost worker means: pure and idempotent attempts are made again, at_most_once ones wait for a person.
enum class EffectClass { pure, idempotent, at_most_once };

/// builtin: exec: … and what stands behind the colon.
struct Endpoint {
  std::string kind;                // "builtin", "exec", "serve", "http", "https", "remote"
  std::string target;              // builtin name; absolute path of the program; what follows http: or https:; capability
  std::vector<std::string> args;   // of a process
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// A primitive tool, ready to be executed by a worker.
struct ToolCall {
  std::string name;
  Endpoint endpoint;
};
/// A nested composite: a chain of its own. `definition` is a key of the package.
struct ProgramCall {
  std::string name;
  std::string definition;
};
using Call = std::variant<ToolCall, ProgramCall>;

struct StateWrite {
  std::string name;
  Expr value;  // over Root::response and Root::state
};

/// transform_arguments and transform_responses: variables, and expressions over them whose values are set on an object. A result does not
/// see another result.
struct Transform {
  struct Variable {
    std::string name;
    Expr value;              // sees the object's own members, no other variable
    bool sees_item = false;  // of a fan-out's arguments: computed once an item; the others once for all
  };
  struct Result {
    std::vector<std::string> key;  // `a.b` sets a nested field
    Computed value;                // over the object's own members, overridden by the variables
    bool sees_item = false;        // itself, or through a variable that does
    Place where;
  };
  std::vector<Variable> variables;
  std::vector<Result> results;
};

struct Step {
  std::string id;     // execution_id
  std::string name;   // for people; the id otherwise
  Gate gate = AfterAll{};
  std::optional<Condition> when;
  Expr bind;          // an ObjectExpr: the arguments (a fan-out adds the item under FanOut::as)
  std::optional<Transform> prepare;  // transform_arguments: after `bind`, before the arguments are checked
  std::optional<FanOut> each;
  Call call;
  Schema arguments;   // of what is called
  Schema responses;
  std::optional<Transform> shape;  // transform_responses: of a plain step before its response is checked; of a fan-out once, on the list
  std::vector<StateWrite> writes;
  RetryPolicy retry;
  Millis timeout{0};   // of an attempt; 0: none
  Millis deadline{0};  // of the step with queueing and retries; 0: none
  EffectClass effect = EffectClass::idempotent;
  std::vector<std::string> needs;  // capabilities
  Route ok = Settle{};
  Route failed = FinishFailed{};
  Place where;
};

enum class FailurePolicy { finish, cancel };

struct ProgramLimits {
  std::uint32_t visits_max = limits::kVisitsMax;  // sequences only: entries of steps in one chain
};

/// A composite, or a primitive tool wrapped as a program of one step.
struct Program {
  std::string name;
  std::string description;
  Schema arguments;
  Schema responses;
  std::vector<Step> steps;
  std::optional<StepIndex> entry;   // sequences: the first step entered
  std::optional<Expr> outputs;      // absent: {execution_id: response} of every step
  FailurePolicy on_failure = FailurePolicy::finish;
  ProgramLimits limits;
  [[nodiscard]] std::optional<StepIndex> find_step(std::string_view id) const;
};

/// Steps whose gate waits for `step`, by index: computed once a program.
[[nodiscard]] std::vector<std::vector<StepIndex>> dependents(const Program& program);
/// Steps whose values an expression needs, sorted and unique.
[[nodiscard]] std::vector<StepIndex> steps_referenced(const Expr& expr);
[[nodiscard]] std::vector<StepIndex> steps_referenced(const Condition& condition);

}  // namespace catena::lang
