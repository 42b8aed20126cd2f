--- expect: variable_unknown 7:74
--- expect: reference_unknown 8:17
--- expect: variable_unknown 8:46
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1], "child_argument_name": "n"},
     "transform_responses": {"variables": {"all": "REF:response", "one": "first(n)"}, "transforms": {
       "total": "REF:response.total", "sum": "sum(response)"}}}]}
