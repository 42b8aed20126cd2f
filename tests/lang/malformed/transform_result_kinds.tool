--- expect: field_type 7:13 step 'use': transform_arguments: 'a' must be an expression in a string, not a number; a constant is an expression too
--- expect: field_type 8:13 step 'use': transform_arguments: 'b' must be an expression in a string, not a list; a list or an object is a variable, or is written in the expression
--- expect: field_type 9:13 step 'use': transform_arguments: 'c' must be an expression in a string, not an object; a list or an object is a variable, or is written in the expression
--- expect: field_type 10:13 step 'use': transform_arguments: 'e' must be an expression in a string, not null; a constant is an expression too
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"transforms": {
       "a": 1,
       "b": [1],
       "c": {"d": "1"},
       "e": null}}}]}
