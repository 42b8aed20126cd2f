{
  "name": "render_template",
  "description": "Makes a text from a template in the manner of Jinja: {{ expr }}, {% if %}, {% for %}, {% set %}, {# comments #}, {% raw %}. Expressions and their pipes are those of transforms.",
  "effect": "idempotent",
  "arguments": [
    {"name": "template", "type_name": "string", "description": "The template itself."},
    {"name": "template_path", "type_name": "file", "description": "Instead of template: the path of a file in the file store that holds it."},
    {"name": "variables", "type_name": "object", "description": "What names in the template mean. A name that is not there is an error that tells the place and the names there are."}
  ],
  "responses": [
    {"name": "text", "type_name": "string", "description": "The rendered text, at most 16 MiB.", "required": true}
  ],
  "system_event_endpoint": "builtin:render_template"
}
