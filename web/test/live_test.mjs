// What the page shows is what is: over one connection for all tabs, and over the end and the return of the coordinator.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { Coordinator, Page, catena, core, launch, patience } from './helpers.mjs';

let coordinator;
let browser;
before(async () => {
  [coordinator, browser] = await Promise.all([Coordinator.start({ env: { CATENA_HTTP__OPEN_REQUESTS: '500' } }), launch()]);
});
after(async () => {
  await browser?.close();
  await coordinator?.stop();
});

const add = (id) => coordinator.chain(id, [['add', core('math'), { operation: 'add', a: 1, b: 2 }]], {}, 30);
const isLive = () => document.querySelector('.live-live') !== null;

/** Requests that the coordinator is answering, but for the one that asks: the streams, when nothing else is asked. */
const streams = async () => (await coordinator.get('/v1/limits')).open_requests.now - 1;

const withoutSharedWorker = () => void delete window.SharedWorker;

/** The coordinator notices at its second write that nobody reads a stream; where it has nothing to tell, it writes each 15 s. */
async function untilStreams(wanted) {
  const longest = Date.now() + 2 * patience;
  for (;;) {
    const now = await streams();
    if (now === wanted || Date.now() > longest) return now;
    await new Promise((done) => setTimeout(done, 50));
  }
}

describe('the feed', () => {
  test('is one stream for ten tabs, and ends with the last of them', async () => {
    await add('before');
    const context = await browser.createBrowserContext();
    const pages = [];
    for (let tab = 0; tab < 10; tab++) pages.push(await Page.inContext(context, coordinator, { width: 800, height: 500 }));
    for (const page of pages) await page.until(isLive);
    assert.equal(await untilStreams(1), 1);
    await add('for-all');
    for (const page of pages) await page.until(() => document.querySelector('[data-key=for-all]')?.innerText.includes('succeeded'));
    assert.equal(await untilStreams(1), 1);
    for (const page of pages) await page.check();
    await context.close();
    await add('unheard'); // a stream that nobody reads is noticed when something is written to it
    assert.equal(await untilStreams(0), 0);
  });

  test('without SharedWorker one tab reads for the others, and another takes over when it is closed', async () => {
    const context = await browser.createBrowserContext();
    const first = await Page.inContext(context, coordinator, { before: withoutSharedWorker });
    await first.until(isLive);
    const second = await Page.inContext(context, coordinator, { before: withoutSharedWorker });
    await second.until(isLive);
    assert.equal(await untilStreams(1), 1);
    await add('led');
    await second.until(() => document.querySelector('[data-key=led]')?.innerText.includes('succeeded'));
    await first.check();
    await first.page.close();
    await second.until(isLive);
    await add('led-on');
    await second.until(() => document.querySelector('[data-key=led-on]')?.innerText.includes('succeeded'));
    assert.equal(await untilStreams(1), 1);
    await second.check();
    await context.close();
  });

  test('is taken up again behind kill -9 and a new start: the page equals GET, without being loaded anew', async () => {
    const gate = coordinator.gate('restart');
    await coordinator.chain('over', [['wait', 'gate.tool', { file: gate.file }], ['then', core('math'), { operation: 'add', a: 1, b: 2 }, { dependencies: ['wait'] }]]);
    const page = await Page.open(browser, coordinator);
    const chain = await Page.open(browser, coordinator, { path: '#/chains/over/steps' });
    for (const one of [page, chain]) {
      one.tolerate(/ERR_|Failed to load resource/);
      await one.until(isLive);
      await one.page.evaluate(() => (window.sameDocument = true));
    }
    await page.until(() => document.querySelector('[data-key=over]')?.innerText.includes('running'));
    await chain.until(() => document.querySelector('[data-key=wait]')?.innerText.includes('running'));
    await coordinator.kill();
    await page.until(() => document.querySelector('.live-offline') !== null);
    await page.axe('offline');
    gate.open();
    await coordinator.begin();
    await coordinator.whenEnded('over');
    await add('behind');
    for (const one of [page, chain]) await one.until(isLive);
    const listed = (await coordinator.get('/v1/chains?limit=100')).chains;
    await page.until((wanted) => JSON.stringify([...document.querySelectorAll('.table-row')].map((row) => [row.dataset.key, row.querySelector('.status-word').innerText])) === JSON.stringify(wanted), listed.map((one) => [one.chain_id, one.status]));
    const { steps } = await coordinator.get('/v1/chains/over/steps');
    await chain.until((wanted) => JSON.stringify([...document.querySelectorAll('.table-row')].map((row) => [row.dataset.key, row.querySelector('.status-word').innerText])) === JSON.stringify(wanted), steps.map((one) => [one.id, one.status]));
    for (const one of [page, chain]) {
      assert.equal(await one.page.evaluate(() => window.sameDocument), true);
      await one.close();
    }
  });

  test('brings back a view that could not be loaded while the coordinator was gone', async () => {
    const page = await Page.open(browser, coordinator);
    page.tolerate(/ERR_|Failed to load resource/);
    await page.until(isLive);
    await page.untilText('behind');
    await coordinator.kill();
    await page.until(() => document.querySelector('.live-offline') !== null);
    await page.go('#/chains/behind/steps');
    await page.untilText('This view cannot be loaded');
    await coordinator.begin();
    await page.until(() => document.querySelector('[data-key=add]')?.innerText.includes('completed'));
    await page.close();
  });

  test('of another store at the same place is noticed', async () => {
    const page = await Page.open(browser, coordinator);
    page.tolerate(/ERR_|Failed to load resource/);
    await page.until(isLive);
    await page.untilText('behind');
    await coordinator.kill();
    await page.until(() => document.querySelector('.live-offline') !== null);
    const at = coordinator.arguments.indexOf('--data-dir') + 1;
    coordinator.arguments[at] += '-other';
    await coordinator.begin();
    await page.until(isLive);
    await page.untilText('No chains yet');
    await add('in-the-other');
    await page.until(() => document.querySelector('[data-key=in-the-other]')?.innerText.includes('succeeded'));
    await page.close();
  });
});

test('a coordinator that asks for tokens gets them: typed once, used by further tabs, forgotten when asked to', async () => {
  let token;
  const guarded = await Coordinator.start({
    env: { CATENA_HTTP__TOKENS: 'true' },
    prepare: (data) => (token = execFileSync(catena, ['token', 'create', '--role', 'operator', '--name', 'page', '--data-dir', data], { encoding: 'utf8' }).trim()),
  });
  try {
    const context = await browser.createBrowserContext();
    const page = await Page.inContext(context, guarded);
    page.tolerate(/401/);
    await page.untilText('asks for an access token', 'dialog');
    await page.axe('the token form');
    await page.type('wrong');
    await page.press('Enter');
    await page.untilText('refused the token', 'dialog');
    await page.type(token);
    await page.press('Enter');
    await page.untilText('No chains yet');
    await page.until(isLive);
    const second = await Page.inContext(context, guarded);
    second.tolerate(/401/);
    await second.untilText('No chains yet');
    await second.until(isLive);
    await second.press('Control+k');
    await second.type('forget the token');
    await second.press('Enter');
    await second.untilText('asks for an access token', 'dialog');
    await page.check();
    await second.check();
    await context.close();
  } finally {
    await guarded.stop();
  }
});
