#include "client/connection_advice.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace catena::client {
namespace {

/// Of what kind the failure is; empty: not said.
std::string kind_of(const Error& error) {
  const auto refused = error.details.is_object() ? error.details.value("refused", Json()) : Json();
  return refused.is_string() ? refused.get<std::string>() : std::string{};
}

}  // namespace

bool is_busy(const Error& error) { return error.code == Code::connection_failed && kind_of(error) == "busy"; }

bool is_absence(const Error& error) {
  const auto kind = kind_of(error);
  return error.code == Code::connection_failed && (kind.empty() || kind == "unreachable");
}

Error with_advice(Error error, const std::string& address) {
  const auto reason = kind_of(error);
  if (error.code != Code::connection_failed) return error;
  auto outer = make_error(Code::connection_failed, fmt::format("no connection to the coordinator at {}: {}", address, error.message));
  outer.notes = error.notes;
  outer.details = error.details;
  if (reason == "token") {
    outer.notes.emplace_back("give the file that holds the cluster's token with --token-file, cluster.token_file or CATENA_CLUSTER__TOKEN_FILE");
  } else if (reason == "certificate" || reason == "tls" || reason == "role") {
    if (reason == "certificate") {
      outer.notes.emplace_back(
          "both sides need certificates of one authority that are valid now: `catena cert show FILE` prints issuer, role and validity");
    }
    outer.notes.emplace_back(
        "--ca, --cert and --key (cluster.ca_file, cluster.certificate_file, cluster.key_file) name what `catena cert issue --role client` made");
  } else if (reason.empty()) {
    outer.notes.emplace_back("is a coordinator running there (`catena coordinator --listen ADDR:PORT`), and is the address right?");
  }
  return outer;
}

}  // namespace catena::client
