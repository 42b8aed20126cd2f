--- expect: dialect_unknown 1:1
--- document
{"instruction": [], "arguments": []}
