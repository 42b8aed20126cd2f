{
  "name": "square",
  "description": "The square of a number.",
  "arguments": [
    {
      "name": "n",
      "type_name": "integer",
      "required": true
    }
  ],
  "responses": [
    {
      "name": "result",
      "type_name": "integer",
      "required": true
    }
  ],
  "system_event_endpoint": "serve:python3 square.py square",
  "files": [
    "catena.py",
    "square.py"
  ]
}
