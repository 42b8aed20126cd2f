--- expect: program case: takes (topic:string!, size:integer=3, notes:file, more), gives (draft:string!, more)
--- expect: step write: after [], calls tool writer (builtin:echo []), ok settle, failed fail
--- expect:   bind {length: <input.size>, topic: <input.topic>}
--- expect: step check: after [0], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {draft: <step0.response.draft>, from: <input.notes.file_name file>}
--- expect:   prepare sets n: `length(draft)`
--- expect: step inner: after [], calls tool inner (builtin:sleep []), ok settle, failed fail
--- expect:   bind {}
--- expect: outputs {draft: <step0.response.draft>}
--- document
{
  "description": "an agent that calls agents and tools, and one inline in the other dialect",
  "additional_arguments": true,
  "argument_definitions": [
    {"type": "string", "name": "topic", "description": "what about", "required": true},
    {"type_name": "integer", "name": "size", "default_value": 3},
    {"type": "file", "name": "notes"}],
  "response_definitions": [{"type": "string", "name": "draft", "required": true}],
  "instructions": [
    {"execution_id": "write", "agent_definition_path": "/agents/writer.agent",
     "arguments": {"length": "REF:arguments.size", "topic": "REF:arguments.topic"}},
    {"execution_id": "check", "agent_definition_path": "/tools/any.tool",
     "arguments": {"draft": "REF:write.response.draft", "from": "REF:arguments.notes.file_name"},
     "transform_arguments": {"transforms": {"n": "length(draft)"}}},
    {"execution_id": "inner", "agent_definition": {"arguments": [], "system_event_endpoint": "builtin:sleep"}}],
  "response_reference_map": {"draft": "REF:write.response.draft"}
}
