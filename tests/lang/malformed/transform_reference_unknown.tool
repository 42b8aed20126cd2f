--- expect: reference_unknown 6:49 step 'use': transform_arguments: 'a': 'REF:fecth.text': there is no step 'fecth'; did you mean 'fetch'?
--- expect: reference_unknown 6:88 step 'use': transform_arguments: 'x': 'REF:arguments.txt.length': the definition declares no argument 'txt'; did you mean 'text'?
--- expect: reference_unknown 7:13 step 'use': transform_arguments: 'y': 'REF:nobody.text': there is no step 'nobody'
--- expect: reference_unknown 8:13 step 'use': transform_arguments: 'z': 'REF:nobody.n': there is no step 'nobody'
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"variables": {"a": "REF:fecth.text"}, "transforms": {"x": "REF:arguments.txt.length",
       "y": "concat(REF:fetch.text, REF:nobody.text)",
       "z": "map([1], 'item + REF:nobody.n')"}}}]}
