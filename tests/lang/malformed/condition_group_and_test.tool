--- expect: field_unknown 5:56
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"logic": "AND", "conditions": [], "param": 1}]}
  ]
}
