#include "worker/http_client.hpp"

#include <catch2/catch.hpp>

#include <netdb.h>

#include <thread>

#include "tests/worker/http_server.hpp"
#include "worker/http_address.hpp"

namespace catena::worker::test {
namespace {

HttpRequest post(const HttpServer& server, const std::string& path, std::string_view body = "{}") {
  HttpRequest request;
  request.url = server.url(path);
  request.body = body;
  request.timeout = Millis{30'000};
  return request;
}

/// Serves by path.
HttpServer::Handler by_path(std::map<std::string, Answer> answers) {
  return [answers = std::move(answers)](const Received& request) {
    const auto found = answers.find(request.path);
    return found == answers.end() ? answer(404, "no such path") : found->second;
  };
}

bool refused(const std::string& address, bool (*by)(const sockaddr& address) = is_link_local_or_metadata) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* found = nullptr;
  REQUIRE(::getaddrinfo(address.c_str(), "80", &hints, &found) == 0);
  const bool result = by(*found->ai_addr);
  ::freeaddrinfo(found);
  return result;
}

}  // namespace

TEST_CASE("a request arrives as it was given, and the response comes back in full") {
  HttpServer server{[](const Received&) { return answer(201, "made", {"X-Kind: odd", "x-kind: second"}); }};
  HttpClient client;
  auto request = post(server, "/a/b?c=d", "{\"n\":1}");
  request.method = "PUT";
  request.headers = {{"Content-Type", "application/json"}, {"X-Empty", ""}};
  const auto response = client.send(request, {});
  REQUIRE(response);
  CHECK(response->status == 201);
  CHECK(response->body == "made");
  CHECK(response->header("x-kind") == "odd");
  CHECK_FALSE(response->header("x-other"));
  const auto received = server.received();
  REQUIRE(received.size() == 1);
  CHECK(received[0].method == "PUT");
  CHECK(received[0].path == "/a/b?c=d");
  CHECK(received[0].body == "{\"n\":1}");
  CHECK(received[0].headers.at("content-type") == "application/json");
  CHECK(received[0].headers.contains("x-empty"));
  CHECK_FALSE(received[0].headers.contains("expect"));
}

TEST_CASE("a connection serves many requests, and a server that closes it is connected to again") {
  HttpServer server{[](const Received& request) {
    auto said = answer(200, "{}");
    if (request.path == "/last") said.then = Answer::Then::close;
    return said;
  }};
  HttpClient client;
  for (int round = 0; round < 20; ++round) REQUIRE(client.send(post(server, "/"), {}));
  CHECK(server.connections() == 1);
  REQUIRE(client.send(post(server, "/last"), {}));
  REQUIRE(server.wait_for_closed(1));
  REQUIRE(client.send(post(server, "/"), {}));
  CHECK(server.connections() == 2);
}

TEST_CASE("a request whose kept connection closes under it is not sent again behind the caller's back") {
  HttpServer server{[](const Received& request) { return request.path == "/gone" ? Answer{"", Answer::Then::close} : answer(200, "{}"); }};
  HttpClient client;
  for (const auto* body : {"{\"n\":1}", ""}) {
    REQUIRE(client.send(post(server, "/"), {}));
    const auto before = server.received().size();
    const auto response = client.send(post(server, "/gone", body), {});
    REQUIRE_FALSE(response);
    CHECK(response.error().code == Code::connection_failed);
    CHECK(server.received().size() == before + 1);
  }
}

TEST_CASE("a body of megabytes arrives whole") {
  HttpServer server{[](const Received& request) { return answer(200, std::to_string(request.body.size())); }};
  HttpClient client;
  const std::string large(5UL << 20U, 'x');
  for (int round = 0; round < 2; ++round) CHECK(client.send(post(server, "/", large), {}).value().body == "5242880");
}

TEST_CASE("a body is sent with every method, and GET and HEAD without one are plain") {
  HttpServer server{[](const Received& request) { return answer(200, request.method == "HEAD" ? "" : request.method + " " + request.body); }};
  HttpClient client;
  auto request = post(server, "/", "");
  for (const auto* method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
    request.method = method;
    const auto response = client.send(request, {});
    REQUIRE(response);
    CHECK(response->body == std::string{method} + " ");
  }
  request.method = "HEAD";
  CHECK(client.send(request, {}).value().status == 200);
  request.method = "DELETE";
  request.body = "x";
  CHECK(client.send(request, {}).value().body == "DELETE x");
}

TEST_CASE("a response over the limit is refused whether or not it says its length") {
  const std::string large(5000, 'x');
  HttpServer server{by_path(
      {{"/told", answer(200, large)}, {"/untold", {"HTTP/1.1 200 OK\r\n\r\n" + large, Answer::Then::close}}, {"/fits", answer(200, "12345")}})};
  HttpClient client;
  for (const auto* path : {"/told", "/untold"}) {
    auto request = post(server, path);
    request.body_bytes_max = 100;
    const auto response = client.send(request, {});
    REQUIRE_FALSE(response);
    CHECK(response.error().code == Code::tool_output_too_large);
    CHECK(response.error().message == "the response of '" + server.url(path) + "' is larger than 100 bytes");
  }
  auto request = post(server, "/fits");
  request.body_bytes_max = 5;
  CHECK(client.send(request, {}).value().body == "12345");
}

TEST_CASE("endless headers are refused") {
  std::string bytes = "HTTP/1.1 200 OK\r\n";
  for (int line = 0; line < 1000; ++line) bytes += "X-Line: " + std::string(1000, 'h') + "\r\n";
  HttpServer server{[&](const Received&) { return Answer{bytes + "\r\n", Answer::Then::close}; }};
  HttpClient client;
  CHECK(client.send(post(server, "/"), {}).error().code == Code::tool_output_too_large);
}

TEST_CASE("a server that does not answer in time is given up") {
  HttpServer server{
      by_path({{"/never", {"", Answer::Then::hang}}, {"/half", {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal", Answer::Then::hang}}})};
  HttpClient client;
  for (const auto* path : {"/never", "/half"}) {
    auto request = post(server, path);
    request.timeout = Millis{40};
    const auto response = client.send(request, {});
    REQUIRE_FALSE(response);
    CHECK(response.error().code == Code::tool_timeout);
    CHECK(response.error().retryable);
    CHECK(response.error().message == "no response of '" + server.url(path) + "' within 40ms");
  }
}

TEST_CASE("a request ends when it is stopped, before it began or while it waits") {
  HttpServer server{[](const Received&) { return Answer{"", Answer::Then::hang}; }};
  HttpClient client;
  StopSource source;
  std::thread stopper{[&] {
    static_cast<void>(server.wait_for(1));
    source.request_stop();
  }};
  const auto response = client.send(post(server, "/"), source.token());
  stopper.join();
  REQUIRE_FALSE(response);
  CHECK(response.error().code == Code::cancelled);
  CHECK(client.send(post(server, "/"), source.token()).error().code == Code::cancelled);
  CHECK(server.received().size() == 1);
}

TEST_CASE("a connection that cannot be made or that breaks is an error worth another attempt") {
  HttpServer server{by_path({{"/reset", {"HTTP/1.1 200 OK\r\nContent-Le", Answer::Then::reset}},
                             {"/nothing", {"", Answer::Then::close}},
                             {"/short", {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal", Answer::Then::close}},
                             {"/garbage", {"220 smtp.example ready\r\n", Answer::Then::close}}})};
  HttpClient client;
  for (const auto* path : {"/reset", "/nothing", "/short", "/garbage"}) {
    const auto response = client.send(post(server, path), {});
    INFO(path);
    REQUIRE_FALSE(response);
    CHECK(response.error().code == Code::connection_failed);
    CHECK(response.error().retryable);
    CHECK(response.error().message.starts_with("the request to '" + server.url(path) + "' failed: "));
  }
  std::string nobody;
  {
    HttpServer gone{[](const Received&) { return answer(200, ""); }};
    nobody = gone.url();
  }
  HttpRequest request;
  request.url = nobody;
  CHECK(client.send(request, {}).error().code == Code::connection_failed);
}

TEST_CASE("redirects are followed on the same host only, and only where it is asked for") {
  HttpServer other{[](const Received&) { return answer(200, "other"); }};
  HttpServer server{by_path({{"/moved", answer(307, "", {"Location: /here"})},
                             {"/see", answer(303, "", {"Location: /here"})},
                             {"/found", answer(302, "", {"Location: /here"})},
                             {"/away", answer(308, "", {"Location: " + other.url("/x?secret=1")})},
                             {"/ftp", answer(307, "", {"Location: ftp://127.0.0.1/x"})},
                             {"/round", answer(307, "", {"Location: /round"})},
                             {"/here", answer(200, "here")}})};
  HttpClient client;
  auto request = post(server, "/moved", "{\"n\":1}");
  CHECK(client.send(request, {}).value().status == 307);
  request.redirects_max = 5;
  CHECK(client.send(request, {}).value().body == "here");
  CHECK(server.received().back().method == "POST");
  CHECK(server.received().back().body == "{\"n\":1}");
  request.url = server.url("/see");
  CHECK(client.send(request, {}).value().body == "here");
  CHECK(server.received().back().method == "GET");
  request.url = server.url("/found");
  CHECK(client.send(request, {}).value().status == 302);
  request.url = server.url("/away");
  const auto away = client.send(request, {});
  REQUIRE_FALSE(away);
  CHECK(away.error().code == Code::address_refused);
  CHECK(away.error().message == fmt::format("'{}' redirects from 127.0.0.1:{} to 127.0.0.1:{}, another host, which is not followed; call '{}' itself",
                                            server.url("/away"), server.port(), other.port(), other.url("/x")));
  CHECK(other.received().empty());
  request.url = server.url("/ftp");
  CHECK(client.send(request, {}).error().code == Code::address_refused);
  const auto before = server.received().size();
  request.url = server.url("/round");
  CHECK(client.send(request, {}).error().message == "'" + server.url("/round") + "' redirects more than 5 times");
  CHECK(server.received().size() == before + 6);
}

TEST_CASE("link-local and metadata addresses are known in every form") {
  for (const auto* address : {"169.254.169.254", "169.254.0.1", "0xa9fea9fe", "100.100.100.200", "168.63.129.16", "fe80::1", "febf::1",
                              "fd00:ec2::254", "::ffff:169.254.169.254", "64:ff9b::169.254.169.254", "2002:a9fe:a9fe::1"}) {
    INFO(address);
    CHECK(refused(address));
  }
  for (const auto* address :
       {"127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "169.253.255.255", "169.255.0.0", "fec0::1", "fd00::1", "8.8.8.8", "::ffff:10.0.0.1"}) {
    INFO(address);
    CHECK_FALSE(refused(address));
  }
}

TEST_CASE("an address that must not be reached is refused before anything is sent, unless the settings allow it") {
  HttpRequest request;
  request.url = "http://169.254.169.254/latest/meta-data?token=hidden";
  request.timeout = Millis{200};
  HttpClient client;
  const auto response = client.send(request, {});
  REQUIRE_FALSE(response);
  CHECK(response.error().code == Code::address_refused);
  CHECK_FALSE(response.error().retryable);
  CHECK(response.error().message ==
        "'http://169.254.169.254/latest/meta-data' leads to 169.254.169.254, a link-local or metadata address, which tools must not reach "
        "(http.allow_link_local allows it)");
  HttpClient allowed{{.allow_link_local = true}};
  CHECK(allowed.send(request, {}).error().code != Code::address_refused);
}

TEST_CASE("what is no address of HTTP is refused, and no credentials are shown") {
  HttpClient client;
  const auto error = [&](const std::string& url) {
    HttpRequest request;
    request.url = url;
    return client.send(request, {}).error();
  };
  CHECK(error("file:///etc/passwd").code == Code::address_refused);
  CHECK(error("gopher://localhost/").message == "'gopher://localhost/' is neither an http nor an https address");
  CHECK(error("not an address").code == Code::address_refused);
  CHECK(error("http://user:pa55@localhost/").message.find("pa55") == std::string::npos);
  CHECK(error("http://user:pa55@localhost/").code == Code::address_refused);
}

TEST_CASE("a method or header that would break the request apart is refused") {
  HttpServer server{[](const Received&) { return answer(200, ""); }};
  HttpClient client;
  auto request = post(server, "/");
  request.headers = {{"X-A", "1\r\nX-B: 2"}};
  CHECK(client.send(request, {}).error().code == Code::argument_type);
  request.headers = {{"X A", "1"}};
  CHECK(client.send(request, {}).error().message == "'X A' cannot be the name of a header");
  request.headers.clear();
  request.method = "GET / HTTP/1.1\r\nX:";
  CHECK(client.send(request, {}).error().code == Code::argument_type);
  CHECK(server.received().empty());
}

TEST_CASE("Retry-After is seconds, or a date by the server's own clock") {
  const auto wait = [](std::vector<HttpHeader> headers) {
    return retry_after({.status = 429, .headers = std::move(headers), .body = {}}, 1'700'000'000'000);
  };
  CHECK(wait({{"retry-after", "7"}}) == Millis{7000});
  CHECK(wait({{"retry-after", "0"}}) == Millis{0});
  CHECK(wait({{"retry-after", "-3"}}) == Millis{0});
  CHECK(wait({{"retry-after", "Tue, 14 Nov 2023 22:13:50 GMT"}}) == Millis{30'000});
  CHECK(wait({{"retry-after", "Tue, 14 Nov 2023 22:13:50 GMT"}, {"date", "Tue, 14 Nov 2023 22:13:48 GMT"}}) == Millis{2000});
  CHECK(wait({{"retry-after", "Tue, 14 Nov 2000 22:13:50 GMT"}}) == Millis{0});
  CHECK_FALSE(wait({{"retry-after", "soon"}}));
  CHECK_FALSE(wait({}));
}

TEST_CASE("408, 429 and 5xx are temporary") {
  for (const int status : {408, 429, 500, 503, 599}) CHECK(is_temporary(status));
  for (const int status : {200, 204, 301, 400, 401, 404, 409, 600}) CHECK_FALSE(is_temporary(status));
}

TEST_CASE("many threads share a client") {
  HttpServer server{[](const Received& request) { return answer(200, request.body); }};
  HttpClient client;
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int round = 0; round < 50; ++round) {
        const auto body = fmt::format("{}/{}", thread, round);
        const auto response = client.send(post(server, "/", body), {});
        if (response && response->body == body) ++right;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(right == 400);
  CHECK(server.connections() <= 8);
}

TEST_CASE("addresses that are not of the public internet are known, in whatever clothes") {
  for (const std::string address : {"127.0.0.1",
                                    "127.255.0.9",
                                    "10.1.2.3",
                                    "172.16.0.1",
                                    "172.31.255.255",
                                    "192.168.1.1",
                                    "100.64.0.1",
                                    "0.0.0.0",
                                    "169.254.169.254",
                                    "224.0.0.1",
                                    "255.255.255.255",
                                    "198.18.0.1",
                                    "::1",
                                    "::",
                                    "fc00::1",
                                    "fd12::1",
                                    "fe80::1",
                                    "fec0::1",
                                    "ff02::1",
                                    "::ffff:127.0.0.1",
                                    "64:ff9b::10.0.0.1",
                                    "2002:7f00:1::"}) {
    INFO(address);
    CHECK(refused(address, is_private));
  }
  for (const std::string address : {"1.1.1.1", "172.32.0.1", "100.128.0.1", "192.169.0.1", "223.255.255.255", "2606:4700::1111", "::ffff:1.1.1.1"}) {
    INFO(address);
    CHECK_FALSE(refused(address, is_private));
  }
}

TEST_CASE("a client that is for the public internet alone connects to no other address") {
  HttpServer server{[](const Received&) { return answer(200, "{}"); }};
  HttpClient client{{.public_only = true}};
  const auto response = client.send(post(server, "/"), {});
  REQUIRE_FALSE(response);
  CHECK(response.error().code == Code::address_refused);
  CHECK(server.connections() == 0);
}

TEST_CASE("of a body that is too large its reader may have the beginning and the status") {
  const bool announced = GENERATE(true, false);
  HttpServer server{[=](const Received&) {
    const std::string body(100'000, 'x');
    return announced ? answer(200, body) : Answer{"HTTP/1.1 200 Said\r\nConnection: close\r\n\r\n" + body, Answer::Then::close};
  }};
  HttpClient client;
  auto request = post(server, "/");
  request.body_bytes_max = 1000;
  CHECK(client.send(request, {}).error().code == Code::tool_output_too_large);
  request.large_body = LargeBody::cut;
  const auto response = client.send(request, {});
  REQUIRE(response);
  CHECK(response->status == 200);
}

}  // namespace catena::worker::test
