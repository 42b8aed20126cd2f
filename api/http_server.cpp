#include "api/http_server.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <mutex>
#include <optional>
#include <restinio/all.hpp>
#include <restinio/tls.hpp>
#include <utility>
#include <variant>

#include "api/open_connections.hpp"
#include "base/overloads.hpp"

namespace catena::api {
namespace {

namespace asio = restinio::asio_ns;

struct Traits : restinio::default_traits_t {
  using ip_blocker_t = OpenConnections;
  using connection_state_listener_t = OpenConnections;
};
struct TlsTraits : restinio::default_tls_traits_t {
  using ip_blocker_t = OpenConnections;
  using connection_state_listener_t = OpenConnections;
};

constexpr std::chrono::seconds kHandshakeMax{10};

/// In place of the library's function of this name, which waits for a handshake for ever.
template <class Start, class Failed>
void prepare_connection_and_start_read(restinio::impl::tls_socket_t& socket, restinio::impl::connection_t<TlsTraits>& connection, Start start,
                                       Failed failed) {
  const auto timer = std::make_shared<asio::steady_timer>(socket.lowest_layer().get_executor(), kHandshakeMax);
  const auto alive = connection.shared_from_this();
  timer->async_wait(asio::bind_executor(connection.get_executor(), [alive, &socket](const asio::error_code& stopped) {
    asio::error_code ignored;
    if (!stopped) socket.lowest_layer().close(ignored);
  }));
  socket.async_handshake(asio::ssl::stream_base::server,
                         asio::bind_executor(connection.get_executor(), [alive, timer, start, failed](const asio::error_code& wrong) {
                           timer->cancel();
                           if (wrong) return failed(wrong);
                           start();
                         }));
}

constexpr std::chrono::seconds kTimersEvery{1};
constexpr std::size_t kTargetBytesMax = 8192;
constexpr std::size_t kHeaderBytesMax = 8192;
constexpr std::size_t kHeaderNameBytesMax = 256;
constexpr std::size_t kHeadersMax = 64;
constexpr std::size_t kReadBytes = 8192;

/// What the system keeps of an answer beyond what is on its way to the client: without a bound that is megabytes for each client that does not read.
constexpr int kUnsentBytesMax = 128 << 10;
/// As asio has options of sockets.
struct UnsentMax {
  int bytes = kUnsentBytesMax;
  template <class Protocol>
  [[nodiscard]] int level(const Protocol&) const {
    return IPPROTO_TCP;
  }
  template <class Protocol>
  [[nodiscard]] int name(const Protocol&) const {
    return TCP_NOTSENT_LOWAT;
  }
  template <class Protocol>
  [[nodiscard]] const void* data(const Protocol&) const {
    return &bytes;
  }
  template <class Protocol>
  [[nodiscard]] std::size_t size(const Protocol&) const {
    return sizeof bytes;
  }
};

struct StatusWords {
  int status;
  std::string_view words;
};
constexpr std::array kStatusWords{StatusWords{200, "OK"},
                                  StatusWords{202, "Accepted"},
                                  StatusWords{302, "Found"},
                                  StatusWords{304, "Not Modified"},
                                  StatusWords{400, "Bad Request"},
                                  StatusWords{401, "Unauthorized"},
                                  StatusWords{403, "Forbidden"},
                                  StatusWords{404, "Not Found"},
                                  StatusWords{405, "Method Not Allowed"},
                                  StatusWords{409, "Conflict"},
                                  StatusWords{413, "Content Too Large"},
                                  StatusWords{415, "Unsupported Media Type"},
                                  StatusWords{422, "Unprocessable Content"},
                                  StatusWords{429, "Too Many Requests"},
                                  StatusWords{500, "Internal Server Error"},
                                  StatusWords{503, "Service Unavailable"}};
std::string words_of_status(int status) {
  const auto* const row = std::ranges::find(kStatusWords, status, &StatusWords::status);
  return std::string{row == kStatusWords.end() ? std::string_view{"Status"} : row->words};
}

Request request_from(const restinio::request_handle_t& handle, const OpenConnections& connections) {
  const auto& header = handle->header();
  Request request{header.method().c_str(), header.request_target(), {}, handle->body()};
  request.certificate = connections.certificate_of(handle->connection_id());
  request.address = handle->remote_endpoint().address().to_string();
  header.for_each_field([&](const auto& field) {
    std::string name = field.name();
    std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    auto& value = request.headers[name];
    value += (value.empty() ? "" : ", ") + field.value();
  });
  return request;
}

/// Of an answer that is whole (restinio_controlled_output_t), or comes in chunks (chunked_output_t).
template <class Output>
restinio::response_builder_t<Output> response_with_head(const restinio::request_handle_t& handle, Answer& answer) {
  const auto status = restinio::http_status_code_t{static_cast<std::uint16_t>(answer.status)};
  auto response = handle->create_response<Output>(restinio::http_status_line_t{status, words_of_status(answer.status)});
  response.append_header(restinio::http_field::content_type, answer.type);
  const auto cached = std::ranges::any_of(answer.headers, [](const auto& header) { return header.first == "Cache-Control"; });
  if (!cached) response.append_header("Cache-Control", "no-store");
  response.append_header("X-Content-Type-Options", "nosniff");
  response.append_header_date_field();
  for (auto& [name, value] : answer.headers) response.append_header(std::move(name), std::move(value));
  return response;
}

/// The library throws where a connection is gone: nobody is there to be told.
void send_answer(const restinio::request_handle_t& handle, Answer answer) {
  try {
    auto response = response_with_head<restinio::restinio_controlled_output_t>(handle, answer);
    response.set_body(std::move(answer.body));
    response.done();
  } catch (const std::exception&) {
  }
}

/// Half of the files that the process may have open at most: clients must not take those that the store needs.
std::size_t connections_allowed(std::size_t most) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return most;
  return std::min<std::size_t>(most, std::max<rlim_t>(limit.rlim_cur / 2, 1));
}

struct Endpoint {
  std::string host;
  std::uint16_t port = 0;
};
Result<Endpoint> endpoint_of(const std::string& listen) {
  const auto colon = listen.rfind(':');
  Endpoint endpoint{colon == std::string::npos ? std::string{} : listen.substr(0, colon)};
  const auto digits = std::string_view{listen}.substr(colon == std::string::npos ? listen.size() : colon + 1);
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), endpoint.port);
  if (endpoint.host.empty() || failed != std::errc{} || end != digits.data() + digits.size())
    return fail(Code::usage, fmt::format("'{}' is not ADDRESS:PORT, such as 127.0.0.1:7421", listen));
  if (endpoint.host == "localhost") endpoint.host = "127.0.0.1";
  if (endpoint.host.starts_with('[') && endpoint.host.ends_with(']')) endpoint.host = endpoint.host.substr(1, endpoint.host.size() - 2);
  return endpoint;
}

}  // namespace

struct HttpServer::Parts : std::enable_shared_from_this<Parts> {
  HttpOptions options;
  std::uint16_t port = 0;
  std::variant<std::monostate, restinio::running_server_handle_t<Traits>, restinio::running_server_handle_t<TlsTraits>> server;

  template <class ServerTraits>
  void run(const asio::ip::address& address, std::uint16_t wanted_port, restinio::server_settings_t<ServerTraits> settings);
};

/// Answers one request. The server outlives the last of these, though not its threads: a connection refers to it.
struct HttpServer::Answerer {
  std::shared_ptr<Parts> parts;
  restinio::request_handle_t handle;
  void operator()(Answer answer) const { send_answer(handle, std::move(answer)); }
};

/// An answer in chunks. What is called when a piece is written stays here, and the library's own notificator has no more than a weak reference: what
/// it holds may live until the server goes.
class HttpServer::Chunks final : public Outlet, public std::enable_shared_from_this<Chunks> {
 public:
  using Response = restinio::response_builder_t<restinio::chunked_output_t>;

  Chunks(std::shared_ptr<Parts> parts, std::optional<Response> response) : parts_{std::move(parts)}, response_{std::move(response)} {}

  void write(std::string piece, std::function<void(bool)> written) override {
    {
      const std::lock_guard lock{changing_};
      written_ = std::move(written);
    }
    if (!response_) return tell(false);
    try {
      response_->append_chunk(std::move(piece));
      response_->flush([me = weak_from_this()](const asio::error_code& failed) {
        if (const auto chunks = me.lock()) chunks->tell(!failed);
      });
    } catch (const std::exception&) {
      tell(false);
    }
  }
  void end(std::string last) override {
    if (!response_) return;
    try {
      response_->append_chunk(std::move(last));
      response_->done();
    } catch (const std::exception&) {
    }
    response_.reset();
  }

 private:
  void tell(bool ok) {
    std::function<void(bool)> written;
    {
      const std::lock_guard lock{changing_};
      std::swap(written, written_);
    }
    if (written) written(ok);
  }

  std::shared_ptr<Parts> parts_;  // goes after the response
  std::optional<Response> response_;
  std::mutex changing_;
  std::function<void(bool)> written_;
};

/// Begins an answer in chunks. Of lifetimes it is true what is true of an Answerer.
struct HttpServer::Beginner {
  std::shared_ptr<Parts> parts;
  restinio::request_handle_t handle;
  std::shared_ptr<Outlet> operator()(Answer head) const {
    try {
      return std::make_shared<Chunks>(parts, response_with_head<restinio::chunked_output_t>(handle, head));
    } catch (const std::exception&) {
      return std::make_shared<Chunks>(parts, std::nullopt);
    }
  }
};

/// Throws as the library does.
template <class ServerTraits>
void HttpServer::Parts::run(const asio::ip::address& address, std::uint16_t wanted_port, restinio::server_settings_t<ServerTraits> settings) {
  auto* const self = this;  // has the server, which has the functions
  const auto connections = std::make_shared<OpenConnections>(connections_allowed(options.connections_max));
  settings.address(address)
      .port(wanted_port)
      .acceptor_post_bind_hook([self](asio::ip::tcp::acceptor& acceptor) { self->port = acceptor.local_endpoint().port(); })
      .request_handler([self, connections](restinio::request_handle_t handle) {
        self->options.handle(request_from(handle, *connections), Answerer{self->shared_from_this(), handle},
                             Beginner{self->shared_from_this(), handle});
        return restinio::request_accepted();
      })
      .socket_options_setter([](restinio::socket_options_t& socket) {
        asio::error_code ignored;
        socket.set_option(UnsentMax{}, ignored);
      })
      .timer_manager(kTimersEvery)
      .read_next_http_message_timelimit(options.read_max)
      .write_http_response_timelimit(options.write_max)
      .handle_request_timeout(options.answer_max)
      .max_pipelined_requests(1)
      .concurrent_accepts_count(4)
      .buffer_size(kReadBytes)
      .ip_blocker(connections)
      .connection_state_listener(connections)
      .separate_accept_and_create_connect(true)
      .incoming_http_msg_limits(restinio::incoming_http_msg_limits_t{}
                                    .max_body_size(2 * options.body_bytes_max)
                                    .max_url_size(kTargetBytesMax)
                                    .max_field_name_size(kHeaderNameBytesMax)
                                    .max_field_value_size(kHeaderBytesMax)
                                    .max_field_count(kHeadersMax));
  server = restinio::run_async<ServerTraits>(restinio::own_io_context(), std::move(settings), options.threads);
}

Result<std::unique_ptr<HttpServer>> HttpServer::open(HttpOptions options) {
  auto endpoint = endpoint_of(options.listen);
  if (!endpoint) return fail(std::move(endpoint).error());
  asio::error_code wrong;
  const auto address = asio::ip::make_address(endpoint->host, wrong);
  if (wrong)
    return fail(Code::usage, fmt::format("'{}' is no address of IPv4 or IPv6; name one of this machine, such as 127.0.0.1:7421", options.listen));
  if (!address.is_loopback() && !options.beyond_loopback) {
    return fail(Code::usage,
                fmt::format("the HTTP interface does not listen on '{}' without asking who calls: whoever reaches it could do everything. Listen on "
                            "127.0.0.1, say --http-tokens (http.tokens), name roles of certificates (http.certificate_roles), or "
                            "--http-without-authentication (http.without_authentication) where only those can "
                            "reach it who may",
                            options.listen));
  }
  auto parts = std::make_shared<Parts>();
  parts->options = std::move(options);
  const auto& limits = parts->options;
  try {
    if (limits.tls) {
      restinio::server_settings_t<TlsTraits> settings;
      settings.tls_context(std::make_shared<asio::ssl::context>(limits.tls->context()));
      parts->run(address, endpoint->port, std::move(settings));
    } else {
      parts->run(address, endpoint->port, restinio::server_settings_t<Traits>{});
    }
  } catch (const std::exception& failed) {
    return fail(Code::connection_failed, fmt::format("cannot listen for HTTP on '{}': {}", limits.listen, failed.what()));
  }
  return std::unique_ptr<HttpServer>{new HttpServer{std::move(parts)}};
}

HttpServer::HttpServer(std::shared_ptr<Parts> parts) : parts_{std::move(parts)} {}

HttpServer::~HttpServer() {
  const auto end = [](auto& server) {
    server->stop();
    server->wait();
  };
  std::visit(Overloads{[](std::monostate) {}, end}, parts_->server);
}

std::uint16_t HttpServer::port() const { return parts_->port; }

std::string_view HttpServer::scheme() const { return parts_->options.tls ? "https" : "http"; }

std::string HttpServer::address() const {
  const auto& listen = parts_->options.listen;
  return fmt::format("{}:{}", listen.substr(0, listen.rfind(':')), port());
}

}  // namespace catena::api
