{
  "name": "halves",
  "description": "Halves numbers with a tool that does not bear odd ones: something to repair",
  "instructions": [
    {
      "execution_id": "each",
      "parallel_execution": {"iterate_over": [2, 3, 4, 6, 7, 8], "child_argument_name": "n", "on_item_failure": "null"},
      "tool_definition": {"arguments": [{"name": "n", "type_name": "integer"}], "system_event_endpoint": "exec:half.sh"}
    }
  ],
  "responses": [{"name": "second", "type_name": "object", "required": true}],
  "response_reference_map": {"second": "REF:each.response.1"}
}
