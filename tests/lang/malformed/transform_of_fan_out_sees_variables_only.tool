--- expect: variable_unknown 7:74 step 'use': transform_responses: 'one': there is no variable 'n'; there are no variables here
--- expect: reference_unknown 8:17 step 'use': transform_responses: 'total': 'REF:response.total': of a fan-out, REF:response is the list of responses, which has length, first, last and indices from 0
--- expect: variable_unknown 8:46 step 'use': transform_responses: 'sum': there is no variable 'response'; there are: all, one, total
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "parallel_execution": {"iterate_over": [1], "child_argument_name": "n"},
     "transform_responses": {"variables": {"all": "REF:response", "one": "first(n)"}, "transforms": {
       "total": "REF:response.total", "sum": "sum(response)"}}}]}
