#pragma once
// A gate and dialers on loopback, with certificates of their own and somebody who answers behind the gate.
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "actors/dialer.hpp"
#include "actors/gate.hpp"
#include "tests/actors/sockets.hpp"
#include "tests/actors/trust.hpp"

namespace links_test {

enum class Wire { plain, tls };

struct Scene {
  const Wire wire;
  Trust trust;
  Echo echo;
  Lines lines;

  explicit Scene(Wire chosen = Wire::tls) : wire{chosen} {}

  [[nodiscard]] GateOptions gate_options(const std::string& token = "s3cret") {
    GateOptions options;
    options.listen = "127.0.0.1:0";
    options.forward_port = echo.port();
    if (wire == Wire::tls) options.tls = trust.files("gate", NodeRole::coordinator);
    options.token = token;
    options.log = lines.log();
    return options;
  }
  [[nodiscard]] static std::unique_ptr<GateServer> open(GateOptions options) {
    auto opened = GateServer::open(std::move(options));
    if (!opened) FAIL(opened.error().message);
    return std::move(*opened);
  }
  [[nodiscard]] std::unique_ptr<GateServer> gate() { return open(gate_options()); }
  [[nodiscard]] DialerOptions dialer_options(const GateServer& gate) const {
    DialerOptions options;
    options.coordinator = "127.0.0.1:" + std::to_string(gate.port());
    options.token = "s3cret";
    if (wire == Wire::tls) options.tls = trust.files("w1", NodeRole::worker);
    return options;
  }
  [[nodiscard]] static std::unique_ptr<Dialer> open(DialerOptions options) {
    auto opened = Dialer::open(std::move(options));
    if (!opened) FAIL(opened.error().message);
    return std::move(*opened);
  }
  [[nodiscard]] std::unique_ptr<Dialer> dialer(const GateServer& gate) const { return open(dialer_options(gate)); }
};

inline std::uint64_t refusals(const GateServer& gate, const std::string& reason) {
  const auto refused = gate.counters().refused;
  const auto found = refused.find(reason);
  return found == refused.end() ? 0 : found->second;
}

inline std::string sample(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint64_t state = 1;
  for (auto& byte : bytes) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    byte = static_cast<char>(state >> 56U);
  }
  return bytes;
}

/// Dials, and waits for the error that the dialer keeps of it.
inline Error refused_by(Dialer& dialer) {
  auto call = Socket::to(dialer.port());
  call.send("this must not arrive");
  CHECK(call.closes());
  REQUIRE(eventually([&] { return dialer.last_error().has_value(); }));
  return *dialer.last_error();
}

inline void check_says(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
}

}  // namespace links_test
