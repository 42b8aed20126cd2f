// Strings that want to be more than text. Each sets `window.ran` where it runs.
export const hostile = [
  '<script>window.ran = 1</script>',
  '<img src=x onerror="window.ran = 1">',
  '"><svg onload="window.ran = 1">',
  "javascript:window.ran = 1",
  '</textarea><script>window.ran = 1</script>',
  '{{constructor.constructor("window.ran = 1")()}}',
  '\u202egnp.exe\u202c \u2066hidden\u2069',
  'a\u0000b\u0007c\u001b[31mred\u001b[0m',
  '__proto__',
  'x'.repeat(20_000),
  '\ud800 lone, \u200bzero\u200dwidth \ufeff',
].join(' ');
