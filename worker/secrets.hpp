#pragma once
// What `SECRET:name` in the environment of a tool stands for on this worker. A secret is read anew for each attempt, is in no record and no message,
// and is taken out of what a tool answers or says.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "worker/executor.hpp"

namespace catena::worker {

/// A shorter one could not be told from other text.
inline constexpr std::size_t kSecretBytesMin = 4;

class Secrets {
 public:
  /// Where each comes from: "file:/path", "env:NAME" or "command:/program args…"; of every other name what stands under "*", with {name} in it.
  /// Errors: field_value, of a source that is none of these.
  [[nodiscard]] static Result<Secrets> from(std::map<std::string, std::string> sources);

  /// Without the line break at its end. A command has 10 s. Errors: secret_not_found; it never holds the secret.
  [[nodiscard]] Result<std::string> value(const std::string& name) const;

 private:
  explicit Secrets(std::map<std::string, std::string> sources) : sources_{std::move(sources)} {}

  std::map<std::string, std::string> sources_;
};

/// Takes secrets out of texts.
class Masks {
 public:
  void add(const std::string& secret);
  /// Each occurrence, as it is and as JSON writes it, becomes ***. To be called before a text is cut, which could leave a part of a secret.
  void clean(std::string& text) const;
  /// The same of the end of a longer text, which may begin within a secret.
  void clean_end(std::string& text) const;
  /// The same of its beginning, which may end within one.
  void clean_beginning(std::string& text) const;
  /// How many bytes at the end of a text may be the beginning of a secret that goes on behind it.
  [[nodiscard]] std::size_t part_at_end(std::string_view text) const;
  /// The response, the error with all that belongs to it, and stderr.
  [[nodiscard]] Outcome clean(Outcome outcome) const;
  friend bool operator==(const Masks&, const Masks&) = default;

 private:
  void clean(Json& json) const;
  void clean(Error& error) const;

  std::vector<std::string> secrets_;  // the longest first: one may be a part of another
};

}  // namespace catena::worker
