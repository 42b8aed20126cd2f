#pragma once
// A request and its answer as the interface sees them: no socket, no library.
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace catena::api {

enum class Verb : std::uint8_t { get, post, put, remove };
inline constexpr std::array<std::string_view, 4> kVerbNames{"GET", "POST", "PUT", "DELETE"};
[[nodiscard]] constexpr std::string_view name(Verb verb) { return kVerbNames.at(static_cast<std::size_t>(verb)); }

/// Names and values. Of a request names are in lower case, and the values of one name are joined with ", ".
using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method;  // as it was sent
  std::string target;  // "/v1/chains?limit=3"
  std::map<std::string, std::string> headers;
  std::string body;

  /// Empty: there is no such header.
  [[nodiscard]] std::string_view header(const std::string& wanted) const {
    const auto found = headers.find(wanted);
    return found == headers.end() ? std::string_view{} : std::string_view{found->second};
  }
};

inline constexpr std::string_view kJsonType = "application/json";
inline constexpr std::string_view kLinesType = "application/x-ndjson";  // a JSON value a line

struct Answer {
  int status = 200;
  std::string body = {};
  std::string type = std::string{kJsonType};
  Headers headers = {};
};

/// Answers one request, from any thread. Called once.
using Reply = std::function<void(Answer)>;

}  // namespace catena::api
