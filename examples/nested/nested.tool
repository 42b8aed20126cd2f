{
  "name": "nested",
  "description": "Composites that call composites: a child chain for each team, and one inside it",
  "arguments": [
    {
      "name": "teams",
      "type_name": "list",
      "description": "objects with a name and a list of scores",
      "default_value": [
        {"name": "Ants", "scores": [3, 5, 8]},
        {"name": "Bees", "scores": [13, 1]},
        {"name": "Crickets", "scores": []}
      ]
    }
  ],
  "responses": [
    {"name": "winner", "type_name": "string", "description": "null when nobody plays"},
    {"name": "table", "type_name": "list", "required": true},
    {"name": "teams", "type_name": "integer", "required": true}
  ],
  "instructions": [
    {
      "execution_id": "cards",
      "description": "One child chain a team",
      "tool_definition_path": "/tools/score_card.tool",
      "parallel_execution": {"iterate_over": "REF:arguments.teams", "child_argument_name": "team"}
    },
    {
      "execution_id": "table",
      "tool_definition": {
        "name": "top",
        "arguments": [{"name": "items", "type_name": "list", "required": true}, {"name": "by", "type_name": "string", "required": true}],
        "responses": [{"name": "items", "type_name": "list", "required": true}],
        "system_event_endpoint": "builtin:top"
      },
      "arguments": {"items": "REF:cards.response", "by": "points"}
    }
  ],
  "response_reference_map": {
    "winner": "REF:table.items.first.label",
    "table": "REF:table.items",
    "teams": "REF:cards.response.length"
  }
}
