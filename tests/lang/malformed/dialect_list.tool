--- expect: dialect_unknown 1:1 a definition is an object, not a list
--- document
[1, 2]
