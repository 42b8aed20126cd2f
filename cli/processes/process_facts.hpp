#pragma once
// Facts for the doctor that a process of this machine sees: its settings and certificates, the disk, the clock, its open files.
#include <string>

#include "base/clock.hpp"
#include "client/diagnosis/facts.hpp"
#include "config/settings.hpp"

namespace catena::cli {

/// Of a coordinator with these settings.
void add_settings(client::Facts& facts, const config::Settings& settings);
void add_certificates(client::Facts& facts, const config::Settings& settings);
void add_disk(client::Facts& facts, const std::string& directory);
/// Of this process, which went by `own` since it began.
void add_process(client::Facts& facts, const Clock& own);
/// Writes to a file of that directory that is gone at once, and waits for the disk each time. Where it may not write, nothing becomes known.
void probe_sync(client::Facts& facts, const std::string& directory);

}  // namespace catena::cli
