// catena cert VERB: the trust of a cluster, made and looked at where no process runs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>

#include "base/clock.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/show/text.hpp"
#include "link/certificates.hpp"

namespace catena::cli {
namespace {

struct CertOptions {
  std::string directory;
  std::string out;
  std::string name;
  std::string role;
  std::uint32_t days = 365;
  std::string output = "text";
  std::vector<std::string> files;
};

void print_files(const link::MadeFiles& made, const CertOptions& options, Console& console) {
  for (const auto& file : made) console.out().line(options.output == "json" ? dump_lossy({{"file", file.string()}}) : file.string());
}

// ---- init, issue --------------------------------------------------------------------------------------------------------

ExitCode init(const CertOptions& options, Console& console) {
  const auto made = link::init_trust(options.directory, options.days, SystemClock{}.now());
  if (!made) return report(console, made.error());
  print_files(*made, options, console);
  console.say("ca.key makes nodes of this cluster: keep it off the nodes; `catena cert issue` makes what each of them gets");
  return ExitCode::ok;
}

ExitCode issue(const CertOptions& options, Console& console) {
  const auto role = link::node_role(options.role);
  if (!role) return report(console, role.error());
  const auto& out = options.out.empty() ? options.directory : options.out;
  const auto made = link::issue_files(options.directory, out, {.name = options.name, .role = *role, .days = options.days}, SystemClock{}.now());
  if (!made) return report(console, made.error());
  print_files(*made, options, console);
  return ExitCode::ok;
}

// ---- show ---------------------------------------------------------------------------------------------------------------

constexpr UnixMillis kDay = 24LL * 3'600 * 1'000;

std::string state(const link::CertificateInfo& read, UnixMillis now) {
  if (read.until <= now) return "ended";
  if (read.from > now) return "not valid yet";
  return fmt::format("{} left", counted(static_cast<std::uint64_t>((read.until - now) / kDay), "day"));
}

ExitCode show_certificates(const CertOptions& options, Console& console) {
  const auto now = SystemClock{}.now();
  auto code = ExitCode::ok;
  std::vector<std::vector<std::string>> rows;
  for (const auto& file : options.files) {
    const auto read = link::read_certificate_file(file);
    if (!read) {
      code = worse(code, report(console, read.error()));
      continue;
    }
    const std::string role = read->authority ? "authority" : read->role.empty() ? "-" : read->role;
    if (options.output == "json") {
      console.out().line(dump_lossy({{"file", file},
                                     {"name", read->name},
                                     {"role", role},
                                     {"issuer", read->issuer},
                                     {"serial", read->serial},
                                     {"from", iso8601(read->from)},
                                     {"until", iso8601(read->until)},
                                     {"valid", read->from <= now && now < read->until}}));
    } else {
      rows.push_back({read->name, role, read->issuer, iso8601(read->from), iso8601(read->until), state(*read, now)});
    }
  }
  if (!rows.empty()) console.out().write(table({"NAME", "ROLE", "ISSUER", "FROM", "UNTIL", "STATE"}, rows));
  return code;
}

// ---- options ------------------------------------------------------------------------------------------------------------

void add_days(CLI::App& app, CertOptions& options) {
  app.add_option("--days", options.days, "how long certificates of nodes are valid (default: 365)")->option_text("N");
}

void define_cert_init(CLI::App& app, CertOptions& options) {
  app.add_option("--dir", options.directory, "where they are written; made when it is not there")->required()->option_text("DIR");
  add_days(app, options);
  add_output(app, options.output);
}

void define_cert_issue(CLI::App& app, CertOptions& options) {
  app.add_option("--dir", options.directory, "what `catena cert init` made")->required()->option_text("DIR");
  app.add_option("--name", options.name, "of the node: its certificate's CN, and what its files are called")->required()->option_text("NAME");
  app.add_option("--role", options.role, "coordinator, worker or client")->required()->option_text("ROLE");
  add_days(app, options);
  app.add_option("--out", options.out, "another directory, which gets ca.pem and the token as well: all that the node needs")->option_text("DIR");
  add_output(app, options.output);
}

void define_cert_show(CLI::App& app, CertOptions& options) {
  app.add_option("file", options.files, "certificates (PEM)")->required()->option_text("FILE ...");
  add_output(app, options.output);
}

struct CertVerb {
  const char* name;
  const char* summary;
  void (*define)(CLI::App& app, CertOptions& options);
  ExitCode (*run)(const CertOptions& options, Console& console);
};

constexpr std::array kCertVerbs{
    CertVerb{"init", "make the authority of a cluster, its join token, and certificates to try it with on one machine", define_cert_init, init},
    CertVerb{"issue", "make the certificate of a node", define_cert_issue, issue},
    CertVerb{"show", "print whose a certificate is, its role, and how long it is valid", define_cert_show, show_certificates},
};

}  // namespace

Action define_cert(CLI::App& app) {
  const auto options = std::make_shared<CertOptions>();
  const auto run = std::make_shared<ExitCode (*)(const CertOptions&, Console&)>(nullptr);
  app.require_subcommand(1);
  for (const auto& verb : kCertVerbs) {
    auto* sub = app.add_subcommand(verb.name, verb.summary);
    verb.define(*sub, *options);
    sub->callback([run, action = verb.run] { *run = action; });
  }
  return [options, run](Console& console) { return (*run)(*options, console); };
}

}  // namespace catena::cli
