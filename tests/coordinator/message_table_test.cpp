// The table of what clients say and hear: no message names a key of the store.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "coordinator/client_calls.hpp"

namespace catena::coordinator::test {
namespace {

using MemberSet = std::set<std::string>;

/// Every member of a message, and of what it holds.
class MemberNames {
 public:
  explicit MemberNames(MemberSet& names) : names_{names} {}
  template <class T>
  void operator()(const char* name, T& member) {
    names_.insert(name);
    look_into(member);
  }
  template <class T>
  void look_into(T& value) {
    if constexpr (codec::kIsVector<T> || codec::kIsMap<T>) {
      using Element = std::conditional_t<codec::kIsMap<T>, typename T::value_type, T>;
      if constexpr (codec::kIsVector<T>) {
        typename T::value_type element{};
        look_into(element);
      } else {
        typename Element::second_type element{};
        look_into(element);
      }
    } else if constexpr (codec::kIsOptional<T>) {
      look_into(value.emplace());
    } else if constexpr (codec::Fielded<T>) {
      fields(*this, value);
    }
  }

 private:
  MemberSet& names_;
};

template <class Variant>
struct MessageTable;
template <class... Kinds>
struct MessageTable<std::variant<codec::Unknown, Kinds...>> {
  static std::map<std::string, MemberSet> all() {
    std::map<std::string, MemberSet> table;
    (add<Kinds>(table), ...);
    return table;
  }
  template <class Kind>
  static void add(std::map<std::string, MemberSet>& table) {
    Kind message{};
    MemberNames{table[std::string{Kind::kKind}]}.look_into(message);
  }
};

MemberSet kinds_of(const std::map<std::string, MemberSet>& table) {
  MemberSet kinds;
  for (const auto& [kind, members] : table) kinds.insert(kind);
  return kinds;
}

}  // namespace

TEST_CASE("no message of a client, and no answer to one, names a key of the store") {
  const auto asks = MessageTable<ClientAsk>::all();
  const auto told = MessageTable<ClientTold>::all();
  // The walk sees the members: of the message, and of what it holds.
  CHECK(asks.at("list_chains").contains("cursor"));
  CHECK(asks.at("find_task").contains("item"));
  CHECK(asks.at("file").contains("put_by"));
  CHECK(told.at("chains").contains("steps_settled"));
  CHECK(told.at("files").contains("sha256"));
  const MemberSet of_keys{"key", "keys", "from", "to", "prefix", "range", "entries", "record", "records", "raw"};
  for (const auto* table : {&asks, &told}) {
    for (const auto& [kind, members] : *table) {
      for (const auto& member : members) {
        INFO(kind << "." << member);
        CHECK_FALSE(of_keys.contains(member));
      }
    }
  }
}

TEST_CASE("the kinds of messages between a client and a coordinator are these, and a new one is thought about here") {
  CHECK(kinds_of(MessageTable<ClientAsk>::all()) == MemberSet{"ask_item_states",
                                                              "ask_waits",
                                                              "await",
                                                              "count_attempts",
                                                              "count_family",
                                                              "describe_chain",
                                                              "describe_task",
                                                              "group_errors",
                                                              "list_attempts",
                                                              "explain",
                                                              "file",
                                                              "find_file",
                                                              "find_task",
                                                              "list_chains",
                                                              "list_file_versions",
                                                              "list_files",
                                                              "list_items",
                                                              "list_steps",
                                                              "node_order",
                                                              "nodes",
                                                              "order",
                                                              "ping",
                                                              "preview_repair",
                                                              "program",
                                                              "progress",
                                                              "read_audit",
                                                              "read_feed",
                                                              "read_file",
                                                              "read_history",
                                                              "read_logs",
                                                              "read_value",
                                                              "remove",
                                                              "resume",
                                                              "submit",
                                                              "submit_once",
                                                              "find_submission",
                                                              "create_token",
                                                              "list_tokens",
                                                              "revoke_token",
                                                              "read_webhooks",
                                                              "replay_delivery",
                                                              "queue",
                                                              "put_definition",
                                                              "remove_definition",
                                                              "read_pinned",
                                                              "draw_chain",
                                                              "ask_timeline",
                                                              "ask_item_work",
                                                              "list_schedules",
                                                              "read_schedule",
                                                              "put_schedule",
                                                              "order_schedule",
                                                              "diff_chains",
                                                              "fork",
                                                              "preview_fork",
                                                              "list_approvals"});
  CHECK(kinds_of(MessageTable<ClientTold>::all()) ==
        MemberSet{"attempt_rows",  "attempts",    "audit_page",       "chain",       "repair",     "error_groups",
                  "family_counts", "feed_page",   "task_description", "chains",      "done",       "ended",
                  "failed",        "file",        "file_piece",       "files",       "found_file", "history",
                  "item_states",   "items",       "log_page",         "nodes",       "progress",   "removed",
                  "steps",         "task",        "value_piece",      "waits",       "words",      "queue",
                  "definition",    "submission",  "submitted",        "token",       "tokens",     "webhook_page",
                  "pinned_texts",  "chain_graph", "timeline",         "item_work",   "schedule",   "schedule_done",
                  "schedule_page", "chain_diff",  "approval_page",    "fork_preview"});
}

}  // namespace catena::coordinator::test
