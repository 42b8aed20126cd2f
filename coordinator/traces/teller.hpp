#pragma once
// Tells a receiver of traces what became of chains, in the order of the feed. The store is the queue: nothing but one chain's spans is held, and
// where telling stands is recorded, so that a process that ends anyhow goes on there. What was told twice has the same ids.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/metrics.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "coordinator/traces/otlp.hpp"
#include "coordinator/traces/spans.hpp"
#include "lang/package/package.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

/// What the receiver made of a request.
struct Telling {
  enum class Outcome : std::uint8_t { taken, refused, later };
  Outcome outcome = Outcome::taken;
  std::optional<Millis> after = {};  // of `later`, where it said when
};

struct TellerOptions {
  const storage::Kv* kv = nullptr;  // outlives it
  lang::Catalog catalog = {};
  std::shared_ptr<Metrics> metrics = {};
  TraceResource resource = {};
  std::string version = {};
  std::function<Telling(const std::string& body)> tell = {};
  std::function<Result<void>(std::uint64_t next)> record = {};  // where telling stands
  std::size_t spans_at_once = 512;
};

class TraceTeller {
 public:
  /// `next`: the first notice that was not told.
  TraceTeller(TellerOptions options, std::uint64_t next) : options_{std::move(options)}, next_{next} {}

  /// One request at most. Answers how long to wait before the next turn; 0: there is more to do. Errors: those of the store.
  [[nodiscard]] Result<Millis> turn();
  [[nodiscard]] std::uint64_t next() const { return next_; }
  /// Spans that are held.
  [[nodiscard]] std::size_t held() const { return spans_.size() - told_; }

 private:
  [[nodiscard]] Result<void> keep_place();
  /// False: all was read that there is.
  [[nodiscard]] Result<bool> read_more();
  [[nodiscard]] Result<void> make_spans(const ChainId& chain, Sequence until);
  [[nodiscard]] Result<Millis> tell_some();

  TellerOptions options_;
  std::uint64_t next_;  // the first notice that was not read
  std::uint64_t recorded_ = 0;
  std::vector<Span> spans_;  // of what was read
  std::size_t told_ = 0;     // of them
  Millis pause_{0};          // after the last failure
  std::shared_ptr<const lang::Package> package_;
};

/// Where telling begins in a store in which nothing was told: behind the newest notice.
[[nodiscard]] Result<std::uint64_t> end_of_feed(const storage::Kv& kv);

}  // namespace catena::coordinator
