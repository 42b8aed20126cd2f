--- expect: field_type 1:18
--- document
{"instructions": {"execution_id": "a"}}
