#include "cli/processes/capabilities.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/suggest.hpp"
#include "lang/program/endpoint.hpp"
#include "worker/executors/builtin.hpp"

namespace catena::cli {
namespace fs = std::filesystem;
namespace {

bool can_run(const fs::path& file) {
  std::error_code failed;
  return fs::is_regular_file(file, failed) && ::access(file.c_str(), X_OK) == 0;
}

Result<std::string> find_program(const std::string& program, const std::vector<std::string>& search_path) {
  if (program.starts_with('/') && can_run(program)) return program;
  if (program.find('/') == std::string::npos) {
    for (const auto& folder : search_path) {
      if (auto file = (fs::path{folder} / program).string(); file.starts_with('/') && can_run(file)) return file;
    }
  }
  return fail(Code::program_not_found, fmt::format("there is no program '{}' to run; give an absolute path, or a name that is on PATH", program));
}

Result<lang::Endpoint> endpoint_of(const std::string& name, const std::string& text, const std::vector<std::string>& search_path) {
  if (const auto sound = lang::parse_endpoint("remote:" + name, {}); !sound) return fail(Code::field_value, sound.error().message);
  auto endpoint = lang::parse_endpoint(text, {});
  if (!endpoint) return fail(Code::field_value, std::move(endpoint.error().message));
  if (endpoint->kind == "remote") return fail(Code::field_value, "a capability cannot be another capability; name what runs it");
  if (endpoint->kind == "builtin" && worker::find_builtin(endpoint->target) == nullptr) {
    return fail(Code::field_value,
                fmt::format("there is no builtin '{}'{}", endpoint->target, did_you_mean(endpoint->target, worker::builtin_names())));
  }
  if (lang::runs_program(*endpoint)) {
    auto program = find_program(endpoint->target, search_path);
    if (!program) return fail(std::move(program).error());
    endpoint->target = std::move(*program);
  }
  return endpoint;
}

}  // namespace

Result<Capabilities> announced(const config::Table& table, const std::vector<std::string>& search_path) {
  Capabilities capabilities;
  for (const auto& [name, text] : table) {
    auto endpoint = endpoint_of(name, text, search_path);
    if (!endpoint) return fail(endpoint.error().code, fmt::format("option 'worker.capabilities': '{}': {}", name, endpoint.error().message));
    capabilities.emplace(name, std::move(*endpoint));
  }
  return capabilities;
}

}  // namespace catena::cli
