--- expect: dialect_unknown 1:1
--- document
[1, 2]
