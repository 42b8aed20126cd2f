// A tool for serve: endpoints that does what its argument `do` says, well or badly. Without one it answers with its arguments, its process
// id and what it was told of the attempt.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

using Json = nlohmann::json;

namespace {

void say(const std::string& line) { std::cout << line << std::endl; }

/// Tells through a fifo that it came this far.
void signpost(const Json& arguments) {
  if (!arguments.contains("signpost")) return;
  const int fd = ::open(arguments["signpost"].get<std::string>().c_str(), O_WRONLY | O_CLOEXEC);
  const auto text = std::to_string(::getpid());
  [[maybe_unused]] const auto written = ::write(fd, text.data(), text.size());
  ::close(fd);
}

/// The first word of its command line is the answer to `describe`, or a way of giving none.
void describe(const Json& request, const std::string& answer) {
  if (answer == "exit") ::_exit(3);
  if (answer == "hang") {
    for (;;) ::pause();
  }
  if (answer == "garbage") return say("this is no JSON");
  if (answer.empty()) return say(Json{{"jsonrpc", "2.0"}, {"id", request["id"]}, {"error", {{"code", -32601}, {"message", "what?"}}}}.dump());
  say(Json{{"jsonrpc", "2.0"}, {"id", request["id"]}, {"result", Json::parse(answer)}}.dump());
}

/// True when it was a way of not answering as one should.
bool misbehave(const std::string& what, const Json& arguments, const Json& id) {
  if (what == "exit") ::_exit(arguments.value("code", 0));
  if (what == "crash") ::raise(SIGABRT);
  if (what == "close") {
    ::close(STDOUT_FILENO);
    ::pause();
  }
  if (what == "hang") {
    if (arguments.value("stubborn", false)) ::signal(SIGTERM, SIG_IGN);
    if (arguments.value("with_child", false) && ::fork() == 0) {
      signpost(arguments);
      for (;;) ::pause();
    }
    if (!arguments.value("with_child", false)) signpost(arguments);
    for (;;) ::pause();
  }
  if (what == "garbage") return say("this is no JSON"), true;
  if (what == "number") return say("42"), true;
  if (what == "other_id") return say(Json{{"jsonrpc", "2.0"}, {"id", id.get<int>() + 1}, {"result", Json::object()}}.dump()), true;
  if (what == "nothing") return say(Json{{"jsonrpc", "2.0"}, {"id", id}}.dump()), true;
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  for (std::string line; std::getline(std::cin, line);) {
    const auto request = Json::parse(line);
    if (request["method"] == "describe") {
      describe(request, argc > 1 ? argv[1] : "");
      continue;
    }
    const auto& params = request["params"];
    const auto& arguments = params["arguments"];
    const auto& id = request["id"];
    if (arguments.contains("stderr")) std::cerr << arguments["stderr"].get<std::string>() << std::flush;
    const auto what = arguments.value("do", "");
    if (misbehave(what, arguments, id)) continue;
    Json answer{{"jsonrpc", "2.0"}, {"id", id}};
    if (what == "error") {
      answer["error"] = arguments["error"];
    } else if (what == "result") {
      answer["result"] = arguments["result"];
    } else if (what == "copy") {
      std::ofstream{params["work_dir"].get<std::string>() + "/copy.txt"} << std::ifstream{arguments["doc"].get<std::string>()}.rdbuf();
      answer["result"] = {{"copied", "copy.txt"}, {"work_dir", params["work_dir"]}};
    } else if (what == "large") {
      answer["result"] = {{"text", std::string(arguments["bytes"].get<std::size_t>(), 'x')}};
    } else if (what == "endless") {
      for (const std::string part(65536, 'x');;) std::cout << part;
    } else if (what == "environment") {
      Json names = Json::array();
      for (char** variable = environ; *variable != nullptr; ++variable) names.push_back(std::string{*variable});
      answer["result"] = {{"variables", names}};
    } else if (what == "look") {
      const auto* level = std::getenv("LEVEL");
      answer["result"] = {{"pid", ::getpid()}, {"dir", std::filesystem::current_path().string()}, {"level", level == nullptr ? "" : level}};
    } else {
      answer["result"] = params;
      answer["result"]["method"] = request["method"];
      answer["result"]["pid"] = ::getpid();
      answer["result"]["group"] = ::getpgrp();
      answer["result"]["arg"] = argc > 1 ? argv[1] : "";
    }
    // in one write, so that what is unasked is there before the next call
    say(answer.dump() + (arguments.value("more", false) ? "\nunasked" : ""));
    if (arguments.value("then_exit", false)) return 0;
  }
  return 0;
}
