// The cluster: workers, what operators do to them, the audit log, webhooks.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, Page } from './helpers.mjs';
import { hostile } from './hostile_strings.mjs';
import { startStub } from './stub.mjs';
import { clusterRoutes } from './stub_routes.mjs';

let browser;
let stub;
let nodes;

before(async () => {
  browser = await launch();
  const made = clusterRoutes();
  nodes = made.nodes;
  stub = await startStub({ 'GET /v1/chains': () => [200, { chains: [] }], ...made.routes });
});
after(async () => {
  await browser?.close();
  await stub?.close();
});

const open = (path, options) => Page.open(browser, { page: (options?.stub ?? stub).base }, { path, ...options });

test('workers are seen, cordoned, drained and let in again, each with its reason', async () => {
  const page = await open('#/chains');
  await page.press('g', 'w');
  await page.untilText('worker-eu-1');
  await page.untilText('37', '.figures');
  await page.untilText('all of its slots are taken');
  await page.until(() => document.querySelectorAll('.spark-line').length === 3);
  await page.axe('workers');
  await page.page.click('.table-row[data-key="worker-eu-1"]');
  await page.untilText('10.0.0.7:7420', '.node-about');
  await page.press('c');
  await page.untilText('gets no new work', 'dialog');
  await page.axe('cordon');
  await page.type('new kernel');
  await page.press('Enter');
  await page.until(() => document.querySelector('.table-row[data-key="worker-eu-1"]')?.innerText.includes('cordoned'));
  const sent = stub.asked.find((one) => one.path === '/v1/nodes/worker-eu-1:cordon');
  assert.deepEqual(sent.body, { reason: 'new kernel' });
  assert.match(sent.headers['idempotency-key'], /^[0-9a-f]{32}$/);
  await page.clickNamed('Uncordon…', '.node-about');
  await page.clickNamed('Uncordon', 'dialog footer');
  await page.until(() => document.querySelector('.table-row[data-key="worker-eu-1"]')?.innerText.includes('open'));
  await page.press('d');
  await page.clickNamed('Drain', 'dialog footer');
  await page.until(() => document.querySelector('.table-row[data-key="worker-eu-1"]')?.innerText.includes('draining'));
  assert.equal(nodes[1].state, 'draining');
  await page.press('Escape');
  await page.untilGone('.node-about');
  await page.close();
});

test('the audit log and webhooks, by keys and by mouse', async () => {
  const page = await open('#/cluster');
  await page.untilText('worker-us-1');
  await page.press('2');
  await page.untilText('the shard is back', '[role=grid]');
  await page.axe('audit log');
  await page.press('3');
  await page.untilText('ops.example', '[role=grid]');
  await page.axe('webhooks');
  await page.clickNamed('Replay');
  await page.untilText('delivered once more', '.toasts');
  assert.equal(stub.asked.filter((one) => one.path === '/v1/webhooks/w1:replay').length, 1);
  await page.clickNamed('given up', '.chips');
  await page.until(() => location.hash.includes('state=given_up'));
  await page.close();
});

test('strings that want to run are text, in the dark and on a narrow screen', async () => {
  const wicked = await startStub(clusterRoutes({ hostile }).routes);
  const page = await open('#/cluster', { stub: wicked, theme: 'dark' });
  await page.untilText('worker-us-1');
  await page.axe('workers, dark');
  await page.page.setViewport({ width: 420, height: 800 });
  await page.axe('workers, narrow');
  for (const tab of ['audit', 'webhooks']) {
    await page.go(`#/cluster/${tab}`);
    await page.until(() => document.querySelectorAll('.table-row').length > 0);
    await page.axe(`${tab}, dark and narrow`);
    assert.ok(await page.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than the screen');
  }
  assert.equal(await page.page.evaluate(() => window.ran), undefined);
  await page.close();
  await wicked.close();
});
