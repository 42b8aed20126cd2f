#include "lang/run/computed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lang/expr/evaluate.hpp"
#include "lang/run/reference_value.hpp"

namespace catena::lang {
namespace {

class LayeredVariables final : public expr::Variables {
 public:
  LayeredVariables(const Computed& computed, const Place& where, const Program& program, const Scope& scope, std::span<const Layer> layers)
      : computed_{computed}, where_{where}, program_{program}, scope_{scope}, layers_{layers} {}

  [[nodiscard]] const Json* find(std::string_view name) const override {
    for (const auto& layer : layers_) {
      if (layer.value != nullptr && layer.name == name) return layer.value;
      if (layer.members == nullptr || !layer.members->is_object()) continue;
      if (layer.only != nullptr && !layer.only->contains(name)) continue;
      const auto found = layer.members->find(name);
      if (found != layer.members->end()) return &*found;
    }
    return nullptr;
  }

  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& layer : layers_) {
      if (layer.value != nullptr) names.emplace_back(layer.name);
      if (layer.members == nullptr || !layer.members->is_object()) continue;
      for (const auto& member : layer.members->items()) {
        const auto& key = member.key();
        if (layer.only != nullptr && !layer.only->contains(key)) continue;
        if (std::ranges::find(names, key) == names.end()) names.push_back(key);
      }
    }
    return names;
  }

  [[nodiscard]] Result<Json> reference(std::string_view text) const override {
    const auto ref = computed_.references.find(text);
    if (ref == computed_.references.end()) {
      return fail(Code::reference_unknown, fmt::format("the reference '{}' stands in a text that came at run time; use a variable", text));
    }
    std::string value;
    if (auto done = append_reference(ref->second, where_, program_, scope_, value); !done) return fail(done.error());
    return JsonView{value}.parse();
  }

 private:
  const Computed& computed_;
  const Place& where_;
  const Program& program_;
  const Scope& scope_;
  std::span<const Layer> layers_;
};

}  // namespace

Result<Json> compute(const Computed& computed, const Place& where, const Program& program, const Scope& scope, std::span<const Layer> layers,
                     std::vector<std::string>* warnings) {
  const LayeredVariables variables{computed, where, program, scope, layers};
  expr::Input input{variables, scope.now()};
  input.files = scope.files();
  input.warnings = warnings;
  auto value = expr::evaluate(*computed.expression, input);
  if (!value && value.error().where.file.empty()) value.error().where = where;
  return value;
}

}  // namespace catena::lang
