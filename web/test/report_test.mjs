// A report: the page and what it shows in one file, from file://, under a policy of its own. It asks for nothing and changes nothing.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launch, Page } from './helpers.mjs';
import { hostile } from './hostile_strings.mjs';
import { runsOf, scattered } from './stub.mjs';

const template = readFileSync(fileURLToPath(new URL('../dist/report.html', import.meta.url)), 'utf8');
let browser;
let folder;

before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), 'catena-report-'));
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const failed = scattered(2000, 25);
const chain = {
  chain_id: 'nightly/score',
  name: 'score-all',
  status: 'failed',
  started_at: '2026-11-25T01:00:00Z',
  finished_at: '2026-11-25T01:02:00Z',
  labels: { team: hostile },
  error: { code: 'step_failed', message: hostile, retryable: false },
  steps: [
    { id: 'list', status: 'completed', visit: 1, entered_at: '2026-11-25T01:00:00Z', settled_at: '2026-11-25T01:00:01Z' },
    { id: 'score', status: 'failed', visit: 1, entered_at: '2026-11-25T01:00:01Z', settled_at: '2026-11-25T01:02:00Z', items: { total: 2000, ok: 1975, failed: 25 }, error: { code: 'items_failed', message: '25 items failed', retryable: false } },
  ],
};
const path = '/v1/chains/nightly%2Fscore';
const answers = {
  [path]: chain,
  [`${path}/steps`]: { steps: chain.steps },
  [`${path}/graph`]: { nodes: [{ id: 'list', label: 'list', kind: 'step', calls: 'list_files' }, { id: 'score', label: hostile.slice(0, 60), kind: 'fan_out', calls: 'score' }], edges: [{ from: 'list', to: 'score', kind: 'after' }] },
  [`${path}/timeline`]: {
    started_at: chain.started_at,
    now: chain.finished_at,
    finished_at: chain.finished_at,
    rows: [{ step: 'list', visit: 1, from: '2026-11-25T01:00:00Z', to: '2026-11-25T01:00:01Z', bars: [{ kind: 'running', attempt: 1, worker: 'w', from: '2026-11-25T01:00:00Z', to: '2026-11-25T01:00:01Z', outcome: 'succeeded' }] }, { step: 'score', visit: 1, from: '2026-11-25T01:00:01Z', to: '2026-11-25T01:02:00Z', fan_out: true, items: 2000, failed: 25, bars: [{ kind: 'running', attempt: 1, from: '2026-11-25T01:00:01Z', to: '2026-11-25T01:02:00Z', outcome: 'failed' }] }],
    critical_path: [{ step: 'score', visit: 1, from: '2026-11-25T01:00:01Z', to: '2026-11-25T01:02:00Z' }],
  },
  [`${path}/definition`]: { root: 'score-all', definitions: [{ name: 'score-all', dialect: 'tool', hash: 'ab'.repeat(32), text: '{"instructions": []}' }] },
  [`${path}/children`]: { chains: [] },
  [`${path}/history?limit=200`]: { events: [{ seq: 1, time: chain.started_at, text: hostile.slice(0, 300) }] },
  [`${path}/explain`]: { status: 'failed', reasons: [] },
  [`${path}/clusters`]: { clusters: [], others: 0 },
  [`${path}/arguments`]: { directory: hostile.slice(0, 500) },
  [`${path}/response`]: null,
  [`${path}/logs`]: { rows: [{ number: 1, step: 'list', visit: 1, attempt: 1, stream: 'stderr', time: chain.started_at, offset: 0, text: hostile.slice(0, 900) }], next: 2, more: false, dropped_bytes: 0 },
  [`${path}/steps/score/items:states`]: { visit: 1, width: 2000, runs: runsOf(2000, failed) },
  [`${path}/steps/score/items:slowest?count=20`]: { complete: true, items: [{ index: 7, status: 'succeeded', attempts: 1, took_ms: 900, worker: 'w' }] },
  [`${path}/steps/score/items:workers`]: { complete: true, workers: [{ worker: 'w', items: 2000, failed: 25, took_ms_total: 90000 }] },
  [`${path}/steps/score/clusters`]: { clusters: [{ kind: 'a', count: 25, first: failed[0], error: { code: 'timeout', message: hostile.slice(0, 200), retryable: true }, sample: failed.slice(0, 5), items: failed.map((item) => [item, 1]) }], others: 0 },
};

function write(name) {
  const held = JSON.stringify({ title: 'nightly/score', made_at: '2026-11-25T02:00:00Z', version: '0.1.0', chain_id: 'nightly/score', answers }).replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  assert.equal(template.split('__CATENA_REPORT__').length, 2);
  const file = join(folder, name);
  writeFileSync(file, template.replace('__CATENA_REPORT__', () => held));
  return pathToFileURL(file).href;
}

for (const theme of ['light', 'dark']) {
  test(`each tab of a report, from a file, ${theme}`, async () => {
    const context = await browser.createBrowserContext();
    const url = write(`${theme}.html`);
    const tab = await context.newPage();
    const made = new Page(tab, url);
    made.context = context;
    tab.on('console', (message) => ['error', 'warn'].includes(message.type()) && made.errors.push(`console: ${message.text()}`));
    tab.on('pageerror', (error) => made.errors.push(`page: ${error.stack ?? error}`));
    tab.on('request', (request) => {
      if (!request.url().startsWith('file:')) made.errors.push(`asked for ${request.url().slice(0, 100)}`);
    });
    await tab.evaluateOnNewDocument(() => {
      window.breaches = [];
      addEventListener('securitypolicyviolation', (event) => window.breaches.push(`${event.effectiveDirective} ${event.blockedURI}`));
    });
    await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
    await tab.goto(url);
    await made.untilText('It does not change', '.report-note');
    for (const name of ['Graph', 'Timeline', 'Items', 'Steps', 'Why', 'Events', 'Logs', 'Data', 'Children', 'Definition']) {
      await tab.evaluate((wanted) => [...document.querySelectorAll('[role=tab]')].find((one) => one.innerText.trim().startsWith(wanted)).click(), name);
      await made.until((wanted) => document.querySelector('[role=tab][aria-selected=true]')?.innerText.trim().startsWith(wanted) && !document.querySelector('#chain-panel .loading'), name);
      const acting = await tab.evaluate(() => [...document.querySelectorAll('button')].map((one) => one.innerText.trim()).filter((word) => /^(Cancel|Retry|Resume|Skip|Resolve|Remove)/.test(word)));
      assert.deepEqual(acting, [], `${name} has nothing that acts`);
      await made.axe(`${name}, ${theme}`);
    }
    await made.go('#/chains/nightly%2Fscore/items');
    await made.untilText('failed', '.items-legend');
    await made.press('n');
    await made.until((first) => document.querySelector('.item-panel h2')?.innerText.includes(first.toLocaleString('en-US')), failed[0]);
    assert.equal(await tab.evaluate(() => window.ran), undefined);
    await made.close();
  });
}
