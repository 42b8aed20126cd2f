#include "api/desk_reader.hpp"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <utility>

#include "api/handlers/handlers.hpp"
#include "api/preview.hpp"
#include "api/reach.hpp"
#include "api/stream_desk.hpp"
#include "base/overloads.hpp"
#include "client/records.hpp"

namespace catena::api {
namespace {

/// The record, with 202 where the chain goes on.
Answer record_answer(client::ChainRecord record) {
  Answer answer{200, std::move(record.json)};
  if (engine::terminal(record.chain.status)) return answer;
  answer.status = 202;
  answer.headers.emplace_back("Location", chain_path(record.chain.chain));
  answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

/// Serves requests one after the other, on a thread of its own: what it reads may come from a disk.
class Reader {
 public:
  Reader(const DeskOptions& options)
      : options_{options}, questions_{*options.services->kv, options.catalog, options.services->clock, options.services->ended_states} {}

  RequestRead serve(const AskingPtr& asking) {
    RequestRead read{asking, nullptr, nullptr, nullptr};
    auto worked = work_on(asking->asked);
    if (!worked) {
      asking->reply(to_answer(worked.error(), asking->reads));
      return read;
    }
    std::visit(Overloads{
                   [&](Answer& answer) { asking->reply(std::move(answer)); },
                   [&](Errand& errand) { read.errand = std::make_shared<Errand>(std::move(errand)); },
                   [&](StreamSource& source) { read.stream = std::make_shared<StreamSource>(std::move(source)); },
                   [&](LongWork& work) { read.work = std::make_shared<LongWork>(std::move(work)); },
               },
               *worked);
    return read;
  }

  StreamRead read(const ReadStream& next) {
    auto piece = std::make_shared<Piece>();
    try {
      *piece = next.stream->source.read(questions_, options_.limits.pieces);
    } catch (const std::exception&) {
      *piece = {closing_remark(next.stream->form, "what comes next could not be read"), false, true};
    }
    return {next.stream, std::move(piece)};
  }

  void tell(const BatchDone& done) {
    done.asking->reply(answer_or_failure([&] { return batch_answer(*done.batch, [this](const BatchLine& line) { return status_of(line); }); }));
  }

  void tell(const TellChain& told) {
    const auto answer = answer_or_failure([&] {
      auto record = client::chain_record(questions_, told.chain, {.all_steps = false, .response_bytes_max = kInlineBytesMax});
      return record ? record_answer(std::move(*record)) : to_answer(record.error(), true);
    });
    for (const auto& reply : *told.replies) reply(answer);
  }

 private:
  /// One that begins runs. One that was submitted before may have come to anything since.
  [[nodiscard]] std::string_view status_of(const BatchLine& line) {
    if (line.submitted_before) {
      if (const auto known = questions_.ask(coordinator::DescribeChain{.chain = line.chain})) return engine::name(known->status);
    }
    return engine::name(engine::ChainStatus::running);
  }

  /// A request that makes a library throw must not end the thread that serves all others.
  Worked work_on(const Asked& asked) {
    try {
      auto reached = check_chain_reach(asked, [this](const ChainId& chain) {
        return questions_.ask(coordinator::DescribeChain{.chain = chain}).map([](const auto& known) { return known.labels; });
      });
      if (!reached) return refuse(std::move(reached).error());
      auto worked = std::get<Work>(asked.route->handler)(asked, means_);
      if (worked && asked.flag(kValidateOnly)) {
        if (auto* errand = std::get_if<Errand>(&*worked)) {
          if (auto checks = check_only(*errand, questions_); !checks) return refuse(std::move(checks).error());
        }
      }
      return worked;
    } catch (const std::exception& failed) {
      return refuse(Code::internal, fmt::format("{} {} failed: {}", name(asked.route->verb), asked.route->path, failed.what()));
    }
  }

  /// The same of what is made for those who wait.
  static Answer answer_or_failure(const std::function<Answer()>& make) {
    try {
      return make();
    } catch (const std::exception& failed) {
      return to_answer(make_error(Code::internal, fmt::format("what became of it could not be read: {}", failed.what())), true);
    }
  }

  DeskOptions options_;
  client::StoreQuestions questions_;
  KnownDefinitions known_;
  Means means_{questions_,       options_.definitions, *options_.services->clock,
               options_.store,   options_.process,     options_.services->store_files,
               options_.back_up, options_.test,        &known_};
};

}  // namespace

Answer batch_answer(const Batch& batch, const std::function<std::string_view(const BatchLine& line)>& status_of) {
  std::string body;
  for (const auto& line : batch.lines()) body += dump_lossy(batch_record(line, status_of(line))) + "\n";
  return {200, std::move(body), std::string{kLinesType}};
}

caf::behavior reader_of(caf::event_based_actor* self, const caf::actor& desk, const DeskOptions& options) {
  const auto reader = std::make_shared<Reader>(options);
  return {
      [=](const RequestCame& came) { self->send(desk, reader->serve(came.asking)); },
      [=](const TellChain& told) { reader->tell(told); },
      [=](const BatchDone& done) { reader->tell(done); },
      [=](const ReadStream& next) { self->send(desk, reader->read(next)); },
  };
}

/// Does what is given it, one after the other, on a thread of its own.
caf::behavior lane_of(caf::event_based_actor* self, const caf::actor& desk) {
  const auto answer_of = [](const LongWork& work) -> Answer {
    try {
      auto done = work.run();
      return done ? std::move(*done) : to_answer(done.error());
    } catch (const std::exception& failed) {
      return to_answer(make_error(Code::internal, fmt::format("it could not be done: {}", failed.what())));
    }
  };
  return {[=](const DoWork& what) {
    const auto answer = answer_of(*what.work);
    // whoever has the answer may ask again at once, and there is room then
    self->send(desk, WorkDone{what.asking, what.work->lane});
    what.asking->reply(answer);
  }};
}

}  // namespace catena::api
