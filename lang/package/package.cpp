#include "lang/package/package.hpp"

#include <fmt/format.h>

#include "base/hash.hpp"
#include "lang/dialect/dialect.hpp"
#include "lang/package/call_cycles.hpp"
#include "lang/package/loader.hpp"
#include "lang/program/endpoint.hpp"

namespace catena::lang {
namespace {

constexpr int kManifestFormat = 1;

/// A pinned package as the place where definitions come from: nothing is looked up outside it.
class ManifestFinder final : public SourceFinder {
 public:
  explicit ManifestFinder(const Json& manifest) : manifest_{manifest} {}

  Result<Source> definition(std::string_view path, std::string_view from) const override {
    const auto key = from.empty() ? std::string{path} : entry("resolved", fmt::format("{}\n{}", from, path));
    auto text = entry("definitions", key);
    if (text.empty()) return fail(Code::storage_corrupt, fmt::format("the pinned package lacks the definition '{}' that '{}' calls", path, from));
    return Source{key, std::move(text)};
  }

  Result<Source> named(std::string_view name, std::string_view from) const override {
    const auto key = manifest_.contains("named") ? entry("named", fmt::format("{}\n{}", from, name)) : std::string{};
    auto text = key.empty() ? std::string{} : entry("definitions", key);
    if (text.empty()) return fail(Code::storage_corrupt, fmt::format("the pinned package lacks the tool '{}' that '{}' calls", name, from));
    return Source{key, std::move(text)};
  }

  Result<std::string> program(std::string_view program, std::string_view from) const override {
    auto path = entry("programs", fmt::format("{}\n{}", from, program));
    if (path.empty()) return fail(Code::storage_corrupt, fmt::format("the pinned package lacks the program '{}' of '{}'", program, from));
    return path;
  }

 private:
  /// Empty when there is none: definitions, keys and paths never are.
  std::string entry(const char* table, const std::string& key) const {
    const auto found = manifest_[table].find(key);
    return found != manifest_[table].end() && found->is_string() ? found->get<std::string>() : std::string{};
  }

  const Json& manifest_;
};

/// The manifest as text. Definitions are UTF-8 (reading them checked it); a path of this machine need not be.
Result<std::string> canonical(const Json& manifest) {
  try {
    return manifest.dump();
  } catch (const Json::exception&) {
    return fail(Code::not_utf8, "the path of a definition or program is not UTF-8, so it cannot be pinned; rename the file or its folder");
  }
}

/// What stood for the forms of other systems when the package was pinned; a package without such forms, or an older one, has none.
/// Empty when the manifest is damaged.
std::optional<EndpointMap> pinned_endpoints(const Json& manifest) {
  EndpointMap map;
  const auto rows = manifest.find("endpoints");
  if (rows == manifest.end()) return map;
  if (!rows->is_object()) return std::nullopt;
  for (const auto& [form, row] : rows->items()) {
    if (!row.is_object() || !row.contains("to") || !row["to"].is_string() || !row.contains("name") || !row["name"].is_string()) return std::nullopt;
    map.pin(form, {row["to"].get<std::string>(), row["name"].get<std::string>()});
  }
  return map;
}

bool is_hash(std::string_view text) {
  constexpr std::size_t kSha256Digits = 64;
  return text.size() == kSha256Digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// What a package with these programs runs; a package that pins none, or an older one, has no table. Empty when the manifest is damaged.
std::optional<std::map<std::string, std::string>> pinned_programs(const Json& manifest) {
  std::map<std::string, std::string> pinned;
  const auto rows = manifest.find("pinned");
  if (rows == manifest.end()) return pinned;
  if (!rows->is_object()) return std::nullopt;
  for (const auto& [path, hash] : rows->items()) {
    if (!hash.is_string()) return std::nullopt;
    pinned.emplace(path, hash.get<std::string>());
  }
  return pinned;
}

/// The same of programs that are shipped with files.
std::optional<std::map<std::string, Bundled>> pinned_bundles(const Json& manifest) {
  std::map<std::string, Bundled> bundled;
  const auto rows = manifest.find("bundles");
  if (rows == manifest.end()) return bundled;
  if (!rows->is_object()) return std::nullopt;
  for (const auto& [key, row] : rows->items()) {
    if (!row.is_object() || !row.contains("hash") || !row["hash"].is_string() || !row.contains("places") || !row["places"].is_array())
      return std::nullopt;
    auto& read = bundled[key];
    read.hash = row["hash"].get<std::string>();
    for (const auto& place : row["places"]) {
      if (!place.is_array() || place.size() != 2 || !place[0].is_number_unsigned() || !place[1].is_string()) return std::nullopt;
      read.places.emplace(place[0].get<std::uint32_t>(), place[1].get<std::string>());
    }
  }
  return bundled;
}

bool is_manifest(const Json& json) {
  if (!json.is_object() || !json.contains("root") || !json["root"].is_string()) return false;
  for (const auto* table : {"definitions", "resolved", "programs"}) {
    if (!json.contains(table) || !json[table].is_object()) return false;
  }
  return (!json.contains("named") || json["named"].is_object()) && (!json.contains("binder") || json["binder"].is_string());
}

Result<void> rewrite(Package& package, const Json& manifest) {
  auto text = canonical(manifest);
  if (!text) return fail(std::move(text).error());
  package.manifest = std::move(*text);
  package.hash = sha256_hex(package.manifest);
  return {};
}

/// Whatever the dialect: of a step that waits for a signal there is one, and its response is what was sent.
void check_signals(const Program& program, Report& report) {
  for (const auto& step : program.steps) {
    if (signal_of(step) == nullptr || (!step.each && !step.shape)) continue;
    report.error(Code::field_value,
                 fmt::format("step '{}' waits for a signal, so it cannot {}", step.id,
                             step.each ? "run for each element of a list" : "have transform_responses"),
                 step.where);
  }
}

/// A round takes over what the one before has left, and an answer is for one task: neither goes together with the other.
void check_approvals(const Program& program, Report& report) {
  for (const auto& step : program.steps) {
    if (!step.approve) continue;
    const auto refuse = [&](std::string_view why) { report.error(Code::field_value, fmt::format("step '{}' {}", step.id, why), step.where); };
    if (signal_of(step) != nullptr) refuse("waits for a signal, so nothing of it can wait for approval");
    if (step.each && step.each->carries) refuse("goes on round by round, so its rounds cannot wait for approval");
    if (step.each && step.approve->allow_edit)
      refuse("runs for each element of a list, and arguments of its items cannot be edited: leave out 'allow_edit' and 'schema' of 'approve'");
  }
}

/// Reads and lowers, and reports all that is wrong with single definitions.
tl::expected<Package, Diagnostics> build_package(std::string_view path, const SourceFinder& finder, const Catalog& catalog, Probe* probe) {
  Report report{probe};
  Loader loader{finder, catalog, report};
  const auto root = loader.load(path);
  Package package;
  NestedPrograms nested;
  for (const auto& [key, definition] : loader.definitions()) {
    if (definition.primitive && key != root) continue;  // it runs as part of the steps that call it
    package.programs.emplace(key, std::make_shared<const Program>(definition.dialect->lower(definition, nested, report)));
  }
  for (auto& [key, program] : nested) package.programs.emplace(key, std::make_shared<const Program>(std::move(program)));
  for (const auto& [key, program] : package.programs) check_signals(*program, report);
  for (const auto& [key, program] : package.programs) check_approvals(*program, report);
  if (report.clean()) {
    package.root = *root;
    auto manifest = canonical(loader.manifest(package.root));
    if (manifest) {
      package.manifest = std::move(*manifest);
      package.hash = sha256_hex(package.manifest);
    } else {
      report.error(std::move(manifest.error()));
    }
  }
  if (!report.clean()) return tl::unexpected(report.take_errors());
  package.mapped = loader.mapped();
  package.warnings = report.take_warnings();
  return package;
}

}  // namespace

Result<Source> SourceFinder::named(std::string_view name, std::string_view /*from*/) const {
  return fail(Code::definition_not_found, fmt::format("there is no definition called '{}'", name));
}

tl::expected<Package, Diagnostics> load_package(std::string_view path, const SourceFinder& finder, const Catalog& catalog, Probe* probe) {
  auto package = build_package(path, finder, catalog, probe);
  if (!package) return package;
  if (auto checked = check_call_cycles(*package); !checked) return tl::unexpected(Diagnostics{std::move(checked).error()});
  return package;
}

Result<Package> from_manifest(std::string_view manifest, const Catalog& catalog) {
  const auto json = Json::parse(manifest, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("format")) return fail(Code::storage_corrupt, "a pinned package cannot be read: it is not a manifest");
  if (json["format"] != kManifestFormat) {
    return fail(Code::storage_format,
                fmt::format("a pinned package has the format {}; this version reads {}", json["format"].dump(), kManifestFormat));
  }
  if (!is_manifest(json)) return fail(Code::storage_corrupt, "a pinned package lacks a part of its manifest");
  auto endpoints = pinned_endpoints(json);
  if (!endpoints) return fail(Code::storage_corrupt, "a pinned package has a damaged table of endpoints");
  // What is configured now is no matter of a plan that was pinned.
  const Catalog pinned{catalog.builtins, catalog.capabilities, std::move(*endpoints), json.value("binder", ""), json.contains("steps_named_by_tool")};
  const auto programs = pinned_programs(json);
  const auto bundles = pinned_bundles(json);
  if (!programs || !bundles) return fail(Code::storage_corrupt, "a pinned package has a damaged table of programs");
  // Not what came up since it was pinned: a chain that was accepted can always be read, to be ended if nothing else.
  auto package = build_package(json["root"].get<std::string>(), ManifestFinder{json}, pinned, nullptr);
  if (package) {
    if (const auto added = pin_programs(*package, *programs); !added) return fail(Code::storage_corrupt, added.error().message);
    if (const auto added = pin_bundles(*package, *bundles); !added) return fail(Code::storage_corrupt, added.error().message);
    return std::move(*package);
  }
  auto error = std::move(package.error().front());
  for (std::size_t index = 1; index < package.error().size(); ++index) error.notes.push_back(render(package.error()[index]));
  return fail(std::move(error));
}

Result<void> pin_programs(Package& package, const std::map<std::string, std::string>& pinned) {
  if (pinned.empty()) return {};
  for (const auto& [path, hash] : pinned) {
    if (!path.starts_with('/') || !is_hash(hash)) {
      return fail(Code::field_value, fmt::format("a program is pinned by its absolute path and the SHA-256 of its content, not as '{}'", hash));
    }
  }
  auto manifest = Json::parse(package.manifest);  // canonical() wrote it
  for (const auto& [path, hash] : pinned) manifest["pinned"][path] = hash;
  if (auto written = rewrite(package, manifest); !written) return written;
  for (const auto& [path, hash] : pinned) package.pinned[path] = hash;
  return {};
}

std::string bundle_key(const Endpoint& endpoint) {
  auto key = endpoint.from + '\n' + endpoint.target;
  for (const auto& arg : endpoint.args) key += '\n' + arg;
  return key;
}

Result<void> pin_bundles(Package& package, const std::map<std::string, Bundled>& bundled) {
  if (bundled.empty()) return {};
  auto manifest = Json::parse(package.manifest);
  for (const auto& [key, bundle] : bundled) {
    if (!is_hash(bundle.hash) || bundle.places.empty())
      return fail(Code::field_value, fmt::format("the files of a tool are pinned by the SHA-256 of their content, not as '{}'", bundle.hash));
    auto& row = manifest["bundles"][key] = Json{{"hash", bundle.hash}, {"places", Json::array()}};
    for (const auto& [place, path] : bundle.places) row["places"].push_back(Json::array({place, path}));
  }
  if (auto written = rewrite(package, manifest); !written) return written;
  for (const auto& [key, bundle] : bundled) package.bundled[key] = bundle;
  return {};
}

bool same_definitions(const Package& one, const Package& other) {
  const auto unpinned = [](const Package& package) {
    auto manifest = Json::parse(package.manifest);
    manifest.erase("pinned");
    manifest.erase("bundles");
    return manifest;
  };
  return one.root == other.root && unpinned(one) == unpinned(other);
}

bool pins(const Package& package, std::string_view hash) {
  return std::ranges::any_of(package.pinned, [&](const auto& entry) { return entry.second == hash; }) ||
         std::ranges::any_of(package.bundled, [&](const auto& entry) { return entry.second.hash == hash; });
}

std::string pinned_content(const Package& package, const Endpoint& endpoint) {
  if (!runs_program(endpoint)) return {};
  if (const auto bundle = package.bundled.find(bundle_key(endpoint)); bundle != package.bundled.end()) return bundle->second.hash;
  const auto program = package.pinned.find(endpoint.target);
  return program == package.pinned.end() ? std::string{} : program->second;
}

}  // namespace catena::lang
