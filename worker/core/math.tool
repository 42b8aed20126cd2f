{
  "name": "math",
  "description": "Calculates: one operation over numbers, or an expression over variables. Integers stay integers; a result that does not fit in 64 bits is an error.",
  "effect": "pure",
  "arguments": [
    {"name": "operation", "type_name": "string", "description": "What to do with a and b, or with values. subtract, divide: the first number by all others in turn. round, floor, ceil, abs, negate, sqrt take one number. average of integers is an integer where it is exact.",
     "enum": ["add", "subtract", "multiply", "divide", "modulo", "power", "min", "max", "sum", "average", "round", "floor", "ceil", "abs", "negate", "sqrt"]},
    {"name": "a", "type_name": "number", "description": "The first number."},
    {"name": "b", "type_name": "number", "description": "The second number."},
    {"name": "values", "type_name": "list", "description": "Numbers, instead of a and b."},
    {"name": "digits", "type_name": "integer", "description": "Of round: how many digits behind the point stay, 0 to 15.", "default_value": 0},
    {"name": "expression", "type_name": "string", "description": "Instead of an operation: an expression as in transforms, for example \"round(price * (1 + tax), 2)\"."},
    {"name": "variables", "type_name": "object", "description": "What names in the expression mean."}
  ],
  "responses": [
    {"name": "result", "type_name": "any", "description": "A number; of an expression whatever it gives.", "required": true}
  ],
  "system_event_endpoint": "builtin:math"
}
