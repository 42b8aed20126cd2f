#pragma once
// A request and its answer as the interface sees them: no socket, no library.
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
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
  std::string certificate = {};  // the name in the certificate that the client showed, which is one of an authority that is trusted; empty: none
  std::string address = {};      // of the client

  /// Empty: there is no such header.
  [[nodiscard]] std::string_view header(const std::string& wanted) const {
    const auto found = headers.find(wanted);
    return found == headers.end() ? std::string_view{} : std::string_view{found->second};
  }
};

inline constexpr std::string_view kJsonType = "application/json";
inline constexpr std::string_view kLinesType = "application/x-ndjson";  // a JSON value a line

inline constexpr std::string_view kBytesType = "application/octet-stream";

struct Answer {
  int status = 200;
  std::string body = {};
  std::string type = std::string{kJsonType};
  Headers headers = {};
};

/// Answers one request, from any thread. Called once.
using Reply = std::function<void(Answer)>;

/// The rest of an answer that comes in pieces.
class Outlet {
 public:
  Outlet() = default;
  virtual ~Outlet() = default;
  Outlet(const Outlet&) = delete;
  Outlet& operator=(const Outlet&) = delete;

  /// `written` is called once, from any thread: true, the system has taken the piece, and the next one may come; false, the client is gone.
  virtual void write(std::string piece, std::function<void(bool)> written) = 0;
  /// The answer ends behind this, which may be empty. It may be called while a piece is on its way.
  virtual void end(std::string last) = 0;
};
/// In place of a Reply: has the answer come in pieces. `head` is an answer without its body.
using Begin = std::function<std::shared_ptr<Outlet>(Answer head)>;

}  // namespace catena::api
