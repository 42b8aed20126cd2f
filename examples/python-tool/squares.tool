{
  "name": "squares",
  "description": "The squares of some numbers, and their sum: the tool is a function in Python",
  "arguments": [{"name": "numbers", "type_name": "list", "default_value": [1, 2, 3, 4]}],
  "responses": [{"name": "squares", "type_name": "list", "required": true}, {"name": "sum", "type_name": "integer", "required": true}],
  "instructions": [
    {
      "execution_id": "each",
      "tool_definition_path": "square.tool",
      "parallel_execution": {"iterate_over": "REF:arguments.numbers", "child_argument_name": "n"},
      "transform_responses": {
        "variables": {"all": "REF:response"},
        "transforms": {"squares": "map(all, 'item.result')"}
      }
    },
    {
      "execution_id": "total",
      "tool_definition_path": "/tools/core/math.tool",
      "arguments": {"operation": "sum", "values": "REF:each.squares"}
    }
  ],
  "response_reference_map": {"squares": "REF:each.squares", "sum": "REF:total.result"}
}
