--- expect: reference_unknown 7:45 step 'use': 'REF:xs.list': there is no step 'xs'
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"variables": {"xs": [1]}, "transforms": {"ys": "xs"}},
     "parallel_execution": {"iterate_over": "REF:xs.list", "child_argument_name": "n"}}]}
