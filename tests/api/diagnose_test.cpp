// The doctor at a real coordinator: faults that a test brings about, each named, over HTTP and by the command.
#include <filesystem>
#include <map>

#include "base/clock.hpp"
#include "link/certificates.hpp"
#include "tests/api/server.hpp"
#include "tests/api/support.hpp"

namespace catena::api::test {
namespace {

/// Each code with the worst that it found.
std::map<std::string, std::string> found_in(const Json& report) {
  std::map<std::string, std::string> found;
  for (const auto& finding : report["findings"]) {
    auto& worst = found[finding["code"].get<std::string>()];
    const auto severity = finding["severity"].get<std::string>();
    if (worst.empty() || severity == "problem" || (severity == "warning" && worst == "ok")) worst = severity;
  }
  return found;
}

const std::string kForTheWest = R"({"instructions": [{"execution_id": "deep", "needs": ["zone=west"],
  "tool_definition": {"additional_arguments": true, "system_event_endpoint": "builtin:echo"}}]})";

}  // namespace

TEST_CASE("diagnose: faults of a running coordinator are named, over HTTP and by the command") {
  const Folder folder;
  const auto file = [&](const std::string& name) { return (folder / name).string(); };
  const auto now = SystemClock{}.now();
  const auto authority = link::make_authority(300, now).value();
  const auto head = link::issue(authority, {.name = "head", .role = link::NodeRole::coordinator, .days = 3}, now).value();
  folder.write("ca.pem", authority.certificate);
  folder.write("head.pem", head.certificate);
  folder.write("head.key", head.key);
  std::filesystem::create_directories(folder / "config/catena");
  folder.write("config/catena/catena.yaml",
               fmt::format("cluster: {{ca_file: {0}/ca.pem, certificate_file: {0}/head.pem, key_file: {0}/head.key}}\nstorage: {{durability: none}}\n"
                           "process: {{inspectable: true}}\naudit: {{keep: 0}}\n",
                           (folder / "").string()));
  const Server server{folder};
  REQUIRE(server.ask("POST", "/v1/chains?wait=30", submission("done", kEchoes)).status == 200);
  const auto waiting = server.ask("POST", "/v1/chains", submission("stuck", kForTheWest));
  INFO(waiting.body);
  REQUIRE(waiting.status == 202);
  auto answer = server.ask("GET", "/v1/diagnose");
  // Until the step has asked for a slot.
  while (answer.status == 200 && found_in(answer.json())["capability_missing"] == "ok") answer = server.ask("GET", "/v1/diagnose");
  INFO(answer.body);
  REQUIRE(answer.status == 200);
  const auto report = answer.json();
  CHECK(fits(report, "Diagnosis"));
  auto found = found_in(report);
  CHECK(report["severity"] == "problem");
  CHECK(found["capability_missing"] == "problem");
  CHECK(found["durability_weak"] == "problem");
  CHECK(found["certificate_ends"] == "warning");
  CHECK(found["certificate_unreadable"] == "ok");
  CHECK(found["http_open"] == "warning");
  CHECK(found["retention_off"] == "warning");
  CHECK(found["records_off"] == "warning");
  CHECK(found["process_inspectable"] == "warning");
  CHECK(found["link_plain"] == "ok");
  CHECK(found["chains_quarantined"] == "ok");
  CHECK(found["tasks_in_doubt"] == "ok");
  CHECK(found["admission_closed"] == "ok");
  CHECK(found["workers_none"] == "ok");  // its own slots
  for (const auto* const seen : {"disk_space", "clock_set", "connections_full", "open_files", "slots_full", "traces_dropped", "webhooks_pile_up"})
    CHECK(found.contains(seen));
  // Not one fault more than there is, apart from what the machine of the test may have.
  for (const auto& [code, severity] : found) {
    CAPTURE(code);
    if (severity == "problem") CHECK((code == "capability_missing" || code == "durability_weak" || code == "disk_space" || code == "sync_slow"));
  }

  folder.write("head.pem", "gone");
  Process doctor{{CATENA_BINARY, "doctor", "--url", server.url(), "-o", "json"}, file("made"), file("said"), {"XDG_CONFIG_HOME=" + file("none")}};
  CHECK(doctor.wait() == 1);
  auto said = found_in(Json::parse(read_text(file("made"))));
  CHECK(said["certificate_unreadable"] == "problem");
  CHECK(said["capability_missing"] == "problem");
  Process people{{CATENA_BINARY, "doctor", "--url", server.url()}, file("made"), file("said"), {"XDG_CONFIG_HOME=" + file("none")}};
  CHECK(people.wait() == 1);
  const auto text = read_text(file("made"));
  CHECK(text.find("problem capability_missing") != std::string::npos);
  CHECK(text.find("chain stuck: deep: no worker has label zone=west") != std::string::npos);
  CHECK(("\n" + text).find("\nok ") == std::string::npos);
}

TEST_CASE("diagnose: a data directory that nobody runs is looked at by itself") {
  const Folder folder;
  const auto file = [&](const std::string& name) { return (folder / name).string(); };
  {
    const Server server{folder};
    REQUIRE(server.ask("POST", "/v1/chains", submission("left", kWaits)).status == 202);
  }
  folder.write("off.yaml", "chains: {retention: {succeeded: 7d}}\n");
  const auto doctor = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{CATENA_BINARY, "doctor", "--data-dir", file("data")};
    words.insert(words.end(), more.begin(), more.end());
    Process process{words, file("made"), file("said"), {"CATENA_CONFIG=" + file("off.yaml")}};
    return process.wait();
  };
  CHECK(doctor({"-o", "json"}) <= 1);  // the disk of this machine may be full
  const auto report = Json::parse(read_text(file("made")));
  auto found = found_in(report);
  CHECK(found["work_waits"] == "warning");
  CHECK(found["retention_off"] == "ok");
  CHECK(found.contains("sync_slow"));  // by probes
  CHECK(found.contains("disk_space"));
  CHECK(std::ranges::find(report["not_known"], Json("worker_lost")) != report["not_known"].end());
  CHECK(report.dump().find("catena resume left") != std::string::npos);
  for (const auto& entry : std::filesystem::directory_iterator{file("data")})
    CHECK(entry.path().filename().string().find("doctor") == std::string::npos);
}

}  // namespace catena::api::test
