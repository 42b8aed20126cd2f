--- expect: reference_unknown 6:49
--- expect: reference_unknown 6:88
--- expect: reference_unknown 7:13
--- expect: reference_unknown 8:13
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"variables": {"a": "REF:fecth.text"}, "transforms": {"x": "REF:arguments.txt.length",
       "y": "concat(REF:fetch.text, REF:nobody.text)",
       "z": "map([1], 'item + REF:nobody.n')"}}}]}
