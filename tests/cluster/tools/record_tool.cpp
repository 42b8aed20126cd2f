// A tool that writes down each of its executions, one line with one write when it begins and one when it ends: what a cluster did is proved
// by them.
//   record_tool exec FILE     one attempt, as exec: calls it
//   record_tool serve FILE    many, as serve: does
// A line: begin|end KEY ATTEMPT WHEN PARENT; WHEN in milliseconds since 1970, PARENT the worker's process. The argument `ms` is how long it
// takes, `spin` how long it computes; the answer is {"got": n}.
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

using Json = nlohmann::json;

namespace {

std::int64_t now_ms(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

class Record {
 public:
  explicit Record(const char* file) : fd_{::open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)} {
    if (fd_ < 0) ::_exit(70);
  }
  void add(const char* what, const std::string& key, const std::string& attempt) const {
    const auto line =
        std::string{what} + " " + key + " " + attempt + " " + std::to_string(now_ms(CLOCK_REALTIME)) + " " + std::to_string(::getppid()) + "\n";
    if (::write(fd_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) ::_exit(71);
  }

 private:
  int fd_;
};

Json work(const Record& record, const Json& arguments, const std::string& key, const std::string& attempt) {
  record.add("begin", key, attempt);
  if (const auto ms = arguments.value("ms", 0); ms > 0) ::usleep(static_cast<useconds_t>(ms) * 1000);
  if (const auto spin = arguments.value("spin", 0); spin > 0) {
    for (const auto until = now_ms(CLOCK_THREAD_CPUTIME_ID) + spin; now_ms(CLOCK_THREAD_CPUTIME_ID) < until;) {
    }
  }
  record.add("end", key, attempt);
  return {{"got", arguments.value("n", Json())}};
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 64;
  const Record record{argv[2]};
  std::string line;
  if (std::string{argv[1]} == "exec") {
    std::getline(std::cin, line);
    std::cout << work(record, Json::parse(line), variable("CATENA_IDEMPOTENCY_KEY"), variable("CATENA_ATTEMPT")) << '\n';
    return 0;
  }
  while (std::getline(std::cin, line)) {
    const auto request = Json::parse(line);
    const auto& params = request.at("params");
    const auto result = work(record, params.at("arguments"), params.at("idempotency_key"), std::to_string(params.at("attempt").get<int>()));
    std::cout << Json{{"jsonrpc", "2.0"}, {"id", request.at("id")}, {"result", result}}.dump() << std::endl;
  }
  return 0;
}
