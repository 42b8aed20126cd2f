#pragma once
// What an operator asks first, as a table of checks: each looks at the facts and says what it finds. Pure.
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "client/diagnosis/facts.hpp"

namespace catena::client {

enum class Severity : std::uint8_t { ok, warning, problem };
inline constexpr std::array<std::string_view, 3> kSeverityNames{"ok", "warning", "problem"};
[[nodiscard]] constexpr std::string_view name(Severity severity) { return kSeverityNames.at(static_cast<std::size_t>(severity)); }

struct DoctorFinding {
  std::string_view code;  // of the check: scripts rely on it
  Severity severity = Severity::ok;
  std::string what;
  std::string where = {};   // a worker, a file, a chain, a setting; empty: the whole
  std::string advice = {};  // empty: nothing is to be done
};

struct Check {
  std::string_view code;
  std::string_view about;
  /// Nothing: it cannot be known from where the facts are.
  std::vector<DoctorFinding> (*judge)(const Facts& facts);
};
[[nodiscard]] std::span<const Check> all_checks();

struct Diagnosis {
  UnixMillis at = 0;
  std::string version;
  std::vector<DoctorFinding> findings;           // in the order of the table
  std::vector<std::string_view> not_known = {};  // codes of checks that say nothing here

  [[nodiscard]] Severity worst() const;
};
[[nodiscard]] Diagnosis diagnose(const Facts& facts);

/// As `GET /v1/diagnose` and `catena doctor -o json` have it.
[[nodiscard]] Json to_json(const Diagnosis& diagnosis);

}  // namespace catena::client
