// Definitions: looked for, run from a form, edited with the coordinator's own checker.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Coordinator, core, launch, Page } from './helpers.mjs';
import { hostile } from './hostile_strings.mjs';
import { startStub } from './stub.mjs';
import { definitionRoutes, fanOutRoutes } from './stub_routes.mjs';

let browser;
let stub;
let shelf;

before(async () => {
  browser = await launch();
  const made = definitionRoutes();
  shelf = made.shelf;
  stub = await startStub({ ...fanOutRoutes({ width: 10, failed: [] }), ...made.routes });
});
after(async () => {
  await browser?.close();
  await stub?.close();
});

const open = (path, options) => Page.open(browser, { page: (options?.stub ?? stub).base }, { path, ...options });
/** The editor stands in a shadow root. */
const editorText = (page) => page.page.evaluate(() => document.querySelector('.code-place')?.shadowRoot?.querySelector('.cm-content')?.innerText);
const editorReady = (page) => page.until(() => document.querySelector('.code-place')?.shadowRoot?.querySelector('.cm-line') != null);
const atEndOf = async (page, text) => {
  await page.page.evaluate(() => document.querySelector('.code-place').shadowRoot.querySelector('.cm-content').focus());
  await page.press('Control+End');
  await page.type(text);
};

test('definitions are found, opened and looked at by keys', async () => {
  const page = await open('#/chains');
  await page.press('g', 'd');
  await page.untilText('team/report', '[role=grid]');
  await page.axe('definitions');
  await page.press('/');
  await page.type('score');
  await page.until(() => document.querySelectorAll('.table-row').length === 1);
  await page.press('Escape');
  await page.go('#/definitions');
  await page.untilText('team/report', '[role=grid]');
  await page.go('#/definitions/team%2Freport');
  await page.until(() => document.querySelectorAll('.definition-picture rect').length === 3);
  await page.untilText('whose files are read');
  await page.axe('a definition');
  await page.clickNamed('v1', '.version-list').catch(async () => page.page.click('.version-list li:last-child button'));
  await page.until(() => location.hash.includes('version=v1'));
  await page.close();
});

test('the form has a field for each argument, tells what is wrong, and starts one chain', async () => {
  const page = await open('#/definitions/team%2Freport?tab=run');
  await page.until(() => document.querySelectorAll('.argument').length === 9);
  await page.axe('the form');
  await page.clickNamed('Run', '.run-foot');
  await page.untilText('This argument is required', '.run');
  const field = (name) => `.argument:nth-child(${['directory', 'show', 'threshold', 'deep', 'order', 'skip', 'options', 'template', 'extra'].indexOf(name) + 1})`;
  const fill = async (name, text) => {
    await page.click(`${field(name)} input, ${field(name)} textarea`);
    await page.type(text);
  };
  await fill('directory', '/srv/texts');
  await fill('show', 'many');
  await page.untilText('A whole number is wanted', field('show'));
  await page.axe('the form with errors');
  await page.clickNamed('Reset show');
  await fill('show', '12');
  await fill('threshold', '0.25');
  await page.page.select(`${field('deep')} select`, 'true');
  await page.page.select(`${field('order')} select`, '1');
  await fill('skip', '{');
  await page.untilText('This is no JSON', field('skip'));
  await page.clickNamed('Reset skip');
  await fill('skip', '["a", 1]');
  await fill('template', '/files/a.txt');
  await page.untilText('The coordinator would take this', '.run-foot');
  stub.asked.length = 0;
  await page.page.evaluate(() => {
    const form = document.querySelector('form.run');
    form.requestSubmit();
    form.requestSubmit();
  });
  await page.until(() => location.hash.startsWith('#/chains/made'));
  const sent = stub.asked.filter((one) => one.method === 'POST' && one.path === '/v1/chains' && one.query === '');
  assert.equal(new Set(sent.map((one) => one.headers['idempotency-key'])).size, 1);
  assert.deepEqual(sent[0].body, {
    name: 'team/report',
    arguments: { directory: '/srv/texts', show: 12, threshold: 0.25, deep: true, order: 'newest', skip: ['a', 1], template: '/files/a.txt' },
  });
  page.tolerate(/404|422/);
  await page.close();
});

test('the editor shows what the coordinator says, completes, saves, and tells of a conflict', async () => {
  const page = await open('#/definitions/team%2Freport?tab=edit');
  await editorReady(page);
  assert.match(await editorText(page), /"execution_id": "list"/);
  await page.untilText('finds nothing wrong', '.check');
  await page.axe('the editor');
  await atEndOf(page, 'BROKEN');
  await page.untilText('there is no step BROKEN', '.check');
  await page.until(() => document.querySelector('.code-place').shadowRoot.querySelector('.cm-lint-marker-error') !== null);
  assert.ok(await page.page.evaluate(() => [...document.querySelectorAll('button')].find((one) => one.innerText === 'Save').disabled), 'what is not valid is not saved');
  await page.axe('the editor with an error');
  await page.page.click('.check-line');
  for (let time = 0; time < 6; time++) await page.press('Delete');
  await page.untilText('finds nothing wrong', '.check');
  await page.type('REF:');
  await page.press('Control+Space');
  await page.until(() => document.querySelector('.code-place').shadowRoot.querySelector('.cm-tooltip-autocomplete')?.innerText.includes('REF:list.files'));
  await page.press('Escape');
  for (let time = 0; time < 4; time++) await page.press('Backspace');
  await page.type(' ');
  await page.untilText('finds nothing wrong', '.check');
  await page.press('Control+s');
  await page.until(() => document.querySelector('.editor-bar')?.innerText.includes('v4'));
  assert.equal(shelf.get('team/report').at(-1).version, 'v4');
  // somebody else saves, and the page does not write over it
  shelf.get('team/report').push({ version: 'v5', text: 'theirs', stored_at: '2026-11-25T10:00:00Z' });
  page.tolerate(/412/);
  await atEndOf(page, ' ');
  await page.untilText('finds nothing wrong', '.check');
  await page.press('Control+s');
  await page.untilText('Somebody else has saved', 'dialog');
  await page.untilText('theirs', 'dialog');
  await page.axe('a conflict');
  assert.equal(shelf.get('team/report').at(-1).text, 'theirs');
  await page.clickNamed('Save mine over v5', 'dialog');
  await page.untilGone('dialog[open]');
  assert.equal(shelf.get('team/report').at(-1).version, 'v6');
  await page.clickNamed('Tests', '.editor-bar');
  await page.clickNamed('Run the tests');
  await page.untilText('counts words', '.test-rows');
  await page.untilText('/words: expected 0, got 1', '.test-rows');
  await page.axe('tests');
  await page.close();
});

test('the editor offers stored definitions among the tools', async () => {
  const coordinator = await Coordinator.start();
  try {
    const stored = { instructions: [{ execution_id: 'one', tool_definition_path: core('math'), arguments: { operation: 'add', a: 1, b: 2 } }] };
    await coordinator.request('/v1/definitions/team%2Fsums', { method: 'PUT', body: { definition: stored } });
    const text = 'instructions:\n  - execution_id: call\n    tool_definition_path: /tools/core/math.tool\n    arguments: {operation: add, a: 1, b: 2}\n';
    await coordinator.request('/v1/definitions/team%2Fcalls', { method: 'PUT', body: { text } });
    const page = await Page.open(browser, coordinator, { path: '#/definitions/team%2Fcalls?tab=edit' });
    await editorReady(page);
    // letters and digits that are keys of the page elsewhere are text here
    await atEndOf(page, '  - {execution_id: guide123, ');
    assert.match(await editorText(page), /execution_id: guide123/);
    await page.type('tool_definition_path: /te');
    await page.press('Control+Space');
    await page.until(() => document.querySelector('.code-place').shadowRoot.querySelector('.cm-tooltip-autocomplete')?.innerText.includes('/team/sums'));
    const option = await page.page.evaluateHandle(() => [...document.querySelector('.code-place').shadowRoot.querySelectorAll('.cm-tooltip-autocomplete li')].find((one) => one.innerText.includes('/team/sums')));
    await option.click();
    await page.until(() => document.querySelector('.code-place').shadowRoot.querySelector('.cm-content').innerText.includes('tool_definition_path: /team/sums'));
    await page.untilText('finds nothing wrong', '.check');
    await page.close();
  } finally {
    await coordinator.stop();
  }
});

test('a new definition is written, and one is removed with a reason', async () => {
  const page = await open('#/definitions?new=1');
  await editorReady(page);
  await page.axe('a new definition');
  await page.click('.editor-bar input');
  await page.type('team/new');
  await atEndOf(page, ' ');
  await page.untilText('finds nothing wrong', '.check');
  await page.clickNamed('Save', '.editor-bar');
  await page.until(() => location.hash === '#/definitions/team%2Fnew');
  assert.equal(stub.asked.find((one) => one.method === 'PUT' && one.path.endsWith('team%2Fnew')).headers['if-none-match'], '*');
  await page.untilText('v1', '.view-head');
  await page.press('Delete');
  await page.click('dialog input[type=text]');
  await page.type('not wanted');
  await page.press('Enter');
  await page.until(() => location.hash === '#/definitions');
  assert.ok(!shelf.has('team/new'));
  await page.close();
});

test('strings that want to run are text, in the dark and on a narrow screen', async () => {
  const wicked = await startStub({ ...fanOutRoutes({ width: 10, failed: [] }), ...definitionRoutes({ hostile }).routes });
  const page = await open('#/definitions', { stub: wicked, theme: 'dark' });
  await page.untilText('team/report', '[role=grid]');
  await page.go('#/definitions/team%2Freport');
  await page.untilText('Arguments');
  await page.axe('a definition, dark');
  await page.go('#/definitions/team%2Freport?tab=run');
  await page.until(() => document.querySelectorAll('.argument').length === 9);
  await page.axe('the form, dark');
  await page.go('#/definitions/team%2Freport?tab=edit');
  await editorReady(page);
  await atEndOf(page, 'BROKEN');
  await page.until(() => document.querySelectorAll('.check-line').length === 1);
  await page.axe('the editor, dark');
  await page.page.setViewport({ width: 420, height: 800 });
  await page.axe('the editor, narrow');
  assert.ok(await page.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than the screen');
  assert.equal(await page.page.evaluate(() => window.ran), undefined);
  await page.close();
  await wicked.close();
});
