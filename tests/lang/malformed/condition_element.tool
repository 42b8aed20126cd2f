--- expect: field_type 5:21 step 'a': 'conditions' must be a list of objects; this element is a boolean
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [true]}
  ]
}
