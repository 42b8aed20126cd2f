#pragma once
// TLS of the links: version 1.3 only, both sides with a certificate of the cluster's authority, no resumption (each connection is judged
// anew). OpenSSL works on memory here; who uses it moves the bytes.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "link/tls_files.hpp"

struct ssl_ctx_st;
struct ssl_st;
struct bio_st;

namespace catena::link {

enum class TlsSide { server, client };

/// What was read from a node's files; immutable, shared by the sessions that began with it.
class TlsContext {
 public:
  /// `role`: what the certificate must say; empty: any. Errors: file_unreadable, with the file's name and what is wrong with it.
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>> load(const TlsFiles& files, TlsSide side, std::string_view role, UnixMillis now);
  [[nodiscard]] TlsSide side() const { return side_; }
  /// When this node's certificate ends.
  [[nodiscard]] UnixMillis until() const { return until_; }

 private:
  friend class TlsSession;
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  TlsContext(ssl_ctx_st* context, TlsSide side, UnixMillis until) : context_{context}, side_{side}, until_{until} {}
  std::unique_ptr<ssl_ctx_st, Free> context_;
  TlsSide side_;
  UnixMillis until_;
};

/// The context that the files make now: read anew when one of them has changed. For one thread.
class TlsStore {
 public:
  TlsStore(TlsFiles files, TlsSide side, std::string role, const Clock& clock);
  /// Errors: as TlsContext::load; also file_unreadable once the node's own certificate has ended.
  [[nodiscard]] Result<std::shared_ptr<const TlsContext>> current();

 private:
  TlsFiles files_;
  TlsSide side_;
  std::string role_;
  const Clock& clock_;
  std::shared_ptr<const TlsContext> loaded_;
  std::string loaded_stamp_;
};

/// Who the other side is, by its certificate.
struct TlsPeer {
  std::string name;  // CN
  std::string role;  // OU
};

/// One connection's TLS. Bytes of the network go in with feed() and come out with take_output(); nothing here waits.
class TlsSession {
 public:
  enum class State { done, wants_input, ended, broken };

  [[nodiscard]] static Result<std::unique_ptr<TlsSession>> begin(std::shared_ptr<const TlsContext> context);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  /// done: both have shown their certificates (what the server thinks of a client's comes with the first read).
  [[nodiscard]] State handshake();
  /// From the network.
  [[nodiscard]] bool feed(std::span<const char> bytes);
  /// Fills `into` as far as there is something; `size` tells how far. ended: the other side closed in order.
  [[nodiscard]] State read(std::span<char> into, std::size_t& size);
  /// Encrypts all of it into the output.
  [[nodiscard]] bool write(std::span<const char> bytes);
  /// Tells the other side that nothing follows.
  void close();
  /// For the network; joins what is in `bytes`.
  void take_output(std::string& bytes);

  [[nodiscard]] TlsPeer peer() const;
  /// After `broken`: what was wrong, for people; and whether it was the certificate.
  [[nodiscard]] const std::string& words() const { return words_; }
  [[nodiscard]] bool certificate_refused() const { return certificate_refused_; }

 private:
  struct Free {
    void operator()(ssl_st* session) const;
  };
  TlsSession(std::shared_ptr<const TlsContext> context, ssl_st* session, bio_st* input, bio_st* output);
  [[nodiscard]] State state_after(int answer);

  std::shared_ptr<const TlsContext> context_;
  std::unique_ptr<ssl_st, Free> session_;
  bio_st* input_;   // owned by the session
  bio_st* output_;  // owned by the session
  std::string words_;
  bool certificate_refused_ = false;
};

}  // namespace catena::link
