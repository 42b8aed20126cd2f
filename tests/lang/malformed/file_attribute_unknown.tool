--- expect: reference_unknown 6:25
--- expect: reference_unknown 6:60
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "arguments": {"a": "REF:arguments.report.nmae", "b": ["REF:arguments.report.length"], "c": "REF:arguments.report.metadata.x.y"}}]}
