--- expect: reference_unknown 9:25 step 'last': 'REF:use.totl': step 'use' is a fan-out, its results are the list REF:use.response; did you mean 'total'?; it has: total, response, status, error, error_message
--- expect: reference_unknown 10:57 response_reference_map: 'REF:use.sum': step 'use' is a fan-out, its results are the list REF:use.response; it has: total, response, status, error, error_message
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1], "child_argument_name": "n"},
     "transform_responses": {"transforms": {"total": "1"}}},
    {"execution_id": "last", "tool_definition_path": "/tools/any.tool",
     "arguments": {"n": "REF:use.totl", "ok": "REF:use.total"}}],
  "response_reference_map": {"t": "REF:use.total", "u": "REF:use.sum"}}
