--- expect: expression_syntax 8:18 step 'use': transform_arguments: 'syntax': the expression ends where a value is expected
--- expect: function_unknown 9:18 step 'use': transform_arguments: 'nofunc': there is no function 'jion'; did you mean 'join'?
--- expect: variable_unknown 10:18 step 'use': transform_arguments: 'novari': there is no variable 'xz'; did you mean 'xs'?; there are: xs, syntax, nofunc
--- expect: argument_missing 11:18 step 'use': transform_arguments: 'missin': 'array' is missing: join(array, separator="")
--- expect: argument_unknown 12:18 step 'use': transform_arguments: 'keywor': join has no parameter 'seperator'; did you mean 'separator'?: join(array, separator="")
--- expect: argument_unknown 13:18 step 'use': transform_arguments: 'toomny': first takes no further argument: first(array)
--- expect: pattern_invalid 14:18 step 'use': transform_arguments: 'patter': the regular expression '(' cannot be read: missing ): (
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
