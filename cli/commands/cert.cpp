// catena cert VERB: the trust of a cluster, made and looked at where no process runs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/records.hpp"
#include "cli/show/text.hpp"
#include "cli/verbs.hpp"
#include "link/certificates.hpp"

namespace catena::cli {
namespace {

struct CertOptions {
  std::string directory;
  std::string out;
  std::string name;
  std::string role;
  std::uint32_t days = 365;
  Form form = Form::table;
  std::vector<std::string> files;
  std::vector<std::string> hosts;
};

void print_files(const link::MadeFiles& made, const CertOptions& options, Console& console) {
  for (const auto& file : made) {
    if (for_people(options.form)) {
      console.out().line(file.string());
    } else {
      print_element(options.form, {{"file", file.string()}}, file.string(), console);
    }
  }
}

// ---- init, issue --------------------------------------------------------------------------------------------------------

ExitCode init(const CertOptions& options, Console& console) {
  const auto made = link::init_trust(options.directory, options.days, console.now());
  if (!made) return report(console, made.error());
  print_files(*made, options, console);
  console.say("ca.key makes nodes of this cluster: keep it off the nodes; `catena cert issue` makes what each of them gets");
  return ExitCode::ok;
}

ExitCode issue(const CertOptions& options, Console& console) {
  const auto role = link::node_role(options.role);
  if (!role) return report(console, role.error());
  const auto& out = options.out.empty() ? options.directory : options.out;
  const auto made =
      link::issue_files(options.directory, out, {.name = options.name, .role = *role, .days = options.days, .hosts = options.hosts}, console.now());
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
  const auto now = console.now();
  auto code = ExitCode::ok;
  RecordPrinter printer{options.form,
                        "file",
                        {{.title = "NAME", .shortens = true},
                         {.title = "ROLE"},
                         {.title = "ISSUER", .shortens = true, .leaves = 1},
                         {.title = "FROM", .leaves = 3},
                         {.title = "UNTIL", .leaves = 2},
                         {.title = "STATE"},
                         {.title = "FILE", .only_wide = true}},
                        console};
  for (const auto& file : options.files) {
    const auto read = link::read_certificate_file(file);
    if (!read) {
      code = worse(code, report(console, read.error()));
      continue;
    }
    const std::string role = read->authority ? "authority" : read->role.empty() ? "-" : read->role;
    printer.add(
        [&]() -> Json {
          return {{"file", file},
                  {"name", read->name},
                  {"role", role},
                  {"issuer", read->issuer},
                  {"serial", read->serial},
                  {"from", iso8601(read->from)},
                  {"until", iso8601(read->until)},
                  {"valid", read->from <= now && now < read->until}};
        },
        [&]() -> Cells { return {read->name, role, read->issuer, iso8601(read->from), iso8601(read->until), state(*read, now), file}; });
  }
  printer.finish();
  return code;
}

// ---- options ------------------------------------------------------------------------------------------------------------

void add_days(CLI::App& app, CertOptions& options) {
  app.add_option("--days", options.days, "how long certificates of nodes are valid (default: 365)")->option_text("N");
}

void define_cert_init(CLI::App& app, CertOptions& options) {
  app.add_option("--dir", options.directory, "where they are written; made when it is not there")->required()->option_text("DIR");
  add_days(app, options);
  add_text_output(app, options.form, "files");
}

void define_cert_issue(CLI::App& app, CertOptions& options) {
  app.add_option("--dir", options.directory, "what `catena cert init` made")->required()->option_text("DIR");
  app.add_option("--name", options.name, "of the node: its certificate's CN, and what its files are called")->required()->option_text("NAME");
  app.add_option("--role", options.role, "coordinator, worker or client")->required()->option_text("ROLE");
  add_days(app, options);
  app.add_option("--host", options.hosts, "a name or an address by which clients of the HTTP interface call it; may come several times")
      ->allow_extra_args(false)
      ->option_text("HOST");
  app.add_option("--out", options.out, "another directory, which gets ca.pem and the token as well: all that the node needs")->option_text("DIR");
  add_text_output(app, options.form, "files");
}

void define_cert_show(CLI::App& app, CertOptions& options) {
  app.add_option("file", options.files, "certificates (PEM)")->required()->option_text("FILE ...");
  add_record_output(app, options.form, "files");
}

constexpr CommandVerb<CertOptions> kCertVerbs[]{
    {"init", "make the authority of a cluster, its join token, and certificates to try it with on one machine", define_cert_init, init},
    {"issue", "make the certificate of a node", define_cert_issue, issue},
    {"show", "print whose a certificate is, its role, and how long it is valid", define_cert_show, show_certificates},
};

}  // namespace

Action define_cert(CLI::App& app) {
  return define_verbs<CertOptions>(app, kCertVerbs, [](CLI::App&, CertOptions&) {});
}

}  // namespace catena::cli
