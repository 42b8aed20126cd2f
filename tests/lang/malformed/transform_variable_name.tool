--- expect: id_invalid 6:44 step 'use': transform_arguments: no expression can name the variable 'my-name'; use letters, digits and '_', and no word of the language
--- expect: id_invalid 6:58 step 'use': transform_arguments: no expression can name the variable '2nd'; use letters, digits and '_', and no word of the language
--- expect: id_invalid 6:68 step 'use': transform_arguments: no expression can name the variable 'in'; use letters, digits and '_', and no word of the language
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"variables": {"my-name": 1, "2nd": 2, "in": 3}, "transforms": {"x": "1"}}}]}
