// Two chains side by side: everything that can differ, from made-up answers, and chains of a coordinator that are reached from the list and from a chain.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Coordinator, launch, Page } from './helpers.mjs';
import { hostile } from './hostile_strings.mjs';
import { startStub } from './stub.mjs';
import { compareRoutes } from './stub_routes.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const inStub = async (options, work) => {
  const stub = await startStub(compareRoutes(options));
  try {
    await work(stub, (others = {}) => Page.open(browser, { page: stub.base, explains: true }, { path: '#/compare/night-1/night-2', ...others }));
  } finally {
    await stub.close();
  }
};
const keysOf = () => [...document.querySelectorAll('.table-row')].map((row) => row.dataset.key);

test('says in what they differ: definitions, arguments, responses, steps, errors and items', () =>
  inStub({}, async (stub, open) => {
    const page = await open();
    await page.untilText('3 of 4 steps differ');
    const text = await page.page.evaluate(() => document.querySelector('.compare').innerText);
    for (const word of ['night-1', 'night-2', 'tool_timeout', '/tools/score.tool', '/timeout', '"2m"', '"5m"', 'and 3 more changes', 'Only the first chain has it.', '/directory', '"/data/a"', 'not there', 'They are too large to tell how.', '9 items failed in the first only', 'no such step'])
      assert.ok(text.includes(word), `${word} in ${text}`);
    assert.ok(!text.includes('Context'), 'what is the same is not there');
    assert.deepEqual(await page.page.evaluate(keysOf), ['score', 'report', 'mail']);
    await page.axe('two chains');
    await page.press('v');
    await page.until(() => document.querySelectorAll('.table-row').length === 4);
    await page.click('[data-key=score]');
    await page.untilText('3,7-14', '.side-panel');
    const panel = await page.page.evaluate(() => document.querySelector('.side-panel').innerText);
    for (const word of ['Failed in the second only: 1', '20,21 …', 'no answer within 2 m', '990/1,000']) assert.ok(panel.includes(word), `${word} in ${panel}`);
    assert.ok(await page.page.evaluate(() => document.querySelector('.side-panel a[href="#/chains/night-1/items?step=score&status=failed"]') !== null));
    await page.axe('a step of two chains');
    await page.click('[data-key=report]');
    await page.untilText('/words', '.side-panel');
    await page.press('Escape');
    await page.untilGone('.side-panel');
    await page.clickNamed('The other way round');
    await page.until(() => location.hash === '#/compare/night-2/night-1' && document.querySelector('.compared a')?.innerText === 'night-2');
    await page.press('u');
    await page.until(() => location.hash === '#/chains/night-2');
    await page.close();
  }));

test('a chain that is not there is said to be not there', () =>
  inStub({}, async (stub, open) => {
    const page = await open({ path: '#/compare/night-1/nobody' });
    page.tolerate(/404/);
    await page.untilText("no chain has the id 'nobody'", '.problem');
    await page.close();
  }));

for (const theme of ['light', 'dark'])
  test(`strings that want to run are text, narrow and ${theme}`, () =>
    inStub({ hostile }, async (stub, open) => {
      const page = await open({ theme, width: 420 });
      const fits = async (where) => {
        assert.ok(await page.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${where}: nothing is wider than the screen`);
        assert.equal(await page.page.evaluate(() => window.ran), undefined, where);
        await page.axe(where);
      };
      await page.untilText('3 of 4 steps differ');
      await fits(`two chains, ${theme}`);
      await page.click('[data-key=score]');
      await page.until(() => document.querySelector('.side-panel') !== null);
      await fits(`a step, ${theme}`);
      await page.close();
    }));

test('two chains of the list, or a chain and one that is chosen in its dialog', async () => {
  const coordinator = await Coordinator.start();
  try {
    const math = (id, b) => coordinator.submit({ id, name: 'math', arguments: { operation: 'divide', a: 6, b } }, 30);
    await math('halves', 2);
    await math('nothing', 0);
    const page = await Page.open(browser, coordinator);
    await page.until(() => document.querySelectorAll('.table-row').length === 2);
    await page.click('[data-key=halves] input');
    assert.ok(await page.page.evaluate(() => [...document.querySelectorAll('.bulk button')].find((one) => one.innerText === 'Compare').disabled));
    await page.click('[data-key=nothing] input');
    await page.clickNamed('Compare', '.bulk');
    await page.until(() => location.hash === '#/compare/halves/nothing');
    await page.untilText('/b', '.compare');
    await page.untilText('1 of 1 step differ', '.compare');
    await page.axe('two chains of a coordinator');
    await page.go('#/chains/nothing');
    await page.untilText('failed', '.chain-head');
    await page.clickNamed('More actions');
    await page.clickNamed('Compare with…', '[role=menu]');
    await page.untilText('halves', 'dialog .alike');
    await page.axe('which chain');
    await page.type('halves');
    await page.press('Enter');
    await page.until(() => location.hash === '#/compare/nothing/halves');
    await page.untilText('1 of 1 step differ', '.compare');
    await page.close();
  } finally {
    await coordinator.stop();
  }
});
