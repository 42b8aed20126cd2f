#pragma once
// What a run of a schedule submits, and what is kept of what somebody wants to be run.
#include <map>
#include <memory>
#include <string>

#include "coordinator/schedule_records.hpp"
#include "coordinator/services.hpp"
#include "lang/package/package.hpp"

namespace catena::coordinator {

/// Packages that runs have, a few of them: most schedules run the same one for long.
class ScheduledPackages {
 public:
  [[nodiscard]] Result<std::shared_ptr<const lang::Package>> load(const Services& services, const std::string& hash);

 private:
  std::map<std::string, std::shared_ptr<const lang::Package>> known_;
};

/// Of the run that is for `at`. Errors: of a followed definition all that is wrong with it or with the arguments now.
[[nodiscard]] Result<actors::Submission> submission_of_run(const Services& services, ScheduledPackages& packages, const std::string& name,
                                                           const ScheduleSaid& said, UnixMillis at);

/// Whether the chain that has the id of a run of the schedule is one: somebody may have given the id to a chain of theirs.
[[nodiscard]] bool is_run_of(const storage::Kv& kv, const ChainId& chain, const std::string& schedule, const std::string& namespace_);

/// Looks at what is to be put. Errors: schedule_invalid, id_invalid, definition_not_found and what a submission can be refused for.
[[nodiscard]] Result<void> check_schedule(const Services& services, const actors::PutSchedule& put);
[[nodiscard]] ScheduleSaid said_of(const actors::PutSchedule& put);
/// Package and programs: what the records of a schedule name. Full batches are committed ahead.
[[nodiscard]] Result<void> keep_work(const Services& services, const actors::Submission& work, storage::Batch& batch);

/// What an order is for the engine; of a removal nothing.
[[nodiscard]] engine::ScheduleInput input_of(const actors::OrderSchedule& order);
void count_in(Metrics& metrics, const engine::ScheduleEvent& event);

}  // namespace catena::coordinator
