--- expect: reference_unknown 6:49 step 'use': transform_arguments: 'a': 'REF:response': 'response' exists only inside transform_responses; name the step, REF:<execution_id>.response
--- expect: reference_unknown 6:86 step 'use': transform_arguments: 'x': 'REF:response.n': 'response' exists only inside transform_responses; name the step, REF:<execution_id>.response
--- expect: reference_unknown 7:25 step 'use': 'REF:response': 'response' exists only inside transform_responses; name the step, REF:<execution_id>.response
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"variables": {"a": "REF:response"}, "transforms": {"x": "REF:response.n"}},
     "arguments": {"b": "REF:response"}}]}
