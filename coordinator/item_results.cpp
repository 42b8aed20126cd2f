#include "coordinator/item_results.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "storage/chain_store.hpp"

namespace catena::coordinator {

void report_failure(const lang::Step& step, ItemIndex item, Error error, actors::StepReport& report) {
  engine::ItemReport out;
  out.item = item;
  out.outcome = error.code == Code::cancelled    ? engine::Outcome::cancelled
                : error.code == Code::given_back ? engine::Outcome::returned
                                                 : engine::Outcome::failed;
  if (step.each && out.outcome != engine::Outcome::returned)
    report.ledger.push_back({item, storage::encode(storage::ItemRecord{false, to_json_text(error), {}})});
  out.error = std::move(error);
  report.report.items.push_back(std::move(out));
}

void report_response(const lang::Step& step, ItemIndex item, engine::Payload response, Answered answered, actors::StepReport& report) {
  engine::ItemReport out;
  out.item = item;
  if (step.each) {
    report.ledger.push_back({item, storage::encode(storage::ItemRecord{true, std::move(response.text), std::move(response.blob)})});
  } else {
    out.response = std::move(response);
    out.variables = std::move(answered.variables);
    out.warnings = std::move(answered.warnings);
  }
  report.report.items.push_back(std::move(out));
}

Error child_error(const lang::Step& step, const ChainId& child, const Error& error) {
  const auto* root = &error;
  while (root->cause) root = root->cause.get();
  const auto code = error.code == Code::cancelled ? Code::cancelled : Code::child_failed;
  auto failed = make_error(code, fmt::format("'{}' failed: {}", tool_name(step), root->message));
  failed.retryable = error.retryable;
  failed.details = Json{{"chain", child.value}};
  failed.cause = std::make_shared<const Error>(error);
  return failed;
}

}  // namespace catena::coordinator
