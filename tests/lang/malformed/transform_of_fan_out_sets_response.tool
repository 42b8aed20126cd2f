--- expect: id_reserved 7:57 step 'use': transform_responses: 'response' is the list of a fan-out's responses; results stand beside it, under keys of their own
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1], "child_argument_name": "n"},
     "transform_responses": {"transforms": {"response": "1"}}}]}
