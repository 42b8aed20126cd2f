// What the coordinator keeps beside chains: definitions, files, and backups of it all.
#include "api/routes/shared.hpp"
#include "api/routes/tables.hpp"

namespace catena::api {
namespace {

constexpr Parameter kVersion{"version", Kind::text, "an older version, such as `v3` (default: the latest)"};
constexpr std::array kVersions{kVersion};
constexpr std::array kDefinitionFilters{
    Parameter{"name", Kind::text, "only definitions with this name, or that fit this pattern (`*` and `?`)"},
    Parameter{"dialect", Kind::text, "only definitions of this dialect"},
    kLimit,
    kOnlyFields,
    kCursor,
};
constexpr std::array kFileFilters{
    Parameter{"path", Kind::text, "the directory to list (default `/`), or one file"},
    Parameter{"recursive", Kind::flag, "`true`: also what is in the directories below, and no directories"},
    kLimit,
    kOnlyFields,
    kCursor,
};
constexpr std::array kPageOfVersions{kLimit, kOnlyFields, kCursor};
constexpr std::array kFilePuts{Parameter{"metadata", Kind::text, "a JSON object that is kept with the version"}, kCheckOnly};
constexpr Documented kNoDefinition{404, "Problem", "no definition is stored with that name, or it has no such version"};
constexpr Documented kNoFile{404, "Problem", "the file store has no such file, or no such version of it"};
constexpr Documented kConflict{412, "Problem",
                               "it is not at the version that `If-Match` names, or is there in spite of `If-None-Match: *` (`version_conflict`)"};
constexpr std::array kDefinitionPage{Documented{200, "DefinitionPage", "a page of definitions; `cursor` asks for the next one"}};
constexpr std::array kDefinitionTold{Documented{200, "StoredDefinition", "the definition; the header `ETag` has its version"}, kNoDefinition};
constexpr std::array kDefinitionText{Documented{200, "", "its text, as it was stored", {}, {}, "text/plain"}, kNoDefinition};
constexpr std::array kDefinitionPut{
    Documented{200, "DefinitionPutOrPreview", "it is stored and durable; the header `ETag` has its version. Or it was only validated"}, kConflict,
    Documented{422, "Problem", "all that is wrong with it, with pointers into the body"}, kBusy};
constexpr std::array kDefinitionRemoved{Documented{200, "StatusOrPreview", "it is found no more; chains that were started with it go on"},
                                        kNoDefinition, kConflict, kBusy};
constexpr std::array kFilePage{Documented{200, "FilePage", "a page of directories and files; `cursor` asks for the next one"}};
constexpr std::array kFileTold{Documented{200, "File", "one version of a file; the header `ETag` has its number"}, kNoFile};
constexpr std::array kFileVersionPage{Documented{200, "FileVersionPage", "a page of versions, newest first; `cursor` asks for the next one"},
                                      kNoFile};
constexpr std::array kFileContent{Documented{200, "", "the content", {}, {}, kBytesType},
                                  Documented{206, "", "the part that `Range` names, or the beginning of it", {}, {}, kBytesType}, kNoFile,
                                  Documented{413, "Problem", "the file is larger than one answer: ask for it in parts (`Range`)"},
                                  Documented{416, "Problem", "the range begins behind the end of the file; `Content-Range` has its size"}};
constexpr std::array kFilePut{
    Documented{200, "FileOrPreview", "the version is stored and durable; the header `ETag` has its number. Or it was only validated"}, kConflict,
    Documented{422, "Problem", "the path is none of a file, or the metadata is no object"}, kBusy};
constexpr std::array kFileRemoved{Documented{200, "StatusOrPreview", "it is listed no more; its versions can still be read"}, kNoFile, kConflict,
                                  kBusy};
constexpr std::array kBackedUp{
    Documented{200, "BackupOrPreview", "the backup is made; or it was only validated"},
    Documented{422, "Problem", "no directory for backups is configured (`feature_unavailable`), or it has one of that name (`field_value`)"}, kBusy};

constexpr std::array kKeptRoutes{
    Route{Verb::post, "/v1/store:backup", "backUpStore", "Server", Role::admin, "make a backup of the store",
          "A copy of the data directory as it is at a moment, made while chains run, in a new directory below `storage.backup_dir` on the "
          "coordinator's "
          "machine. The answer comes when it is made; a request that takes longer than two minutes loses its answer, and the backup is made all the "
          "same. [Backup](backup.md) says how to restore one.",
          kChecks, "BackupWish", kControlBytes, kBackedUp, Work{back_up_store}, true},
    Route{Verb::get, "/v1/definitions", "listDefinitions", "Definitions", Role::viewer, "list the definitions that the coordinator keeps",
          "By name. [Stored definitions](definitions.md) says more.", kDefinitionFilters, "", 0, kDefinitionPage, Work{list_definitions}},
    Route{
        Verb::get, "/v1/definitions/{name}", "tellDefinition", "Definitions", Role::viewer, "one stored definition",
        "Its text, its versions, and what it takes and gives as it would run now. A slash in a name is written `%2F`. A text of more than 512 KiB is "
        "left out: `/v1/definitions/{name}/text` has it.",
        kVersions, "", 0, kDefinitionTold, Work{tell_definition}},
    Route{Verb::get, "/v1/definitions/{name}/text", "readDefinitionText", "Definitions", Role::viewer, "the text of a stored definition", "",
          kVersions, "", 0, kDefinitionText, Work{read_definition_source}},
    Route{
        Verb::put, "/v1/definitions/{name}", "putDefinition", "Definitions", Role::operate, "store a definition, or a new version of one",
        "It is checked as `catena validate` checks a file, with all that it can reach. `If-Match` with the `ETag` of a version changes that version "
        "and no other; `If-None-Match: *` stores what is new. The same text again makes no version. It names no program of the machine.",
        kChecks, "StorableDefinition", kDefinitionBytes, kDefinitionPut, Work{put_definition}},
    Route{Verb::remove, "/v1/definitions/{name}", "removeDefinition", "Definitions", Role::operate, "remove a stored definition",
          "Its versions can still be read by their numbers, and its next version goes on counting.", kRemovals, "", 0, kDefinitionRemoved,
          Work{remove_definition}},

    Route{Verb::get, "/v1/files", "listFiles", "Files", Role::viewer, "list a directory of the file store", "", kFileFilters, "", 0, kFilePage,
          Work{list_files}},
    Route{Verb::get, "/v1/files/{path}", "tellFile", "Files", Role::viewer, "one file, without its content",
          "The path without its first slash, and the others as `%2F`: `/v1/files/reports%2Fmay.txt` is `/reports/may.txt`.", kVersions, "", 0,
          kFileTold, Work{tell_file}},
    Route{Verb::get, "/v1/files/{path}/versions", "listFileVersions", "Files", Role::viewer, "the versions of a file", "", kPageOfVersions, "", 0,
          kFileVersionPage, Work{list_file_versions}},
    Route{
        Verb::get, "/v1/files/{path}/content", "readFile", "Files", Role::viewer, "the content of a file",
        "At most 8 MiB in one answer: a larger file comes in parts, each asked for with `Range: bytes=FROM-`, whose answer says with `Content-Range` "
        "how far it goes.",
        kVersions, "", 0, kFileContent, Work{read_file_content}},
    Route{Verb::put, "/v1/files/{path}", "putFile", "Files", Role::operate, "put a new version of a file",
          "`If-Match` and `If-None-Match: *` as for definitions. At most 8 MiB; `catena fs put` takes files of up to 64 MiB.", kFilePuts,
          "FileContent", limits::kBatchBytesMax, kFilePut, Work{put_file}, true, kBytesType},
    Route{Verb::remove, "/v1/files/{path}", "removeFile", "Files", Role::operate, "remove a file", "Its versions can still be read by their numbers.",
          kRemovals, "", 0, kFileRemoved, Work{remove_file}},
};
static_assert(are_whole(kKeptRoutes));

}  // namespace

std::span<const Route> kept_routes() { return kKeptRoutes; }

}  // namespace catena::api
