#pragma once
// The schemas of what a chain is looked at with: when what ran, who ran items, how two chains differ. A part of schemas.cpp.
#include <algorithm>
#include <array>

#include "api/schemas.hpp"

namespace catena::api {

inline constexpr std::array kPictureSchemas{
    NamedSchema{
        "Timeline",
        R"json({"type":"object","properties":{"started_at":{"type":"string","format":"date-time"},"finished_at":{"type":"string",)json"
        R"json("format":"date-time"},"now":{"type":"string","format":"date-time"},"complete":{"type":"boolean"},"rows":{"type":"array",)json"
        R"json("items":{"type":"object","properties":{"step":{"type":"string"},"visit":{"type":"integer"},"item":{"type":"integer"},)json"
        R"json("fan_out":{"type":"boolean"},"from":{"type":"string","format":"date-time"},"to":{"type":"string","format":"date-time"},)json"
        R"json("items":{"type":"integer"},"ok":{"type":"integer"},"failed":{"type":"integer"},"bars_before":{"type":"integer",)json"
        R"json("description":"that are left out"},"bars":{"type":"array","items":{"type":"object","properties":{"kind":{"enum":["queued",)json"
        R"json("running","backoff","waiting","lost"]},"attempt":{"type":"integer"},"worker":{"type":"string"},"from":{"type":"string",)json"
        R"json("format":"date-time"},"to":{"type":"string","format":"date-time"},"outcome":{"enum":["succeeded","failed","lost",)json"
        R"json("cancelled","postponed","given_back"]}},"required":["kind","attempt","from"]}}},"required":["step","visit","fan_out","from",)json"
        R"json("bars"]}},"critical_path":{"type":"array","items":{"type":"object","properties":{"step":{"type":"string"},)json"
        R"json("visit":{"type":"integer"},"from":{"type":"string","format":"date-time"},"to":{"type":"string","format":"date-time"}},)json"
        R"json("required":["step","visit","from"]}},"next":{"type":"integer"}},"required":["started_at","now","complete","rows",)json"
        R"json("critical_path"]})json"},
    NamedSchema{"ValueDiff",
                R"json({"type":"object","properties":{"same":{"type":"boolean"},"in_full":{"type":"boolean","description":"false: too large, or)json"
                R"json( not to be read, to tell how they differ"},"changes":{"type":"array","items":{"type":"object","properties":{"path":{"typ)json"
                R"json(e":"string","description":"a JSON Pointer"},"first":{"type":"string","description":"JSON text; not there: the first has )json"
                R"json(no such member"},"second":{"type":"string"}},"required":["path"]}},"more_changes":{"type":"integer"}},"required":["same")json"
                R"json(]})json"},
    NamedSchema{"ChainDiff",
                R"json({"type":"object","properties":{"first":{"type":"object","properties":{"chain_id":{"type":"string"},"name":{"type":"strin)json"
                R"json(g"},"status":{"type":"string"},"started_at":{"type":"string","format":"date-time"},"finished_at":{"type":"string","forma)json"
                R"json(t":"date-time"},"duration_ms":{"type":"integer"},"package":{"type":"string"},"error":{"$ref":"#/components/schemas/Error)json"
                R"json("}},"required":["chain_id","name","status","started_at","package"]},"second":{"type":"object","properties":{"chain_id":{)json"
                R"json("type":"string"},"name":{"type":"string"},"status":{"type":"string"},"started_at":{"type":"string","format":"date-time"})json"
                R"json(,"finished_at":{"type":"string","format":"date-time"},"duration_ms":{"type":"integer"},"package":{"type":"string"},"erro)json"
                R"json(r":{"$ref":"#/components/schemas/Error"}},"required":["chain_id","name","status","started_at","package"]},"definitions":)json"
                R"json({"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"in":{"enum":["first","second","both"]},)json"
                R"json("in_full":{"type":"boolean","description":"false: too large, or not to be read, to tell how they differ"},"changes":{"ty)json"
                R"json(pe":"array","items":{"type":"object","properties":{"path":{"type":"string","description":"a JSON Pointer"},"first":{"typ)json"
                R"json(e":"string","description":"JSON text; not there: the first has no such member"},"second":{"type":"string"}},"required":[)json"
                R"json("path"]}},"more_changes":{"type":"integer"}},"required":["path","in","in_full","changes"]}},"more_definitions":{"type":")json"
                R"json(integer"},"arguments":{"$ref":"#/components/schemas/ValueDiff"},"context":{"$ref":"#/components/schemas/ValueDiff"},"res)json"
                R"json(ponse":{"$ref":"#/components/schemas/ValueDiff"},"steps":{"type":"array","items":{"type":"object","properties":{"id":{"t)json"
                R"json(ype":"string"},"differs":{"type":"boolean","description":"in anything but its times"},"first":{"type":"object","properti)json"
                R"json(es":{"status":{"type":"string"},"visit":{"type":"integer"},"took_ms":{"type":"integer"},"items":{"type":"integer"},"ok":)json"
                R"json({"type":"integer"},"failed":{"type":"integer"},"error":{"$ref":"#/components/schemas/Error"}},"required":["status","visi)json"
                R"json(t"]},"second":{"type":"object","properties":{"status":{"type":"string"},"visit":{"type":"integer"},"took_ms":{"type":"in)json"
                R"json(teger"},"items":{"type":"integer"},"ok":{"type":"integer"},"failed":{"type":"integer"},"error":{"$ref":"#/components/sch)json"
                R"json(emas/Error"}},"required":["status","visit"]},"response":{"$ref":"#/components/schemas/ValueDiff"},"failed_in_first_only")json"
                R"json(:{"type":"object","properties":{"count":{"type":"integer"},"items":{"type":"string","description":"3,7-9; the last index)json"
                R"json( of a run included"},"more_items":{"type":"boolean"}},"required":["count","items"]},"failed_in_second_only":{"type":"obj)json"
                R"json(ect","properties":{"count":{"type":"integer"},"items":{"type":"string","description":"3,7-9; the last index of a run inc)json"
                R"json(luded"},"more_items":{"type":"boolean"}},"required":["count","items"]},"responses_differ":{"type":"object","properties":)json"
                R"json({"count":{"type":"integer"},"items":{"type":"string","description":"3,7-9; the last index of a run included"},"more_item)json"
                R"json(s":{"type":"boolean"}},"required":["count","items"]},"responses_compared":{"type":"integer"}},"required":["id","differs")json"
                R"json(]}},"next":{"type":"integer"}},"required":["first","second","definitions","arguments","context","response","steps"]})json"},
    NamedSchema{"SlowestItems",
                R"json({"type":"object","properties":{"visit":{"type":"integer"},"complete":{"type":"boolean"},"next":{"type":"integer"},)json"
                R"json("items":{"type":"array","items":{"type":"object","properties":{"index":{"type":"integer"},"status":{"type":"string"},)json"
                R"json("attempts":{"type":"integer"},"took_ms":{"type":"integer"},"worker":{"type":"string"}},"required":["index","status",)json"
                R"json("attempts","took_ms","worker"]}}},"required":["visit","complete","items"]})json"},
    NamedSchema{"ItemWorkers",
                R"json({"type":"object","properties":{"visit":{"type":"integer"},"complete":{"type":"boolean"},"next":{"type":"integer"},)json"
                R"json("workers":{"type":"array","items":{"type":"object","properties":{"worker":{"type":"string"},"items":{"type":"integer"},)json"
                R"json("failed":{"type":"integer"},"took_ms":{"type":"integer"}},"required":["worker","items","failed","took_ms"]}}},)json"
                R"json("required":["visit","complete","workers"]})json"},
};

/// Two tables as one.
template <std::size_t One, std::size_t Two>
consteval auto joined(const std::array<NamedSchema, One>& one, const std::array<NamedSchema, Two>& two) {
  std::array<NamedSchema, One + Two> all{};
  std::ranges::copy(two, std::ranges::copy(one, all.begin()).out);
  return all;
}

}  // namespace catena::api
