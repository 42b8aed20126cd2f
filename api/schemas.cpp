#include "api/schemas.hpp"

#include <array>

namespace catena::api {
namespace {

constexpr std::array kSchemas{
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
        R"json("properties":{"validate_only":{"const":true},"would":{"enum":["submit","cancel","resume","skip","resolve","remove","cordon",)json"
        R"json("uncordon","drain","replay_webhook"]},"delivery":{"type":"string"},"chain_id":{"type":"string"},"status":{"type":"string","description":"of the chain as it is"},)json"
        R"json("name":{"type":"string","description":"of the definition"},"package":{"type":"string"},"steps":{"type":"integer"},)json"
        R"json("warnings":{"type":"array","items":{"$ref":"#/components/schemas/Error"}},"submitted_before":{"type":"boolean"},)json"
        R"json("descendants":{"type":"integer"},"more_descendants":{"type":"boolean"},"step":{"type":"string"},)json"
        R"json("items":{"type":"string"},"node":{"type":"string"}},"required":["validate_only","would"]})json"},
    NamedSchema{"ChainOrPreview", R"json({"anyOf":[{"$ref":"#/components/schemas/Chain"},{"$ref":"#/components/schemas/Preview"}]})json"},
    NamedSchema{"RemovedOrPreview", R"json({"anyOf":[{"$ref":"#/components/schemas/Removed"},{"$ref":"#/components/schemas/Preview"}]})json"},
    NamedSchema{"StatusOrPreview", R"json({"anyOf":[{"$ref":"#/components/schemas/Status"},{"$ref":"#/components/schemas/Preview"}]})json"},
    NamedSchema{"Store",
                R"json({"type":"object","properties":{"format":{"type":"integer"},"epoch":{"type":"integer"},"commit":{"type":"integer"},)json"
                R"json("durable_commit":{"type":"integer"},"bytes":{"type":"integer","description":"of all files in the data directory"},)json"
                R"json("disk":{"type":"object","properties":{"free":{"type":"integer"},"total":{"type":"integer"}},)json"
                R"json("required":["free","total"]}},"required":["format","epoch","commit","durable_commit","bytes","disk"]})json"},
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
        R"json("description":"each step up doubles the chain's share of the workers"},"labels":{"type":"object",)json"
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
        R"json("description":"each step up doubles the chain's share of the workers"},"labels":{"type":"object",)json"
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
    NamedSchema{"Definition",
                R"json({"type":"object","properties":{"definition":{"type":"object"},"name":{"type":"string"}},"additionalProperties":false})json"},
    NamedSchema{"Validation", R"json({"type":"object","properties":{"valid":{"type":"boolean"},"package":{"type":"string",)json"
                              R"json("description":"the hash of all that a chain of it would pin"},"warnings":{"type":"array",)json"
                              R"json("items":{"$ref":"#/components/schemas/Error"}}},"required":["valid","package","warnings"]})json"},
    NamedSchema{"Chain",
                R"json({"type":"object","properties":{"chain_id":{"type":"string"},"status":{"enum":["pending","running","paused",)json"
                R"json("succeeded","failed","cancelled","quarantined"]},)json"
                R"json("response":{"description":"of a chain that has succeeded, or failed with a response"},)json"
                R"json("response_bytes":{"type":"integer","description":"in place of a large response"},)json"
                R"json("error":{"$ref":"#/components/schemas/Error"},"steps":{"type":"array","items":{"$ref":"#/components/schemas/Step"}},)json"
                R"json("steps_next":{"type":"integer","description":"there are more steps: /steps?from="},"started_at":{"type":"string",)json"
                R"json("format":"date-time"},"finished_at":{"type":"string","format":"date-time"},)json"
                R"json("trace_id":{"type":"string","description":"the trace that has the chain's spans"}},"required":["chain_id","status"]})json"},
    NamedSchema{
        "ListedChain",
        R"json({"type":"object","properties":{"chain_id":{"type":"string"},"name":{"type":"string"},"status":{"enum":["pending",)json"
        R"json("running","paused","succeeded","failed","cancelled","quarantined"]},"started_at":{"type":"string",)json"
        R"json("format":"date-time"},"finished_at":{"type":"string","format":"date-time"},"duration_ms":{"type":"integer"},)json"
        R"json("steps":{"type":"object","properties":{"settled":{"type":"integer"},"total":{"type":"integer"}},"required":["settled",)json"
        R"json("total"]},"parent":{"type":"string"},"error":{"$ref":"#/components/schemas/Error"},"context":{},"labels":{"type":"object",)json"
        R"json("additionalProperties":{"type":"string"}}},"required":["chain_id",)json"
        R"json("name","status","started_at","duration_ms","steps"]})json"},
    NamedSchema{"ChainPage",
                R"json({"type":"object","properties":{"chains":{"type":"array","items":{"$ref":"#/components/schemas/ListedChain"}},)json"
                R"json("cursor":{"type":"string"}},"required":["chains"]})json"},
    NamedSchema{"Removed", R"json({"type":"object","properties":{"removed":{"type":"array","items":{"type":"string"}}},"required":["removed"]})json"},
    NamedSchema{"Step",
                R"json({"type":"object","properties":{"id":{"type":"string"},"status":{"type":"string"},"visit":{"type":"integer",)json"
                R"json("description":"0: never entered"},"items":{"type":"object","description":"of a fan-out",)json"
                R"json("properties":{"total":{"type":"integer"},"ok":{"type":"integer"},"failed":{"type":"integer"}},"required":["total","ok",)json"
                R"json("failed"]},"entered_at":{"type":"string","format":"date-time"},"settled_at":{"type":"string","format":"date-time"},)json"
                R"json("error":{"$ref":"#/components/schemas/Error"}},"required":["id","status","visit"]})json"},
    NamedSchema{"StepPage", R"json({"type":"object","properties":{"steps":{"type":"array","items":{"$ref":"#/components/schemas/Step"}},)json"
                            R"json("next":{"type":"integer"}},"required":["steps"]})json"},
    NamedSchema{"Item",
                R"json({"type":"object","properties":{"item":{"type":"integer"},"status":{"enum":["queued","running","waiting","in_doubt",)json"
                R"json("succeeded","failed","not_needed"]},"failed_attempts":{"type":"integer"},"response":{},"response_at":{"type":"string",)json"
                R"json("description":"the path of a large response"},"value":{},"value_begins":{"type":"string"},)json"
                R"json("error":{"$ref":"#/components/schemas/Error"}},"required":["item","status"]})json"},
    NamedSchema{"ItemPage", R"json({"type":"object","properties":{"visit":{"type":"integer"},"width":{"type":"integer",)json"
                            R"json("description":"items that there are"},"items":{"type":"array","items":{"$ref":"#/components/schemas/Item"}},)json"
                            R"json("next":{"type":"integer"}},"required":["visit","width","items"]})json"},
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
    NamedSchema{"Event",
                R"json({"type":"object","description":"all that the event says, beside these","properties":{"seq":{"type":"integer"},)json"
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
    NamedSchema{"Value", R"json({"description":"any JSON"})json"},
    NamedSchema{"Cancel", R"json({"type":"object","properties":{"reason":{"type":"string"},"now":{"type":"boolean",)json"
                          R"json("description":"without its final steps"}},"additionalProperties":false})json"},
    NamedSchema{"Retry",
                R"json({"type":"object","properties":{"failed":{"type":"boolean",)json"
                R"json("description":"only what failed, also where that was tolerated"},"from":{"type":"array","items":{"type":"string"},)json"
                R"json("description":"these steps too, and all that depends on them"},"items":{"type":"object",)json"
                R"json("additionalProperties":{"type":"string","description":"items such as 3,7-9"},"description":"by step: these items too"},)json"
                R"json("reason":{"type":"string"},)json"
                R"json("dry_run":{"type":"boolean","description":"say what would run, and change nothing"}},"additionalProperties":false})json"},
    NamedSchema{"RetryPreview",
                R"json({"type":"object","properties":{"chain_id":{"type":"string"},"takes_up_changes":{"type":"boolean"},)json"
                R"json("steps":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"action":{"enum":["stays","runs",)json"
                R"json("compared","anew","waits"]},"cause":{"type":"string"},"behind":{"type":"string"},"items":{"type":"object",)json"
                R"json("properties":{"run":{"type":"integer"},"of":{"type":"integer"}}}},"required":["id","action"]}}},"required":["chain_id",)json"
                R"json("steps"]})json"},
    NamedSchema{"RetryAnswer", R"json({"anyOf":[{"$ref":"#/components/schemas/Chain"},{"$ref":"#/components/schemas/RetryPreview"}]})json"},
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

}  // namespace

std::span<const NamedSchema> schemas() { return kSchemas; }

}  // namespace catena::api
