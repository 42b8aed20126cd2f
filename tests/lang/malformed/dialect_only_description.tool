--- expect: dialect_unknown 1:1
--- document
{"description": "nothing to do"}
