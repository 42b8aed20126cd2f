#pragma once
// The configuration's `endpoints:` table: forms of other systems (`ratio::bedrock_text`) and the endpoints that stand for them. A key is a
// form as definitions write it, or ends in one `*`; what the `*` stands for is `{name}` in the value.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "lang/program/program.hpp"

namespace catena::lang {

/// What stands for one form. Part of what a package pins.
struct MappedEndpoint {
  std::string to;    // as the table has it
  std::string name;  // for `{name}` in it; empty when the key had no `*`
  friend bool operator==(const MappedEndpoint&, const MappedEndpoint&) = default;
};

class EndpointMap {
 public:
  /// Error: field_value, when a key is no form that can be mapped or a value no endpoint of catena's own.
  [[nodiscard]] static Result<EndpointMap> make(const std::map<std::string, std::string>& rows);

  /// One form alone, as a package pinned it.
  void pin(std::string form, MappedEndpoint mapped) { exact_.insert_or_assign(std::move(form), std::move(mapped)); }

  /// The row that fits most of the form.
  [[nodiscard]] std::optional<MappedEndpoint> find(std::string_view form) const;
  /// As written, for suggestions.
  [[nodiscard]] std::vector<std::string> keys() const;

 private:
  std::map<std::string, MappedEndpoint, std::less<>> exact_;
  std::map<std::string, std::string, std::less<>> prefixes_;  // without their `*`
};

/// The endpoint that stands for a form. The name is filled in word by word, so it cannot become several arguments of a program.
/// Error: endpoint_unknown.
[[nodiscard]] Result<Endpoint> resolve(const MappedEndpoint& mapped, const Place& where);

}  // namespace catena::lang
