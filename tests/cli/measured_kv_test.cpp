#include "cli/processes/measured_kv.hpp"

#include <catch2/catch.hpp>

#include "cli/processes/process_metrics.hpp"
#include "storage/memory_kv.hpp"

namespace catena::cli::test {
namespace {

std::int64_t number_of(const Metrics& metrics, Metric metric, std::size_t value = 0) {
  for (const auto& sample : metrics.copy()) {
    if (sample.metric == metric && sample.value == value) return sample.number;
  }
  return -1;
}

}  // namespace

TEST_CASE("writes of a measured store are counted by durability, and those with sync are timed") {
  storage::MemoryKv store;
  Metrics metrics;
  MeasuredKv measured{store, metrics};
  storage::Batch batch;
  batch.put("key", "value");
  REQUIRE(measured.write(batch, storage::Durability::sync));
  REQUIRE(measured.write(batch, storage::Durability::none));
  REQUIRE(measured.write(batch, storage::Durability::none));
  CHECK(measured.get("key").value() == "value");
  CHECK(number_of(metrics, Metric::commits, static_cast<std::size_t>(storage::Durability::sync)) == 1);
  CHECK(number_of(metrics, Metric::commits, static_cast<std::size_t>(storage::Durability::none)) == 2);
  CHECK(number_of(metrics, Metric::commit_bytes) == static_cast<std::int64_t>(3 * batch.bytes()));
  for (const auto& sample : metrics.copy()) {
    if (sample.metric != Metric::commit_duration) continue;
    std::uint64_t count = 0;
    for (const auto bucket : sample.histogram.buckets) count += bucket;
    CHECK(count == 1);
  }
}

TEST_CASE("what the system knows of this process becomes metrics") {
  Metrics metrics;
  measure_process(metrics, "/tmp");
  CHECK(number_of(metrics, Metric::resident_bytes) > 1'000'000);
  CHECK(number_of(metrics, Metric::cpu_micros) > 0);
  CHECK(number_of(metrics, Metric::open_descriptors) >= 3);
  CHECK(number_of(metrics, Metric::data_bytes_free) > 0);
}

}  // namespace catena::cli::test
