{
  "name": "slow",
  "description": "A fan-out that takes a few seconds: something to interrupt",
  "arguments": [
    {"name": "items", "type_name": "integer", "default_value": 40},
    {"name": "each", "type_name": "string", "description": "how long an item takes", "default_value": "500ms"}
  ],
  "responses": [
    {"name": "items", "type_name": "integer", "required": true},
    {"name": "slept_ms", "type_name": "number", "required": true}
  ],
  "instructions": [
    {
      "execution_id": "numbers",
      "tool_definition_path": "/tools/range.tool",
      "arguments": {"count": "REF:arguments.items"}
    },
    {
      "execution_id": "sleep",
      "tool_definition_path": "/tools/sleep.tool",
      "arguments": {"duration": "REF:arguments.each"},
      "parallel_execution": {"iterate_over": "REF:numbers.items", "child_argument_name": "number", "max_concurrency": 8}
    },
    {
      "execution_id": "total",
      "tool_definition_path": "/tools/sum.tool",
      "arguments": {"values": "REF:sleep.response", "key": "slept_ms"}
    }
  ],
  "response_reference_map": {"items": "REF:total.count", "slept_ms": "REF:total.sum"}
}
