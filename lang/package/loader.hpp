#pragma once
// Reads a definition and all it can reach, each once, and finds the programs of their endpoints.
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "lang/package/package.hpp"
#include "lang/program/definition.hpp"
#include "lang/program/report.hpp"

namespace catena::lang {

class Loader {
 public:
  Loader(const SourceFinder& finder, const Catalog& catalog, Report& report) : finder_{finder}, catalog_{catalog}, report_{report} {}

  /// Key of the definition at `path`; nothing when it could not be found, which was reported.
  [[nodiscard]] std::optional<std::string> load(std::string_view path);

  [[nodiscard]] const std::map<std::string, Definition>& definitions() const { return definitions_; }
  /// Forms of other systems that the definitions use, and what stands for them.
  [[nodiscard]] const std::map<std::string, MappedEndpoint>& mapped() const { return mapped_; }
  /// What a package pins: {"format", "root", "definitions", "resolved", "programs"} and, where there are any, what was found by name as "named" and
  /// the mapped "endpoints"; of plans the name of their "binder"; of a primitive "steps_named_by_tool".
  [[nodiscard]] Json manifest(const std::string& root) const;

 private:
  using Lookup = std::map<std::string, std::string>;  // "<from>\n<as written>": what was found

  [[nodiscard]] std::optional<std::string> find(std::string_view path, const std::string& from, const Place& where);
  [[nodiscard]] std::optional<std::string> find_named(std::string_view name, const std::string& from, const Place& where);
  [[nodiscard]] std::string keep(Source source);
  [[nodiscard]] std::string target_of(const Definition& definition, std::size_t call) const;
  void read_source(Source source);
  void read(const Node& document, const std::string& key, const std::string& file, const std::string& default_name);
  void follow_calls(Definition& definition);
  void find_binder(const Definition& plan);
  void check_endpoint(Definition& definition);
  [[nodiscard]] Result<Endpoint> endpoint_of(const std::string& text, const Place& where);

  const SourceFinder& finder_;
  const Catalog& catalog_;
  Report& report_;
  std::map<std::string, std::string> texts_;       // by key
  std::map<std::string, Node> documents_;          // by key
  std::map<std::string, Definition> definitions_;  // by key, inline ones included
  std::deque<std::string> unread_;                 // keys of definitions whose calls were not followed yet
  Lookup resolved_;
  Lookup named_;
  Lookup programs_;
  std::map<std::string, MappedEndpoint> mapped_;
};

}  // namespace catena::lang
