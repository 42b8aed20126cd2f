#pragma once
// The schemas of items of fan-outs, and of what attempts say while they run. A part of schemas.cpp.
#include <array>

#include "api/schemas.hpp"

namespace catena::api {

inline constexpr std::array kItemSchemas{
    NamedSchema{"Item",
                R"json({"type":"object","properties":{"item":{"type":"integer"},"status":{"enum":["queued","running","waiting","in_doubt",)json"
                R"json("succeeded","failed","not_needed"]},"failed_attempts":{"type":"integer"},"response":{},"response_at":{"type":"string",)json"
                R"json("description":"the path of a large response"},"value":{},"value_begins":{"type":"string"},)json"
                R"json("said":{"$ref":"#/components/schemas/Said"},)json"
                R"json("error":{"$ref":"#/components/schemas/Error"}},"required":["item","status"]})json"},
    NamedSchema{"ItemPage", R"json({"type":"object","properties":{"visit":{"type":"integer"},"width":{"type":"integer",)json"
                            R"json("description":"items that there are"},"items":{"type":"array","items":{"$ref":"#/components/schemas/Item"}},)json"
                            R"json("next":{"type":"integer"}},"required":["visit","width","items"]})json"},
    NamedSchema{"Said",
                R"json({"type":"object","description":"by an attempt that runs, or by those before","properties":{"attempt":{"type":"integer"},)json"
                R"json("done":{"type":"integer"},"of":{"type":"integer"},"text":{"type":"string"},"said_at":{"type":"string"},)json"
                R"json("checkpoint":{"type":"object","properties":{"at":{"type":"string"},"bytes":{"type":"integer"}},)json"
                R"json("required":["at","bytes"]},"usage":{"type":"object","additionalProperties":{"type":"integer"}}},)json"
                R"json("required":["attempt"]})json"},
};

}  // namespace catena::api
