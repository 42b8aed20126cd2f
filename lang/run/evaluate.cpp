#include "lang/run/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "lang/run/computed.hpp"
#include "lang/run/reference_value.hpp"
#include "lang/run/scope.hpp"
#include "lang/run/state_variables.hpp"

namespace catena::lang {
namespace {

enum class Unresolved { error, null };

bool finds_nothing(Code code) {
  return code == Code::reference_unresolved || code == Code::file_not_found || code == Code::file_version_not_found ||
         code == Code::file_path_invalid;
}

/// Levels of lists and objects in valid text.
int nesting_of(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
        break;
      case '{':
      case '[': deepest = std::max(deepest, ++depth); break;
      case '}':
      case ']': --depth; break;
      default: break;
    }
  }
  return deepest;
}

/// Writes the text of an expression by copying the bytes that its references name.
class Evaluator {
 public:
  Evaluator(const Program& program, const Scope& scope, Unresolved unresolved) : program_{program}, scope_{scope}, unresolved_{unresolved} {}

  std::string out;

  Result<void> write(const Expr& expr) {
    return std::visit([&](const auto& node) { return write(node, expr.where); }, expr.node);
  }

 private:
  Result<void> write(const Literal& literal, const Place& /*where*/) {
    out += to_text(literal.value).text;
    return {};
  }

  Result<void> write(const Ref& ref, const Place& where) {
    auto done = append_reference(ref, where, program_, scope_, out);
    const bool lenient = ref.lenient || unresolved_ == Unresolved::null;
    if (done || !lenient || !finds_nothing(done.error().code)) return done;
    out += "null";
    return {};
  }

  Result<void> write(const ListExpr& list, const Place& /*where*/) {
    out += '[';
    for (bool first = true; const auto& item : list.items) {
      if (!std::exchange(first, false)) out += ',';
      if (auto done = write(item); !done) return done;
    }
    out += ']';
    return {};
  }

  Result<void> write(const ObjectExpr& object, const Place& /*where*/) {
    out += '{';
    for (bool first = true; const auto& [key, value] : object.members) {
      const auto before = out.size();
      if (!first) out += ',';
      out += to_text(Json(key)).text;
      out += ':';
      if (const auto* named = std::get_if<Named>(&value.node)) {
        const auto found = append_named(*named);
        if (!found) return fail(found.error());
        if (!*found) {
          out.resize(before);
          continue;
        }
      } else if (auto done = write(value); !done) {
        return done;
      }
      first = false;
    }
    out += '}';
    return {};
  }

  Result<void> write(const Computed& computed, const Place& where) {
    auto value = compute(computed, where, program_, scope_, {}, nullptr);
    if (!value) return fail(std::move(value.error()));
    out += to_text(*value).text;
    return {};
  }

  Result<void> write(const Templated& templated, const Place& where) {
    auto value = evaluate_templated(templated, where, scope_);
    if (!value) return fail(std::move(value.error()));
    out += to_text(*value).text;
    return {};
  }

  Result<void> write(const Concat& concat, const Place& /*where*/) {
    std::string joined;
    for (const auto& part : concat.parts) {
      Evaluator value{program_, scope_, unresolved_};
      if (auto done = value.write(part); !done) return done;
      const JsonView view{value.out};
      const auto kind = view.kind();
      if (kind == JsonKind::string) {
        joined += view.string();
      } else if (kind != JsonKind::null) {
        joined += view.text();
      }
    }
    out += to_text(Json(joined)).text;
    return {};
  }

  Result<void> write(const Named& named, const Place& /*where*/) {
    const auto found = append_named(named);
    if (!found) return fail(found.error());
    if (!*found) out += "null";
    return {};
  }

  /// Whether some source has the member; it is appended then.
  Result<bool> append_named(const Named& named) {
    for (const auto& source : named.sources) {
      Evaluator value{program_, scope_, Unresolved::null};
      if (auto done = value.write(source); !done) return fail(std::move(done.error()));
      const auto member = member_of(JsonView{value.out}, named.name);
      if (!member) continue;
      out += member->text();
      return true;
    }
    return false;
  }

  /// At its top, or in its object `data`; null is as good as absent.
  static std::optional<JsonView> member_of(JsonView source, std::string_view name) {
    const auto in = [&](JsonView object) -> std::optional<JsonView> {
      const auto found = object.kind() == JsonKind::object ? object.find(name) : std::nullopt;
      return found && !found->is_null() ? found : std::nullopt;
    };
    if (const auto found = in(source)) return found;
    const auto data = source.kind() == JsonKind::object ? source.find("data") : std::nullopt;
    return data ? in(*data) : std::nullopt;
  }

  Result<void> write(const StateOf& state, const Place& /*where*/) {
    out += '{';
    bool first = true;
    for (const auto& name : state.names ? *state.names : scope_.variable_names()) {
      const auto value = scope_.variable(name);
      if (!value) return fail(value.error());
      if (!*value) continue;
      if (!std::exchange(first, false)) out += ',';
      out += to_text(Json(name)).text;
      out += ':';
      out += (*value)->text;
    }
    out += '}';
    return {};
  }

  const Program& program_;
  const Scope& scope_;
  Unresolved unresolved_;
};

Result<JsonText> run(const Expr& expr, const Program& program, const Scope& scope, Unresolved unresolved) {
  Evaluator evaluator{program, scope, unresolved};
  if (auto done = evaluator.write(expr); !done) return fail(std::move(done.error()));
  // Wrapping values in values could nest without end from step to step; a bare reference cannot.
  const bool wraps = std::holds_alternative<ListExpr>(expr.node) || std::holds_alternative<ObjectExpr>(expr.node);
  if (wraps && nesting_of(evaluator.out) > limits::kNestingMax) {
    return fail(Code::nesting_too_deep, fmt::format("the value nests deeper than {} levels once references are filled in", limits::kNestingMax),
                expr.where);
  }
  return JsonText{std::move(evaluator.out)};
}

}  // namespace

Result<std::optional<JsonText>> Scope::variable(std::string_view /*name*/) const { return std::nullopt; }

std::vector<std::string> Scope::variable_names() const { return {}; }

std::string_view name(StepStatus status) {
  switch (status) {
    case StepStatus::completed: return "completed";
    case StepStatus::failed: return "failed";
    case StepStatus::skipped: return "skipped";
    case StepStatus::cancelled: return "cancelled";
    case StepStatus::unsettled: return "unsettled";
  }
  return "?";
}

Result<JsonText> evaluate(const Expr& expr, const Program& program, const Scope& scope) { return run(expr, program, scope, Unresolved::error); }

Result<JsonText> evaluate_lenient(const Expr& expr, const Program& program, const Scope& scope) {
  return run(expr, program, scope, Unresolved::null);
}

}  // namespace catena::lang
