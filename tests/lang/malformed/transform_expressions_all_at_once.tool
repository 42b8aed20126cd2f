--- expect: expression_syntax 8:18
--- expect: function_unknown 9:18
--- expect: variable_unknown 10:18
--- expect: argument_missing 11:18
--- expect: argument_unknown 12:18
--- expect: argument_unknown 13:18
--- expect: pattern_invalid 14:18
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"variables": {"xs": [1]}, "transforms": {

       "syntax": "1 +",
       "nofunc": "jion(xs)",
       "novari": "xz",
       "missin": "join()",
       "keywor": "join(xs, seperator=',')",
       "toomny": "first(xs, 2)",
       "patter": "regex_match('a', '(')"}}}]}
