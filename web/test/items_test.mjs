// The item map: a million items in one picture, by mouse and by keys.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Coordinator, launch, Page } from './helpers.mjs';
import { hostile } from './hostile_strings.mjs';
import { scattered, startStub } from './stub.mjs';
import { fanOutRoutes, itemsOf } from './stub_routes.mjs';

const width = 1_000_000;
const failed = scattered(width, 1000);
const map = '#/chains/wide/items?fan=score';
let browser;
let stub;

before(async () => {
  browser = await launch();
  stub = await startStub(fanOutRoutes({ width, failed }));
});
after(async () => {
  await browser?.close();
  await stub?.close();
});

const open = (options) => Page.open(browser, { page: (options?.stub ?? stub).base }, { path: map, ...options });
const drawn = (page) => page.until(() => document.querySelector('.map-canvas')?.width > 0 && /\d items/.test(document.querySelector('.items-bar')?.innerText ?? '') && document.querySelectorAll('.items-legend .chip').length > 0);
const itemOf = (page) => page.page.evaluate(() => Number(new URLSearchParams(location.hash.split('?')[1]).get('item')));
const focusMap = (page) => page.page.focus('.map-scroll');

test('a million items: a small answer, little memory, and soon painted', async (t) => {
  const bytes = JSON.stringify(fanOutRoutes({ width, failed })['GET /v1/chains/*/steps/*/items:states']({})[1]).length;
  assert.ok(bytes <= 64 * 1024, `the answer has ${bytes} bytes`);
  const context = await browser.createBrowserContext();
  const bare = await context.newPage();
  const paints = [];
  for (let time = 0; time < 3; time++) {
    await bare.goto(`${stub.base}/empty`);
    paints.push(await bare.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))));
  }
  await context.close();
  const page = await open();
  const times = [];
  for (let time = 0; time < 3; time++) {
    await page.page.evaluateOnNewDocument(() => {
      const look = () => {
        const canvas = document.querySelector('.map-canvas');
        if (canvas?.width > 0 && document.querySelectorAll('.items-legend .chip').length > 0) window.paintedAt ??= performance.now();
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    await page.page.reload();
    times.push(await page.until(() => window.paintedAt));
  }
  const [empty, million] = [Math.min(...paints), Math.min(...times)];
  t.diagnostic(`an empty page is painted after ${empty.toFixed(0)} ms, a million items after ${million.toFixed(0)} ms`);
  assert.ok(million / empty < 60, `${million} ms beside ${empty} ms`);
  const session = await page.page.createCDPSession();
  await session.send('HeapProfiler.collectGarbage');
  const { JSHeapUsedSize } = await page.page.metrics();
  t.diagnostic(`heap ${(JSHeapUsedSize / 2 ** 20).toFixed(1)} MiB`);
  assert.ok(JSHeapUsedSize < 80 * 2 ** 20);
  // what is drawn: pixels of the colour of failures, about as many cells as have one
  const red = await page.page.evaluate(() => {
    const canvas = document.querySelector('.map-canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let found = 0;
    for (let at = 0; at < data.length; at += 4) if (data[at] === 0xc0 && data[at + 1] === 0x18 && data[at + 2] === 0x30) found++;
    return found / 9;
  });
  assert.ok(red > 900 && red <= 1000, `${red} cells are drawn as failed`);
  await page.close();
});

test('every failed item is reached by n, p goes back, f shows them alone, v as rows', async () => {
  const page = await open();
  await drawn(page);
  const walk = (key, times) =>
    page.page.evaluate(
      async (pressed, wanted) => {
        const found = [];
        const itemNow = () => new URLSearchParams(location.hash.split('?')[1]).get('item');
        for (let time = 0; time < wanted; time++) {
          const before = itemNow();
          document.body.dispatchEvent(new KeyboardEvent('keydown', { key: pressed, bubbles: true, cancelable: true }));
          while (itemNow() === before) await new Promise((done) => setTimeout(done, 0));
          found.push(Number(itemNow()));
          await new Promise((done) => setTimeout(done, 0));
        }
        return found;
      },
      key,
      times,
    );
  // from the first on, and from the last back: each step is like the next
  assert.deepEqual(await walk('n', 150), failed.slice(0, 150));
  assert.deepEqual(await walk('p', 149), failed.slice(0, 149).reverse());
  assert.deepEqual(await walk('p', 50), failed.slice(-50).reverse());
  assert.deepEqual(await walk('n', 49), failed.slice(-49));
  await page.press('n');
  await page.until((first) => location.hash.includes(`item=${first}`) && document.querySelector('.item-panel h2')?.innerText.includes(first.toLocaleString('en-US')), failed[0]);
  await page.press('p');
  await page.until((last) => location.hash.includes(`item=${last}`), failed.at(-1));
  await page.press('Escape');
  await page.untilGone('.item-panel');
  await page.press('f');
  await page.untilText('Only failed items', '.items-note');
  await page.press('v');
  await page.until(() => document.querySelector('[role=grid][aria-label=Items]')?.getAttribute('aria-rowcount') === '1001');
  await page.axe('failed items as rows');
  await page.press('f');
  await page.until(() => Number(document.querySelector('[role=grid][aria-label=Items]')?.getAttribute('aria-rowcount')) > 1900);
  await page.press('v');
  await drawn(page);
  await page.close();
});

test('keys move, zoom, select, and retry what is selected, once', async () => {
  const page = await open();
  await drawn(page);
  await focusMap(page);
  for (let time = 0; time < 8; time++) await page.press('=');
  await page.until(() => document.querySelector('[aria-label="Zoom in"]').disabled);
  await page.press('ArrowRight', 'ArrowRight', 'Enter');
  await page.until(() => location.hash.includes('item=2'));
  await page.untilText('/data/2.txt', '.item-panel');
  await page.untilText('began on worker-1', '.item-panel');
  await page.untilText('connecting', '.item-panel');
  await page.press('Escape');
  await page.press('Shift+ArrowRight', 'Shift+ArrowRight');
  await page.untilText('3 items selected', '.items-selected');
  await page.press('Shift+R');
  await page.untilText('3 items of 1,000,000 would run', 'dialog');
  await page.axe('the dialog of a retry');
  await page.click('dialog input[type=text]');
  await page.type('the shard is back');
  stub.asked.length = 0;
  await page.press('Enter');
  await page.press('Enter');
  await page.untilGone('dialog[open]');
  const sent = stub.asked.filter((one) => one.path.endsWith(':retry') && !one.body.dry_run);
  assert.equal(sent.length, 1);
  assert.deepEqual(sent[0].body, { items: { score: '2-4' }, reason: 'the shard is back' });
  assert.match(sent[0].headers['idempotency-key'], /^[0-9a-f]{32}$/);
  await page.press('0');
  await page.until(() => document.querySelector('[aria-label="Zoom out"]').disabled);
  await page.close();
});

test('the mouse opens, tells, selects an area, and acts on what failed in it', async () => {
  const page = await open();
  await drawn(page);
  const box = await (await page.page.$('.map-canvas')).boundingBox();
  await page.page.mouse.move(box.x + 1, box.y + 1);
  await page.untilText('items 0 to', '.map-tip');
  await page.page.mouse.click(box.x + 40, box.y + 40);
  await page.untilText('Item', '.item-panel h2');
  await page.clickNamed('Close the item');
  await page.page.mouse.move(box.x + 20, box.y + 20);
  await page.page.mouse.down();
  await page.page.mouse.move(box.x + 60, box.y + 120, { steps: 4 });
  await page.page.mouse.up();
  await page.until(() => /selected, \d+ failed/.test(document.querySelector('.items-selected')?.innerText ?? ''));
  await page.clickNamed('Skip…');
  await page.until(() => /The failed: \d+/.test(document.querySelector('dialog')?.innerText ?? ''));
  await page.untilText('The coordinator would do this', 'dialog');
  stub.asked.length = 0;
  await page.page.click('dialog button[type=submit]');
  await page.untilGone('dialog[open]');
  const sent = stub.asked.find((one) => one.path.endsWith(':skip') && one.query === '');
  const items = itemsOf(sent.body.items);
  assert.ok(items.length > 0 && items.every((item) => failed.includes(item)), 'only failed items are skipped');
  // errors that are alike, alone
  await page.click('.cluster-body');
  await page.untilText('that failed alike', '.items-note');
  await page.clickNamed('Show all items');
  await page.clickNamed(`Item ${failed[0].toLocaleString('en-US')}`);
  await page.until((first) => location.hash.includes(`item=${first}`), failed[0]);
  await page.clickNamed('Retry', '.item-panel');
  await page.untilText('1 item of 1,000,000 would run', 'dialog');
  await page.clickNamed('Close', 'dialog footer');
  await page.close();
});

for (const theme of ['light', 'dark']) {
  test(`nothing for axe, wide and narrow, ${theme}, and strings that want to run are text`, async () => {
    const wicked = await startStub(fanOutRoutes({ width: 5000, failed: scattered(5000, 30), hostile }));
    const page = await open({ stub: wicked, theme });
    await drawn(page);
    await page.axe(`map, ${theme}`);
    await page.press('n');
    await page.untilText('What happened', '.item-panel');
    await page.axe(`item, ${theme}`);
    await page.page.setViewport({ width: 420, height: 800 });
    await page.axe(`narrow, ${theme}`);
    assert.ok(await page.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than the screen');
    assert.equal(await page.page.evaluate(() => window.ran), undefined);
    await page.close();
    await wicked.close();
  });
}

test('with a coordinator: a broken tool fails items, it is mended, and the map retries them', async () => {
  const coordinator = await Coordinator.start();
  try {
    const gate = coordinator.gate('gate');
    gate.open('fail');
    await coordinator.submit({
      id: 'mend',
      definition: {
        instructions: [{ execution_id: 'each', tool_definition_path: '/tools/gate.tool', arguments: { file: gate.file }, parallel_execution: { iterate_over: Array.from({ length: 12 }, (_, n) => n), child_argument_name: 'n' } }],
      },
    });
    const page = await Page.open(browser, coordinator, { path: '#/chains/mend/items' });
    page.tolerate(/404 .*items:(slowest|workers)/);
    await page.until(() => /failed/.test(document.querySelector('.items-legend')?.innerText ?? '') && document.querySelector('.status-strong')?.innerText.includes('failed'));
    gate.open('open');
    await page.press('Shift+A', 'Shift+R');
    await page.until(() => document.querySelector('dialog .would') !== null);
    await page.page.click('dialog button[type=submit]');
    await page.until(() => document.querySelector('.items-legend')?.innerText.replace(/\s+/g, ' ').trim() === 'succeeded 12');
    assert.equal((await coordinator.whenEnded('mend')).status, 'succeeded');
    await page.close();
  } finally {
    await coordinator.stop();
  }
});
