#include "client/http_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.hpp"
#include "client/http_posts.hpp"
#include "coordinator/posted_calls.hpp"

namespace catena::client {
namespace {

/// Requests at a time, those that wait for a chain aside.
constexpr std::size_t kRequestsMax = 4;
/// Calls of one request, and their bytes; one call alone may have more.
constexpr std::size_t kCallsTogether = 64;
constexpr std::size_t kBytesTogether = 4UL << 20U;
/// What a call takes of a request beside its bytes, and a request beside its calls.
constexpr std::size_t kCallCost = 64;
constexpr std::size_t kRequestCost = 1024;
constexpr std::int64_t kAwaitMs = 20'000;
constexpr std::int64_t kProgressMs = 500;
constexpr int kOk = 200, kUnauthorised = 401, kNotFound = 404, kTooMany = 429, kServerFault = 500, kUnavailable = 503;

/// Without the slashes at its end.
std::string base_of(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

/// One call, until it is answered.
struct Asked {
  std::uint64_t call = 0;
  std::string body = {};
  std::vector<std::string> programs = {};  // calls that go ahead of it, in the same request
  std::int64_t wait_ms = 0;
  bool awaits = false;
  std::optional<SteadyClock::time_point> not_before = {};
  [[nodiscard]] std::size_t calls() const { return 1 + programs.size(); }
  [[nodiscard]] std::size_t bytes() const {
    auto all = body.size() + kCallCost;
    for (const auto& program : programs) all += program.size() + kCallCost;
    return all;
  }
};

/// One request on its way.
struct Post {
  std::vector<Asked> calls;
  std::size_t posted = 0;  // calls that it carries, with those of programs
  [[nodiscard]] bool awaits() const { return !calls.empty() && calls.front().awaits; }
};

/// A programs member that calls have which bring some.
const std::vector<std::string>* programs_of(const coordinator::ClientAsk& ask) {
  if (const auto* submit = std::get_if<coordinator::SubmitCall>(&ask)) return &submit->programs;
  if (const auto* once = std::get_if<coordinator::SubmitOnceCall>(&ask)) return &once->submit.programs;
  if (const auto* control = std::get_if<coordinator::ControlCall>(&ask)) return &control->programs;
  return nullptr;
}

/// A connection_failed; `refused` says of what kind, for advice and for whether to come again.
Error no_connection(std::string message, std::string_view refused) {
  auto error = make_error(Code::connection_failed, std::move(message));
  error.details = Json{{"refused", refused}};
  return error;
}

/// Of another answer than calls have. It is a problem of the interface, or the word of some other server.
Error problem_of(const HttpPosts::Ended& ended, const std::string& base) {
  const bool busy = ended.status == kUnavailable || ended.status == kTooMany;
  const auto json = Json::parse(ended.body, nullptr, false);
  const auto member = [&](const char* name) {
    return json.is_object() && json.contains(name) && json[name].is_string() ? json[name].get<std::string>() : std::string{};
  };
  auto said = member("detail");
  if (said.empty() || member("code").empty()) {
    constexpr int kRedirects = 3;
    const bool elsewhere = ended.status / 100 == kRedirects;
    return no_connection(fmt::format("what answers there is no coordinator of catena: it says {}{}", ended.status,
                                     elsewhere ? ", which leads elsewhere; name the address that it leads to" : ""),
                         busy ? "busy" : "http");
  }
  const auto code = code_named(member("code"));
  if (ended.status == kNotFound && code == Code::route_unknown)
    return no_connection("the coordinator there takes no calls of the command line over HTTP; update it", "http");
  if (busy) return no_connection(std::move(said), "busy");
  auto error = make_error(code, fmt::format("{} ({})", said, base));
  if (ended.status == kUnauthorised)
    error.notes.emplace_back(
        "`catena profile show` says which token the profile shows; whoever runs the coordinator makes one with `catena token create`");
  return error;
}

/// Why a request has no answers; nothing: it has.
std::optional<Error> refusal_of(const HttpPosts::Ended& ended, const std::string& base) {
  if (ended.too_large) return no_connection("the coordinator's answer is larger than this client takes", "http");
  if (ended.failure) return ended.failure;
  if (ended.status == kOk && ended.type.starts_with(coordinator::kPostedCallsType)) return std::nullopt;
  return problem_of(ended, base);
}

class HttpLine final : public CallLine {
 public:
  HttpLine(std::string base, HttpPostsOptions options) : base_{std::move(base)}, posts_{std::move(options)} {}

  /// A request without calls: it shows the token, and agrees upon the version.
  Result<void> open(SteadyClock::time_point until, const std::function<bool()>& stopped) override {
    drop();
    if (!begin({})) return fail(Code::connection_failed, "there is not enough memory for a connection");
    while (true) {
      if (stopped()) return fail(Code::cancelled, "interrupted");
      if (SteadyClock::now() > until + kSlice) return fail(Code::connection_failed, "there was no answer in time");
      if (!posts_.drive(kSlice)) return fail(Code::connection_failed, "there is not enough memory for a connection");
      const auto ended = posts_.next_ended();
      if (!ended) continue;
      on_their_way_.clear();
      if (auto refused = refusal_of(*ended, base_)) return fail(std::move(*refused));
      auto answers = coordinator::read_posted_answers(ended->body, 0);
      if (!answers) return fail(std::move(answers).error());
      open_ = true;
      return {};
    }
  }

  void drop() override {
    lose();
    told_.clear();
  }
  [[nodiscard]] bool is_open() const override { return open_; }

  /// A program is kept until a call names it, and goes with that.
  Result<void> send(std::uint64_t call, const coordinator::ClientAsk& ask) override {
    Asked asked{call, codec::encode_kind(ask)};
    if (const auto* program = std::get_if<coordinator::ProgramCall>(&ask)) {
      if (!open_) return {};
      programs_.insert_or_assign(program->hash, std::move(asked.body));
      told_.push_back({call, coordinator::encode_answer(coordinator::Done{})});
      return {};
    }
    if (const auto* named = programs_of(ask)) {
      for (const auto& hash : *named) {
        if (const auto found = programs_.find(hash); found != programs_.end()) asked.programs.push_back(std::move(found->second));
      }
      programs_.clear();
    }
    asked.awaits = std::holds_alternative<coordinator::AwaitCall>(ask);
    if (asked.awaits) asked.wait_ms = kAwaitMs;
    if (std::holds_alternative<coordinator::ProgressCall>(ask)) asked.wait_ms = kProgressMs;
    if (asked.bytes() + kRequestCost > coordinator::kPostedBytesMax) return fail(too_large(asked.bytes()));
    if (asked.calls() > coordinator::kPostedCallsMax) return fail(too_many(asked.programs.size()));
    if (open_) waiting_.push_back(std::move(asked));
    return {};
  }

  std::vector<Told> receive(milliseconds span) override {
    if (!told_.empty()) span = milliseconds{0};
    const auto until = SteadyClock::now() + span;
    while (open_) {
      begin_waiting();
      if (!posts_.drive(std::max(milliseconds{0}, std::chrono::ceil<milliseconds>(until - SteadyClock::now())))) lose();
      for (auto ended = posts_.next_ended(); ended && open_; ended = posts_.next_ended()) settle(*ended);
      if (!told_.empty() || SteadyClock::now() >= until) break;
    }
    return std::exchange(told_, {});
  }

  void rest(milliseconds span) override { static_cast<void>(posts_.drive(span)); }

 private:
  static Error too_large(std::size_t bytes) {
    auto error = make_error(Code::file_too_large, fmt::format("the call has {} bytes with the programs that it brings; over HTTP it may have {}",
                                                              bytes, coordinator::kPostedBytesMax - kRequestCost));
    error.notes.emplace_back(
        "a connection to the cluster itself takes more (--cluster ADDR:PORT); definitions and programs in the coordinator's tool roots (tools.roots) "
        "are named and not sent");
    return error;
  }
  static Error too_many(std::size_t programs) {
    auto error = make_error(Code::request_too_large,
                            fmt::format("the call brings {} programs; over HTTP it may bring {}", programs, coordinator::kPostedCallsMax - 1));
    error.notes.emplace_back(
        "a connection to the cluster itself takes more (--cluster ADDR:PORT); definitions and programs in the coordinator's tool roots (tools.roots) "
        "are named and not sent");
    return error;
  }

  /// Puts what waits into requests: in order, several calls in one; one that waits for a chain has a request of its own.
  void begin_waiting() {
    const auto now = SteadyClock::now();
    for (auto asked = waiting_.begin(); asked != waiting_.end();) {
      const bool due = !asked->not_before || *asked->not_before <= now;
      if (!due || (!asked->awaits && requests() >= kRequestsMax)) {
        ++asked;
        continue;
      }
      std::vector<Asked> together;
      std::size_t bytes = 0;
      std::size_t calls = 0;
      const bool alone = asked->wait_ms > 0;
      do {
        bytes += asked->bytes();
        calls += asked->calls();
        together.push_back(std::move(*asked));
        asked = waiting_.erase(asked);
      } while (!alone && asked != waiting_.end() && asked->wait_ms == 0 && !asked->not_before && together.size() < kCallsTogether &&
               calls + asked->calls() <= coordinator::kPostedCallsMax && bytes + asked->bytes() <= kBytesTogether);
      if (!begin(std::move(together))) return lose();
    }
  }

  [[nodiscard]] std::size_t requests() const {
    return static_cast<std::size_t>(std::ranges::count_if(on_their_way_, [](const auto& post) { return !post.second.awaits(); }));
  }

  [[nodiscard]] bool begin(std::vector<Asked> calls) {
    coordinator::PostedCalls posted;
    for (const auto& asked : calls) {
      posted.wait_ms = std::max(posted.wait_ms, asked.wait_ms);
      posted.calls.insert(posted.calls.end(), asked.programs.begin(), asked.programs.end());
      posted.calls.push_back(asked.body);
    }
    on_their_way_.emplace(++last_, Post{std::move(calls), posted.calls.size()});
    return posts_.begin(last_, coordinator::encode_posted(posted));
  }

  /// The connection counts as broken: whoever made calls decides which are made again. What was told stays.
  void lose() {
    open_ = false;
    posts_.forget();
    on_their_way_.clear();
    waiting_.clear();
    programs_.clear();
  }

  void settle(const HttpPosts::Ended& ended) {
    auto post = std::move(on_their_way_.extract(ended.post).mapped());
    if (!ended.failure && ended.status == kTooMany) {  // nothing of it was done
      for (auto& asked : post.calls) {
        asked.not_before = SteadyClock::now() + ended.retry_after;
        waiting_.push_back(std::move(asked));
      }
      return;
    }
    if (ended.failure || (ended.status >= kServerFault && !ended.too_large)) return lose();
    if (const auto refused = refusal_of(ended, base_)) return answer_all(post, *refused);
    auto answers = coordinator::read_posted_answers(ended.body, post.posted);
    if (!answers) return answer_all(post, answers.error());
    std::size_t at = 0;
    for (auto& asked : post.calls) settle_call(asked, answers->answers, at);
  }

  /// `at`: where the answers to it begin. Of a program that was refused the answer stands for that of the call.
  void settle_call(Asked& asked, std::vector<coordinator::PostedAnswer>& answers, std::size_t& at) {
    std::optional<std::string> refused;
    bool told = true;
    for (std::size_t program = 0; program < asked.programs.size(); ++program, ++at) {
      auto& of = answers[at];
      told = told && of.told;
      if (of.told && !refused && !coordinator::read_answer(of.answer)) refused = std::move(of.answer);
    }
    auto& own = answers[at++];
    if (told && own.told) {
      told_.push_back({asked.call, refused ? std::move(*refused) : std::move(own.answer)});
    } else {
      waiting_.push_back(std::move(asked));
    }
  }

  void answer_all(const Post& post, const Error& error) {
    const auto answer = coordinator::encode_answer(coordinator::Failed{error});
    for (const auto& asked : post.calls) told_.push_back({asked.call, answer});
  }

  std::string base_;
  HttpPosts posts_;
  bool open_ = false;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Post> on_their_way_;
  std::deque<Asked> waiting_;                    // in no request yet
  std::map<std::string, std::string> programs_;  // calls that bring them, by hash
  std::vector<Told> told_;
};

}  // namespace

Result<std::unique_ptr<CallLine>> make_http_line(const ClusterOptions& options) {
  if (auto sound = check_http_url(options.address, options.insecure_link); !sound) return fail(std::move(sound).error());
  auto base = base_of(options.address);
  HttpPostsOptions posts{base + std::string{coordinator::kPostedCallsPath}, std::string{coordinator::kPostedCallsType}, options.token, *options.http,
                         options.patience};
  return std::unique_ptr<CallLine>{std::make_unique<HttpLine>(std::move(base), std::move(posts))};
}

}  // namespace catena::client
