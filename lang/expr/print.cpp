#include "lang/expr/print.hpp"

#include <fmt/format.h>

#include "lang/expr/lexer.hpp"

namespace catena::lang::expr {
namespace {

/// How tightly a form binds: an operand that binds less than its place asks for is put in brackets.
enum Tightness { kLambda, kOr, kAnd, kNot, kCompare, kSum, kTerm, kNegate, kPostfix, kPrimary };

struct OpLook {
  std::string_view text;
  Tightness tightness;
};

OpLook look(Op op) {
  switch (op) {
    case Op::either: return {"or", kOr};
    case Op::both: return {"and", kAnd};
    case Op::equal: return {"==", kCompare};
    case Op::not_equal: return {"!=", kCompare};
    case Op::less: return {"<", kCompare};
    case Op::less_equal: return {"<=", kCompare};
    case Op::greater: return {">", kCompare};
    case Op::greater_equal: return {">=", kCompare};
    case Op::in: return {"in", kCompare};
    case Op::contains: return {"contains", kCompare};
    case Op::add: return {"+", kSum};
    case Op::subtract: return {"-", kSum};
    case Op::multiply: return {"*", kTerm};
    case Op::divide: return {"/", kTerm};
    case Op::modulo: return {"%", kTerm};
  }
  return {"?", kPrimary};
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

class Printer {
 public:
  void put(const Node& node, Tightness needed) {
    const bool bracketed = tightness(node) < needed;
    if (bracketed) out_ += '(';
    std::visit([this](const auto& form) { write(form); }, node.form);
    if (bracketed) out_ += ')';
  }

  [[nodiscard]] std::string take() && { return std::move(out_); }

 private:
  static Tightness tightness(const Node& node) {
    if (std::holds_alternative<Lambda>(node.form)) return kLambda;
    if (const auto* binary = std::get_if<Binary>(&node.form)) return look(binary->op).tightness;
    if (const auto* unary = std::get_if<Unary>(&node.form)) return unary->op == UnaryOp::invert ? kNot : kNegate;
    return std::holds_alternative<Member>(node.form) || std::holds_alternative<Index>(node.form) ? kPostfix : kPrimary;
  }

  void write(const Literal& form) { out_ += form.value.is_string() ? in_quotes(form.value.get_ref<const std::string&>()) : form.value.dump(); }
  void write(const Name& form) { out_ += form.name; }
  void write(const Reference& form) { out_ += form.text; }

  void write(const Member& form) {
    // a dot after a number or a reference would be part of it
    const auto* literal = std::get_if<Literal>(&form.object->form);
    const bool glued = std::holds_alternative<Reference>(form.object->form) || (literal != nullptr && literal->value.is_number());
    if (glued) out_ += '(';
    put(*form.object, kPostfix);
    if (glued) out_ += ')';
    out_ += '.';
    out_ += form.segment;
  }

  void write(const Index& form) {
    put(*form.object, kPostfix);
    out_ += '[';
    put(*form.index, kLambda);
    out_ += ']';
  }

  void write(const Unary& form) {
    out_ += form.op == UnaryOp::invert ? "not " : "-";
    put(*form.operand, form.op == UnaryOp::invert ? kCompare : kPostfix);
  }

  void write(const Binary& form) {
    const auto [text, own] = look(form.op);
    const auto tighter = static_cast<Tightness>(own + 1);
    put(*form.left, own == kCompare ? tighter : own);
    out_ += fmt::format(" {} ", text);
    put(*form.right, tighter);
  }

  void write(const List& form) {
    out_ += '[';
    for (const auto& element : form.elements) item(*element, &element == form.elements.data());
    out_ += ']';
  }

  void write(const Object& form) {
    out_ += '{';
    for (const auto& [key, value] : form.members) {
      if (out_.back() != '{') out_ += ", ";
      out_ += is_word(key) && !key.starts_with("REF") ? key : in_quotes(key);
      out_ += ": ";
      put(*value, kLambda);
    }
    out_ += '}';
  }

  void write(const Lambda& form) {
    out_ += fmt::format("lambda {}: ", form.parameter);
    put(*form.body, kLambda);
  }

  void write(const Call& form) {
    out_ += form.function + '(';
    for (const auto& argument : form.arguments) {
      if (&argument != form.arguments.data()) out_ += ", ";
      if (!argument.keyword.empty()) out_ += argument.keyword + '=';
      put(*argument.value, kLambda);
    }
    out_ += ')';
  }

  void item(const Node& node, bool first) {
    if (!first) out_ += ", ";
    put(node, kLambda);
  }

  std::string out_;
};

}  // namespace

std::string print(const Node& node) {
  Printer printer;
  printer.put(node, kLambda);
  return std::move(printer).take();
}

}  // namespace catena::lang::expr
