--- expect: dependency_self 6:49 step 'use': transform_arguments: 'a': 'REF:use.text' refers to the step itself, whose result is not known yet
--- expect: dependency_self 7:50 step 'use': transform_responses: 'x': 'REF:use.n' refers to the step itself, whose result is not known yet; its response is REF:response here
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"variables": {"a": "REF:use.text"}, "transforms": {"x": "1"}},
     "transform_responses": {"transforms": {"x": "1 + REF:use.n"}}}]}
