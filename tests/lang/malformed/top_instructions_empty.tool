--- expect: field_value 1:18 the definition: 'instructions' is empty: a composite needs at least one
--- document
{"instructions": []}
