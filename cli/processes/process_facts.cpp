#include "cli/processes/process_facts.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <utility>
#include <vector>

#include "base/fd.hpp"
#include "cli/processes/trace_export.hpp"
#include "link/certificates.hpp"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kProbes = 50;
constexpr std::size_t kProbeBytes = 4096;

client::CertificateFacts certificate_facts(const std::string& file, std::string purpose) {
  const auto read = link::read_certificate_file(file);
  if (!read) return {file, std::move(purpose), 0, read.error().message};
  return {file, std::move(purpose), read->until, {}};
}

}  // namespace

void add_settings(client::Facts& facts, const config::Settings& settings) {
  client::SettingFacts known;
  known.durability = settings.durability;
  known.link_listen = settings.coordinator_listen;
  known.link_tls = settings.has_tls();
  known.http_listen = settings.http_listen;
  known.http_authenticated = settings.http_tokens || !settings.oidc_issuer.empty() || !settings.http_certificate_roles.empty();
  known.http_tls = !settings.http_certificate_file.empty();
  known.retention = !settings.retention.empty();
  known.audit_keep = settings.audit_keep;
  known.feed_keep = settings.feed_keep;
  known.traces = !trace_target(settings, config::process_environment()).url.empty();
  known.inspectable = settings.process_inspectable;
  facts.settings = std::move(known);
  facts.lease_ms = settings.cluster_lease_ms;
  facts.webhooks = client::WebhookFacts{0, settings.webhooks_pending, 0};
}

void add_certificates(client::Facts& facts, const config::Settings& settings) {
  facts.certificates.emplace();
  const std::array<std::pair<const std::string*, const char*>, 4> files{{{&settings.cluster_ca_file, "cluster.ca_file"},
                                                                         {&settings.cluster_certificate_file, "cluster.certificate_file"},
                                                                         {&settings.http_certificate_file, "http.certificate_file"},
                                                                         {&settings.http_client_ca_file, "http.client_ca_file"}}};
  for (const auto& [file, purpose] : files) {
    if (!file->empty()) facts.certificates->push_back(certificate_facts(*file, purpose));
  }
}

void add_disk(client::Facts& facts, const std::string& directory) {
  std::error_code failed;
  const auto disk = fs::space(directory, failed);
  if (!failed) facts.disk = client::DiskFacts{directory, disk.available, disk.capacity};
}

void add_process(client::Facts& facts, const Clock& own) {
  facts.clock_ahead_ms = SystemClock{}.now() - own.now();
  ::rlimit limit{};
  std::error_code failed;
  fs::directory_iterator open{"/proc/self/fd", failed};
  if (failed || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  facts.files = client::UseFacts{static_cast<std::uint64_t>(std::distance(begin(open), end(open))), limit.rlim_cur};
}

void probe_sync(client::Facts& facts, const std::string& directory) {
  auto path = (fs::path{directory} / "doctor-XXXXXX").string();
  const Fd file{::mkostemp(path.data(), O_CLOEXEC)};
  if (file.get() < 0) return;
  ::unlink(path.c_str());
  const std::array<char, kProbeBytes> bytes{};
  std::vector<std::int64_t> took;
  for (int probe = 0; probe < kProbes; ++probe) {
    const auto since = std::chrono::steady_clock::now();
    if (::write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()) || ::fdatasync(file.get()) != 0) return;
    took.push_back(std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - since).count());
  }
  facts.sync = client::SyncFacts{std::ranges::max(took), kProbes, true};
}

}  // namespace catena::cli
