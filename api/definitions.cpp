#include "api/definitions.hpp"

#include <fmt/format.h>

#include <utility>

#include "lang/package/definition_name.hpp"

namespace catena::api {
namespace {

/// No file has such a key: those of files are absolute.
constexpr std::string_view kInlineFolder = "inline/";

constexpr std::size_t kPinnedMost = 1024;
constexpr std::size_t kPinnedBytesMax = 64UL << 20U;

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
  [[nodiscard]] Result<std::string> program(std::string_view program, std::string_view from) const override {
    if (from.substr(0, from.find('#')) != source_.key) return shelf_.program(program, from);
    return fail(
        Code::program_not_found,
        fmt::format("a definition that comes with a request cannot name the program '{}' of this machine; put a tool that runs it into a tool "
                    "root (tools.roots), and call that",
                    program));
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

std::vector<Finding> findings_of(const lang::Diagnostics& errors, const Body& body, const lang::Node* definition, const std::string& key) {
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

Outcome<PinnedPtr> pinned_definition(const Body& body, Members& members, const Shelf& shelf, PinnedBook& book) {
  const auto name = members.text("name");
  const auto* definition = members.object("definition");
  if (definition == nullptr && name.empty())
    members.wrong(make_error(Code::field_missing, "give 'definition', a definition, or 'name', the name of one"));
  if (definition == nullptr && name.find('/') != std::string::npos)
    members.wrong(
        make_error(Code::field_value, fmt::format("'name' is the name of a definition, and no path; core tools and the definitions in the tool roots "
                                                  "have names, such as 'math'")),
        "name");
  if (auto sound = members.finish(); !sound) return refuse(std::move(sound).error());
  auto key =
      definition != nullptr ? fmt::format("/{}:{}{}", name.size(), name, body.text_of("definition")) : name;  // that of one on the shelf has no slash
  if (auto known = book.find(key)) return known;
  lang::Source source;
  if (definition != nullptr)
    source = {std::string{kInlineFolder} + (name.empty() ? "definition" : key_name(name)), std::string{body.text_of("definition")}};
  const InlineFinder finder{source, *shelf.finder};
  auto package = lang::load_package(definition != nullptr ? source.key : name, finder, shelf.catalog);
  if (!package) return refuse(problem_of(findings_of(package.error(), body, definition, source.key)));
  Pinned pinned;
  if (shelf.pin) {
    auto programs = shelf.pin(*package);
    if (!programs) return refuse(std::move(programs).error());
    pinned.programs = std::move(*programs);
  }
  pinned.package = std::make_shared<const lang::Package>(std::move(*package));
  auto read = std::make_shared<const Pinned>(std::move(pinned));
  book.put(std::move(key), read);
  return read;
}

}  // namespace catena::api
