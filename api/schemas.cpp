#include "api/schemas.hpp"

#include <array>

#include "api/fork_schemas.hpp"
#include "api/item_schemas.hpp"
#include "api/picture_schemas.hpp"

namespace catena::api {
namespace {

constexpr std::array kOtherSchemas{
    NamedSchema{"Error",
                R"json({"type":"object","description":"what went wrong in a chain","properties":{"code":{"type":"string"},)json"
                R"json("message":{"type":"string"},"retryable":{"type":"boolean"},"details":{},"cause":{"$ref":"#/components/schemas/Error"}},)json"
                R"json("required":["code","message","retryable"]})json"},
    NamedSchema{"Problem",
                R"json({"type":"object","description":"a problem (RFC 9457)","properties":{"type":{"type":"string",)json"
                R"json("description":"the path of the code"},"title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string",)json"
                R"json("description":"what was wrong, and what to do"},"code":{"type":"string"},"source":{"enum":["request","chain","server"],)json"
                R"json("description":"who has to do something about it"},"retryable":{"type":"boolean",)json"
                R"json("description":"the same request may succeed later"},"safe_to_resend":{"type":"boolean",)json"
                R"json("description":"sending the same request again changes nothing that this one has changed"},"notes":{"type":"array",)json"
                R"json("items":{"type":"string"}},"errors":{"type":"array","items":{"$ref":"#/components/schemas/Finding"}}},)json"
                R"json("required":["type","title","status","detail","code","source","retryable","safe_to_resend"]})json"},
    NamedSchema{"Finding",
                R"json({"type":"object","properties":{"code":{"type":"string"},"detail":{"type":"string"},"pointer":{"type":"string",)json"
                R"json("description":"JSON Pointer into the body"},"parameter":{"type":"string","description":"of the query"},)json"
                R"json("file":{"type":"string","description":"a definition that the one in the body calls"},"line":{"type":"integer"},)json"
                R"json("column":{"type":"integer"},"suggestion":{"type":"string","description":"what was probably meant"},)json"
                R"json("notes":{"type":"array","items":{"type":"string"}}},"required":["code","detail"]})json"},
    NamedSchema{"Status", R"json({"type":"object","properties":{"status":{"type":"string"}},"required":["status"]})json"},
    NamedSchema{"Limits",
                R"json({"type":"object","properties":{"requests":{"type":"object","properties":{"per_second":{"type":"integer"},"burst":)json"
                R"json({"type":"integer"},"remaining":{"type":"integer"},"full_after_seconds":{"type":"integer"}},"required":["per_second",)json"
                R"json("burst","remaining","full_after_seconds"]},"open_requests":{"type":"object","properties":{"most":{"type":"integer"},)json"
                R"json("now":{"type":"integer","description":"this one included"}},"required":["most","now"]}}})json"},
    NamedSchema{"Reason", R"json({"type":"object","properties":{"reason":{"type":"string","description":"why, for the audit log"}},)json"
                          R"json("additionalProperties":false})json"},
    NamedSchema{
        "Preview",
        R"json({"type":"object","description":"of a request that was only validated: what would happen",)json"
        R"json("properties":{"validate_only":{"const":true},"would":{"enum":["submit","cancel","kill","pause","unpause","amend","signal","approve","reject","resume","skip","resolve","remove","cordon",)json"
        R"json("uncordon","drain","replay_webhook","put_definition","remove_definition","put_file","remove_file","back_up","put_schedule","pause_schedule",)json"
        R"json("resume_schedule","trigger_schedule","backfill_schedule","remove_schedule"]},"next":{"type":"array","items":{"type":"string",)json"
        R"json("format":"date-time"},"description":"due times of a schedule"},"directory":{"type":"string","description":"of the backup"},"path":{"type":"string",)json"
        R"json("description":"of the file"},"delivery":{"type":"string"},"chain_id":{"type":"string"},"status":{"type":"string","description":"of the chain as it is"},)json"
        R"json("name":{"type":"string","description":"of the definition, the schedule or the signal"},"package":{"type":"string"},"steps":{"type":"integer"},)json"
        R"json("warnings":{"type":"array","items":{"$ref":"#/components/schemas/Error"}},"submitted_before":{"type":"boolean"},)json"
        R"json("descendants":{"type":"integer"},"more_descendants":{"type":"boolean"},"step":{"type":"string"},)json"
        R"json("items":{"type":"string"},"node":{"type":"string"},"terms":{"type":"string","description":"of an amendment, in words"}},)json"
        R"json("required":["validate_only","would"]})json"},
    NamedSchema{"ChainOrPreview", R"json({"anyOf":[{"$ref":"#/components/schemas/Chain"},{"$ref":"#/components/schemas/Preview"}]})json"},
    NamedSchema{"RemovedOrPreview", R"json({"anyOf":[{"$ref":"#/components/schemas/Removed"},{"$ref":"#/components/schemas/Preview"}]})json"},
    NamedSchema{"StatusOrPreview", R"json({"anyOf":[{"$ref":"#/components/schemas/Status"},{"$ref":"#/components/schemas/Preview"}]})json"},
    NamedSchema{"Store",
                R"json({"type":"object","properties":{"format":{"type":"integer"},"epoch":{"type":"integer"},"commit":{"type":"integer"},)json"
                R"json("durable_commit":{"type":"integer"},"bytes":{"type":"integer","description":"of all files in the data directory"},)json"
                R"json("disk":{"type":"object","properties":{"free":{"type":"integer"},"total":{"type":"integer"}},)json"
                R"json("required":["free","total"]}},"required":["format","epoch","commit","durable_commit","bytes","disk"]})json"},
    NamedSchema{"Diagnosis",
                R"json({"type":"object","properties":{"at":{"type":"string","format":"date-time"},"version":{"type":"string"},)json"
                R"json("severity":{"type":"string","enum":["ok","warning","problem"],"description":"the worst of the findings"},)json"
                R"json("findings":{"type":"array","items":{"type":"object","properties":{"code":{"type":"string"},)json"
                R"json("severity":{"type":"string","enum":["ok","warning","problem"]},"what":{"type":"string"},"where":{"type":"string"},)json"
                R"json("advice":{"type":"string"}},"required":["code","severity","what"]}},"not_known":{"type":"array",)json"
                R"json("items":{"type":"string"},"description":"checks of which nothing can be known from there"}},)json"
                R"json("required":["at","version","severity","findings","not_known"]})json"},
    NamedSchema{"Cluster", R"json({"type":"object","properties":{"kind":{"type":"string","description":"what the items have in common"},)json"
                           R"json("count":{"type":"integer"},"first":{"type":"integer"},"error":{"$ref":"#/components/schemas/Error"},)json"
                           R"json("sample":{"type":"array","items":{"type":"integer"},"description":"the first items"},"items":{"type":"array",)json"
                           R"json("items":{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2}},"more_items":{"type":"boolean",)json"
                           R"json("description":"not all of them are named"}},"required":["kind","count","first","error","sample","items"]})json"},
    NamedSchema{"ClusterPage",
                R"json({"type":"object","properties":{"clusters":{"type":"array","items":{"$ref":"#/components/schemas/Cluster"}},)json"
                R"json("others":{"type":"integer","description":"failed items in smaller groups"},"next":{"type":"integer"}},)json"
                R"json("required":["clusters","others"]})json"},
    NamedSchema{"ChainCluster",
                R"json({"type":"object","properties":{"step":{"type":"string"},"kind":{"type":"string","description":"what the items have in )json"
                R"json(common"},"count":{"type":"integer"},"error":{"$ref":"#/components/schemas/Error"},"first":{"type":"integer",)json"
                R"json("description":"of a fan-out, as `sample` and `items`"},"sample":{"type":"array","items":{"type":"integer"}},)json"
                R"json("items":{"type":"array","items":{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2}},)json"
                R"json("more_items":{"type":"boolean"}},"required":["step","kind","count","error"]})json"},
    NamedSchema{"ChainClusterPage",
                R"json({"type":"object","properties":{"clusters":{"type":"array","items":{"$ref":"#/components/schemas/ChainCluster"}},)json"
                R"json("others":{"type":"integer","description":"failed items in smaller groups"},"next":{"type":"object",)json"
                R"json("description":"the parameters of the next page","properties":{"step":{"type":"integer"},"from":{"type":"integer"}},)json"
                R"json("required":["step","from"]}},"required":["clusters","others"]})json"},
    NamedSchema{"ErrorCode",
                R"json({"type":"object","properties":{"code":{"type":"string"},"type":{"type":"string"},"title":{"type":"string"},)json"
                R"json("status":{"type":"integer"},"source":{"type":"string"},"retryable":{"type":"boolean"}},"required":["code","type",)json"
                R"json("title","status","source","retryable"]})json"},
    NamedSchema{"ErrorCodes",
                R"json({"type":"object","properties":{"errors":{"type":"array","items":{"$ref":"#/components/schemas/ErrorCode"}}},)json"
                R"json("required":["errors"]})json"},
    NamedSchema{
        "Submission",
        R"json({"type":"object","properties":{"definition":{"type":"object","description":"a definition, in any of the dialects"},)json"
        R"json("name":{"type":"string",)json"
        R"json("description":"in place of it: the name of a definition at the coordinator; beside it: what the definition is called"},)json"
        R"json("arguments":{"type":"object"},"id":{"type":"string","description":"the chain's id; without it one is made"},)json"
        R"json("context":{"type":"object","description":"what goes along to every tool"},"durability":{"enum":["sync","async","none"],)json"
        R"json("description":"sync (default): what is recorded survives a loss of power; async: the end of the process; none: neither"},)json"
        R"json("priority":{"type":"integer","minimum":-10,"maximum":10,)json"
        R"json("description":"each step up doubles the chain's share of the workers"},"deadline":{"type":"string",)json"
        R"json("description":"the chain fails if it has not ended then: a span from its start on such as 2h, or a time of RFC 3339"},)json"
        R"json("labels":{"type":"object",)json"
        R"json("additionalProperties":{"type":"string"},"description":"by which the chain is found, and those that it starts"},)json"
        R"json("namespace":{"type":"string","description":"of the chain and those that it starts: the same as their label `namespace`"},)json"
        R"json("notify":{"$ref":"#/components/schemas/Notify"},)json"
        R"json("traceparent":{"type":"string","description":"the trace that the chain belongs to (W3C Trace Context); it goes before the header"},)json"
        R"json("tracestate":{"type":"string"}},)json"
        R"json("additionalProperties":false})json"},
    NamedSchema{"Webhook",
                R"json({"type":"object","properties":{"url":{"type":"string","format":"uri"},"events":{"type":"array",)json"
                R"json("items":{"enum":["started","paused","resumed","cancelling","retried","succeeded","failed","cancelled","quarantined"]},)json"
                R"json("description":"default: succeeded, failed, cancelled, quarantined"},"secret":{"type":"string",)json"
                R"json("description":"SECRET:name, the key of signatures"}},"required":["url"],"additionalProperties":false})json"},
    NamedSchema{"Notify", R"json({"description":"who is told what becomes of the chain","anyOf":[{"$ref":"#/components/schemas/Webhook"},)json"
                          R"json({"type":"array","items":{"$ref":"#/components/schemas/Webhook"},"maxItems":5}]})json"},
    NamedSchema{
        "BatchSubmission",
        R"json({"type":"object","description":"one line","properties":{"definition":{"type":"object","description":"a definition, in any of the dialects"},)json"
        R"json("name":{"type":"string",)json"
        R"json("description":"in place of it: the name of a definition at the coordinator; beside it: what the definition is called"},)json"
        R"json("arguments":{"type":"object"},"id":{"type":"string","description":"the chain's id; without it one is made"},)json"
        R"json("context":{"type":"object","description":"what goes along to every tool"},"durability":{"enum":["sync","async","none"],)json"
        R"json("description":"sync (default): what is recorded survives a loss of power; async: the end of the process; none: neither"},)json"
        R"json("priority":{"type":"integer","minimum":-10,"maximum":10,)json"
        R"json("description":"each step up doubles the chain's share of the workers"},"deadline":{"type":"string",)json"
        R"json("description":"the chain fails if it has not ended then: a span from its start on such as 2h, or a time of RFC 3339"},)json"
        R"json("labels":{"type":"object",)json"
        R"json("additionalProperties":{"type":"string"},"description":"by which the chain is found, and those that it starts"},)json"
        R"json("namespace":{"type":"string","description":"of the chain and those that it starts: the same as their label `namespace`"},)json"
        R"json("notify":{"$ref":"#/components/schemas/Notify"},)json"
        R"json("traceparent":{"type":"string","description":"the trace that the chain belongs to (W3C Trace Context)"},)json"
        R"json("tracestate":{"type":"string"},"idempotency_key":{"type":"string","description":"the same submission with the same key begins no second chain"}},)json"
        R"json("additionalProperties":false})json"},
    NamedSchema{"BatchLine", R"json({"type":"object","description":"one line: of what has begun `chain_id` and `status`, else `error`",)json"
                             R"json("properties":{"line":{"type":"integer","description":"of the body, from 1"},"chain_id":{"type":"string"},)json"
                             R"json("status":{"enum":["pending","running","paused","succeeded","failed","cancelled","quarantined"]},)json"
                             R"json("submitted_before":{"type":"boolean","description":"by an earlier submission with the same key"},)json"
                             R"json("error":{"$ref":"#/components/schemas/Problem"}},"required":["line"]})json"},
    NamedSchema{"Calls", R"json({"type":"string","format":"binary","description":"calls of the command line, as MessagePack"})json"},
    NamedSchema{"Definition",
                R"json({"type":"object","properties":{"definition":{"type":"object"},"name":{"type":"string"}},"additionalProperties":false})json"},
    NamedSchema{"DefinitionRow",
                R"json({"type":"object","properties":{"name":{"type":"string"},"version":{"type":"string"},"dialect":{"type":"string"},)json"
                R"json("description":{"type":"string"},"bytes":{"type":"integer"},"stored_at":{"type":"string","format":"date-time"},)json"
                R"json("stored_by":{"type":"string"},"sha256":{"type":"string"}},"required":["name","version","bytes","stored_at","sha256"]})json"},
    NamedSchema{"DefinitionPage",
                R"json({"type":"object","properties":{"definitions":{"type":"array","items":)json"
                R"json({"$ref":"#/components/schemas/DefinitionRow"}},"cursor":{"type":"string"}},"required":["definitions"]})json"},
    NamedSchema{
        "DefinitionField",
        R"json({"type":"object","properties":{"name":{"type":"string"},"type_name":{"type":"string"},"description":{"type":"string"},)json"
        R"json("required":{"type":"boolean"},"default_value":{},"enum":{"type":"array","items":{}}},"required":["name","type_name","required"]})json"},
    NamedSchema{"StoredDefinition",
                R"json({"type":"object","properties":{"name":{"type":"string"},"version":{"type":"string"},"dialect":{"type":"string"},)json"
                R"json("description":{"type":"string"},"bytes":{"type":"integer"},"stored_at":{"type":"string","format":"date-time"},)json"
                R"json("stored_by":{"type":"string"},"sha256":{"type":"string"},"text":{"type":"string"},"valid":{"type":"boolean",)json"
                R"json("description":"what it calls is there, too"},"problems":{"type":"array","items":{"$ref":"#/components/schemas/Error"}},)json"
                R"json("package":{"type":"string"},"arguments":{"type":"array","items":{"$ref":"#/components/schemas/DefinitionField"}},)json"
                R"json("responses":{"type":"array","items":{"$ref":"#/components/schemas/DefinitionField"}},"warnings":{"type":"array",)json"
                R"json("items":{"$ref":"#/components/schemas/Error"}},"versions":{"type":"array","items":{"type":"object","properties":)json"
                R"json({"version":{"type":"string"},"bytes":{"type":"integer"},"stored_at":{"type":"string","format":"date-time"},)json"
                R"json("stored_by":{"type":"string"},"sha256":{"type":"string"}},"required":["version","bytes","stored_at","sha256"]}},)json"
                R"json("more_versions":{"type":"boolean"}},"required":["name","version","bytes","stored_at","sha256","valid","versions"]})json"},
    NamedSchema{
        "DefinitionPut",
        R"json({"type":"object","properties":{"name":{"type":"string"},"version":{"type":"string"},"dialect":{"type":"string"},)json"
        R"json("description":{"type":"string"},"bytes":{"type":"integer"},"stored_at":{"type":"string","format":"date-time"},)json"
        R"json("stored_by":{"type":"string"},"sha256":{"type":"string"},"package":{"type":"string","description":"the hash of all that a )json"
        R"json(chain of it would pin"},"warnings":{"type":"array","items":{"$ref":"#/components/schemas/Error"}}},"required":["name",)json"
        R"json("version","bytes","stored_at","sha256","package","warnings"]})json"},
    NamedSchema{"DefinitionPutOrPreview",
                R"json({"anyOf":[{"$ref":"#/components/schemas/DefinitionPut"},{"$ref":"#/components/schemas/Preview"}]})json"},
    NamedSchema{
        "StorableDefinition",
        R"json({"type":"object","description":"one of the two","properties":{"definition":{"type":"object","description":"a definition, in )json"
        R"json(any of the dialects"},"text":{"type":"string","description":"its text, as JSON or YAML, which is kept as it is"}},)json"
        R"json("additionalProperties":false})json"},
    NamedSchema{
        "File",
        R"json({"type":"object","properties":{"path":{"type":"string"},"version_id":{"type":"string"},"size":{"type":"integer"},)json"
        R"json("added_on":{"type":"string","format":"date-time"},"owner":{"type":"string"},"group":{"type":"string"},"metadata":{"type":"object"},)json"
        R"json("sha256":{"type":"string"}},"required":["path","version_id","size","added_on","owner","group","metadata","sha256"]})json"},
    NamedSchema{"FilePage",
                R"json({"type":"object","properties":{"directories":{"type":"array","items":{"type":"string"}},"files":{"type":"array",)json"
                R"json("items":{"$ref":"#/components/schemas/File"}},"cursor":{"type":"string"}},"required":["directories","files"]})json"},
    NamedSchema{"FileVersionPage",
                R"json({"type":"object","properties":{"versions":{"type":"array","items":{"$ref":"#/components/schemas/File"}},)json"
                R"json("cursor":{"type":"string"}},"required":["versions"]})json"},
    NamedSchema{"FileOrPreview", R"json({"anyOf":[{"$ref":"#/components/schemas/File"},{"$ref":"#/components/schemas/Preview"}]})json"},
    NamedSchema{"FileContent", R"json({"type":"string","format":"binary","description":"any bytes"})json"},
    NamedSchema{"BackupWish",
                R"json({"type":"object","properties":{"directory":{"type":"string","description":"the name of the new directory below )json"
                R"json(storage.backup_dir; without it one is made of the time"},"reason":{"type":"string"}},"additionalProperties":false})json"},
    NamedSchema{"Backup",
                R"json({"type":"object","properties":{"directory":{"type":"string","description":"its path"},"commit":{"type":"integer",)json"
                R"json("description":"the last that is in it"},"files":{"type":"integer"},"bytes":{"type":"integer"},"copied":{"type":"integer",)json"
                R"json("description":"bytes that were written: the others are links"}},"required":["directory","commit","files","bytes",)json"
                R"json("copied"]})json"},
    NamedSchema{"BackupOrPreview", R"json({"anyOf":[{"$ref":"#/components/schemas/Backup"},{"$ref":"#/components/schemas/Preview"}]})json"},
    NamedSchema{"Validation", R"json({"type":"object","properties":{"valid":{"type":"boolean"},"package":{"type":"string",)json"
                              R"json("description":"the hash of all that a chain of it would pin"},"warnings":{"type":"array",)json"
                              R"json("items":{"$ref":"#/components/schemas/Error"}}},"required":["valid","package","warnings"]})json"},
    NamedSchema{"Chain",
                R"json({"type":"object","properties":{"chain_id":{"type":"string"},"name":{"type":"string","description":"of the definition"},)json"
                R"json("status":{"enum":["pending","running","paused","succeeded","failed","cancelled","quarantined"]},)json"
                R"json("parent":{"type":"string","description":"the chain that started this one"},"forked_from":{"type":"object",)json"
                R"json("description":"the chain that it shares its history with, up to this event","properties":{"chain_id":{"type":"string"},)json"
                R"json("seq":{"type":"integer"}},"required":["chain_id","seq"]},"labels":{"type":"object",)json"
                R"json("additionalProperties":{"type":"string"}},"paused":{"type":"object","description":"while it is paused",)json"
                R"json("properties":{"since":{"type":"string","format":"date-time"},"by":{"type":"string"},"reason":{"type":"string"},)json"
                R"json("with_parent":{"type":"boolean","description":"the chain that started it is paused, too"}},"required":["since"]},)json"
                R"json("response":{"description":"of a chain that has succeeded, or failed with a response"},)json"
                R"json("response_bytes":{"type":"integer","description":"in place of a large response"},)json"
                R"json("error":{"$ref":"#/components/schemas/Error"},"steps":{"type":"array","items":{"$ref":"#/components/schemas/Step"}},)json"
                R"json("steps_next":{"type":"integer","description":"there are more steps: /steps?from="},"started_at":{"type":"string",)json"
                R"json("format":"date-time"},"finished_at":{"type":"string","format":"date-time"},)json"
                R"json("deadline":{"type":"string","format":"date-time","description":"it fails if it has not ended then"},)json"
                R"json("epoch":{"type":"integer","description":"at whose end the chain stood so, where one was asked for"},)json"
                R"json("trace_id":{"type":"string","description":"the trace that has the chain's spans"}},"required":["chain_id","status"]})json"},
    NamedSchema{
        "ListedChain",
        R"json({"type":"object","properties":{"chain_id":{"type":"string"},"name":{"type":"string"},"status":{"enum":["pending",)json"
        R"json("running","paused","succeeded","failed","cancelled","quarantined"]},"started_at":{"type":"string",)json"
        R"json("format":"date-time"},"finished_at":{"type":"string","format":"date-time"},"duration_ms":{"type":"integer"},)json"
        R"json("deadline":{"type":"string","format":"date-time","description":"it fails if it has not ended then"},)json"
        R"json("steps":{"type":"object","properties":{"settled":{"type":"integer"},"total":{"type":"integer"}},"required":["settled",)json"
        R"json("total"]},"parent":{"type":"string"},"error":{"$ref":"#/components/schemas/Error"},"context":{},"labels":{"type":"object",)json"
        R"json("additionalProperties":{"type":"string"}}},"required":["chain_id",)json"
        R"json("name","status","started_at","duration_ms","steps"]})json"},
    NamedSchema{"ChainPage",
                R"json({"type":"object","properties":{"chains":{"type":"array","items":{"$ref":"#/components/schemas/ListedChain"}},)json"
                R"json("cursor":{"type":"string"}},"required":["chains"]})json"},
    NamedSchema{"Removed", R"json({"type":"object","properties":{"removed":{"type":"array","items":{"type":"string"}}},"required":["removed"]})json"},
    NamedSchema{
        "Step",
        R"json({"type":"object","properties":{"id":{"type":"string"},"status":{"type":"string"},"visit":{"type":"integer",)json"
        R"json("description":"0: never entered"},"items":{"type":"object","description":"of a fan-out",)json"
        R"json("properties":{"total":{"type":"integer"},"ok":{"type":"integer"},"failed":{"type":"integer"}},"required":["total","ok",)json"
        R"json("failed"]},"entered_at":{"type":"string","format":"date-time"},"settled_at":{"type":"string","format":"date-time"},)json"
        R"json("error":{"$ref":"#/components/schemas/Error"},"waits_for_signal":{"type":"string","description":"its name, while it waits"},)json"
        R"json("waits_for_approval":{"type":"integer","description":"how many items wait for a person; 1 of a plain step"},)json"
        R"json("amended":{"type":"object","description":"what a person changed of it",)json"
        R"json("properties":{"max_concurrency":{"type":"integer"},"tolerate":{"type":"string"},"timeout":{"type":"string"},)json"
        R"json("retry_attempts":{"type":"integer"}}}},"required":["id","status","visit"]})json"},
    NamedSchema{"StepPage", R"json({"type":"object","properties":{"steps":{"type":"array","items":{"$ref":"#/components/schemas/Step"}},)json"
                            R"json("next":{"type":"integer"}},"required":["steps"]})json"},
    NamedSchema{"ItemResult",
                R"json({"type":"object","properties":{"index":{"type":"integer"},"status":{"enum":["queued","running","waiting","in_doubt",)json"
                R"json("succeeded","failed","not_needed"]},"response":{},"response_at":{"type":"string",)json"
                R"json("description":"the path of a large response"},"error":{"$ref":"#/components/schemas/Error"}},"required":["index",)json"
                R"json("status"]})json"},
    NamedSchema{"ItemStates",
                R"json({"type":"object","properties":{"visit":{"type":"integer"},"width":{"type":"integer"},"runs":{"type":"array",)json"
                R"json("items":{"type":"array","prefixItems":[{"enum":["queued","running","waiting","in_doubt","succeeded","failed",)json"
                R"json("not_needed"]},{"type":"integer"},{"type":"integer"}],"minItems":3,"maxItems":3}},"next":{"type":"integer"}},)json"
                R"json("required":["visit","width","runs"]})json"},
    NamedSchema{
        "Event",
        R"json({"type":"object","description":"all that the event says, beside these","additionalProperties":true,"properties":{"seq":{"type":"integer"},)json"
        R"json("time":{"type":"string","format":"date-time"},"text":{"type":"string","description":"in words"}},"required":["seq",)json"
        R"json("time","text"]})json"},
    NamedSchema{"HistoryPage", R"json({"type":"object","properties":{"events":{"type":"array","items":{"$ref":"#/components/schemas/Event"}},)json"
                               R"json("next":{"type":"integer"}},"required":["events"]})json"},
    NamedSchema{"LogRow",
                R"json({"type":"object","properties":{"number":{"type":"integer"},"step":{"type":"string"},"visit":{"type":"integer"},)json"
                R"json("item":{"type":"integer"},"attempt":{"type":"integer"},"stream":{"enum":["stderr","stdout"]},"time":{"type":"string",)json"
                R"json("format":"date-time"},"offset":{"type":"integer","description":"of the text in its stream"},"text":{"type":"string"}},)json"
                R"json("required":["number","step","visit","attempt","stream","time","offset","text"]})json"},
    NamedSchema{"LogPage",
                R"json({"type":"object","properties":{"rows":{"type":"array","items":{"$ref":"#/components/schemas/LogRow"}},)json"
                R"json("next":{"type":"integer"},"more":{"type":"boolean"},"dropped_bytes":{"type":"integer"}},"required":["rows","next",)json"
                R"json("more","dropped_bytes"]})json"},
    NamedSchema{
        "FeedEvent",
        R"json({"type":"object","properties":{"number":{"type":"integer"},"kind":{"enum":["started","step_began","step_settled",)json"
        R"json("paused","resumed","cancelling","retried","ended","quarantined"]},"chain_id":{"type":"string"},"name":{"type":"string",)json"
        R"json("description":"of its definition"},"status":{"type":"string","description":"of the chain, or of the step"},)json"
        R"json("namespace":{"type":"string","description":"of the chain"},"step":{"type":"string"},"visit":{"type":"integer"},)json"
        R"json("time":{"type":"string","format":"date-time"},"seq":{"type":"integer",)json"
        R"json("description":"of the chain's history"},"error":{"type":"object","properties":{"code":{"type":"string"},)json"
        R"json("message":{"type":"string"}},"required":["code","message"]}},"required":["number","kind","chain_id","name","status","time",)json"
        R"json("seq"]})json"},
    NamedSchema{"FeedPage",
                R"json({"type":"object","properties":{"events":{"type":"array","items":{"$ref":"#/components/schemas/FeedEvent"}},)json"
                R"json("next":{"type":"integer"},"more":{"type":"boolean"},"lost":{"type":"boolean"}},"required":["events","next","more",)json"
                R"json("lost"]})json"},
    NamedSchema{
        "AuditEntry",
        R"json({"type":"object","properties":{"number":{"type":"integer"},"time":{"type":"string","format":"date-time"},)json"
        R"json("by":{"type":"object","properties":{"via":{"enum":["local","cluster","http"]},"name":{"type":"string","description":)json"
        R"json("of the user, the certificate or the access token"},"id":{"type":"string","description":"the address of a link, or the id )json"
        R"json(of an access token"}},"required":["via"]},"act":{"type":"string"},"subject":{"type":"string","description":)json"
        R"json("the chain, the worker or the token; absent: several, which detail names"},"detail":{"type":"string"},)json"
        R"json("reason":{"type":"string"}},"required":["number","time","by","act"]})json"},
    NamedSchema{"AuditPage",
                R"json({"type":"object","properties":{"entries":{"type":"array","items":{"$ref":"#/components/schemas/AuditEntry"}},)json"
                R"json("next":{"type":"integer"},"more":{"type":"boolean"}},"required":["entries","next","more"]})json"},
    NamedSchema{
        "Delivery",
        R"json({"type":"object","properties":{"id":{"type":"string","description":"the header webhook-id"},"state":{"enum":["pending","delivered",)json"
        R"json("given_up"]},"chain_id":{"type":"string"},"event":{"type":"string"},"url":{"type":"string","description":"without its query"},)json"
        R"json("secret":{"type":"string","description":"its name"},"time":{"type":"string","format":"date-time","description":"of what it tells"},)json"
        R"json("tries":{"type":"integer"},"next_try":{"type":"string","format":"date-time"},"status":{"type":"integer","description":)json"
        R"json("of the last answer"},"error":{"type":"string","description":"why the last try did not do"}},"required":["id","state",)json"
        R"json("chain_id","event","url","time","tries"]})json"},
    NamedSchema{"WebhookPage", R"json({"type":"object","properties":{"deliveries":{"type":"array",)json"
                               R"json("items":{"$ref":"#/components/schemas/Delivery"}},"cursor":{"type":"string"}},"required":["deliveries"]})json"},
    NamedSchema{
        "ScheduleWish",
        R"json({"type":"object","properties":{"cron":{"type":"string","description":"five fields, or six with seconds first; @daily and the like"},)json"
        R"json("timezone":{"type":"string","description":"whose clocks cron means: Europe/Berlin, +02:00 (default: UTC)"},"every":{"type":"string",)json"
        R"json("description":"in place of cron: a span such as 10s"},"overlap":{"enum":["skip","queue","allow","cancel"],"description":)json"
        R"json("what becomes of a due time that comes while a run goes on (default: skip)"},"catchup":{"type":"string","description":)json"
        R"json("how late a run may begin that was missed (default: 1h)"},"follow":{"type":"boolean","description":)json"
        R"json("each run takes the newest version of the stored definition called name"},"definition":{"type":"object","description":)json"
        R"json("a definition, in any of the dialects"},"name":{"type":"string","description":"in place of it: the name of a definition"},)json"
        R"json("arguments":{"type":"object"},"context":{"type":"object"},"durability":{"enum":["sync","async","none"]},)json"
        R"json("priority":{"type":"integer","minimum":-10,"maximum":10},"deadline":{"type":"string","description":)json"
        R"json("a run fails if it has not ended so long after it began: 2h"},)json"
        R"json("labels":{"type":"object","additionalProperties":{"type":"string"},)json"
        R"json("description":"of each run, beside schedule=NAME"},"namespace":{"type":"string"},)json"
        R"json("notify":{"$ref":"#/components/schemas/Notify"}},"additionalProperties":false})json"},
    NamedSchema{
        "ScheduledRun",
        R"json({"type":"object","properties":{"chain_id":{"type":"string"},"at":{"type":"string","format":"date-time","description":)json"
        R"json("the due time that it is for, or when it was ordered"},"kind":{"enum":["due","trigger","backfill"]},"status":{"enum":["beginning",)json"
        R"json("running","cancelling","succeeded","failed","cancelled","quarantined","refused","removed"]},"ended_at":{"type":"string",)json"
        R"json("format":"date-time"},"error":{"type":"string"}},"required":["chain_id","at","kind","status"]})json"},
    NamedSchema{
        "Schedule",
        R"json({"type":"object","properties":{"name":{"type":"string"},"version":{"type":"string"},"definition":{"type":"string"},)json"
        R"json("problem":{"type":"string","description":"its record cannot be read, and nothing runs: why"},)json"
        R"json("follow":{"type":"boolean"},"package":{"type":"string"},"cron":{"type":"string"},"timezone":{"type":"string"},)json"
        R"json("every":{"type":"string"},"overlap":{"enum":["skip","queue","allow","cancel"]},"catchup":{"type":"string"},)json"
        R"json("labels":{"type":"object"},"priority":{"type":"integer"},"deadline":{"type":"string"},"arguments":{"type":"object"},)json"
        R"json("context":{"type":"object"},"created_at":{"type":"string","format":"date-time"},"changed_at":{"type":"string","format":"date-time"},)json"
        R"json("changed_by":{"type":"string"},"paused":{"type":"boolean"},"paused_at":{"type":"string","format":"date-time"},)json"
        R"json("paused_by":{"type":"string"},"pause_reason":{"type":"string"},"runs":{"type":"object","properties":{"begun":{"type":"integer"},)json"
        R"json("skipped":{"type":"integer"},"missed":{"type":"integer"},"refused":{"type":"integer"}},"required":["begun","skipped","missed",)json"
        R"json("refused"]},"last_missed":{"type":"string","format":"date-time"},"last_skipped":{"type":"string","format":"date-time"},)json"
        R"json("waiting":{"type":"integer","description":"runs"},"running":{"type":"array","items":{"$ref":"#/components/schemas/ScheduledRun"}},)json"
        R"json("last":{"type":"array","items":{"$ref":"#/components/schemas/ScheduledRun"}},"next":{"type":"array","items":{"type":"string",)json"
        R"json("format":"date-time"}}},"required":["name","version","definition","follow","overlap","catchup","labels","priority","paused",)json"
        R"json("runs","waiting","running","last","next"]})json"},
    NamedSchema{"SchedulePage", R"json({"type":"object","properties":{"schedules":{"type":"array",)json"
                                R"json("items":{"$ref":"#/components/schemas/Schedule"}},"cursor":{"type":"string"}},"required":["schedules"]})json"},
    NamedSchema{"ScheduleDone",
                R"json({"type":"object","properties":{"name":{"type":"string"},"version":{"type":"string"},"chain_id":{"type":"string",)json"
                R"json("description":"of the run that was ordered"},"runs":{"type":"integer","description":"that a backfill gives"},)json"
                R"json("removed":{"const":true}},"required":["name"]})json"},
    NamedSchema{"ScheduleDoneOrPreview",
                R"json({"anyOf":[{"$ref":"#/components/schemas/ScheduleDone"},{"$ref":"#/components/schemas/Preview"}]})json"},
    NamedSchema{"Backfill",
                R"json({"type":"object","properties":{"from":{"type":"string","format":"date-time"},"until":{"type":"string",)json"
                R"json("format":"date-time"},"reason":{"type":"string","description":"why, for the audit log"}},"required":["from","until"],)json"
                R"json("additionalProperties":false})json"},
    NamedSchema{
        "Graph",
        R"json({"type":"object","properties":{"nodes":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string",)json"
        R"json("description":"of the step; in a block behind that of its parent"},"label":{"type":"string"},"kind":{"enum":["step","child",)json"
        R"json("fan_out","loop","parallel"]},"calls":{"type":"string","description":"the tool or the definition"},"parent":{"type":"string",)json"
        R"json("description":"the node whose block it is in"},"conditional":{"const":true},"finally":{"const":true}},)json"
        R"json("required":["id","label","kind"]}},"edges":{"type":"array","items":{"type":"object","properties":{"from":{"type":"string"},)json"
        R"json("to":{"type":"string"},"kind":{"enum":["after","success","failure"],"description":"after: to waits for from; else where a )json"
        R"json(sequence goes"}},"required":["from","to","kind"]}}},"required":["nodes","edges"]})json"},
    NamedSchema{"PinnedDefinitions",
                R"json({"type":"object","properties":{"root":{"type":"string","description":"the name of the one that was submitted"},)json"
                R"json("definitions":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"path":{"type":"string"},)json"
                R"json("root":{"const":true},"dialect":{"type":"string"},"hash":{"type":"string","description":"SHA-256 of the text"},)json"
                R"json("bytes":{"type":"integer"},"text":{"type":"string"},"cut":{"const":true,"description":"the text is longer"}},)json"
                R"json("required":["name","path","hash","bytes","text"]}},"next":{"type":"integer"}},"required":["root","definitions"]})json"},
    NamedSchema{"NamedText", R"json({"type":"object","properties":{"file_name":{"type":"string"},"text":{"type":"string",)json"
                             R"json("description":"YAML or JSON"}},"required":["text"],"additionalProperties":false})json"},
    NamedSchema{"DefinitionText",
                R"json({"type":"object","properties":{"file_name":{"type":"string"},"text":{"type":"string","description":"YAML or JSON"},)json"
                R"json("at":{"type":"object","properties":{"line":{"type":"integer","minimum":1},"column":{"type":"integer","minimum":1}},)json"
                R"json("description":"what can be written there is asked, too","required":["line","column"],"additionalProperties":false}},)json"
                R"json("required":["text"],"additionalProperties":false})json"},
    NamedSchema{"CheckedDefinition",
                R"json({"type":"object","properties":{"valid":{"type":"boolean"},"problems":{"type":"array","items":{"type":"object",)json"
                R"json("properties":{"severity":{"enum":["error","warning"]},"code":{"type":"string"},"message":{"type":"string"},"file":)json"
                R"json({"type":"string","description":"another definition, that this one calls"},"line":{"type":"integer"},"column":)json"
                R"json({"type":"integer"},"suggestion":{"type":"string"},"notes":{"type":"array","items":{"type":"string"}}},)json"
                R"json("required":["severity","code","message","line","column"]}},"completions":{"type":"array","items":{"type":"object",)json"
                R"json("properties":{"label":{"type":"string"},"kind":{"enum":["key","tool","step","reference","function","value"]},)json"
                R"json("insert":{"type":"string"}},"required":["label","kind","insert"]}},"completes_from":{"type":"object","properties":)json"
                R"json({"line":{"type":"integer"},"column":{"type":"integer"}},"required":["line","column"]}},"required":["valid","problems",)json"
                R"json("completions"]})json"},
    NamedSchema{"DefinitionTests", R"json({"type":"object","properties":{"definition":{"$ref":"#/components/schemas/NamedText"},"test":)json"
                                   R"json({"$ref":"#/components/schemas/NamedText"}},"required":["test"],"additionalProperties":false})json"},
    NamedSchema{"TestedDefinition",
                R"json({"type":"object","properties":{"tests":{"type":"array","items":{"type":"object","properties":{"file":{"type":"string"},)json"
                R"json("line":{"type":"integer"},"test":{"type":"string"},"passed":{"type":"boolean"},"problems":{"type":"array","items":)json"
                R"json({"type":"string"}},"differences":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},)json"
                R"json("expected":{},"got":{}}}},"executions":{"type":"integer"},"elapsed_ms":{"type":"integer"}},"required":["test","passed",)json"
                R"json("problems","differences"]}}},"required":["tests"]})json"},
    NamedSchema{"Value", R"json({"description":"any JSON"})json"},
    NamedSchema{"Cancel", R"json({"type":"object","properties":{"reason":{"type":"string"},"now":{"type":"boolean",)json"
                          R"json("description":"without its final steps"}},"additionalProperties":false})json"},
    NamedSchema{
        "Amend",
        R"json({"type":"object","properties":{"step":{"type":"string","description":"absent: all steps"},"priority":{"type":"integer",)json"
        R"json("description":"of the chain, with all below it"},"deadline":{"type":"string","description":"of the chain: a span from now on (2h), )json"
        R"json(a time of RFC 3339, or none"},"max_concurrency":{"type":"integer","description":"items of a fan-out that run )json"
        R"json(at once; 0: any number"},"tolerate":{"type":"string","description":"items of it that may fail: a number, or a share such as )json"
        R"json(5%"},"timeout":{"type":"string","description":"of an attempt: 250ms, 5s, 2m; 0s: none"},"retry_attempts":{"type":"integer",)json"
        R"json("description":"of a task, the first included"},"reason":{"type":"string"}},"additionalProperties":false})json"},
    NamedSchema{"Signal",
                R"json({"type":"object","properties":{"name":{"type":"string","description":"for which a step waits, now or later"},"data":{)json"
                R"json("type":"object","description":"which become the response of the step that takes it"},"key":{"type":"string",)json"
                R"json("description":"a second signal with the same one changes nothing"},"reason":{"type":"string"}},)json"
                R"json("required":["name"],"additionalProperties":false})json"},
    NamedSchema{
        "Approval",
        R"json({"type":"object","properties":{"chain_id":{"type":"string"},"step":{"type":"string"},"name":{"type":"string",)json"
        R"json("description":"of the chain's definition"},"namespace":{"type":"string"},"who":{"type":"string","description":)json"
        R"json("is to answer, as the definition has it"},"since":{"type":"string","format":"date-time"},)json"
        R"json("until":{"type":"string","format":"date-time"},"on_timeout":{"enum":["fail","approve","reject"]},)json"
        R"json("allow_edit":{"type":"boolean"},"schema":{"type":"object","description":"of what may be edited"},"items":{"type":"string",)json"
        R"json("description":"of a fan-out, the first that wait"},"waiting":{"type":"integer","description":"items; 1 of a plain step"},)json"
        R"json("arguments":{"type":"object"},"arguments_begin":{"type":"string","description":"of arguments that are larger than 2 KiB"},)json"
        R"json("arguments_bytes":{"type":"integer"}},"required":["chain_id","step","since","waiting"]})json"},
    NamedSchema{"ApprovalPage", R"json({"type":"object","properties":{"approvals":{"type":"array",)json"
                                R"json("items":{"$ref":"#/components/schemas/Approval"}},"cursor":{"type":"string"}},"required":["approvals"]})json"},
    NamedSchema{"Approve", R"json({"type":"object","properties":{"step":{"type":"string"},"items":{"type":"string","description":)json"
                           R"json("of a fan-out: items such as 3,7-9"},"edit":{"type":"object","description":)json"
                           R"json("arguments in place of those that the step has; the others stay"},"key":{"type":"string",)json"
                           R"json("description":"a second answer with the same one changes nothing"},"reason":{"type":"string"}},)json"
                           R"json("required":["step"],"additionalProperties":false})json"},
    NamedSchema{"Reject", R"json({"type":"object","properties":{"step":{"type":"string"},"items":{"type":"string","description":)json"
                          R"json("of a fan-out: items such as 3,7-9"},"key":{"type":"string",)json"
                          R"json("description":"a second answer with the same one changes nothing"},"reason":{"type":"string"}},)json"
                          R"json("required":["step"],"additionalProperties":false})json"},
    NamedSchema{"Explanation",
                R"json({"type":"object","properties":{"chain_id":{"type":"string"},"status":{"type":"string","description":"of the chain"},)json"
                R"json("reasons":{"type":"array","items":{"type":"object","properties":{"code":{"type":"string"},"message":{"type":"string"},)json"
                R"json("step":{"type":"string"},"item":{"type":"integer"},"worker":{"type":"string"},"chain":{"type":"string",)json"
                R"json("description":"a child that runs for it, or what it waits for"},"until":{"type":"string","format":"date-time"},)json"
                R"json("since":{"type":"string","format":"date-time"},"details":{"type":"object","properties":{"names":{"type":"array",)json"
                R"json("items":{"type":"string"},"description":"of steps or workers"},"count":{"type":"integer"},"by":{"type":"string"},)json"
                R"json("text":{"type":"string"},"error":{"$ref":"#/components/schemas/Error"}}}},"required":["code","message"]}}},)json"
                R"json("required":["chain_id","status","reasons"]})json"},
    NamedSchema{"Queue",
                R"json({"type":"object","properties":{"reasons":{"type":"array","items":{"type":"object","properties":{"code":{"type":"string"},)json"
                R"json("message":{"type":"string"},"chains":{"type":"integer"},"orders":{"type":"integer"},"some":{"type":"array",)json"
                R"json("items":{"type":"string"}}},"required":["code","message","chains","some"]}}},"required":["reasons"]})json"},
    NamedSchema{"Retry",
                R"json({"type":"object","properties":{"failed":{"type":"boolean",)json"
                R"json("description":"only what failed, also where that was tolerated"},"from":{"type":"array","items":{"type":"string"},)json"
                R"json("description":"these steps too, and all that depends on them"},"items":{"type":"object",)json"
                R"json("additionalProperties":{"type":"string","description":"items such as 3,7-9"},"description":"by step: these items too"},)json"
                R"json("where":{"type":"string","description":"an expression over error, step and item: of the failed items of fan-outs )json"
                R"json(those for which it holds"},)json"
                R"json("reason":{"type":"string"},)json"
                R"json("dry_run":{"type":"boolean","description":"say what would run, and change nothing"}},"additionalProperties":false})json"},
    NamedSchema{
        "Skip",
        R"json({"type":"object","properties":{"step":{"type":"string"},"items":{"type":"string",)json"
        R"json("description":"of a fan-out: items such as 3,7-9"},"response":{"description":"stands in place of a run"},"reason":{"type":"string"}},)json"
        R"json("required":["step","response"],"additionalProperties":false})json"},
    NamedSchema{
        "Resolve",
        R"json({"type":"object","properties":{"step":{"type":"string"},"items":{"type":"string",)json"
        R"json("description":"of a fan-out: items such as 3,7-9, or all"},"response":{"type":"object",)json"
        R"json("description":"it happened, and answered this"},"failed":{"type":"string","description":"it failed: the message"},)json"
        R"json("again":{"type":"boolean","description":"it did not happen: run it again"},"reason":{"type":"string"}},"required":["step"],)json"
        R"json("additionalProperties":false})json"},
    NamedSchema{"Node",
                R"json({"type":"object","properties":{"id":{"type":"string"},"address":{"type":"string"},"incarnation":{"type":"integer"},)json"
                R"json("labels":{"type":"array","items":{"type":"string"}},"kinds":{"type":"array","items":{"type":"string"}},)json"
                R"json("capabilities":{"type":"array","items":{"type":"string"}},"tool_roots":{"type":"array","items":{"type":"string"}},)json"
                R"json("slots":{"type":"object","properties":{"used":{"type":"integer"},"total":{"type":"integer"}},"required":["used",)json"
                R"json("total"]},"running":{"type":"integer"},"queued":{"type":"integer"},"rate":{"type":"number"},"version":{"type":"string"},)json"
                R"json("state":{"type":"string"},"lost_ms":{"type":"integer"},"heartbeat_age_ms":{"type":"integer"}},"required":["id","state",)json"
                R"json("slots"]})json"},
    NamedSchema{"Nodes", R"json({"type":"object","properties":{"nodes":{"type":"array","items":{"$ref":"#/components/schemas/Node"}}},)json"
                         R"json("required":["nodes"]})json"},
};

constexpr auto kSchemas = joined(joined(joined(kOtherSchemas, kPictureSchemas), kForkSchemas), kItemSchemas);

}  // namespace

std::span<const NamedSchema> schemas() { return kSchemas; }

}  // namespace catena::api
