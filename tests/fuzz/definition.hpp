#pragma once
// What holds of every definition, whatever dialect it is in.
#include "lang/dialect/dialect.hpp"
#include "lang/package/package.hpp"
#include "tests/fuzz/check.hpp"
#include "tests/lang/memory_finder.hpp"

namespace catena::fuzz {

/// It is lowered or refused with places, and what was lowered is lowered to the same package from what it pins.
inline void load(std::string text) {
  using namespace catena::lang;
  static const auto tools = test::standard_tools();
  auto finder = tools;
  finder.add("/case.tool", std::move(text));
  const auto package = load_package("/case.tool", finder, test::kCatalog);
  if (!package) {
    check(!package.error().empty(), "a refusal has errors");
    for (const auto& error : package.error()) check(!error.message.empty() && error.where.line > 0, "an error has a place", error.message);
    return;
  }
  const auto again = from_manifest(package->manifest, test::kCatalog);
  check(again.has_value(), "a package is read from what it pins", again ? "" : again.error().message);
  check(again->hash == package->hash, "a package read again is the same", package->manifest);
  check(again->programs.size() == package->programs.size(), "a package read again has the same programs", package->manifest);
}

/// Loads a text as a definition of one dialect: as it is where it is in that dialect, else as the list of steps of one.
inline void load_in(std::string_view dialect, std::string_view text, std::string_view before_steps) {
  const auto document = lang::read_document(text, "/case.tool");
  const auto recognised = document ? lang::recognise(*document) : fail(document.error());
  if (recognised && (*recognised)->name == dialect) return load(std::string{text});
  std::string wrapped{before_steps};
  const std::string indent = "\n        ";
  wrapped += indent;
  for (const char c : text) {
    if (c == '\n') {
      wrapped += indent;
    } else {
      wrapped += c;
    }
  }
  load(std::move(wrapped));
}

}  // namespace catena::fuzz
