--- expect: field_type 1:18 the definition: 'instructions' must be a list, not an object
--- document
{"instructions": {"execution_id": "a"}}
