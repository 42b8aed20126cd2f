{
  "name": "score_card",
  "description": "What a team has, and a label for it that an inline composite makes",
  "arguments": [{"name": "team", "type_name": "object", "required": true}],
  "responses": [
    {"name": "points", "type_name": "number", "required": true},
    {"name": "games", "type_name": "integer", "required": true},
    {"name": "label", "type_name": "string", "required": true},
    {"name": "checksum", "type_name": "string", "required": true}
  ],
  "instructions": [
    {
      "execution_id": "total",
      "tool_definition_path": "/tools/sum.tool",
      "arguments": {"values": "REF:arguments.team.scores"}
    },
    {
      "execution_id": "seal",
      "tool_definition": {
        "name": "sealed_label",
        "arguments": [{"name": "who", "type_name": "string", "required": true}, {"name": "points", "type_name": "number", "required": true}],
        "responses": [{"name": "label", "type_name": "string", "required": true}, {"name": "checksum", "type_name": "string", "required": true}],
        "instructions": [
          {
            "execution_id": "label",
            "tool_definition_path": "/tools/concat.tool",
            "arguments": {"parts": ["REF:arguments.who", ": ", "REF:arguments.points", " points"]}
          },
          {
            "execution_id": "hash",
            "tool_definition_path": "/tools/sha256.tool",
            "arguments": {"text": "REF:label.text"}
          }
        ],
        "response_reference_map": {"label": "REF:label.text", "checksum": "REF:hash.sha256"}
      },
      "arguments": {"who": "REF:arguments.team.name", "points": "REF:total.sum"}
    }
  ],
  "response_reference_map": {
    "points": "REF:total.sum",
    "games": "REF:total.count",
    "label": "REF:seal.label",
    "checksum": "REF:seal.checksum"
  }
}
