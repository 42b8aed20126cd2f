// Who submits chains without a network, and what can be read of them in the store.
#include "tests/simulation/world.hpp"

namespace catena::simulation {

void World::submit_or_await(Chain& chain) {
  if (!exists(chain.id)) {
    actors::Submission submission;
    submission.chain = chain.id;
    submission.package = chain.sample->package;
    submission.definition = chain.sample->package->root;
    submission.arguments = engine::inline_payload(kArguments);
    submission.durability = chain.durability;
    client->send(supervisor, std::move(submission));
  }
  client->send(supervisor, actors::AwaitChain{chain.id});
}

void World::collect() {
  bool more = true;
  const auto refused = [&](const actors::Refused& message) {
    // it ended, or was resumed, while it was being asked for: what matters is that it ends
    if (message.error.code == Code::chain_state) {
      if (counts.shortages > 0 || kv.failed_reads() > 0) ask_again(message.chain);  // or it is put off
      return;
    }
    const bool is_short = message.error.code == Code::memory_short && counts.shortages > 0;
    const bool is_there = message.error.code == Code::chain_exists && (counts.shortages > 0 || kv.failed_reads() > 0);  // it was asked again too soon
    const bool is_unread = kv.failed_reads() > 0 && (message.error.code == Code::storage_io || message.error.code == Code::internal ||
                                                     message.error.code == Code::chain_not_found);
    if (!is_short && !is_unread && !is_there) return defects.push_back("chain " + message.chain.value + ": " + render(message.error));
    ask_again(message.chain);
  };
  const auto ended_now = [&](actors::ChainEnded& message) { ended(std::move(message)); };
  while (more) {
    client->receive([&](actors::Accepted&) {}, [&](actors::NodeControlled&) {}, refused, ended_now,
                    caf::after(std::chrono::seconds{0}) >> [&] { more = false; });
  }
}

void World::ended(actors::ChainEnded ended) {
  const auto chain = std::ranges::find(chains, ended.chain, &Chain::id);
  if (chain == chains.end()) return;
  if (!chain->ended) {
    chain->ended = std::move(ended);
  } else if (!chain->lost && (chain->ended->status != ended.status || chain->ended->response.text != ended.response.text)) {
    defects.push_back("chain " + chain->id.value + " ended twice, and in two ways");
  }
}

void World::ask_again(const ChainId& id) {
  constexpr Millis kLater{150};
  schedule.after(kLater, [this, id] {
    const auto chain = std::ranges::find(chains, id, &Chain::id);
    if (chain == chains.end() || chain->ended || chain->by_customer || !supervisor) return;
    client->send(supervisor, actors::ResumeChain{id});
    submit_or_await(*chain);
  });
}

void World::settle_doubts() {
  for (const auto& chain : chains) {
    if (chain.ended || !chain.sample->once || !front || !exists(chain.id)) continue;
    const auto& program = *chain.sample->package->programs.at(chain.sample->package->root);
    const auto found = state(chain.id);
    for (StepIndex index = 0; index < found.steps.size(); ++index) {
      found.steps[index].in_doubt.for_each([&](ItemIndex item) {
        const auto key = coordinator::task_key(chain.id, program.steps[index], {index, found.steps[index].visit}, item);
        const auto made = std::ranges::find(log.executions, key, &Execution::key);
        say("a person settles " + key);
        engine::Resolve resolve{{index, found.steps[index].visit}, IndexSet::one(item), std::monostate{}};
        if (made != log.executions.end())
          resolve.outcome = engine::inline_payload(result_of(options.manner, key, made->attempt, item, made->arguments).text);
        client->send(supervisor, actors::Control{chain.id, std::move(resolve)});
      });
    }
  }
}

std::vector<engine::Event> World::history(const ChainId& chain) const {
  std::vector<engine::Event> events;
  const auto read = coordinator::read_history(kv.kv, chain, [&](Sequence, const engine::Event& event) {
    events.push_back(event);
    return true;
  });
  if (!read) throw std::runtime_error{render(read.error())};
  return events;
}

}  // namespace catena::simulation
