#pragma once
// Facts out of what there is to ask: chains, workers, numbers that a process counts. Bounded, however much there is.
#include <string>
#include <vector>

#include "actors/messages.hpp"
#include "base/metrics.hpp"
#include "client/diagnosis/facts.hpp"
#include "client/questions.hpp"
#include "engine/reason.hpp"

namespace catena::client {

/// Chains by status, those that are quarantined, in doubt or wait for a person, the latest start, and deliveries of webhooks. Errors: those of the
/// questions.
[[nodiscard]] Result<void> add_chains(Facts& facts, Questions& questions);
/// Chains that go on, the newest first, some of them: whoever can is to ask why they do not move, and add what is said.
[[nodiscard]] Result<std::vector<ChainId>> chains_to_explain(Questions& questions);
void add_explained(Facts& facts, const ChainId& chain, const std::vector<std::string>& words);
/// The same of reasons as whoever was asked has them.
void add_explained(Facts& facts, const ChainId& chain, const std::vector<engine::Reason>& reasons);
void add_workers(Facts& facts, const std::vector<actors::NodeInfo>& nodes);
/// Gauges are to have been taken.
void add_metrics(Facts& facts, const std::vector<Sample>& samples);

}  // namespace catena::client
