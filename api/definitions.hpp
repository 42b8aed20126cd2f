#pragma once
// The definitions that a request brings or names, read and pinned as a submission needs them.
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/body.hpp"
#include "api/problem.hpp"
#include "lang/package/package.hpp"

namespace catena::api {

/// What the coordinator has for definitions to name.
struct Shelf {
  std::shared_ptr<const lang::SourceFinder> finder;  // core tools, and what lies in the tool roots of the configuration
  lang::Catalog catalog;
  /// Pins the programs that the finder found: contents by hash. Null: there are none to pin.
  std::function<Result<std::map<std::string, std::string>>(lang::Package& package)> pin;
};
/// Opens it for one request; from any thread.
using OpenShelf = std::function<Result<Shelf>()>;

struct Pinned {
  std::shared_ptr<const lang::Package> package;
  std::map<std::string, std::string> programs;  // contents by hash
};
using PinnedPtr = std::shared_ptr<const Pinned>;

/// Definitions that earlier requests brought or named, with what their names and calls found: as long as these find the same, one that comes again is
/// not read again. None that names a program, whose content is looked at each time. For one thread; it forgets all when it has too many.
class KnownDefinitions {
 public:
  /// Null: it has none, or its name or a call of it leads to another now. O(what it calls).
  [[nodiscard]] PinnedPtr find(const std::string& key, const lang::SourceFinder& finder);
  /// `root`: what it was asked of the finder by.
  void put(const std::string& key, const std::string& root, const PinnedPtr& pinned);

 private:
  struct Lookup {
    bool by_name = false;
    std::string from;
    std::string written;
    lang::Source found;
  };
  struct Known {
    PinnedPtr pinned;
    std::vector<Lookup> lookups;
  };
  [[nodiscard]] static std::vector<Lookup> lookups_of(const Json& manifest, const lang::Package& package, const std::string& root);

  std::unordered_map<std::string, Known> known_;
  std::size_t bytes_ = 0;
};

/// Definitions that the lines of one request brought, by name and text: one that many submissions bring is read once. It forgets all when it has too
/// many.
class PinnedBook {
 public:
  /// `known`: of requests before; null: nobody remembers them.
  explicit PinnedBook(KnownDefinitions* known = nullptr) : known_{known} {}
  /// Null: it has none.
  [[nodiscard]] PinnedPtr find(const std::string& key) const;
  void put(std::string key, PinnedPtr pinned);
  [[nodiscard]] KnownDefinitions* known() const { return known_; }

 private:
  KnownDefinitions* known_;
  std::unordered_map<std::string, PinnedPtr> pinned_;
  std::size_t bytes_ = 0;
};

/// A definition that a request brings to be stored: its member `definition`, or the text in its member `text`.
struct StorableText {
  std::string text;
  const lang::Node* definition = nullptr;  // where it stands in the body; null: it came as a text
};
[[nodiscard]] Outcome<StorableText> storable_text(const Body& body);
/// All that is wrong with it. Places in the body, or in the text.
[[nodiscard]] Problem wrong_definition(const lang::Diagnostics& errors, const Body& body, const StorableText& text, const std::string& key);

/// Where a definition that comes with a request calls others from: the shelf. It names no program of this machine. The shelf must outlive it.
[[nodiscard]] std::unique_ptr<const lang::SourceFinder> finder_for(lang::Source source, const lang::SourceFinder& shelf);
/// The key of a text that comes with a request.
[[nodiscard]] std::string inline_key(const std::string& file_name);

/// The definition of a request: its member `definition`, or the one on the shelf that its member `name` names. A definition that comes with a
/// request can name tools on the shelf, and no program: its text came from elsewhere, and files of this machine are not its own.
/// Problems: all that is wrong with it, with pointers into the body.
[[nodiscard]] Outcome<PinnedPtr> pinned_definition(const Body& body, Members& members, const Shelf& shelf, PinnedBook& book);

}  // namespace catena::api
