--- expect: field_missing 3:3 implementation needs 'composite': an object with 'steps'
--- document
name: c
implementation:
  type: composite
