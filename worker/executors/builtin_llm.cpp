// The builtin llm_text: any chat endpoint that understands what OpenAI's does. The key comes from a file or a variable of the worker and goes
// into one header; whatever comes back is searched for it before a byte of it is passed on.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "config/settings.hpp"
#include "worker/executors/builtin_functions.hpp"
#include "worker/executors/http_tool.hpp"
#include "worker/utf8.hpp"

namespace catena::worker::builtin {
namespace {

constexpr Millis kLlmTimeout{120'000};
constexpr std::size_t kKeyBytesMax = 8192;

/// A key that cannot be printed: it has no way out but the header it is sent in, and taking it out of a text.
class ApiKey {
 public:
  ApiKey() = default;
  explicit ApiKey(std::string secret) : secret_{std::move(secret)} {}
  [[nodiscard]] bool empty() const { return secret_.empty(); }
  void send_in(std::vector<HttpHeader>& headers) const { headers.push_back({"Authorization", "Bearer " + secret_}); }
  [[nodiscard]] std::string taken_out_of(std::string text) const {
    if (secret_.empty()) return text;
    constexpr std::string_view kMark = "[key]";
    for (auto at = text.find(secret_); at != std::string::npos; at = text.find(secret_, at + kMark.size())) text.replace(at, secret_.size(), kMark);
    return text;
  }

 private:
  std::string secret_;
};

Result<std::string> key_text(const LlmOptions& options) {
  if (!options.api_key_file.empty()) {
    std::ifstream file{options.api_key_file, std::ios::binary};
    std::string text(kKeyBytesMax, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad() || (!file.eof() && file.fail())) {
      return fail(Code::file_unreadable,
                  fmt::format("the file '{}' with the key of the model (llm.api_key_file) cannot be read", options.api_key_file));
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
  }
  if (options.api_key_env.empty()) return std::string{};  // a model on this machine may need none
  auto value = config::process_environment()(options.api_key_env);
  if (!value) {
    return fail(
        Code::feature_unavailable,
        fmt::format("the environment variable '{}', which is to hold the key of the model (llm.api_key_env), is not set", options.api_key_env));
  }
  return std::move(*value);
}

Result<ApiKey> read_key(const LlmOptions& options) {
  auto text = key_text(options);
  if (!text) return fail(std::move(text.error()));
  constexpr std::string_view kSpace = " \t\r\n";
  text->erase(std::min(text->find_last_not_of(kSpace) + 1, text->size()));
  text->erase(0, std::min(text->find_first_not_of(kSpace), text->size()));
  const bool configured = !options.api_key_file.empty() || !options.api_key_env.empty();
  if ((configured && text->empty()) || !std::ranges::all_of(*text, [](char c) { return c > ' ' && c < 0x7F; })) {
    return fail(Code::field_value,
                "the key of the model is empty or has characters that no key has; llm.api_key_file names a file that holds nothing else");
  }
  return ApiKey{std::move(*text)};
}

Result<Json> messages_of(const Arguments& arguments) {
  if (arguments.has("prompt") == arguments.has("messages")) {
    const bool both = arguments.has("prompt");
    return fail(arguments.error(both ? Code::fields_exclusive : Code::argument_missing, "prompt",
                                fmt::format("and argument 'messages' are {} given; give one", both ? "both" : "not")));
  }
  const auto system = arguments.string_or("system", "");
  if (!system) return fail(system.error());
  Json messages = Json::array();
  if (!system->empty()) messages.push_back({{"role", "system"}, {"content", *system}});
  if (arguments.has("prompt")) {
    auto prompt = arguments.string("prompt");
    if (!prompt) return fail(prompt.error());
    messages.push_back({{"role", "user"}, {"content", std::move(*prompt)}});
    return messages;
  }
  const auto given = arguments.required("messages", lang::JsonKind::list);
  if (!given) return fail(given.error());
  for (auto& message : given->parse()) {
    if (!message.is_object() || !message.contains("role") || !message["role"].is_string() || !message.contains("content")) {
      return fail(arguments.error(Code::argument_type, fmt::format("messages[{}]", messages.size() - (system->empty() ? 0 : 1)),
                                  R"(must be an object like {"role": "user", "content": "…"})"));
    }
    messages.push_back(std::move(message));
  }
  return messages;
}

/// What is asked, as the endpoint wants it.
Result<Json> request_of(const Arguments& arguments, const LlmOptions& options) {
  auto messages = messages_of(arguments);
  if (!messages) return fail(std::move(messages.error()));
  const auto model = arguments.string_or("model", options.model);
  if (!model) return fail(model.error());
  if (model->empty())
    return fail(arguments.error(Code::argument_missing, "model", "is missing, and the setting llm.model is not there; give one of both"));
  Json request{{"model", *model}, {"messages", std::move(*messages)}};
  const auto temperature = arguments.optional("temperature", lang::JsonKind::number);
  if (!temperature) return fail(temperature.error());
  if (*temperature) request["temperature"] = (*temperature)->parse();
  const auto most = arguments.integer_or("max_tokens", 0, 1, 10'000'000);
  if (!most) return fail(most.error());
  if (*most != 0) request["max_tokens"] = *most;
  const auto format = arguments.string_or("response_format", "text");
  if (!format) return fail(format.error());
  if (*format != "text" && *format != "json") {
    return fail(arguments.error(Code::argument_enum, "response_format", fmt::format("is '{}', which is neither text nor json", *format)));
  }
  if (*format == "json") request["response_format"] = Json{{"type", "json_object"}};
  return request;
}

/// Another attempt may be answered with sense.
tl::unexpected<Error> senseless(std::string_view url, std::string_view why, std::string_view body) {
  auto error = make_error(Code::tool_output_invalid,
                          fmt::format("'{}' answered, but {}; it begins with: {}", shown_url(url), why, to_utf8(body.substr(0, 200))));
  error.retryable = true;
  return fail(std::move(error));
}

Result<lang::JsonText> answer_of(std::string_view url, const std::string& body, const Json& request) {
  const auto text = lang::parse_json_text(body);
  if (!text) return senseless(url, "not with JSON", body);
  const auto json = lang::JsonView{*text}.parse();
  const auto at = [&](const char* pointer) {
    const Json::json_pointer to{pointer};
    return json.contains(to) ? json.at(to) : Json(nullptr);
  };
  auto said = at("/choices/0/message/content");
  if (!said.is_string()) return senseless(url, "without choices[0].message.content", body);
  Json response{{"model", at("/model").is_string() ? at("/model") : request["model"]},
                {"finish_reason", at("/choices/0/finish_reason")},
                {"usage", at("/usage").is_object() ? at("/usage") : Json::object()}};
  if (request.contains("response_format")) {
    const auto value = lang::parse_json_text(said.get_ref<const std::string&>());
    if (!value) return senseless(url, "its text is not the JSON that was asked for", said.get_ref<const std::string&>());
    response["json"] = lang::JsonView{*value}.parse();
  }
  response["text"] = std::move(said);
  return lang::to_text(response);
}

}  // namespace

Result<lang::JsonText> llm_text(const Task& task, const BuiltinContext& around) {
  const auto& options = around.options.llm;
  if (options.base_url.empty()) {
    return fail(Code::feature_unavailable,
                "builtin 'llm_text' knows no model; set llm.base_url and llm.model in the configuration (`catena config` shows it)");
  }
  const Arguments arguments{task};
  const auto request = request_of(arguments, options);
  if (!request) return fail(request.error());
  const auto timeout = request_timeout(arguments, task, kLlmTimeout);
  if (!timeout) return fail(timeout.error());
  const auto key = read_key(options);
  if (!key) return fail(key.error());

  const auto url = options.base_url.substr(0, options.base_url.find_last_not_of('/') + 1) + "/chat/completions";
  const auto body = request->dump();
  HttpRequest asked{.method = "POST",
                    .url = url,
                    .headers = {{"Content-Type", "application/json"}},
                    .body = body,
                    .timeout = *timeout,
                    .body_bytes_max = around.options.output_bytes_max};
  if (!key->empty()) key->send_in(asked.headers);
  auto response = around.http.send(asked, around.stop);
  if (!response) return fail(std::move(response.error()));
  // some services repeat the key in their complaint about it
  const auto told = key->taken_out_of(std::move(response->body));
  if (response->status < 200 || response->status > 299) return fail(unwanted_status(url, *response, told, around.options.clock->now()));
  return answer_of(url, told, *request);
}

}  // namespace catena::worker::builtin
