#pragma once
// Packages of tests whose definitions must be valid: a test fails with the errors of one that is not.
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "tests/lang/memory_finder.hpp"

namespace catena::lang::test {

inline Package valid_package(const MemoryFinder& finder, std::string_view path = "/main.tool", const Catalog& catalog = kCatalog) {
  auto package = load_package(path, finder, catalog);
  if (!package) FAIL(rendered(package.error()));
  return std::move(*package);
}

/// One document at that path, over the standard tools.
inline Package valid_document(std::string_view path, const std::string& document) {
  auto finder = standard_tools();
  finder.add(std::string{path}, document);
  return valid_package(finder, path);
}

}  // namespace catena::lang::test
