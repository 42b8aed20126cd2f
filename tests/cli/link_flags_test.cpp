// The options of links, which every command has that talks to a cluster.
#include "cli/link_flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <catch2/catch.hpp>

#include "cli/command.hpp"

namespace catena::cli::test {

TEST_CASE("whoever connects to a coordinator can be told token and certificates by the same options") {
  for (const auto& command : cli::commands()) {
    CLI::App app;
    static_cast<void>(command.define(app));
    std::vector<const CLI::App*> all{&app};
    for (const auto* verb : app.get_subcommands(nullptr)) all.push_back(verb);
    for (const auto* one : all) {
      if (command.name == "profile") continue;  // it connects to nobody: it keeps how others do, also over HTTP
      const bool connects = one->get_option_no_throw("--cluster") != nullptr || command.name == "coordinator" || command.name == "worker";
      INFO(command.name);
      for (const auto* name : {"--token-file", "--ca", "--insecure-link"}) CHECK((one->get_option_no_throw(name) != nullptr) == connects);
    }
  }
}

TEST_CASE("flags of links win over the configuration, and the three TLS files come together") {
  config::Loaded loaded;
  loaded.settings.cluster_token_file = "configured";
  REQUIRE(cli::lay_over({}, loaded));
  CHECK(loaded.settings.cluster_token_file == "configured");
  cli::LinkFlags flags;
  flags.token_file = "given";
  flags.ca_file = "ca.pem";
  flags.certificate_file = "me.pem";
  const auto two = cli::lay_over(flags, loaded);
  REQUIRE_FALSE(two);
  CHECK(two.error().code == Code::usage);
  flags.key_file = "me.key";
  REQUIRE(cli::lay_over(flags, loaded));
  CHECK(loaded.settings.cluster_token_file == "given");
  CHECK(loaded.settings.has_tls());
  CHECK(loaded.origin.at("cluster.key_file") == "the command line");
  CHECK(flags.words() == " --token-file given --ca ca.pem --cert me.pem --key me.key");
}

}  // namespace catena::cli::test
