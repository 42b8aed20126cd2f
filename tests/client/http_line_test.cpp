// The client's side of the calls over HTTP, against a server that does what the test says.
#include "client/http_line.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.hpp"
#include "client/http_posts.hpp"
#include "coordinator/posted_calls.hpp"

namespace catena::client::test {
namespace {

using coordinator::ClientAsk;
using coordinator::PostedAnswer;
using coordinator::PostedCalls;

std::string response(int status, const std::string& type, const std::string& body, const std::string& headers = {}) {
  return fmt::format("HTTP/1.1 {} Said\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n{}", status, type, body.size(),
                     headers, body);
}
std::string answered(std::vector<PostedAnswer> answers) {
  return response(200, std::string{coordinator::kPostedCallsType},
                  coordinator::encode_posted(coordinator::PostedAnswers{.answers = std::move(answers)}));
}
std::string told(const coordinator::ClientTold& what) { return coordinator::encode_answer(what); }
std::string problem(int status, const std::string& code, const std::string& detail, const std::string& headers = {}) {
  return response(status, "application/problem+json", fmt::format(R"({{"code": "{}", "detail": "{}", "status": {}}})", code, detail, status),
                  headers);
}

/// A request without its head, which is kept beside it.
struct Came {
  std::string head;
  PostedCalls posted;
  [[nodiscard]] bool greets() const { return posted.calls.empty(); }
};

/// Answers each request on a connection of its own with what `answer` says; with nothing the connection is closed.
class PlayedServer {
 public:
  explicit PlayedServer(std::function<std::string(const Came&, int number)> answer)
      : answer_{std::move(answer)}, listens_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    REQUIRE(::bind(listens_.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) == 0);
    REQUIRE(::listen(listens_.get(), 16) == 0);
    REQUIRE(::getsockname(listens_.get(), reinterpret_cast<sockaddr*>(&at), &size) == 0);
    port_ = ntohs(at.sin_port);
    thread_ = std::thread{[this] { serve(); }};
  }
  ~PlayedServer() {
    ::shutdown(listens_.get(), SHUT_RDWR);
    thread_.join();
  }
  PlayedServer(const PlayedServer&) = delete;
  PlayedServer& operator=(const PlayedServer&) = delete;

  [[nodiscard]] ClusterOptions options() const {
    ClusterOptions options;
    options.address = fmt::format("http://127.0.0.1:{}/", port_);
    options.http = HttpAccess{};
    options.token = "sesame";
    options.patience = Millis{2'000};
    options.reconnect = Millis{2'000};
    return options;
  }
  /// Requests with calls, until now.
  [[nodiscard]] std::vector<Came> came() const {
    const std::lock_guard lock{mutex_};
    return came_;
  }

 private:
  void serve() {
    while (true) {
      const Fd connection{::accept4(listens_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
      if (!connection.is_open()) return;
      std::string bytes;
      std::size_t head = 0;
      std::size_t length = 0;
      std::array<char, 65536> buffer{};
      while (head == 0 || bytes.size() < head + length) {
        const auto read = ::read(connection.get(), buffer.data(), buffer.size());
        if (read <= 0) break;
        bytes.append(buffer.data(), static_cast<std::size_t>(read));
        if (head == 0 && bytes.find("\r\n\r\n") != std::string::npos) {
          head = bytes.find("\r\n\r\n") + 4;
          const std::string mark = "Content-Length: ";
          length = std::stoul(bytes.substr(bytes.find(mark) + mark.size()));
        }
      }
      auto posted = coordinator::read_posted_calls(std::string_view{bytes}.substr(head));
      if (!posted) continue;
      const Came came{bytes.substr(0, head), std::move(*posted)};
      int number = 0;
      if (!came.greets()) {
        const std::lock_guard lock{mutex_};
        came_.push_back(came);
        number = static_cast<int>(came_.size());
      }
      auto answer = answer_(came, number);
      for (std::string_view left = answer; !left.empty();) {
        const auto sent = ::send(connection.get(), left.data(), left.size(), MSG_NOSIGNAL);
        if (sent <= 0) break;
        left.remove_prefix(static_cast<std::size_t>(sent));
      }
    }
  }

  std::function<std::string(const Came&, int number)> answer_;
  Fd listens_;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::vector<Came> came_;
  std::thread thread_;
};

/// Greets, and answers what has calls as `answer` says.
auto behind_greeting(std::function<std::string(const Came&, int number)> answer) {
  return [answer = std::move(answer)](const Came& came, int number) { return came.greets() ? answered({}) : answer(came, number); };
}

std::unique_ptr<ClusterClient> connected(const PlayedServer& server) {
  auto client = ClusterClient::connect(server.options());
  if (!client) FAIL(client.error().message);
  return std::move(*client);
}

Error refused(const std::string& answer) {
  const PlayedServer server{[&](const Came&, int) { return answer; }};
  const auto client = ClusterClient::connect(server.options());
  REQUIRE_FALSE(client);
  return client.error();
}

actors::Submission submission(const std::map<std::string, std::string>& programs, const std::string& arguments = "{}") {
  actors::Submission submission;
  submission.chain = ChainId{"c"};
  submission.package = std::make_shared<lang::Package>();
  submission.arguments.text = arguments;
  submission.programs = programs;
  return submission;
}

}  // namespace

TEST_CASE("over http a call shows the token, and its answer is the command's") {
  const PlayedServer server{behind_greeting([](const Came&, int) { return answered({{true, told(coordinator::NodesTold{})}}); })};
  const auto nodes = connected(server)->nodes();
  REQUIRE(nodes);
  CHECK(nodes->nodes.empty());
  REQUIRE(server.came().size() == 1);
  CHECK(server.came().front().head.starts_with("POST /v1/calls HTTP/1.1\r\n"));
  CHECK(server.came().front().head.find("Authorization: Bearer sesame\r\n") != std::string::npos);
}

TEST_CASE("over http whoever is refused hears why, at once") {
  const auto token = refused(problem(401, "token_refused", "the access token is expired"));
  CHECK(token.code == Code::token_refused);
  CHECK(token.message.find("is expired") != std::string::npos);
  CHECK_FALSE(token.notes.empty());
  CHECK(refused(problem(403, "role_refused", "it has the role viewer")).code == Code::role_refused);
  CHECK(refused(problem(404, "route_unknown", "there is nothing here")).message.find("update it") != std::string::npos);
  CHECK(refused(problem(422, "feature_unavailable", "versions 1 to 1")).code == Code::feature_unavailable);
  CHECK(refused(response(200, "text/html", "<p>hello</p>")).message.find("no coordinator of catena") != std::string::npos);
  CHECK(refused(response(302, "text/html", "", "Location: https://elsewhere/\r\n")).message.find("leads elsewhere") != std::string::npos);
  CHECK(refused(response(200, std::string{coordinator::kPostedCallsType}, "rubbish")).message.find("cannot read") != std::string::npos);
}

TEST_CASE("over http a call that breaks every connection that carries it is given up") {
  const PlayedServer server{behind_greeting([](const Came&, int) { return std::string{}; })};
  const auto nodes = connected(server)->nodes();
  REQUIRE_FALSE(nodes);
  CHECK(nodes.error().message.find("broke 3 times") != std::string::npos);
  CHECK(server.came().size() == 3);
}

TEST_CASE("over http what must not be done twice is not sent twice") {
  const PlayedServer server{behind_greeting([](const Came&, int) { return std::string{}; })};
  const auto removed = connected(server)->files().remove("/a.txt");
  REQUIRE_FALSE(removed);
  CHECK(removed.error().message.find("nobody knows whether this was done") != std::string::npos);
  CHECK(server.came().size() == 1);
}

TEST_CASE("over http an answer with a key is sent again when its connection breaks, and what the coordinator says to it then stands") {
  const PlayedServer server{behind_greeting([](const Came&, int number) {
    if (number % 2 == 1) return std::string{};
    return answered({{true, told(coordinator::Failed{make_error(Code::chain_state, "somebody has rejected it")})}});
  })};
  const auto client = connected(server);
  actors::Control approval{ChainId{"c"}, engine::Approval{.key = "k"}};
  approval.step = "pay";
  const auto given = client->control(approval);
  REQUIRE_FALSE(given);
  CHECK(given.error().message == "somebody has rejected it");
  REQUIRE(server.came().size() == 2);
  for (const auto& came : server.came())
    CHECK(std::get<coordinator::ControlCall>(*codec::decode_kind<ClientAsk>(came.posted.calls.front())).signal_key == "k");
  // without a key nobody can tell: that it is done is taken for what was sent first
  CHECK(client->control({ChainId{"c"}, engine::Cancel{}}));
}

TEST_CASE("a first connection is tried again where nothing answers, for as long as is said, and not where somebody is turned away") {
  std::vector<std::string> lines;
  ClusterOptions options;
  options.address = "http://127.0.0.1:1";
  options.http = HttpAccess{};
  options.say = [&](const std::string& line) { lines.push_back(line); };
  CHECK_FALSE(ClusterClient::connect(options));
  CHECK(lines.empty());
  options.await = Millis{300};
  CHECK_FALSE(ClusterClient::connect(options));
  CHECK(lines == std::vector<std::string>{"nothing answers at http://127.0.0.1:1; trying again for 300ms"});
  std::atomic<int> greetings{0};
  const PlayedServer server{[&](const Came&, int) { return ++greetings, problem(401, "token_refused", "the access token is expired"); }};
  options.address = server.options().address;
  CHECK_FALSE(ClusterClient::connect(options));
  CHECK(greetings == 1);
  CHECK(lines.size() == 1);
}

TEST_CASE("over http a call that was not answered yet is sent again, and so is one for which a caller asked too much") {
  const PlayedServer server{behind_greeting([](const Came&, int number) {
    if (number == 1) return answered({{false, ""}});
    if (number == 2) return problem(429, "overloaded", "too much", "Retry-After: 1\r\n");
    return answered({{true, told(coordinator::NodesTold{})}});
  })};
  CHECK(connected(server)->nodes());
  CHECK(server.came().size() == 3);
}

TEST_CASE("over http a submission has its programs with it, in one request, and what is wrong with one is its answer") {
  const PlayedServer server{behind_greeting([](const Came& came, int) {
    std::vector<PostedAnswer> answers(came.posted.calls.size(), {true, told(coordinator::Done{})});
    if (came.posted.calls.size() == 2) answers.front().answer = told(coordinator::Failed{make_error(Code::argument_type, "a bad program")});
    return answered(std::move(answers));
  })};
  const auto client = connected(server);
  CHECK(client->submit(submission({{"h1", "one"}, {"h2", "two"}})));
  REQUIRE(server.came().size() == 1);
  const auto calls = server.came().front().posted.calls;
  REQUIRE(calls.size() == 3);
  CHECK(std::get<coordinator::ProgramCall>(*codec::decode_kind<ClientAsk>(calls[0])).content == "one");
  CHECK(std::get<coordinator::SubmitCall>(*codec::decode_kind<ClientAsk>(calls[2])).programs == std::vector<std::string>{"h1", "h2"});
  const auto refused_for_program = client->submit(submission({{"h1", "one"}}));
  REQUIRE_FALSE(refused_for_program);
  CHECK(refused_for_program.error().message == "a bad program");
  CHECK(client->submit(submission({})));  // brings nothing of the one before
  CHECK(server.came().back().posted.calls.size() == 1);
}

TEST_CASE("over http a submission that no coordinator would take is refused before anything is sent") {
  const PlayedServer server{behind_greeting([](const Came&, int) { return std::string{}; })};
  const auto submitted = connected(server)->submit(submission({{"h", std::string(coordinator::kPostedBytesMax, 'x')}}));
  REQUIRE_FALSE(submitted);
  CHECK(submitted.error().code == Code::file_too_large);
  std::map<std::string, std::string> programs;
  for (std::size_t number = 0; number < coordinator::kPostedCallsMax; ++number) programs[std::to_string(number)] = "x";
  const auto brings_many = connected(server)->submit(submission(programs));
  REQUIRE_FALSE(brings_many);
  CHECK(brings_many.error().code == Code::request_too_large);
  CHECK(server.came().empty());
}

TEST_CASE("over http a wait is asked for again for as long as the chain runs, beside questions") {
  const PlayedServer server{behind_greeting([](const Came& came, int) {
    static std::atomic<int> waits{0};
    const auto ask = *codec::decode_kind<ClientAsk>(came.posted.calls.front());
    if (std::holds_alternative<coordinator::ProgressCall>(ask)) return answered({{true, told(coordinator::ProgressTold{})}});
    if (came.posted.wait_ms <= 0) return problem(400, "request_invalid", "a wait that does not wait");
    if (++waits < 3) return answered({{false, ""}});
    return answered({{true, told(coordinator::Ended{{ChainId{"c"}, engine::ChainStatus::succeeded, {}, {}}})}});
  })};
  const auto ended = connected(server)->wait(ChainId{"c"}, milliseconds{10}, [](const auto&) { return true; });
  REQUIRE(ended);
  REQUIRE(*ended);
  CHECK((*ended)->status == engine::ChainStatus::succeeded);
}

TEST_CASE("a token is sent to no other machine without TLS, unless that was allowed in words") {
  CHECK(check_http_url("https://catena.example.org", false));
  CHECK(check_http_url("http://127.0.0.1:7421", false));
  CHECK(check_http_url("http://localhost", false));
  CHECK(check_http_url("http://[::1]:7421", false));
  CHECK_FALSE(check_http_url("http://catena.example.org", false));
  CHECK_FALSE(check_http_url("http://127.evil.example.org", false));
  CHECK(check_http_url("http://catena.example.org", true));
  for (const std::string url : {"", "catena", "ftp://x", "https://", "https://ann:pw@x", "https://x/?a=1", "https://x/#a"})
    CHECK_FALSE(check_http_url(url, true));
}

}  // namespace catena::client::test
