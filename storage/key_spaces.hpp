#pragma once
// The letters that keys begin with, and those within a key space. They are on disk. For keys.cpp alone.
#include <array>
#include <string_view>

namespace catena::storage {

inline constexpr char kMeta = 'm';
inline constexpr char kPackage = 'p';
inline constexpr char kSummary = 'c';
inline constexpr char kEvent = 'j';
inline constexpr char kItem = 'l';
inline constexpr char kInputs = 'a';
inline constexpr char kCheckpoint = 'k';
inline constexpr char kBlob = 'b';
inline constexpr char kIndex = 'i';
inline constexpr char kLog = 'o';
inline constexpr char kNotice = 'e';
inline constexpr char kAudit = 'u';
inline constexpr char kFile = 'f';
inline constexpr char kFileVersion = 'v';
inline constexpr char kFilePut = 'w';
inline constexpr char kRemoval = 'r';
inline constexpr char kLabel = 'g';
inline constexpr char kSubmission = 's';
inline constexpr char kOutbox = 'q';
inline constexpr char kSchedule = 't';
inline constexpr char kName = 'n';
inline constexpr char kApproval = 'h';
inline constexpr char kNotes = 'x';

// Behind a task within the space of notes.
inline constexpr char kTaskCheckpoint = 'k';
inline constexpr char kTaskProgress = 'p';

// Within the space of submissions.
inline constexpr char kOfKey = 'k';
inline constexpr char kEnd = 't';

// Within the outbox.
inline constexpr std::string_view kDelivery = "d";
inline constexpr std::string_view kDeliveryBody = "b";

// Within the space of schedules.
inline constexpr std::string_view kScheduleSaid = "d";
inline constexpr std::string_view kScheduleState = "s";

/// Where a chain has records of its own, under keys that begin with its id.
inline constexpr std::array kOfChains{kEvent, kItem, kInputs, kCheckpoint, kLog, kNotes};

// Within the space of meta.
inline constexpr std::string_view kNodeOrder = "node/";
inline constexpr std::string_view kAccessToken = "token/";

}  // namespace catena::storage
