#pragma once
// A package is everything a chain pins: the sources of every definition it can reach, and where its programs were found, under
// one content hash. It is lowered once, at submission, and again from the same sources when a chain is resumed.
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "lang/program/endpoint_map.hpp"
#include "lang/program/program.hpp"
#include "lang/program/report.hpp"

namespace catena::lang {

/// Of a program that is pinned by its content, and travels to workers.
inline constexpr std::size_t kProgramBytesMax = 64UL << 20U;

/// A definition that was found: its text, and the key that names it within the package (its canonical path).
struct Source {
  std::string key;
  std::string text;
};

/// Where definitions and programs come from: the tool roots on disk (cli), a pinned package, or a test.
class SourceFinder {
 public:
  virtual ~SourceFinder() = default;
  /// `path` as written in the definition `from` ("" for the root). Errors: definition_not_found (with the places looked at),
  /// path_outside_root, file_unreadable, document_too_large.
  [[nodiscard]] virtual Result<Source> definition(std::string_view path, std::string_view from) const = 0;
  /// The definition called `name`, whatever file it is in. Errors: definition_not_found (with the names that are near), file_unreadable.
  [[nodiscard]] virtual Result<Source> named(std::string_view name, std::string_view from) const;
  /// False: named() would find none. Whoever looks elsewhere in that case need not have the error made, which takes long.
  [[nodiscard]] virtual bool may_have(std::string_view /*name*/) const { return true; }
  /// The absolute path of the program of an exec: or serve: endpoint in the definition `from`. Error: program_not_found.
  [[nodiscard]] virtual Result<std::string> program(std::string_view program, std::string_view from) const = 0;
  /// Names, and paths, that a definition may call: for who completes them.
  [[nodiscard]] virtual std::vector<std::string> names() const { return {}; }
  [[nodiscard]] virtual std::vector<std::string> paths() const { return {}; }
};

/// What endpoints can mean here. Names of builtins come in from the worker's table, the rest from the configuration.
struct Catalog {
  std::vector<std::string> builtins;
  std::vector<std::string> capabilities = {};  // that a worker announces
  EndpointMap endpoints = {};
  std::string binder = {};  // the name of the tool that fills in what plans leave open; empty: none
  /// The step of a tool that runs by itself is called like the tool. False for packages that were pinned before that was so, whose chains
  /// have made keys of the name 'call'.
  bool steps_named_by_tool = true;
};

/// What stands for a program and for those of its arguments that are files: places in an unpacked bundle.
struct Bundled {
  std::string hash;                             // of the bundle's content
  std::map<std::uint32_t, std::string> places;  // path within it; 0: of the program, n: of its n-th argument
  friend bool operator==(const Bundled&, const Bundled&) = default;
};

struct Package {
  std::string root;                                                // key of the definition that was submitted
  std::map<std::string, std::shared_ptr<const Program>> programs;  // by key; inline definitions and blocks as "<key>#<id>"
  std::string manifest;                                            // canonical JSON: what is stored; see from_manifest
  std::string hash;                                                // SHA-256 of the manifest
  std::vector<Error> warnings;
  std::map<std::string, MappedEndpoint> mapped;  // forms of other systems and what stands for them
  std::map<std::string, std::string> pinned;     // programs by absolute path: SHA-256 of the content that is to run
  std::map<std::string, Bundled> bundled;        // by bundle_key of the endpoint; over what is pinned
  [[nodiscard]] const Program& main() const { return *programs.at(root); }
};

using Diagnostics = std::vector<Error>;  // all errors, in the order of the documents

/// Reads, lowers and validates the definition at `path` and all it can reach. All errors at once.
/// `probe`: gets the words that could stand in its place; null: nobody asks.
[[nodiscard]] tl::expected<Package, Diagnostics> load_package(std::string_view path, const SourceFinder& finder, const Catalog& catalog,
                                                              Probe* probe = nullptr);

/// A package as it was pinned. The manifest carries the sources; nothing is looked up outside it.
[[nodiscard]] Result<Package> from_manifest(std::string_view manifest, const Catalog& catalog);

/// The package is to run these contents and no others: absolute path of a program, SHA-256 of its content. It has another hash then.
/// Error: field_value, where something is no path or no hash.
[[nodiscard]] Result<void> pin_programs(Package& package, const std::map<std::string, std::string>& pinned);

/// What names an endpoint that runs a program, whichever step calls it.
[[nodiscard]] std::string bundle_key(const Endpoint& endpoint);
/// The same for programs that are shipped with files. Error: field_value, where something is no hash or no place.
[[nodiscard]] Result<void> pin_bundles(Package& package, const std::map<std::string, Bundled>& bundled);

/// Whether two packages are the same but for the contents of programs.
[[nodiscard]] bool same_definitions(const Package& one, const Package& other);

/// The contents that the package is to run: SHA-256 of programs and bundles.
[[nodiscard]] bool pins(const Package& package, std::string_view hash);
/// Of the content that stands for an endpoint's program on every worker; empty: what is there.
[[nodiscard]] std::string pinned_content(const Package& package, const Endpoint& endpoint);

}  // namespace catena::lang
