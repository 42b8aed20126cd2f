// Any text as a definition: it is lowered or refused with places, and what was lowered is lowered to the same package from what it pins.
#include "lang/package.hpp"
#include "tests/fuzz/check.hpp"
#include "tests/lang/memory_finder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace catena;
  using namespace catena::lang;
  static const auto tools = test::standard_tools();
  auto finder = tools;
  finder.add("/case.tool", std::string{fuzz::text_of(data, size)});
  const auto package = load_package("/case.tool", finder, test::kCatalog);
  if (!package) {
    fuzz::check(!package.error().empty(), "a refusal has errors");
    for (const auto& error : package.error())
      fuzz::check(!error.message.empty() && error.where.line > 0, "an error has a place", error.message);
    return 0;
  }
  const auto again = from_manifest(package->manifest, test::kCatalog);
  fuzz::check(again.has_value(), "a package is read from what it pins", again ? "" : again.error().message);
  fuzz::check(again->hash == package->hash, "a package read again is the same", package->manifest);
  fuzz::check(again->programs.size() == package->programs.size(), "a package read again has the same programs", package->manifest);
  return 0;
}
