--- expect: reference_unknown 6:25 step 'use': 'REF:arguments.report.nmae': 'report' is a file, which has no 'nmae'; a file has: path, full_path, file_name, parent_directory, file_path, added_on, owner, group, size, version_id, metadata
--- expect: reference_unknown 6:60 step 'use': 'REF:arguments.report.length': 'report' is a file, which has no 'length'; a file has: path, full_path, file_name, parent_directory, file_path, added_on, owner, group, size, version_id, metadata
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "arguments": {"a": "REF:arguments.report.nmae", "b": ["REF:arguments.report.length"], "c": "REF:arguments.report.metadata.x.y"}}]}
