--- expect: dependency_cycle 5:22 steps wait for each other, so none could start: use -> last -> use
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"transforms": {"x": "REF:last.n"}}},
    {"execution_id": "last", "tool_definition_path": "/tools/any.tool",
     "transform_responses": {"transforms": {"x": "REF:use.n"}}}]}
