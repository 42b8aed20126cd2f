#pragma once
// Texts with expressions in them, in the manner of Jinja. Parsed once, rendered as often as wanted:
//
//   {{ expr }}                                        the value as text; null is nothing, lists and objects are JSON
//   {% if expr %} {% elif expr %} {% else %} {% endif %}
//   {% for x in expr %} {% else %} {% endfor %}       else: of an empty list; loop.index, .index0, .first, .last, .length
//   {% set x = expr %}                                until the end of the round of the loop that it stands in, or of the text
//   {# comment #}   {% raw %} as it stands {% endraw %}
//   {%- … -%}                                         a '-' removes the white space on that side; of all three forms
//
// Expressions are those of lang/expr; filters are its pipes. Pure, and bounded: no template can hang, overflow the stack or fill the memory.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/expr/evaluate.hpp"
#include "lang/expr/inspect.hpp"

namespace catena::lang {

namespace text_template {
struct Block;
}

struct TemplateLimits {
  expr::Limits expressions{};  // all of one rendering share them
  std::size_t output_bytes_max = 16UL << 20U;
};
inline constexpr std::size_t kTemplateBytesMax = 1UL << 20U;
inline constexpr std::uint32_t kTemplateDepthMax = 64;  // of blocks in blocks

struct TemplateInput {
  const expr::Variables& variables;
  UnixMillis now = 0;
  const FileReader* files = nullptr;
  TemplateLimits limits{};
  std::vector<std::string>* warnings = nullptr;
};

/// What has a meaning in a text: all of the above, or {{ expr }} alone, everything else being text.
enum class TemplateForms { all, expressions };

class TextTemplate {
 public:
  /// `name` is what places in errors call it. Errors: document_too_large, not_utf8, expression_syntax and those of expr::compile, each with
  /// line and column.
  [[nodiscard]] static Result<TextTemplate> parse(std::string_view text, std::string_view name = "template",
                                                  TemplateForms forms = TemplateForms::all);

  /// Errors: those of expr::evaluate and not_a_list, with line and column of the expression; the limits.
  [[nodiscard]] Result<std::string> render(const TemplateInput& input) const;
  /// Of a text that is one {{ expr }} and nothing else the value with its type; of any other what render gives.
  [[nodiscard]] Result<Json> evaluate(const TemplateInput& input) const;
  /// Every REF: in its expressions; for dependencies.
  [[nodiscard]] std::vector<std::string> references() const;
  /// What its expressions use, each in its turn. The template must outlive it.
  [[nodiscard]] std::vector<expr::Uses> uses() const;
  /// Without {{ or any other form in it: evaluate gives the text as it is.
  [[nodiscard]] bool is_plain() const;
  /// As it was parsed.
  [[nodiscard]] const std::string& source() const { return source_; }

 private:
  TextTemplate(std::shared_ptr<const text_template::Block> block, std::string_view source) : block_{std::move(block)}, source_{source} {}
  std::shared_ptr<const text_template::Block> block_;
  std::string source_;
};

}  // namespace catena::lang
