#pragma once
// Messages between a coordinator and its workers. They may travel between nodes: plain values, no floating point, arguments
// and results as JSON text. Vectors, because everything is batched.
#include <caf/all.hpp>
#include <caf/meta/type_name.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace catena::actors {

/// One attempt of one task.
struct Attempted {
  std::string key;  // idempotency key
  std::uint32_t item = 0;
  std::uint32_t attempt = 1;
  std::string arguments;
};

/// A grant as it goes to a worker: attempts of one visit, all of the same tool. The reports go to the sender.
struct WorkOrder {
  std::string chain;
  std::uint64_t grant = 0;
  std::uint64_t incarnation = 0;
  std::string tool;
  std::string kind;
  std::string target;
  std::vector<std::string> args;
  std::int64_t timeout_ms = 0;
  std::int64_t since_ms = 0;  // when the step began
  std::vector<std::string> file_arguments;
  std::vector<std::string> file_responses;
  std::string context;  // of the submission, a JSON object; empty: none
  std::vector<Attempted> attempts;
};

/// Stop what is left of a grant; every attempt of it is reported all the same.
struct StopOrder {
  std::string chain;
  std::uint64_t grant = 0;
};

/// Drop what has not begun of a grant: those attempts are reported with the error code given_back, the others go on.
struct GiveBackOrder {
  std::string chain;
  std::uint64_t grant = 0;
};

/// A person wants that worker out of use: what has not begun of any grant is given back, and nothing new comes.
struct DrainOrder {
  std::string worker;
};

struct AttemptResult {
  std::uint32_t item = 0;
  bool ok = false;
  std::string text;  // the response, or the error, as JSON
  std::int64_t took_us = 0;
};

struct WorkReport {
  std::uint64_t grant = 0;
  std::uint64_t incarnation = 0;
  std::vector<AttemptResult> results;
};

/// A worker offers itself to a dispatcher. The sender takes the orders.
struct Hello {
  std::string worker;
  std::uint64_t incarnation = 0;
  std::uint32_t slots = 0;
  std::vector<std::string> labels;        // "k=v" or a word; "*": meets every need
  std::vector<std::string> kinds;         // of endpoints; "*": any
  std::vector<std::string> capabilities;  // of remote: endpoints
  std::vector<std::string> programs;      // hashes of those it has already
  bool adopts = false;                    // orders may be sent to it again: it knows what it was asked before
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Attempted& x) {
  return f(caf::meta::type_name("Attempted"), x.key, x.item, x.attempt, x.arguments);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, WorkOrder& x) {
  return f(caf::meta::type_name("WorkOrder"), x.chain, x.grant, x.incarnation, x.tool, x.kind, x.target, x.args, x.timeout_ms, x.since_ms,
           x.file_arguments, x.file_responses, x.context, x.attempts);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, StopOrder& x) {
  return f(caf::meta::type_name("StopOrder"), x.chain, x.grant);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, GiveBackOrder& x) {
  return f(caf::meta::type_name("GiveBackOrder"), x.chain, x.grant);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, DrainOrder& x) {
  return f(caf::meta::type_name("DrainOrder"), x.worker);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, AttemptResult& x) {
  return f(caf::meta::type_name("AttemptResult"), x.item, x.ok, x.text, x.took_us);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, WorkReport& x) {
  return f(caf::meta::type_name("WorkReport"), x.grant, x.incarnation, x.results);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Hello& x) {
  return f(caf::meta::type_name("Hello"), x.worker, x.incarnation, x.slots, x.labels, x.kinds, x.capabilities, x.programs, x.adopts);
}

}  // namespace catena::actors

CAF_BEGIN_TYPE_ID_BLOCK(catena_protocol, caf::first_custom_type_id)
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::Attempted))
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::WorkOrder))
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::StopOrder))
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::GiveBackOrder))
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::DrainOrder))
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::AttemptResult))
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::WorkReport))
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::Hello))
CAF_END_TYPE_ID_BLOCK(catena_protocol)
