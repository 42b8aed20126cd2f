// Pausing, letting go on, killing and amending chains: by mouse, by keys and from the list, each the same as through its route.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Coordinator, Page, core, launch } from './helpers.mjs';

let coordinator;
let browser;
before(async () => {
  [coordinator, browser] = await Promise.all([Coordinator.start({ slots: 64 }), launch()]);
});
after(async () => {
  await browser?.close();
  await coordinator?.stop();
});

const statusIs = (wanted) => document.querySelector('.chain-head .status-word')?.innerText === wanted;
const pathOf = (id) => `/v1/chains/${encodeURIComponent(id)}`;
const openChain = (id, tab = 'steps', others = {}) => Page.open(browser, coordinator, { path: `#/chains/${encodeURIComponent(id)}/${tab}`, ...others });
const rest = (id, others) => coordinator.chain(id, [['rest', core('wait'), { duration: '10m' }]], others);
const control = (id, verb, body) => coordinator.request(`${pathOf(id)}:${verb}`, { method: 'POST', body });
/** What is left of a control: its entries in the audit log, and its events, without when and whose they are. */
const left = async (id) => {
  const { entries } = await coordinator.get(`/v1/audit?subject=${encodeURIComponent(id)}`);
  const { events } = await coordinator.get(`${pathOf(id)}/history?limit=1000`);
  return {
    entries: entries.map(({ act, detail, reason, by }) => ({ act, detail, reason, by })),
    events: events.filter((event) => ['PauseChanged', 'CancelRequested', 'Amended', 'ChainFinished'].includes(event.event)).map(({ seq, time, at, ...others }) => others),
  };
};
const reasonIs = async (page, text) => {
  await page.page.focus('dialog label:last-of-type input');
  await page.type(text);
};
/** Two chains alike: one is steered through the page, the other through the route. */
const sameAsRoutes = async (page, id, twin) => {
  const [ofPage, ofRoute] = [await left(id), await left(twin)];
  assert.deepEqual(ofPage, ofRoute);
  assert.ok(ofPage.entries.length > 0 && ofPage.events.length > 0);
  await page.close();
};

describe('a chain', () => {
  test('is paused and goes on, by mouse: the head says by whom, since when and why', async () => {
    await rest('held');
    await rest('held-twin');
    const page = await openChain('held');
    await page.clickNamed('Pause', '.view-actions');
    await page.untilText('The coordinator would pause it.', 'dialog');
    await page.axe('the dialog of a pause');
    await reasonIs(page, 'lunch');
    await page.clickNamed('Pause the chain', 'dialog footer');
    await page.until(statusIs, 'paused');
    await page.until(() => /^Paused( by .+)? (now|\d+ s ago): lunch\.$/.test(document.querySelector('.pause-note')?.innerText.trim()));
    await page.axe('a paused chain');
    await control('held-twin', 'pause', { reason: 'lunch' });
    const { paused } = await coordinator.chainOf('held');
    assert.equal(paused.reason, 'lunch');
    await page.clickNamed('Unpause', '.view-actions');
    await page.untilText('The coordinator would unpause it.', 'dialog');
    await reasonIs(page, 'back again');
    await page.clickNamed('Unpause the chain', 'dialog footer');
    await page.until(statusIs, 'running');
    await page.untilGone('.pause-note');
    await control('held-twin', 'unpause', { reason: 'back again' });
    await sameAsRoutes(page, 'held', 'held-twin');
  });

  test('is paused by keys, with what is below it, which says so and cannot be let go by itself', async () => {
    const inner = { name: 'inner', instructions: [{ execution_id: 'rest', tool_definition_path: core('wait'), arguments: { duration: '10m' } }] };
    await coordinator.submit({ id: 'above', definition: { instructions: [{ execution_id: 'nested', tool_definition: inner, arguments: {} }] } });
    for (let begun = false; !begun; ) begun = (await coordinator.get('/v1/chains?all=true&status=running')).chains.some((chain) => chain.chain_id === 'above/nested');
    const page = await openChain('above');
    const below = await openChain('above/nested');
    await page.until(statusIs, 'running');
    await page.press('Shift+P');
    await page.untilText('The coordinator would pause it, and 1 chain below it.', 'dialog');
    await page.type('both');
    await page.press('Enter');
    await page.until(statusIs, 'paused');
    await below.until(statusIs, 'paused');
    await below.untilText('Paused with the chain that started it, above', '.pause-note');
    await below.axe('a chain that is paused with the one above');
    below.tolerate(/409/);
    await below.press('Shift+U');
    await below.untilText('catena unpause above', 'dialog .problem');
    assert.equal(await below.page.evaluate(() => document.querySelector('dialog button[type=submit]').disabled), true);
    await below.press('Escape');
    await below.untilGone('dialog[open]');
    await below.clickNamed('above', '.pause-note');
    await below.until(() => location.hash === '#/chains/above');
    await page.press('Control+k');
    await page.type('unpause this');
    await page.press('Enter');
    await page.untilText('Unpause this chain', 'dialog');
    await page.press('Enter');
    await page.until(statusIs, 'running');
    await below.until(statusIs, 'running');
    await below.close();
    await page.close();
  });

  test('is killed, from the menu and by key: no final step runs', async () => {
    const cleaned = (id) => coordinator.submit({
      id,
      definition: {
        instructions: [
          { execution_id: 'rest', tool_definition_path: core('wait'), arguments: { duration: '10m' } },
          { execution_id: 'clean', tool_definition_path: core('math'), arguments: { operation: 'add', a: 1, b: 1 }, finally: true },
        ],
      },
    });
    for (const id of ['killed', 'killed-too', 'killed-twin']) await cleaned(id);
    const page = await openChain('killed');
    await page.until(statusIs, 'running');
    await page.clickNamed('More actions');
    await page.clickNamed('Kill…', '[role=menu]');
    await page.untilText('The coordinator would kill it.', 'dialog');
    await page.axe('the dialog of kill');
    await reasonIs(page, 'enough');
    await page.clickNamed('Kill the chain', 'dialog footer');
    await page.until(statusIs, 'cancelled');
    await control('killed-twin', 'kill', { reason: 'enough' });
    await coordinator.whenEnded('killed-twin');
    const { steps } = await coordinator.get(`${pathOf('killed')}/steps`);
    assert.notEqual(steps.find((step) => step.id === 'clean').status, 'completed');
    const byKey = await openChain('killed-too');
    await byKey.until(statusIs, 'running');
    await byKey.press('Shift+C');
    await byKey.untilText('The coordinator would kill it.', 'dialog');
    await byKey.type('enough');
    await byKey.atRest();
    await byKey.press('Enter');
    await byKey.until(statusIs, 'cancelled');
    assert.deepEqual(await left('killed-too'), await left('killed-twin'));
    await byKey.close();
    await sameAsRoutes(page, 'killed', 'killed-twin');
  });

  test('is amended as a whole by keys, and a step of it by mouse, with what the coordinator makes of it', async () => {
    const shut = coordinator.gate('shut');
    const wide = (id) => coordinator.submit({
      id,
      definition: {
        instructions: [
          { execution_id: 'each', tool_definition_path: 'gate.tool', arguments: {}, parallel_execution: { iterate_over: Array(6).fill(shut.file), child_argument_name: 'file', max_concurrency: 1 } },
          { execution_id: 'then', tool_definition_path: core('math'), arguments: { operation: 'add', a: 1, b: 1 }, dependencies: ['each'] },
        ],
      },
    });
    await wide('amended');
    await wide('amended-twin');
    const page = await openChain('amended');
    page.tolerate(/422/);
    await page.until(() => document.querySelector('[data-key=each]')?.innerText.includes('running'));
    await page.press('a');
    await page.untilText('Fill in what changes.', 'dialog');
    await page.axe('the form of an amendment');
    // the fields in their order, from the step on
    await page.press('Tab');
    await page.type('4');
    await page.press('Tab');
    await page.type('50%');
    await page.press('Tab');
    await page.type('2 min');
    await page.press('Tab');
    await page.press('Tab');
    await page.type('7');
    await page.untilText("'timeout' must be a span", 'dialog .problem');
    await page.untilText('The coordinator would refuse this.', 'dialog footer');
    await page.press('Shift+Tab', 'Shift+Tab', 'Control+a');
    await page.type('2m');
    await page.untilText('The coordinator would amend it: priority 7, max_concurrency 4, tolerates 50% failed items, timeout 2m', 'dialog .would');
    await reasonIs(page, 'it is late');
    await page.press('Enter');
    await page.untilGone('dialog[open]');
    await control('amended-twin', 'amend', { max_concurrency: 4, tolerate: '50%', timeout: '2m', priority: 7, reason: 'it is late' });
    for (let running = 0; running < 4; ) running = (await coordinator.get(`${pathOf('amended')}/steps/each/items:states`)).runs.filter(([status]) => status === 'running').reduce((sum, [, , number]) => sum + number, 0);

    await page.click('[data-key=each]');
    await page.until(() => document.querySelector('.side-panel')?.innerText.includes('max concurrency 4'));
    await page.clickNamed('Amend', '.side-panel');
    await page.until(() => document.querySelector('dialog select')?.value === 'each' && document.querySelector('dialog [name=priority]') === null);
    assert.equal(await page.page.evaluate(() => document.querySelector('dialog [name=timeout]').placeholder), 'amended to 2m');
    await page.page.focus('dialog [name=retry_attempts]');
    await page.type('5');
    await page.untilText('The coordinator would amend step each: 5 attempts.', 'dialog .would');
    // a step that is no fan-out has no concurrency
    await page.page.select('dialog select', 'then');
    await page.until(() => document.querySelector('dialog [name=max_concurrency]') === null);
    await page.page.select('dialog select', 'each');
    await page.untilText('The coordinator would amend step each: 5 attempts.', 'dialog .would');
    await page.clickNamed('Amend', 'dialog footer');
    await page.untilGone('dialog[open]');
    await page.until(() => document.querySelector('.side-panel')?.innerText.includes('retry attempts 5'));
    await control('amended-twin', 'amend', { step: 'each', retry_attempts: 5 });
    await sameAsRoutes(page, 'amended', 'amended-twin');
  });

  test('has its definition, labels and the chain that started it in its head, with links', async () => {
    await coordinator.submit({
      id: 'labelled',
      definition: { name: 'named', instructions: [{ execution_id: 'nested', tool_definition: { name: 'inner', instructions: [{ execution_id: 'one', tool_definition_path: core('math'), arguments: { operation: 'add', a: 1, b: 2 } }] }, arguments: {} }] },
      labels: { team: 'search', env: 'prod' },
    }, 30);
    const page = await openChain('labelled');
    await page.untilText('named', '.facts');
    const links = await page.page.evaluate(() => [...document.querySelectorAll('.facts a')].map((link) => [link.innerText, link.getAttribute('href')]));
    assert.deepEqual(links, [['named', '#/chains?name=named'], ['env=prod', '#/chains?label=env%3Dprod'], ['team=search', '#/chains?label=team%3Dsearch']]);
    await page.clickNamed('team=search', '.facts');
    await page.until(() => document.querySelectorAll('.table-row').length === 1 && document.querySelector('[data-key=labelled]') !== null);
    await page.go('#/chains/labelled%2Fnested');
    await page.untilText('inner', '.facts');
    assert.equal((await coordinator.chainOf('labelled/nested')).parent, 'labelled');
    await page.clickNamed('labelled', '.crumbs');
    await page.until(() => location.hash === '#/chains/labelled');
    await page.close();
  });
});

test('many chains are paused, let go on and killed from the list, by keys and by mouse', async () => {
  for (const id of ['many-1', 'many-2']) await rest(id, { labels: { many: 'yes' } });
  await coordinator.chain('many-ended', [['add', core('math'), { operation: 'add', a: 1, b: 1 }]], { labels: { many: 'yes' } }, 30);
  const page = await Page.open(browser, coordinator, { path: '#/chains?label=many%3Dyes' });
  const choose = async () => {
    await page.until(() => document.querySelectorAll('.table-row').length === 3);
    await page.click('.table-head input[type=checkbox]');
    await page.untilText('3 chains selected', '.bulk');
  };
  const allAre = (wanted) => page.until((status) => ['many-1', 'many-2'].every((id) => document.querySelector(`[data-key=${id}]`)?.innerText.includes(status)), wanted);
  await choose();
  await page.axe('the bar of many');
  await page.press('Shift+P');
  await page.untilText('1 chosen chain cannot be paused', 'dialog');
  await page.type('all of them');
  await page.press('Enter');
  await allAre('paused');
  await choose();
  await page.press('Shift+U');
  await page.untilText('Unpause 2 chains', 'dialog');
  await page.press('Enter');
  await allAre('running');
  await choose();
  await page.clickNamed('Pause', '.bulk');
  await page.clickNamed('Pause 2 chains', 'dialog footer');
  await allAre('paused');
  await choose();
  await page.press('Control+k');
  await page.type('kill the chosen');
  await page.press('Enter');
  await page.untilText('Kill 2 chains', 'dialog');
  await page.type('enough');
  await page.press('Enter');
  await allAre('cancelled');
  for (const id of ['many-1', 'many-2']) {
    assert.deepEqual((await left(id)).entries.map(({ act, reason }) => [act, reason]), [['pause', 'all of them'], ['unpause', undefined], ['pause', undefined], ['cancel', 'enough']]);
  }
  await page.close();
});
