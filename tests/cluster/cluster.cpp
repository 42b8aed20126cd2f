#include "tests/cluster/cluster.hpp"

#include <fstream>

#include "tests/cluster/namespaces.hpp"
#include "tests/cluster/proxies.hpp"

namespace cluster_test {

std::unique_ptr<Network> make_network(std::size_t workers) {
  static const bool namespaces = Namespaces::possible();
  if (namespaces) return std::make_unique<Namespaces>(workers);
  return std::make_unique<Proxies>(workers);
}

Cluster::Cluster(ClusterOptions options) : options_{std::move(options)}, workers_(options_.workers + 1) {
  if (options_.network) {
    network_ = options_.network(options_.workers);
  } else {
    network_ = options_.loopback ? std::make_unique<Proxies>(options_.workers) : make_network(options_.workers);
  }
  if (options_.tls) {
    const auto made = run({CATENA_BINARY, "cert", "init", "--dir", certificates()}, folder_ / "cert-out", folder_ / "cert-error");
    INFO(made.error);
    REQUIRE(made.code == 0);
    issue("person", "client");
    for (std::size_t worker = 1; worker <= options_.workers; ++worker) issue(worker_name(worker), "worker");
  }
}

void Cluster::issue(const std::string& name, const std::string& role) {
  const auto made =
      run({CATENA_BINARY, "cert", "issue", "--dir", certificates(), "--name", name, "--role", role}, folder_ / "cert-out", folder_ / "cert-error");
  INFO(made.error);
  REQUIRE(made.code == 0);
}

Words Cluster::environment(const std::string& certificate) const {
  Words words{"/usr/bin/env", "HOME=" + path("home"), fmt::format("CATENA_CLUSTER__LEASE={}", options_.lease_ms),
              fmt::format("CATENA_CLUSTER__HEARTBEAT={}", options_.heartbeat_ms)};
  if (!options_.tls) return words + Words{"CATENA_CLUSTER__INSECURE_LINK=true"};
  const auto in = [&](const std::string& file) { return certificates() + "/" + file; };
  return words + Words{"CATENA_CLUSTER__CA_FILE=" + in("ca.pem"), "CATENA_CLUSTER__CERTIFICATE_FILE=" + in(certificate + ".pem"),
                       "CATENA_CLUSTER__KEY_FILE=" + in(certificate + ".key"), "CATENA_CLUSTER__TOKEN_FILE=" + in("token")};
}

std::string Cluster::program(std::size_t node) const {
  const auto other = programs_.find(node);
  return other == programs_.end() ? CATENA_BINARY : other->second;
}

void Cluster::start_coordinator() {
  const bool listens = coordinator_starts();
  INFO(logs());
  REQUIRE((listens && !coordinator_->ended()));
}

bool Cluster::coordinator_starts(const Words& more) {
  const auto port_file = folder_ / "port";
  fs::remove(port_file);
  coordinator_.reset();
  const auto output = folder_ / fmt::format("coordinator-{}", ++started_);
  coordinator_.emplace(
      tied(network_->at(0) + environment("coordinator") + more +
           Words{program(0), "coordinator", "--listen", network_->listen(), "--data-dir", data(), "--port-file", port_file.string()}),
      output.string() + "-out", output.string() + "-error");
  const auto written = [&] {
    const auto text = read_text(port_file);
    return !text.empty() && text.back() == '\n';
  };
  if (!eventually(milliseconds{60'000}, [&] { return written() || coordinator_->ended(); }) || !written()) return false;
  network_->coordinator_listens(network_->listen().substr(0, network_->listen().rfind(':') + 1) + std::to_string(std::stoi(read_text(port_file))));
  return true;
}

Words Cluster::worker_command(std::size_t worker) const {
  const auto redial = options_.redial_ms > 0 ? Words{fmt::format("CATENA_WORKER__REDIAL_MAX={}", options_.redial_ms)} : Words{};
  Words words = network_->at(worker) + environment(worker_name(worker)) + options_.worker_environment + redial +
                Words{fmt::format("CATENA_WORKER__CACHE_DIR={}", path(worker_name(worker) + "-cache")),
                      fmt::format("CATENA_WORKER__DRAIN_TIMEOUT={}", options_.drain_timeout_ms),
                      program(worker),
                      "worker",
                      "--join",
                      network_->coordinator_seen_from(worker),
                      "--name",
                      worker_name(worker),
                      "--slots",
                      std::to_string(options_.slots)};
  const auto more = options_.worker_words.find(worker);
  return more == options_.worker_words.end() ? words : words + more->second;
}

void Cluster::start_worker(std::size_t worker) {
  workers_.at(worker).reset();
  const auto output = folder_ / fmt::format("{}-{}", worker_name(worker), ++started_);
  workers_.at(worker).emplace(tied(worker_command(worker)), output.string() + "-out", output.string() + "-error");
}

void Cluster::kill_coordinator(int signal) {
  coordinator_->kill(signal);
  const bool ended = ends_within(*coordinator_, milliseconds{30'000});
  INFO(logs());
  REQUIRE(ended);
  const auto code = coordinator_->wait();
  if (signal == SIGTERM) CHECK(code == 0);
}

namespace {

/// Some thread of the process keeps the signal for another, which waits for it.
bool looks_at(pid_t pid, int signal) {
  std::error_code gone;
  for (const auto& thread : fs::directory_iterator{fmt::format("/proc/{}/task", pid), gone}) {
    std::ifstream status{thread.path() / "status"};
    for (std::string line; std::getline(status, line);) {
      constexpr std::string_view kBlocked = "SigBlk:";
      if (line.starts_with(kBlocked) && (std::stoull(line.substr(kBlocked.size()), nullptr, 16) >> static_cast<unsigned>(signal - 1) & 1U) != 0)
        return true;
    }
  }
  return false;
}

}  // namespace

int Cluster::kill_worker(std::size_t worker, int signal) {
  auto& process = *workers_.at(worker);
  // a process that has just begun does not look at signals yet
  if (signal == SIGTERM) REQUIRE(eventually(milliseconds{20'000}, [&] { return process.ended() || looks_at(process.pid(), SIGTERM); }));
  process.kill(signal);
  const bool ended = ends_within(process, milliseconds{options_.drain_timeout_ms + 20'000});
  INFO(logs());
  REQUIRE(ended);
  const auto code = process.wait();
  // 1: the drain timeout was over before the coordinator had everything
  INFO("exit code " << code);
  if (signal == SIGTERM) CHECK((code == 0 || code == 1));
  return code;
}

void Cluster::wait_ready(std::size_t workers) {
  const auto wanted = workers == 0 ? options_.workers : workers;
  json last;
  const bool ready = eventually(milliseconds{60'000}, [&] {
    last = nodes();
    return static_cast<std::size_t>(std::ranges::count_if(last, [](const json& row) { return row.value("state", "") == "open"; })) >= wanted;
  });
  INFO(last.dump() << "\n" << logs());
  REQUIRE(ready);
}

std::string Cluster::logs() const {
  std::string all;
  for (const auto& file : fs::directory_iterator{folder_ / ""}) {
    if (!file.path().filename().string().ends_with("-error")) continue;
    const auto text = read_text(file.path());
    constexpr std::size_t kTail = 3000;
    if (!text.empty()) all += "== " + file.path().filename().string() + "\n" + text.substr(text.size() - std::min(kTail, text.size())) + "\n";
  }
  return all;
}

Words Cluster::client(const Words& words) const {
  return network_->at(0) + environment("person") + Words{CATENA_BINARY} + words + Words{"--cluster", address()};
}

Outcome Cluster::ask(const Words& words, milliseconds deadline) {
  ++asked_;
  return run(client(words), folder_ / "asked-out", folder_ / "asked-said", deadline);
}

std::unique_ptr<Process> Cluster::ask_in_background(const std::string& name, const Words& words) const {
  return std::make_unique<Process>(tied(client(words)), folder_ / (name + "-out"), folder_ / (name + "-error"));
}

json Cluster::nodes() {
  const auto answer = ask({"nodes", "-o", "json"});
  json rows = json::array();
  if (answer.code != 0) return rows;
  std::size_t from = 0;
  while (from < answer.out.size()) {
    const auto end = std::min(answer.out.find('\n', from), answer.out.size());
    auto row = json::parse(answer.out.substr(from, end - from), nullptr, false);
    if (row.is_array()) return row;
    if (row.is_object()) rows.push_back(std::move(row));
    from = end + 1;
  }
  return rows;
}

json Cluster::node(const std::string& name) {
  for (const auto& row : nodes()) {
    if (row.value("id", "") == name) return row;
  }
  return nullptr;
}

}  // namespace cluster_test
