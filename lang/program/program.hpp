#pragma once
// The intermediate representation: what every dialect is lowered to and what the engine runs. A step has a gate (after all it
// depends on, or on entry) and a route for success and for failure: a graph is "gates, no jumps", a state machine "entry
// gates, jumps". Values only; nothing here knows files, clocks or actors.
#include <cstdint>
#include <functional>
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
#include "lang/template/text_template.hpp"

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
  std::size_t segments = 0;   // of Ref::path that lead to the file; those behind are its attributes
  bool stays_a_path = false;  // the bare reference goes to a place that is declared `file` itself; else it is the content
  friend bool operator==(const FileRef&, const FileRef&) = default;
};
/// REF:<context>.<segments>, resolved by name at validation.
struct Ref {
  Root root = Root::input;
  StepIndex step = 0;             // for Root::step
  std::vector<std::string> path;  // segments behind the context, as written
  std::string text;               // the reference as written, for messages
  std::optional<FileRef> file = std::nullopt;
  bool lenient = false;  // what is not there is null, not an error
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
/// A text with {{ expressions }} over the chain's state; alone, one keeps the type of its value. References are no part of it.
struct Templated {
  TextTemplate text;
};
/// The texts of the parts, one behind the other: strings as they are, null as nothing, everything else as JSON.
struct Concat {
  std::vector<Expr> parts;
};
/// The first of these values that has the member `name`, at its top or in its object `data`, gives it. As a member of an ObjectExpr it is
/// left out where none does; elsewhere it is null.
struct Named {
  std::string name;
  std::vector<Expr> sources;
};
/// An object of the chain's state variables: of these, or of all.
struct StateOf {
  std::optional<std::vector<std::string>> names;  // those there are not are left out
};

struct Expr {
  std::variant<Literal, Ref, ListExpr, ObjectExpr, Computed, Templated, Concat, Named, StateOf> node = Literal{};
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
/// A value that counts as true. One that cannot be had is an error, not false.
struct Truth {
  Expr value;
};
struct Condition {
  std::variant<Test, Group, Truth> node = Group{};  // an empty AND is true
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

class JsonSchema;

struct Schema {
  std::vector<Field> fields;
  bool additional = false;                        // unknown names pass
  std::shared_ptr<const JsonSchema> json_schema;  // what fields cannot say; null: nothing
  [[nodiscard]] const Field* find(std::string_view name) const;
};

// ---- steps -------------------------------------------------------------------------------------------------------------

struct AfterAll {
  std::vector<StepIndex> deps;  // sorted, unique
};
struct OnEntry {};
using Gate = std::variant<AfterAll, OnEntry>;

struct Settle {};  // nothing more: gates decide what follows
struct Go {
  StepIndex target = 0;
};                       // enter that step (a new visit)
struct FinishOk {};      // the chain ends
struct FinishFailed {};  // the chain fails with this step's error, and nothing more is started
struct FailAtEnd {};     // the chain fails, once everything that can still run has ended
using Route = std::variant<Settle, Go, FinishOk, FinishFailed, FailAtEnd>;

enum class Join { all, any, first_success, count };
enum class OnItemFailure { fail, null, error };

struct FanOut {
  Expr over;
  std::string as;  // the argument that carries the item
  Join join = Join::all;
  std::uint32_t join_count = 0;  // for Join::count
  std::uint32_t window = 0;      // most items at a time; 0: as many as the workers take
  std::uint32_t tolerated = 0;   // failed items that do not fail the step
  std::optional<double> tolerated_percentage;
  OnItemFailure on_item_failure = OnItemFailure::fail;
  bool carries = false;  // a round of a loop: begins when the one before has settled, with the state which that one left
};

/// What a step whose items are rounds of a block takes over from them into the chain's state.
struct Gather {
  bool state = false;              // what they wrote; of several that wrote a variable the later item counts
  std::vector<std::string> lists;  // of each of these variables the list of what every round left in it, null where it left none
  friend bool operator==(const Gather&, const Gather&) = default;
};

struct RetryPolicy {
  std::uint32_t max_attempts = 1;  // 0: no limit
  Millis initial_interval{1000};
  double backoff = 2.0;
  Millis max_interval{60'000};
  double jitter = 0.2;
  std::vector<std::string> non_retryable;  // names of codes
  bool any_failure = false;                // whatever the tool failed with; else only what a further attempt may mend
  friend bool operator==(const RetryPolicy&, const RetryPolicy&) = default;
};

/// What a lost worker means: pure and idempotent attempts are made again, at_most_once ones wait for a person.
enum class EffectClass { pure, idempotent, at_most_once };

/// builtin: exec: … and what stands behind the colon.
struct Endpoint {
  std::string kind;                     // "builtin", "exec", "serve", "http", "https", "remote"
  std::string target;                   // builtin name; absolute path of the program; what follows http: or https:; capability
  std::vector<std::string> args;        // of a process
  std::string from = {};                // key of the source that names the program
  std::vector<std::string> files = {};  // paths and patterns of what the program is shipped with, as written there
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
/// Nothing is called: the step waits until somebody sends the chain a signal of this name, whose data are its response. Its deadline says how long.
struct SignalCall {
  std::string name;
};
using Call = std::variant<ToolCall, ProgramCall, SignalCall>;

/// One variable of a process's environment: a value over the chain, as the step's arguments are, or a secret that the worker knows by that name.
struct EnvVariable {
  std::string name;
  Expr value;
  std::string secret;  // empty: the value counts
};
inline constexpr std::string_view kSecretPrefix = "SECRET:";
inline constexpr std::string_view kWorkDirectory = "work";              // a fresh one for each attempt
inline constexpr std::string_view kSubmissionDirectory = "submission";  // where the chain was submitted
/// What a process finds around it besides its arguments.
struct Surroundings {
  std::vector<EnvVariable> environment;  // each name once
  std::string directory;                 // where it starts: one of the two words, or an absolute path; empty: as the coordinator is set
};

struct StateWrite {
  std::string name;
  Expr value;  // over Root::response and the state, which earlier writes of the step have changed already
};

/// transform_arguments and transform_responses: variables, and expressions over them whose values are set on an object, one after another: a
/// result sees what those before it have set.
struct Transform {
  struct Variable {
    std::string name;
    Expr value;              // sees the object's own members, no other variable
    bool sees_item = false;  // of a fan-out's arguments: computed once an item; the others once for all
  };
  struct Result {
    std::vector<std::string> key;  // `a.b` sets a nested field
    Computed value;                // over the object's own members, overridden by the variables, overridden by the results before it
    bool sees_item = false;        // itself, or through a variable or a result that does
    Place where;
  };
  std::vector<Variable> variables;
  std::vector<Result> results;
};

/// What becomes of what nobody answered in time.
enum class OnApprovalTimeout { fail, approve, reject };
/// Each task of the step waits for a person before it is granted.
struct ApprovalRule {
  std::string who = {};                                // is to answer, in words for people; empty: anybody
  std::shared_ptr<const JsonSchema> schema = nullptr;  // of what an answer sets among the arguments; null: only what is called says
  Millis timeout{0};                                   // 0: it waits for good
  bool allow_edit = false;                             // an answer may set arguments
  OnApprovalTimeout on_timeout = OnApprovalTimeout::fail;
  friend bool operator==(const ApprovalRule&, const ApprovalRule&) = default;
};

struct Step {
  std::string id;    // execution_id
  std::string name;  // for people; the id otherwise
  Gate gate = AfterAll{};
  std::optional<Condition> when;
  Expr bind;                         // an ObjectExpr: the arguments (a fan-out adds the item under FanOut::as)
  std::optional<Transform> prepare;  // transform_arguments: after `bind`, before the arguments are checked
  std::optional<FanOut> each;
  Call call;
  Schema arguments;  // of what is called
  Schema responses;
  std::optional<Transform> shape;  // transform_responses: of a plain step before its response is checked; of a fan-out once, on the list
  std::vector<StateWrite> writes;
  std::optional<Gather> gather;
  bool heeds_success = false;  // a response whose `success` is false is a failure
  RetryPolicy retry;
  std::string retry_counter;    // the state variable that counts the retries of a visit; empty: none
  Millis timeout{0};            // of an attempt; 0: none
  Millis heartbeat_timeout{0};  // an attempt that says nothing for so long is ended; 0: it need not say anything
  Millis deadline{0};           // of the step with queueing and retries; 0: none
  EffectClass effect = EffectClass::idempotent;
  std::vector<std::string> needs;  // capabilities
  Surroundings surroundings;       // of a process; empty for all else
  std::optional<ApprovalRule> approve;
  bool finally =
      false;  // a final step: begins when all others are over, however the chain ends; of those that its gate names it waits for final ones
  Route ok = Settle{};
  Route failed = FinishFailed{};
  std::string when_missing;  // ends the message that a required argument is missing: what else could have given it
  std::string blame;         // begins the message of its failure; empty: "step '<id>':", and which attempt it was
  Place where;
};

/// A step of a sequence: a jump enters it, not the end of others.
[[nodiscard]] inline bool is_entry(const Step& step) { return std::holds_alternative<OnEntry>(step.gate); }
/// What the step waits for; null: it calls something.
[[nodiscard]] inline const SignalCall* signal_of(const Step& step) { return std::get_if<SignalCall>(&step.call); }

enum class FailurePolicy { finish, cancel };

struct ProgramLimits {
  std::uint32_t visits_max = limits::kVisitsMax;  // sequences only: entries of steps in one chain
};

// ---- what a program answers ----------------------------------------------------------------------------------------------

struct AllResponses {};    // {execution_id: response} of every step
struct SequenceResult {};  // of a sequence: what ran, with its history and the state at the end; also of one that failed
struct BlockResult {};     // of a round or branch: {"written": {variable: value}}
/// Of a plan: what became of its steps, each of which is a run of the program's steps; also of one that failed.
struct PlanResult {
  struct PlanStep {
    std::string id;
    std::vector<StepIndex> tools;  // in the order in which they run
  };
  std::vector<PlanStep> steps;
};
using Outputs = std::variant<AllResponses, Expr, SequenceResult, BlockResult, PlanResult>;

/// A program that is part of another: a round of a loop, a branch of a parallel step. Its arguments are `state` (what it may read of the
/// state of the chain around it), `item`, and in loops `carried` (what the rounds before wrote).
struct Block {
  std::string item;       // of a loop: the variable that holds the item
  bool branches = false;  // the item is the index of the step that is entered
  friend bool operator==(const Block&, const Block&) = default;
};

/// A composite, or a primitive tool wrapped as a program of one step.
struct Program {
  std::string name;
  std::string description;
  Schema arguments;
  Schema responses;
  std::vector<Step> steps;
  std::optional<StepIndex> entry;  // sequences: the first step entered
  Outputs outputs;
  std::optional<Block> block;
  std::vector<std::string> requires_context;  // names that the submission's context must carry
  FailurePolicy on_failure = FailurePolicy::finish;
  ProgramLimits limits;
  [[nodiscard]] std::optional<StepIndex> find_step(std::string_view id) const;
  /// A chain that fails has a response too, which says how far it came.
  [[nodiscard]] bool answers_failure() const;
};

/// Programs that are part of the one that a definition is lowered to (blocks), by key: "<key of the definition>#<name>".
using NestedPrograms = std::map<std::string, Program>;

/// Steps whose gate waits for `step`, by index: computed once a program.
[[nodiscard]] std::vector<std::vector<StepIndex>> dependents(const Program& program);
/// Every reference inside.
using RefVisitor = std::function<void(const Ref&)>;
void for_each_reference(const Expr& expr, const RefVisitor& visit);
void for_each_reference(const Condition& condition, const RefVisitor& visit);
void for_each_reference(const Transform& transform, const RefVisitor& visit);
/// Steps whose values an expression needs, sorted and unique.
[[nodiscard]] std::vector<StepIndex> steps_referenced(const Expr& expr);
[[nodiscard]] std::vector<StepIndex> steps_referenced(const Condition& condition);

}  // namespace catena::lang
