// Whatever others have written, it is shown, and does nothing: 60 strings as values, labels, errors and log lines.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Coordinator, Page, core, launch } from './helpers.mjs';

const hostile = [
  '<script>window.pwned = 1</script>', '<img src=x onerror="window.pwned=1">', '"><svg onload=window.pwned=1>', "'-alert(1)-'", '</title><script>window.pwned=1</script>',
  'javascript:window.pwned=1', 'data:text/html,<script>window.pwned=1</script>', '<iframe srcdoc="<script>parent.pwned=1</script>">', '<a href="javascript:window.pwned=1">click</a>', '<style>*{display:none}</style>',
  '</style><script>window.pwned=1</script>', '<base href="https://example.com/">', '<meta http-equiv="refresh" content="0;url=https://example.com">', '<form action="https://example.com"><input name=x></form>', '<!--', '-->', '<![CDATA[', '{{constructor.constructor("window.pwned=1")()}}', '${window.pwned=1}', '`;window.pwned=1;`',
  '\u202Etxt.exe', '\u202Eabc\u202Dxyz\u202C', '\u2066\u2067\u2068\u2069', '\u200Fright\u200E', 'a\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309'.repeat(20), '\u200B\u200C\u200D\uFEFF', '\u00AD'.repeat(50), '\u2028line\u2029paragraph', '\uFFF9a\uFFFAb\uFFFB', '\u{E0041}\u{E0042}\u{E007F}',
  '\u0001\u0002\u0003\u0008', '\u001b[31mred\u001b[0m', '\u001b]0;title\u0007', '\r\n\r\nHTTP/1.1 200 OK', '\ttab\ttab', '\u007f\u0080\u009b', 'null\u0000byte', '\u0085next line',
  '%s%n%x%p', '../../../../etc/passwd', '..%2f..%2f', '#/chains?status=failed', '?a=b&c=d#e', '/ui/', '{"json": "inside"}', '[1,2,3]', 'true', 'null', '__proto__', 'constructor', 'toString', 'hasOwnProperty',
  '\u0627\u0644\u0639\u0631\u0628\u064a\u0629 and \u05e2\u05d1\u05e8\u05d9\u05ea', '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466}'.repeat(10), '\u4E2D\u6587'.repeat(200), 'W'.repeat(5000), 'no-spaces-'.repeat(2000), ' '.repeat(300) + 'end', "Robert'); DROP TABLE chains;--", '\ufdfd'.repeat(30),
];

let coordinator;
let browser;
before(async () => {
  [coordinator, browser] = await Promise.all([Coordinator.start(), launch()]);
});
after(async () => {
  await browser?.close();
  await coordinator?.stop();
});

/** Nothing ran, nothing was added to the page by a text, and nothing is wider than the window. */
async function isWhole(page, where) {
  const state = await page.page.evaluate(() => ({
    pwned: 'pwned' in window,
    strangers: [...document.querySelectorAll('main script, main iframe, main img, main style, main base, main meta, main form[action], main object, main embed, main link')].map((one) => one.outerHTML.slice(0, 100)),
    links: [...document.querySelectorAll('a[href]')].map((one) => one.getAttribute('href')).filter((link) => !link.startsWith('#')),
    handlers: [...document.querySelectorAll('*')].flatMap((one) => [...one.attributes].map((attribute) => attribute.name)).filter((name) => name.startsWith('on')),
    width: document.documentElement.scrollWidth,
    title: document.title,
    hash: location.hash,
  }));
  assert.equal(state.pwned, false, where);
  assert.deepEqual({ strangers: state.strangers, links: state.links, handlers: state.handlers }, { strangers: [], links: [], handlers: [] }, where);
  assert.ok(state.width <= 1280, `${where}: ${state.width} wide`);
  assert.match(state.title, /catena$/);
}

test('there are sixty of them', () => {
  assert.equal(hostile.length, 60);
  assert.equal(new Set(hostile).size, 60);
});

test('as values, labels, errors and log lines', async () => {
  const texts = hostile.map((text) => text.toWellFormed?.() ?? text);
  // labels have bounds of their own; what the coordinator takes is shown
  const labels = {};
  for (const [index, text] of texts.entries()) {
    const value = text.slice(0, 60);
    await coordinator.request('/v1/chains?validate_only=true', { method: 'POST', body: { name: 'math', arguments: { operation: 'add', a: 1, b: 1 }, labels: { [`l${index}`]: value } } }).then(
      () => (labels[`l${index}`] = value),
      () => undefined,
    );
  }
  const taken = Object.entries(labels);
  assert.ok(taken.length >= 5, `labels that the coordinator takes: ${taken.length}`);
  for (let at = 0; at < taken.length; at += 8)
    await coordinator.submit({ id: `labels-${at}`, name: 'math', arguments: { operation: 'add', a: 1, b: 1 }, labels: Object.fromEntries(taken.slice(at, at + 8)) }, 30);
  // names of definitions have bounds too; errors have none
  for (const [index, text] of texts.entries()) {
    const definition = { name: text.slice(0, 200), instructions: [{ execution_id: 'fail', tool_definition_path: core('fail'), arguments: { message: text } }] };
    await coordinator.submit({ id: `error-${index}`, definition }, 30).catch(() => coordinator.submit({ id: `error-${index}`, definition: { ...definition, name: undefined } }, 30));
  }
  await coordinator.chain(
    'values',
    [['say', 'print.tool', {}, { parallel_execution: { iterate_over: texts, child_argument_name: 'text', on_item_failure: 'null' } }]],
    { context: { hostile: texts[0] } },
    60,
  );
  const huge = 'A<b>\u202E'.repeat(175_000);
  await coordinator.submit({ id: 'huge', definition: { arguments: [{ name: 'text', type_name: 'string' }], instructions: [{ execution_id: 'one', tool_definition_path: core('math'), arguments: { operation: 'add', a: 1, b: 1 } }] }, arguments: { text: huge } }, 30);

  // what waits for a person, with hostile words for who, as an argument, and as names of arguments that may be edited
  for (const [index, text] of [texts[0], texts[20], texts[46], texts[57]].entries()) {
    const tool = { additional_arguments: true, system_event_endpoint: 'builtin:echo' };
    const approve = { who: text.slice(0, 40), schema: { type: 'object', properties: { [text.slice(0, 60)]: { type: 'string', description: text.slice(0, 200) } } } };
    await coordinator.submit({ id: `waits-${index}`, definition: { instructions: [{ execution_id: 'ask', tool_definition: tool, arguments: { [text.slice(0, 60)]: text.slice(0, 1000) }, approve }] } });
  }

  const page = await Page.open(browser, coordinator);
  await page.until(() => document.querySelectorAll('.table-row').length > 20);
  for (let top = 0; top < 70 * 34; top += 600) {
    await page.page.evaluate((to) => document.querySelector('.table').scrollTo(0, to), top);
    await page.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await isWhole(page, `the list at ${top}`);
  }
  await page.axe('the list of hostile strings');
  await page.check();

  // each error, in the head of its chain
  for (const index of [0, 1, 2, 20, 24, 30, 31, 36, 53, 55, 56, 57]) {
    await page.go(`#/chains/error-${index}/steps?step=fail`);
    await page.until((id) => document.querySelector('.chain-head')?.innerText.includes(id) && document.querySelector('.side-panel .error-box') !== null, `error-${index}`);
    await isWhole(page, `error-${index}`);
  }
  for (const tab of ['graph', 'timeline', 'why', 'events', 'data', 'definition']) {
    await page.go(`#/chains/error-1/${tab}`);
    await page.until((id) => document.querySelector(`#tab-${id}[aria-selected=true]`) !== null && document.querySelector('#chain-panel .loading, #chain-panel .graph-note') === null, tab);
    await isWhole(page, `error-1 ${tab}`);
  }
  await page.go('#/chains/values/logs');
  await page.until(() => document.querySelectorAll('.log .table-row').length > 10);
  let printed = '';
  for (let top = 0; top < 3000; top += 400) {
    await page.page.evaluate((to) => document.querySelector('.log .table').scrollTo(0, to), top);
    printed += await page.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.querySelector('.log .table-rows').innerText)))));
    await isWhole(page, `logs at ${top}`);
  }
  for (const text of ['<script>window.pwned = 1</script>', '<iframe srcdoc=', 'U+202E', 'U+001B']) assert.ok(printed.includes(text), `${text} in ${printed.slice(0, 2000)}`);
  await page.go('#/chains/values/steps?step=say');
  await page.until(() => document.querySelector('.side-panel') !== null);
  await isWhole(page, 'a fan-out of values');
  await page.go('#/chains/values/data');
  await page.until(() => document.querySelector('.json')?.innerText.length > 100 || document.querySelectorAll('.json').length > 0);
  await isWhole(page, 'values');
  await page.axe('values');

  await page.go('#/approvals');
  await page.until(() => document.querySelectorAll('.table-row').length === 4);
  await isWhole(page, 'the inbox');
  for (const index of [0, 1, 2, 3]) {
    await page.clickNamed(`Approve ask of waits-${index}`);
    await page.until(() => document.querySelector('dialog .argument') !== null && document.querySelector('dialog .would') !== null);
    await isWhole(page, `the approval ${index}`);
    await page.press('Escape');
    await page.untilGone('dialog[open]');
  }
  await page.go('#/compare/error-0/error-1');
  await page.untilText('steps', '.compare');
  await isWhole(page, 'two chains of hostile strings');
  await page.axe('two chains of hostile strings');

  await page.go('#/chains/huge/data');
  await page.until(() => document.querySelector('.json')?.innerText.includes('A<b>'));
  assert.ok(await page.page.evaluate(() => document.body.innerText.length < 60_000), 'a long text is cut');
  assert.ok(await page.page.evaluate(() => document.querySelectorAll('.strange').length > 10), 'what turns the direction is shown by its number');
  await isWhole(page, 'one megabyte');
  await page.close();
});
