#pragma once
// A chain that stands still: values of arguments and of settled steps, as a test says.
#include <catch2/catch.hpp>

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lang/package/package.hpp"
#include "lang/run/scope.hpp"
#include "tests/lang/memory_files.hpp"
#include "tests/lang/memory_finder.hpp"

namespace catena::lang::test {

struct FakeView final : StepView {
  StepStatus status_ = StepStatus::completed;
  Json error_ = nullptr;
  std::string response_ = "{}";  // "broken": it cannot be read
  std::optional<std::vector<std::string>> items_;
  std::string added_ = "null";

  [[nodiscard]] StepStatus status() const override { return status_; }
  [[nodiscard]] Json error() const override { return error_; }
  [[nodiscard]] Result<JsonText> response() const override {
    if (response_ == "broken") return fail(Code::storage_io, "the disk is gone");
    return JsonText{response_};
  }
  [[nodiscard]] bool is_fan_out() const override { return items_.has_value(); }
  [[nodiscard]] std::uint32_t width() const override { return static_cast<std::uint32_t>(items_->size()); }
  [[nodiscard]] Result<JsonText> item(std::uint32_t index) const override { return JsonText{items_->at(index)}; }
  [[nodiscard]] Result<void> append_items(std::string& out) const override {
    out += '[';
    for (std::size_t i = 0; i < items_->size(); ++i) out += (i > 0 ? "," : "") + (*items_)[i];
    out += ']';
    return {};
  }
  [[nodiscard]] Result<JsonText> added() const override { return JsonText{added_}; }
};

/// A definition over the standard tools, and the values its expressions see.
struct FakeScope final : Scope {
  std::shared_ptr<const Program> program;
  std::deque<FakeView> views;
  std::string input_ = "{}";
  std::string response_ = "null";
  MemoryFiles store = example_files();
  bool has_store = true;

  explicit FakeScope(const std::string& document) {
    auto finder = standard_tools();
    finder.add("/case.tool", document);
    auto package = load_package("/case.tool", finder, kCatalog);
    if (!package) FAIL(rendered(package.error()));
    program = package->programs.at(package->root);
    views.resize(program->steps.size());
  }

  [[nodiscard]] Result<JsonText> input() const override { return JsonText{input_}; }
  [[nodiscard]] const StepView& step(StepIndex step) const override { return views.at(step); }
  [[nodiscard]] Result<JsonText> local(Root root) const override { return JsonText{root == Root::response ? response_ : "null"}; }
  [[nodiscard]] const FileReader* files() const override { return has_store ? &store : nullptr; }
  [[nodiscard]] UnixMillis now() const override { return kNow; }

  [[nodiscard]] const Step& last() const { return program->steps.back(); }
};

}  // namespace catena::lang::test
