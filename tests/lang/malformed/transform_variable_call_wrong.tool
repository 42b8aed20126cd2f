--- expect: argument_missing 6:49 step 'use': transform_arguments: 'a': 'array' is missing: join(array, separator="")
--- expect: variable_unknown 6:65 step 'use': transform_arguments: 'b': there is no variable 'nope'; there are no variables here
--- expect: argument_unknown 6:92 step 'use': transform_arguments: 'c': sum has no parameter 'x': sum(array, item_path=null)
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"variables": {"a": "join()", "b": ["first(nope)"], "c": {"d": "sum([1], x=1)"}}, "transforms": {"x": "a"}}}]}
