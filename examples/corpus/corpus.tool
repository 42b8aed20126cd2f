{
  "name": "corpus",
  "description": "Reads every text of a directory and reports what is in them",
  "arguments": [
    {"name": "directory", "type_name": "string", "description": "whose files are read", "default_value": "/usr/share/common-licenses"},
    {"name": "pattern", "type_name": "string", "description": "of the file names, as in a shell", "default_value": "*"},
    {"name": "show", "type_name": "integer", "description": "how many of the longest texts are shown", "default_value": 5}
  ],
  "responses": [
    {"name": "documents", "type_name": "integer", "required": true},
    {"name": "words_total", "type_name": "integer", "required": true},
    {"name": "longest", "type_name": "list", "description": "of the texts, the longest first", "required": true},
    {"name": "report", "type_name": "string", "required": true}
  ],
  "instructions": [
    {
      "execution_id": "list",
      "tool_definition_path": "/tools/list_files.tool",
      "arguments": {"directory": "REF:arguments.directory", "pattern": "REF:arguments.pattern"}
    },
    {
      "execution_id": "nothing_found",
      "description": "Runs only when there is nothing to read; skipped, its text is null",
      "tool_definition_path": "/tools/concat.tool",
      "conditions": [{"param": "REF:list.count", "operator": "equals", "value": 0}],
      "arguments": {"parts": ["no file matches ", "REF:arguments.pattern", " in ", "REF:arguments.directory"]}
    },
    {
      "execution_id": "count",
      "description": "One task a file, inside the worker",
      "tool_definition_path": "/tools/word_count.tool",
      "parallel_execution": {"iterate_over": "REF:list.files", "child_argument_name": "path"}
    },
    {
      "execution_id": "analyse",
      "description": "One process a file",
      "tool_definition_path": "/tools/analyse.tool",
      "parallel_execution": {"iterate_over": "REF:list.files", "child_argument_name": "path", "max_concurrency": 8},
      "retry": {"max_attempts": 3, "initial_interval": "200ms"}
    },
    {
      "execution_id": "total",
      "tool_definition_path": "/tools/sum.tool",
      "arguments": {"values": "REF:count.response", "key": "words"}
    },
    {
      "execution_id": "rank",
      "tool_definition_path": "/tools/top.tool",
      "arguments": {"items": "REF:analyse.response", "by": "words", "count": "REF:arguments.show"}
    },
    {
      "execution_id": "report",
      "tool_definition_path": "/tools/report.tool",
      "arguments": {
        "directory": "REF:arguments.directory",
        "documents": "REF:total.count",
        "words_total": "REF:total.sum",
        "longest": "REF:rank.items",
        "note": "REF:nothing_found.text"
      }
    }
  ],
  "response_reference_map": {
    "documents": "REF:total.count",
    "words_total": "REF:total.sum",
    "longest": "REF:rank.items",
    "report": "REF:report.report"
  }
}
