#pragma once
// The schemas of forks, and of what a retry would do. A part of schemas.cpp.
#include <array>

#include "api/schemas.hpp"

namespace catena::api {

inline constexpr std::array kForkSchemas{
    NamedSchema{"RetryPreview",
                R"json({"type":"object","properties":{"chain_id":{"type":"string"},"takes_up_changes":{"type":"boolean"},)json"
                R"json("steps":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"action":{"enum":["stays","runs",)json"
                R"json("compared","anew","waits"]},"cause":{"type":"string"},"behind":{"type":"string"},"items":{"type":"object",)json"
                R"json("properties":{"run":{"type":"integer"},"of":{"type":"integer"}}}},"required":["id","action"]}}},"required":["chain_id",)json"
                R"json("steps"]})json"},
    NamedSchema{"RetryAnswer", R"json({"anyOf":[{"$ref":"#/components/schemas/Chain"},{"$ref":"#/components/schemas/RetryPreview"}]})json"},
    NamedSchema{"Fork",
                R"json({"type":"object","properties":{"at":{"type":"string","description":"a step: all that has settled and does not depend on )json"
                R"json(it is shared"},"seq":{"type":"integer","minimum":1,"description":"an event of the chain's history: all up to it is )json"
                R"json(shared"},"arguments":{"description":"in place of those of the chain, for all that is evaluated from there on"},)json"
                R"json("id":{"type":"string","description":"of the new chain (default: one is made)"},"reason":{"type":"string"}},)json"
                R"json("additionalProperties":false})json"},
    NamedSchema{"ForkPreview",
                R"json({"type":"object","properties":{"validate_only":{"const":true},"would":{"const":"fork"},"chain_id":{"type":"string",)json"
                R"json("description":"that the new chain would have"},"forked_from":{"type":"object","properties":{"chain_id":{"type":"string"},)json"
                R"json("seq":{"type":"integer"}}},"steps":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},)json"
                R"json("action":{"enum":["stays","runs","compared","anew","waits"]},"cause":{"type":"string"},"behind":{"type":"string"},)json"
                R"json("items":{"type":"object","properties":{"run":{"type":"integer"},"of":{"type":"integer"}}}},"required":["id","action"]}}},)json"
                R"json("required":["validate_only","would"]})json"},
    NamedSchema{"ForkAnswer", R"json({"anyOf":[{"$ref":"#/components/schemas/Chain"},{"$ref":"#/components/schemas/ForkPreview"}]})json"},
};

}  // namespace catena::api
