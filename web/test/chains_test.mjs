// The list of chains.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Coordinator, Page, core, launch } from './helpers.mjs';
import { startStub } from './stub.mjs';
import { problem } from './stub_routes.mjs';

let coordinator;
let browser;
before(async () => {
  [coordinator, browser] = await Promise.all([Coordinator.start(), launch()]);
});
after(async () => {
  await browser?.close();
  await coordinator?.stop();
});

const add = (id, others = {}) => coordinator.chain(id, [['add', core('math'), { operation: 'add', a: 1, b: 2 }]], others, 30);
const rest = (id, others = {}) => coordinator.chain(id, [['rest', core('wait'), { duration: '10m' }]], others);
const rowsOf = (page) => page.page.evaluate(() => [...document.querySelectorAll('.table-row')].map((row) => row.dataset.key));
const audit = async (subject) => (await coordinator.get(`/v1/audit?subject=${subject}`)).entries;

describe('the list', () => {
  test('shows what there is, and new chains and their ends as they are written', async () => {
    await add('first', { labels: { team: 'a' } });
    const page = await Page.open(browser, coordinator);
    await page.until(() => document.querySelector('[data-key=first]')?.innerText.includes('succeeded'));
    await page.untilText('Live', '.live');
    const gate = coordinator.gate('list-gate');
    await coordinator.chain('second', [['wait', 'gate.tool', { file: gate.file }]]);
    await page.until(() => document.querySelector('[data-key=second]')?.innerText.includes('running'));
    gate.open();
    await page.until(() => document.querySelector('[data-key=second]')?.innerText.includes('succeeded'));
    assert.deepEqual(await rowsOf(page), ['second', 'first'], 'the newest stands first');
    await page.until(() => document.querySelector('[data-key=second]')?.innerText.includes('1/1'));
    await page.axe('chains, light');
    await page.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await page.axe('chains, dark');
    await page.close();
  });

  test('has its filters in the address, and Back leaves them', async () => {
    await coordinator.chain('broken', [['fail', core('fail'), { message: 'no' }]], { labels: { team: 'b' } }, 30);
    const page = await Page.open(browser, coordinator, { path: '#/chains?status=failed' });
    await page.until(() => document.querySelectorAll('.table-row').length === 1 && document.querySelector('[data-key=broken]'));
    assert.equal(await page.page.evaluate(() => document.querySelector('.chip[aria-pressed=true]').innerText.trim()), 'failed');
    await page.clickNamed('failed', '.chips');
    await page.until(() => document.querySelectorAll('.table-row').length > 1);
    await page.press('l');
    await page.type('team=b');
    await page.press('Enter');
    await page.until(() => location.hash === '#/chains?label=team%3Db' && document.querySelectorAll('.table-row').length === 1);
    await page.page.reload();
    await page.until(() => document.querySelectorAll('.table-row').length === 1 && document.getElementById('filter-label').value === 'team=b');
    await page.clickNamed('Clear', '.filters');
    await page.until(() => location.hash === '#/chains' && document.querySelectorAll('.table-row').length > 1);
    await page.press('/');
    await page.type('nothing-has-this-name');
    await page.untilText('No chain fits these filters');
    await page.close();
  });

  test('keeps views in the browser', async () => {
    const page = await Page.open(browser, coordinator, { path: '#/chains?status=failed' });
    await page.untilText('broken');
    await page.press('Escape', 'Shift+S');
    await page.type('Mine');
    await page.press('Enter');
    await page.untilText('Mine', '.saved');
    await page.go('#/chains');
    await page.page.reload();
    await page.clickNamed('Mine', '.saved');
    await page.until(() => location.hash === '#/chains?status=failed' && document.querySelector('.saved [aria-current]').innerText === 'Mine');
    await page.clickNamed('Saved views');
    await page.clickNamed('Forget “Mine”', '[role=menu]');
    await page.until(() => !document.querySelector('.saved').innerText.includes('Mine'));
    await page.close();
  });

  test('acts on many by keys: cancel, with a reason that the audit log has', async () => {
    await rest('rest-1', { labels: { bulk: 'keys' } });
    await rest('rest-2', { labels: { bulk: 'keys' } });
    await add('ended', { labels: { bulk: 'keys' } });
    const page = await Page.open(browser, coordinator, { path: '#/chains?label=bulk%3Dkeys' });
    await page.until(() => document.querySelectorAll('.table-row').length === 3);
    await page.press('j', 'x', 'j', 'x', 'j', 'x');
    await page.untilText('3 chains selected', '.bulk');
    await page.press('c');
    await page.untilText('Cancel 2 chains', 'dialog');
    await page.axe('the dialog of many');
    await page.type('enough of them');
    await page.press('Enter');
    await page.until(() => ['rest-1', 'rest-2'].every((id) => document.querySelector(`[data-key=${id}]`)?.innerText.includes('cancelled')));
    for (const id of ['rest-1', 'rest-2']) {
      const entries = await audit(id);
      assert.deepEqual(entries.map(({ act, reason }) => ({ act, reason })), [{ act: 'cancel', reason: 'enough of them' }]);
      assert.equal((await coordinator.chainOf(id)).status, 'cancelled');
    }
    await page.close();
  });

  test('acts on many by mouse: remove', async () => {
    const page = await Page.open(browser, coordinator, { path: '#/chains?label=bulk%3Dkeys' });
    await page.until(() => document.querySelectorAll('.table-row').length === 3);
    await page.click('.table-head input[type=checkbox]');
    await page.clickNamed('Remove', '.bulk');
    await page.clickNamed('Remove 3 chains', 'dialog footer');
    await page.untilText('No chain fits these filters');
    assert.equal((await coordinator.get('/v1/chains?label=bulk=keys')).chains.length, 0);
    await page.close();
  });

  test('says for each chain what was refused', async () => {
    await add('gone-1', { labels: { bulk: 'gone' } });
    await add('gone-2', { labels: { bulk: 'gone' } });
    const page = await Page.open(browser, coordinator, { path: '#/chains?label=bulk%3Dgone' });
    page.tolerate(/404/);
    await page.until(() => document.querySelectorAll('.table-row').length === 2);
    await page.click('.table-head input[type=checkbox]');
    await page.clickNamed('Remove', '.bulk');
    await page.untilText('Remove 2 chains', 'dialog');
    await coordinator.request('/v1/chains/gone-1', { method: 'DELETE' });
    await page.clickNamed('Remove 2 chains', 'dialog footer');
    await page.untilText('1 chain of 2 did not do what was asked', 'dialog');
    await page.untilText('gone-1', 'dialog [role=alert]');
    await page.clickNamed('Close', 'dialog footer');
    await page.untilText('No chain fits these filters');
    await page.close();
  });

  test('holds a long list in few elements, and reads on as it is scrolled', async () => {
    const lines = Array.from({ length: 450 }, (_, index) => JSON.stringify({ id: `many-${index}`, name: 'math', arguments: { operation: 'add', a: index, b: 1 }, labels: { many: 'yes' } })).join('\n');
    const answer = await fetch(`${coordinator.url}/v1/chains:batch`, { method: 'POST', headers: { 'content-type': 'application/x-ndjson' }, body: lines });
    assert.equal(answer.status, 200);
    await answer.text();
    const page = await Page.open(browser, coordinator, { path: '#/chains?label=many%3Dyes' });
    await page.until(() => document.querySelectorAll('.table-row').length > 10);
    // to the end, which moves on as long as there is more
    const most = await page.until(() => {
      const table = document.querySelector('.table');
      table.scrollTo(0, 1e9);
      window.mostRows = Math.max(window.mostRows ?? 0, document.querySelectorAll('.table-row').length);
      return table.getAttribute('aria-rowcount') === '451' && window.mostRows;
    });
    assert.ok(most < 60, `${most} rows in the document`);
    // which are the last: many begin in the same millisecond, and those are in the order of their ids
    const { chains } = await coordinator.get('/v1/chains?label=many%3Dyes&limit=1000');
    const [near, last] = [chains.at(-4).chain_id, chains.at(-1).chain_id];
    await page.until((id) => {
      document.querySelector('.table').scrollTo(0, 1e9);
      return document.querySelector(`[data-key=${id}]`) !== null;
    }, last);
    // what comes above does not move what is looked at
    const before = await page.page.evaluate((id) => document.querySelector(`[data-key=${id}]`).getBoundingClientRect().top, near);
    await add('many-new', { labels: { many: 'yes' } });
    await page.until(() => document.querySelector('.table').getAttribute('aria-rowcount') === '452');
    await page.until((id, top) => Math.abs(document.querySelector(`[data-key=${id}]`).getBoundingClientRect().top - top) < 2, near, before);
    await page.close();
  });

  test('reads on behind pages without a row, and behind one that failed, while nobody scrolls', async () => {
    const row = (id) => ({ chain_id: id, name: 'rare', status: 'succeeded', started_at: '2026-11-25T01:00:00Z', finished_at: '2026-11-25T01:00:01Z', duration_ms: 1000, steps: { settled: 1, total: 1 } });
    const pages = { first: [[], 'a'], a: [[], 'b'], b: [[row('rare-1')], 'c'], c: [[], 'd'], d: [[row('rare-2')], undefined] };
    let failures = 2;
    let release;
    const released = new Promise((done) => (release = done));
    const stub = await startStub({
      'GET /v1/chains': async ({ query }) => {
        const at = query.get('cursor') ?? 'first';
        if (at === 'slow') return released.then(() => [200, { chains: [] }]);
        if (query.get('name') === 'slow') return [200, { chains: [row('slow-1')], cursor: 'slow' }];
        if (at === 'd' && failures-- > 0) return problem(503, 'overloaded', 'ask again', { retryable: true, source: 'server' });
        const [chains, cursor] = pages[at];
        return [200, { chains, cursor }];
      },
    });
    try {
      const page = await Page.open(browser, { page: stub.base }, { path: '#/chains?name=rare' });
      page.tolerate(/503/);
      await page.until(() => document.querySelector('[data-key=rare-2]') !== null && document.querySelector('.problem') === null);
      assert.deepEqual(await rowsOf(page), ['rare-1', 'rare-2']);
      // left while it reads on: it stops
      page.tolerate(/404/);
      const reads = (cursor) => stub.asked.filter(({ query }) => query.includes(`cursor=${cursor}`)).length;
      await page.go('#/chains?name=slow');
      for (let asked = 0; asked === 0; asked = reads('slow')) await page.until(() => document.querySelector('[data-key=slow-1]') !== null);
      await page.go('#/cluster');
      await page.until(() => document.querySelector('h1')?.innerText === 'Cluster');
      await page.close();
      assert.equal(reads('slow'), 1);
    } finally {
      release();
      await stub.close();
    }
  });
});

test('the palette finds chains and commands', async () => {
  const page = await Page.open(browser, coordinator, { path: '#/chains?label=team%3Da' });
  await page.untilText('first');
  await page.press('Control+k');
  await page.untilText('Keys', '.palette');
  await page.axe('the palette');
  await page.type('theme');
  await page.until(() => document.querySelector('.palette [aria-selected=true]').innerText.includes('Change the theme'));
  await page.press('Enter');
  await page.until(() => document.documentElement.dataset.theme === 'light' && !document.querySelector('.palette'));
  await page.press('Control+k');
  await page.type('first');
  await page.until(() => document.querySelector('.palette')?.innerText.includes('Open the chain first'));
  await page.press('Enter');
  await page.until(() => location.hash.startsWith('#/chains/first'));
  await page.untilText('succeeded', '.chain-head');
  await page.close();
});

test('the list of keys has what the view adds, and narrow screens lose nothing', async () => {
  const page = await Page.open(browser, coordinator, { path: '#/chains?label=team%3Da' });
  await page.untilText('first');
  await page.press('?');
  await page.untilText('Filter by label', 'dialog');
  await page.axe('the list of keys');
  await page.press('Escape');
  await page.untilGone('dialog[open]');
  await page.page.setViewport({ width: 360, height: 640 });
  await page.until(() => document.documentElement.scrollWidth <= 360);
  await page.clickNamed('Menu');
  await page.until(() => document.querySelector('.side nav').getClientRects().length > 0);
  await page.axe('narrow');
  await page.close();
});

test('without an answer of the coordinator the page says so', async () => {
  const page = await Page.open(browser, coordinator, { path: '#/chains?since=nonsense' });
  page.tolerate(/400/);
  await page.until(() => document.querySelector('.problem')?.innerText.includes('since'));
  await page.axe('a problem');
  await page.close();
});
