#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "cli/commands/commands.hpp"
#include "cli/environment.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/processes/process_facts.hpp"
#include "cli/records.hpp"
#include "client/diagnosis/checks.hpp"
#include "client/diagnosis/gather.hpp"
#include "lang/document/json_text.hpp"
#include "link/certificates.hpp"
#include "worker/http_client.hpp"

namespace catena::cli {
namespace {

struct DoctorOptions {
  Place place;
  std::string url;
  std::string token_file;
  bool all = false;
  Form form = Form::table;
};

/// What the coordinator says of itself.
Result<Json> ask_over_http(const DoctorOptions& options, const config::Settings& settings) {
  constexpr Millis kAnswerMax{30'000};
  constexpr int kFound = 200;
  auto base = options.url;
  while (base.ends_with('/')) base.pop_back();
  worker::HttpClient client{{.allow_link_local = settings.http_allow_link_local, .ca_file = settings.http_ca_file}};
  worker::HttpRequest request;
  request.method = "GET";
  request.url = base + "/v1/diagnose";
  request.timeout = kAnswerMax;
  request.body_bytes_max = limits::kDocumentBytesMax;
  if (!options.token_file.empty()) {
    std::ifstream file{options.token_file};
    std::string token;
    if (!std::getline(file, token) || token.empty())
      return fail(Code::file_unreadable, fmt::format("'{}' has no token: one line, as `catena token create` prints it", options.token_file));
    request.headers.push_back({"authorization", "Bearer " + token});
  }
  const auto answer = client.send(request, {});
  if (!answer) return fail(answer.error());
  const auto checked = lang::parse_json_text(answer->body);
  auto json = checked ? lang::JsonView{*checked}.parse() : Json{};
  if (!json.is_object())
    return fail(Code::connection_failed, fmt::format("{} gives no answer of a coordinator ({})", worker::shown_url(request.url), answer->status));
  if (answer->status != kFound) {
    const auto detail = json.find("detail");
    return fail(Code::connection_failed, fmt::format("{} answers {}: {}", worker::shown_url(request.url), answer->status,
                                                     detail != json.end() && detail->is_string() ? detail->get<std::string>() : ""));
  }
  return json;
}

/// What a client of a cluster sees of it, with the certificates of this machine.
Result<Json> look_at_cluster(const Target& target, const DoctorOptions& options, const config::Settings& settings, Console& console) {
  auto client = connect_to(target, options.place, console);
  if (!client) return fail(std::move(client).error());
  client::Facts facts;
  facts.now = console.now();
  facts.version = CATENA_VERSION;
  add_certificates(facts, settings);
  const auto nodes = (*client)->nodes();
  if (!nodes) return fail(nodes.error());
  client::add_workers(facts, nodes->nodes);
  if (auto added = client::add_chains(facts, (*client)->questions()); !added) return fail(std::move(added).error());
  const auto explain = client::chains_to_explain((*client)->questions());
  if (!explain) return fail(explain.error());
  for (const auto& chain : *explain) {
    if (const auto reasons = (*client)->explain(chain, "")) client::add_explained(facts, chain, *reasons);
  }
  return client::to_json(client::diagnose(facts));
}

/// A data directory, whoever runs its chains.
Result<Json> look_at_directory(const DoctorOptions& options, const config::Settings& settings, Console& console) {
  const auto directory = data_directory(options.place.data_dir);
  if (!directory) return fail(directory.error());
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return fail(shelf.error());
  client::Facts facts;
  facts.now = console.now();
  facts.version = CATENA_VERSION;
  add_settings(facts, settings);
  add_certificates(facts, settings);
  std::error_code failed;
  if (std::filesystem::is_directory(*directory, failed)) {
    add_disk(facts, *directory);
    probe_sync(facts, *directory);
  }
  if (auto added = client::add_chains(facts, *shelf->questions); !added) return fail(std::move(added).error());
  if (!shelf->owner) {
    const auto stopped = client::chains_to_explain(*shelf->questions);
    if (!stopped) return fail(stopped.error());
    for (const auto& chain : *stopped)
      client::add_explained(facts, chain,
                            std::vector<std::string>{fmt::format("nobody runs it now; `catena resume {}` goes on with it", chain.value)});
  }
  return client::to_json(client::diagnose(facts));
}

Result<Json> look_around(const DoctorOptions& options, Console& console) {
  const auto configured = configuration();
  if (!configured) return fail(configured.error());
  if (!options.url.empty()) return ask_over_http(options, configured->settings);
  const auto target = target_of(options.place);
  if (!target) return fail(target.error());
  if (target->is_elsewhere()) return look_at_cluster(*target, options, configured->settings, console);
  return look_at_directory(options, configured->settings, console);
}

/// Empty where it is none: what came over HTTP may be anything.
std::string member_text(const Json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

void tell_people(const Json& report, bool all, Console& console) {
  std::size_t fine = 0;
  for (const auto& finding : report.value("findings", Json::array())) {
    if (!finding.is_object()) continue;
    const auto severity = member_text(finding, "severity");
    if (severity == "ok") ++fine;
    if (severity == "ok" && !all) continue;
    const auto where = member_text(finding, "where");
    const auto advice = member_text(finding, "advice");
    console.out().line(printable(
        fmt::format("{:<8}{:<24}{}{}{}", severity, member_text(finding, "code"), where, where.empty() ? "" : ": ", member_text(finding, "what"))));
    if (!advice.empty()) console.out().line(printable(fmt::format("{:<32}{}", "", advice)));
  }
  std::vector<std::string> unseen;
  for (const auto& code : report.value("not_known", Json::array())) {
    if (code.is_string()) unseen.push_back(code.get<std::string>());
  }
  console.say(fmt::format("{} found nothing wrong{}", fine == 1 ? "1 check" : fmt::format("{} checks", fine),
                          unseen.empty() ? "" : fmt::format("; not to be seen from here: {}", fmt::join(unseen, ", "))));
}

ExitCode run_doctor(const DoctorOptions& options, Console& console) {
  const Interrupt interrupt;
  const auto report_of = look_around(options, console);
  if (!report_of) return report(console, report_of.error());
  if (for_people(options.form)) {
    tell_people(*report_of, options.all, console);
  } else {
    print_record(options.form, dump_lossy(*report_of), {}, console);
  }
  return member_text(*report_of, "severity") == client::name(client::Severity::problem) ? ExitCode::failed : ExitCode::ok;
}

}  // namespace

Action define_doctor(CLI::App& app) {
  const auto options = std::make_shared<DoctorOptions>();
  add_place(app, options->place);
  app.add_option("--url", options->url, "ask the coordinator over HTTP, which sees more than its clients do: http://127.0.0.1:7421")
      ->excludes("--data-dir")
      ->excludes("--cluster")
      ->option_text("URL");
  app.add_option("--access-token-file", options->token_file, "with --url: a file that holds an access token and nothing else")
      ->needs("--url")
      ->option_text("FILE");
  app.add_flag("-a,--all", options->all, "also what is in order");
  add_text_output(app, options->form, "");
  return [options](Console& console) { return run_doctor(*options, console); };
}

}  // namespace catena::cli
