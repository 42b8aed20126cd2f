#include "cli/shared_chains.hpp"

#include <fmt/format.h>

#include <thread>

#include "cli/interrupt.hpp"
#include "cli/processes/configured.hpp"
#include "cli/processes/door.hpp"

namespace catena::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// A holder that has just started has no door yet, and one that ends has it no more.
constexpr std::chrono::milliseconds kOpenFor{5'000};
/// What a coordinator left may be of the holder before.
constexpr std::chrono::milliseconds kBelievedAfter{300};
constexpr std::chrono::milliseconds kHolderLookEvery{20};
constexpr Millis kConnect{1'000};
/// Holders that end while one thing is asked.
constexpr int kLossesMax = 100;

}  // namespace

Result<std::unique_ptr<client::ClusterClient>> connect_to_holder(const std::string& data_dir) {
  const auto door = read_door(data_dir);
  if (!door || door->token.empty()) return fail(Code::connection_failed, "the process that holds the directory lets nobody in");
  client::ClusterOptions options;
  options.address = door->address;
  options.token = door->token;
  options.patience = options.reconnect = kConnect;
  options.stop = [] { return Interrupt::requested(); };
  return client::ClusterClient::connect(std::move(options));
}

Error with_way_in(Error locked, const std::string& data_dir) {
  const auto door = read_door(data_dir);
  if (door && door->token.empty() && !door->address.empty())
    locked.notes.push_back(fmt::format("where that is a coordinator, talk to it with --cluster {}", door->address));
  return locked;
}

Result<std::unique_ptr<client::ChainsPort>> SharedChains::open(std::string data_dir, std::uint32_t slots, Console& console) {
  std::unique_ptr<SharedChains> chains{new SharedChains{std::move(data_dir), slots, console}};
  if (auto opened = chains->open(); !opened) return fail(std::move(opened).error());
  return std::unique_ptr<client::ChainsPort>{std::move(chains)};
}

Result<void> SharedChains::open() {
  here_ = nullptr;
  chains_.reset();
  const auto began = SteadyClock::now();
  while (true) {
    auto here = open_embedded(data_dir_, slots_, &console_.clock());
    if (here) {
      if (const auto& said = (*here)->put_right()) console_.say(*said);
      here_ = here->get();
      chains_ = std::move(*here);
      return {};
    }
    if (here.error().code != Code::storage_locked) return fail(std::move(here).error());
    auto there = connect_to_holder(data_dir_);
    if (there) {
      chains_ = std::move(*there);
      return {};
    }
    const auto door = read_door(data_dir_);
    const auto patience = door && door->token.empty() ? kBelievedAfter : kOpenFor;
    if (SteadyClock::now() - began > patience || Interrupt::requested()) return fail(with_way_in(std::move(here).error(), data_dir_));
    std::this_thread::sleep_for(kHolderLookEvery);
  }
}

SharedChains::~SharedChains() {
  bool said = false;
  while (here_ != nullptr && here_->guests() > 0 && !Interrupt::requested()) {
    if (!std::exchange(said, true))
      console_.say(
          "other commands use this data directory through this process, which ends when they have; Ctrl-C ends it now, and they go on by themselves");
    std::this_thread::sleep_for(kHolderLookEvery);
  }
}

template <class Call, class Again>
std::invoke_result_t<Call> SharedChains::through(const Call& call, const Again& again) {
  if (!chains_) {  // it could not be opened when it was lost
    if (auto opened = open(); !opened) return fail(std::move(opened).error());
  }
  auto answer = call();
  for (int losses = 0; !answer && answer.error().code == Code::connection_failed && elsewhere() && losses < kLossesMax; ++losses) {
    if (Interrupt::requested()) break;
    if (auto opened = open(); !opened) return fail(std::move(opened).error());
    answer = again();
  }
  return answer;
}

Result<client::Submitted> SharedChains::submit(actors::Submission submission) {
  return through([&] { return chains_->submit(submission); },
                 [&]() -> Result<client::Submitted> {
                   auto answer = chains_->submit(submission);
                   const bool arrived = answer ? answer->chain == submission.chain && answer->again : answer.error().code == Code::chain_exists;
                   if (!arrived) return answer;
                   auto resumed = chains_->resume(submission.chain, {});
                   // with a key it is known to be the same, and may have ended
                   if (!resumed && (!answer || resumed.error().code != Code::chain_state)) return fail(std::move(resumed).error());
                   return client::Submitted{submission.chain};
                 });
}

/// One that had arrived has begun, and waits to be gone on with.
Result<void> SharedChains::fork(actors::ForkChain fork) {
  const auto call = [&] { return chains_->fork(fork); };
  return through(call, [&] {
    auto forked = call();
    return forked || forked.error().code != Code::chain_exists ? forked : chains_->resume(fork.chain, {});
  });
}

Result<void> SharedChains::resume(const ChainId& chain, const std::string& reason) {
  const auto call = [&] { return chains_->resume(chain, reason); };
  return through(call, call);
}

Result<void> SharedChains::control(actors::Control control) {
  const auto call = [&] { return chains_->control(control); };
  return through(call, call);
}

Result<actors::ChainsRemoved> SharedChains::remove(const std::vector<ChainId>& chains, UnixMillis ended_before, const std::string& reason) {
  const auto call = [&] { return chains_->remove(chains, ended_before, reason); };
  const auto again = [&] { return call().map([](actors::ChainsRemoved removed) { return client::removed_again(std::move(removed)); }); };
  return through(call, again);
}

Result<coordinator::TokenTold> SharedChains::create_token(const actors::CreateToken& wish) {
  const auto call = [&] { return chains_->create_token(wish); };
  return through(call, call);  // one whose answer was lost is of no use to anybody
}

Result<void> SharedChains::revoke_token(const std::string& id) {
  const auto call = [&] { return chains_->revoke_token(id); };
  return through(call, call);
}

/// What a schedule was told is not told again: nobody knows whether the holder that is gone did it.
template <class Call>
Result<actors::ScheduleDone> SharedChains::through_once(const Call& call) {
  return through(call, [] {
    return Result<actors::ScheduleDone>{
        fail(Code::connection_failed,
             "the process that held the data directory ended meanwhile: nobody knows whether this was done; look with "
             "`catena schedule show`")};
  });
}

Result<actors::ScheduleDone> SharedChains::put_schedule(const actors::PutSchedule& put) {
  return through_once([&] { return chains_->put_schedule(put); });
}

Result<actors::ScheduleDone> SharedChains::order_schedule(const actors::OrderSchedule& order) {
  return through_once([&] { return chains_->order_schedule(order); });
}

Result<std::vector<engine::Reason>> SharedChains::explain(const ChainId& chain, const std::string& step) {
  const auto call = [&] { return chains_->explain(chain, step); };
  return through(call, call);
}

Result<std::vector<actors::QueueGroup>> SharedChains::queue() {
  const auto call = [&] { return chains_->queue(); };
  return through(call, call);
}

Result<std::optional<actors::ChainEnded>> SharedChains::wait(const ChainId& chain, std::chrono::milliseconds tick, const Watcher& watcher) {
  return through([&] { return chains_->wait(chain, tick, watcher); },
                 [&]() -> Result<std::optional<actors::ChainEnded>> {
                   console_.say(fmt::format("the process that ran chain '{}' has ended; it goes on {}", chain.value,
                                            elsewhere() ? "in the next one that holds the data directory" : "here"));
                   if (auto resumed = chains_->resume(chain, {}); !resumed) return fail(std::move(resumed).error());
                   return chains_->wait(chain, tick, watcher);
                 });
}

Result<coordinator::Answer> SharedChains::AskedHere::answer_any(const coordinator::Question& question) {
  const auto call = [&] { return chains_.chains_->questions().ask_any(question); };
  return chains_.through(call, call);
}

}  // namespace catena::cli
