#include "api/definitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lang/package/definition_name.hpp"
#include "lang/package/stored.hpp"

namespace catena::api {
namespace {

/// No file has such a key: those of files are absolute.
constexpr std::string_view kInlineFolder = "inline/";

constexpr std::size_t kPinnedMost = 1024;
constexpr std::size_t kPinnedBytesMax = 64UL << 20U;
constexpr std::size_t kKnownMost = 64;
constexpr std::size_t kKnownBytesMax = 4UL << 20U;
constexpr std::size_t kKnownManifestMax = 64UL << 10U;

/// About what it takes in memory: the text stands in the key, in the package and in what was read from it.
std::size_t pinned_bytes(const std::string& key, const Pinned& pinned) {
  std::size_t bytes = key.size() + 4 * pinned.package->manifest.size();
  for (const auto& [hash, content] : pinned.programs) bytes += content.size();
  return bytes;
}

class InlineFinder final : public lang::SourceFinder {
 public:
  InlineFinder(lang::Source source, const lang::SourceFinder& shelf) : source_{std::move(source)}, shelf_{shelf} {}

  [[nodiscard]] Result<lang::Source> definition(std::string_view path, std::string_view from) const override {
    if (from.empty()) return source_.text.empty() ? shelf_.named(path, "") : Result<lang::Source>{source_};
    return shelf_.definition(path, from);
  }
  [[nodiscard]] Result<lang::Source> named(std::string_view name, std::string_view from) const override { return shelf_.named(name, from); }
  [[nodiscard]] std::vector<std::string> names() const override { return shelf_.names(); }
  [[nodiscard]] std::vector<std::string> paths() const override { return shelf_.paths(); }
  [[nodiscard]] Result<std::string> program(std::string_view program, std::string_view from) const override {
    if (from.substr(0, from.find('#')) != source_.key) return shelf_.program(program, from);
    return fail(lang::names_no_program("a definition that comes with a request", program));
  }

 private:
  lang::Source source_;
  const lang::SourceFinder& shelf_;
};

/// Where an error in the text of the member `definition` stands in the body.
Place place_in_body(const Place& within, const Place& begin) {
  if (within.line == 0) return begin;
  Place place = begin;
  place.line = begin.line + within.line - 1;
  place.column = within.line == 1 ? begin.column + within.column - 1 : within.column;
  return place;
}

std::vector<Finding> findings_in_body(const lang::Diagnostics& errors, const Body& body, const lang::Node* definition, const std::string& key) {
  std::vector<Finding> findings;
  for (const auto& error : errors) {
    Finding finding{error};
    if (definition != nullptr && (error.where.file.empty() || error.where.file == key)) {
      finding.error.where = place_in_body(error.where, definition->where);
      finding.pointer = body.pointer_at(finding.error.where.line, finding.error.where.column);
      finding.in_body = true;
    } else if (definition == nullptr) {
      finding.pointer = "/name";
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

/// Letters that a key may have; what is not is no reason to refuse a name that people read.
std::string key_name(const std::string& name) {
  std::string key;
  for (const char c : name) key += c == '/' || c == '#' || c == '\0' ? '-' : c;
  return key;
}

}  // namespace

std::unique_ptr<const lang::SourceFinder> finder_for(lang::Source source, const lang::SourceFinder& shelf) {
  return std::make_unique<InlineFinder>(std::move(source), shelf);
}

std::string inline_key(const std::string& file_name) { return std::string{kInlineFolder} + (file_name.empty() ? "definition" : key_name(file_name)); }

std::vector<KnownDefinitions::Lookup> KnownDefinitions::lookups_of(const Json& manifest, const lang::Package& package, const std::string& root) {
  const auto& texts = manifest.at("definitions");
  std::vector<Lookup> lookups{{false, "", root, {package.root, texts.at(package.root).get<std::string>()}}};
  const auto add = [&](std::string_view table, bool by_name) {
    if (!manifest.contains(table)) return;
    for (const auto& [lookup, key] : manifest.at(table).items()) {
      const auto line = lookup.find('\n');
      const auto found = key.get<std::string>();
      lookups.push_back({by_name, lookup.substr(0, line), lookup.substr(line + 1), {found, texts.at(found).get<std::string>()}});
    }
  };
  add("resolved", false);
  add("named", true);
  return lookups;
}

PinnedPtr KnownDefinitions::find(const std::string& key, const lang::SourceFinder& finder) {
  const auto known = known_.find(key);
  if (known == known_.end()) return nullptr;
  const bool same = std::ranges::all_of(known->second.lookups, [&](const Lookup& lookup) {
    const auto found = lookup.by_name ? finder.named(lookup.written, lookup.from) : finder.definition(lookup.written, lookup.from);
    return found && found->key == lookup.found.key && found->text == lookup.found.text;
  });
  return same ? known->second.pinned : nullptr;
}

void KnownDefinitions::put(const std::string& key, const std::string& root, const PinnedPtr& pinned) {
  const auto& package = *pinned->package;
  if (package.manifest.size() > kKnownManifestMax || !package.warnings.empty() || !package.mapped.empty()) return;
  const auto manifest = Json::parse(package.manifest);  // canonical() wrote it
  if (!manifest.at("programs").empty() || manifest.contains("binder")) return;
  const auto bytes = pinned_bytes(key, *pinned);
  if (const auto before = known_.find(key); before != known_.end()) {
    bytes_ -= pinned_bytes(key, *before->second.pinned);
    known_.erase(before);
  }
  if (known_.size() == kKnownMost || bytes_ + bytes > kKnownBytesMax) {
    known_.clear();
    bytes_ = 0;
  }
  bytes_ += bytes;
  known_.emplace(key, Known{pinned, lookups_of(manifest, package, root)});
}

PinnedPtr PinnedBook::find(const std::string& key) const {
  const auto found = pinned_.find(key);
  return found == pinned_.end() ? nullptr : found->second;
}

void PinnedBook::put(std::string key, PinnedPtr pinned) {
  const auto bytes = pinned_bytes(key, *pinned);
  if (pinned_.size() == kPinnedMost || bytes_ + bytes > kPinnedBytesMax) {
    pinned_.clear();
    bytes_ = 0;
  }
  bytes_ += bytes;
  pinned_.emplace(std::move(key), std::move(pinned));
}

Outcome<StorableText> storable_text(const Body& body) {
  Members members{body.root()};
  const auto* definition = members.object("definition");
  const auto* text = members.any("text");
  if (text != nullptr && text->kind != lang::JsonKind::string)
    members.wrong(make_error(Code::field_type, "'text' must be a text: the definition as JSON or YAML", text->where), "text");
  if ((definition == nullptr) == (text == nullptr))
    members.wrong(make_error(Code::fields_exclusive, "give one of 'definition', a definition as JSON, and 'text', its text as JSON or YAML"));
  if (auto sound = members.finish(); !sound) return refuse(std::move(sound).error());
  if (definition != nullptr) return StorableText{std::string{body.text_of("definition")}, definition};
  return StorableText{text->scalar.get<std::string>(), nullptr};
}

Problem wrong_definition(const lang::Diagnostics& errors, const Body& body, const StorableText& text, const std::string& key) {
  if (text.definition != nullptr) return problem_of(findings_in_body(errors, body, text.definition, key));
  std::vector<Finding> findings;
  for (auto error : errors) {
    const bool in_text = error.where.file.empty() || error.where.file == key;
    if (in_text) error.where.file.clear();
    findings.push_back({std::move(error), in_text ? "/text" : "", false});
  }
  return problem_of(std::move(findings));
}

Outcome<PinnedPtr> pinned_definition(const Body& body, Members& members, const Shelf& shelf, PinnedBook& book) {
  const auto name = members.text("name");
  const auto* definition = members.object("definition");
  if (definition == nullptr && name.empty())
    members.wrong(make_error(Code::field_missing, "give 'definition', a definition, or 'name', the name of one"));
  if (definition == nullptr && name.find('/') != std::string::npos && !lang::check_stored_name(name))
    members.wrong(make_error(Code::field_value,
                             "'name' is the name of a definition, and no path; core tools and the definitions in the tool roots have names "
                             "such as 'math', and stored ones such as 'team/report'"),
                  "name");
  if (auto sound = members.finish(); !sound) return refuse(std::move(sound).error());
  auto key = definition != nullptr ? fmt::format("/{}:{}{}", name.size(), name, body.text_of("definition"))
                                   : name;  // that of one on the shelf does not begin with a slash
  if (auto known = book.find(key)) return known;
  lang::Source source;
  if (definition != nullptr) source = {inline_key(name), std::string{body.text_of("definition")}};
  const InlineFinder finder{source, *shelf.finder};
  const auto root = definition != nullptr ? source.key : name;
  auto* const known = book.known();
  if (known != nullptr) {
    if (auto before = known->find(key, finder)) return before;
  }
  auto package = lang::load_package(root, finder, shelf.catalog);
  if (!package) return refuse(problem_of(findings_in_body(package.error(), body, definition, source.key)));
  Pinned pinned;
  if (shelf.pin) {
    auto programs = shelf.pin(*package);
    if (!programs) return refuse(std::move(programs).error());
    pinned.programs = std::move(*programs);
  }
  pinned.package = std::make_shared<const lang::Package>(std::move(*package));
  auto read = std::make_shared<const Pinned>(std::move(pinned));
  if (known != nullptr) known->put(key, root, read);
  book.put(std::move(key), read);
  return read;
}

}  // namespace catena::api
