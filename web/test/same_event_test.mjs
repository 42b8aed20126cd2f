// Each verb that the page offers, sent by the page, over HTTP and on the command line to three alike chains: the same events and the same entries of the audit log.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { catena, Coordinator, core, launch, Page } from './helpers.mjs';

let coordinator;
let browser;
before(async () => {
  [coordinator, browser] = await Promise.all([Coordinator.start({ slots: 64 }), launch()]);
});
after(async () => {
  await browser?.close();
  await coordinator?.stop();
});

const why = 'the night shift asked';
const pathOf = (id, rest = '') => `/v1/chains/${encodeURIComponent(id)}${rest}`;
const until = async (check) => {
  while (!(await check())) await new Promise((done) => setTimeout(done, 30));
};
const stepOf = async (id, step) => (await coordinator.get(pathOf(id, '/steps'))).steps.find((one) => one.id === step);

// Chains that a verb can be said to.
const rests = {
  make: (id) => coordinator.chain(id, [['rest', core('wait'), { duration: '10m' }]]),
  ready: (id) => until(async () => (await stepOf(id, 'rest')).status === 'running'),
};
const paused = { ...rests, ready: async (id) => (await rests.ready(id), coordinator.request(pathOf(id, ':pause'), { method: 'POST', body: {} })) };
const failed = { make: (id) => coordinator.chain(id, [['bad', core('fail'), { message: 'no' }]], {}, 30), ready: () => undefined };
const ended = { make: (id) => coordinator.chain(id, [['add', core('math'), { operation: 'add', a: 1, b: 2 }]], {}, 30), ready: () => undefined };
const asks = {
  make: (id) => coordinator.submit({ id, definition: { instructions: [{ execution_id: 'ask', signal: { name: 'go' } }] } }),
  ready: (id) => until(async () => (await stepOf(id, 'ask')).waits_for_signal === 'go'),
};
const approves = {
  make: (id) => coordinator.chain(id, [['pay', core('math'), { operation: 'add', a: 500, b: 1 }, { approve: { allow_edit: true } }]]),
  ready: (id) => until(async () => (await stepOf(id, 'pay')).waits_for_approval === 1),
};
const approvesItems = {
  make: (id) => coordinator.chain(id, [['each', core('math'), { operation: 'add', b: 1 }, { approve: true, parallel_execution: { iterate_over: [1, 2, 3], child_argument_name: 'a', on_item_failure: 'null' } }]]),
  ready: (id) => until(async () => (await stepOf(id, 'each')).waits_for_approval === 3),
};

/** An attempt that may happen once was cut off: nobody knows whether it happened. */
const doubts = {
  make: async (id) => {
    await coordinator.chain(id, [['once', 'gate.tool', { file: coordinator.gate('doubt').file }, { effect: 'at_most_once' }]]);
    await until(async () => (await coordinator.get(pathOf(id, '/logs'))).rows.some((row) => row.text.includes('waits for it')));
  },
  allMade: async () => {
    await coordinator.kill();
    coordinator.gate('doubt').open();
    await coordinator.begin();
  },
  ready: (id) => until(async () => (await coordinator.get(pathOf(id, '/steps/once/items'))).items[0]?.status === 'in_doubt'),
};

const grantsOf = async (id) => (await coordinator.get(pathOf(id, '/history?limit=1000'))).events.filter((event) => event.event === 'Granted').length;

/** A chain that was live at three unclean ends was set aside: it does not run. A start goes on with chains one after the other, so each end waits until it has come to all. */
const setAside = {
  make: async (id) => {
    await coordinator.chain(id, [['opens', 'gate.tool', { file: coordinator.gate('aside').file }]]);
    await until(async () => (await coordinator.get(pathOf(id, '/logs'))).rows.some((row) => row.text.includes('waits for it')));
  },
  allMade: async (ids) => {
    for (let unclean = 0; unclean < 3; ++unclean) {
      for (const id of ids) await until(async () => (await grantsOf(id)) > unclean);
      await coordinator.kill();
      await coordinator.begin();
    }
    coordinator.gate('aside').open();
  },
  ready: (id) => until(async () => (await coordinator.chainOf(id)).status === 'quarantined'),
};

/** The field of the dialog whose label begins so. */
async function fill(page, label, text) {
  await page.atRest();
  const handle = await page.page.waitForFunction(
    (wanted) => {
      const found = [...document.querySelectorAll('dialog label')].find((one) => one.innerText.startsWith(wanted));
      return found && (found.control ?? found.querySelector('input, textarea'));
    },
    {},
    label,
  );
  await handle.asElement().click({ count: 3 });
  await page.press('Control+a');
  await page.type(text);
}
const byKey = (key, work) => async (page) => {
  await page.press(key);
  await page.until(() => document.querySelector('dialog[open]') !== null);
  await work?.(page);
};
const byButton = (label) => async (page) => {
  await page.clickNamed(label);
  await page.until(() => document.querySelector('dialog[open]') !== null);
};
const byMenu = (label, work) => async (page) => {
  await page.clickNamed('More actions');
  await page.clickNamed(label, '[role=menu]');
  await page.until(() => document.querySelector('dialog[open]') !== null);
  await work(page);
};

const waited = { waited_ms: 1, until: '2026-01-01T00:00:00.000Z' };
// `unsaid`: it is no event of the chain, so that the reason stands in the audit log alone. `ends`: the chain ends by it. `gone`: nothing is left of it but the audit log.
const verbs = [
  { verb: 'pause', of: rests, page: byKey('Shift+P') },
  { verb: 'unpause', of: paused, page: byKey('Shift+U') },
  { verb: 'cancel', of: rests, ends: true, page: byKey('c') },
  { verb: 'kill', of: rests, ends: true, page: byKey('Shift+C') },
  { verb: 'amend', of: rests, body: { priority: 3, timeout: '2m' }, command: ['--priority', '3', '--timeout', '2m'], page: byKey('a', async (page) => (await fill(page, 'Priority', '3'), fill(page, 'Time for an attempt', '2m'))) },
  { verb: 'amend', name: 'amend deadline', of: rests, body: { deadline: '2097-01-31T08:00:00Z' }, command: ['--deadline', '2097-01-31T08:00:00Z'], page: byKey('a', (page) => fill(page, 'Deadline', '2097-01-31T08:00:00Z')) },
  { verb: 'retry', of: failed, ends: true, page: byKey('r') },
  { verb: 'skip', of: rests, ends: true, body: { step: 'rest', response: waited }, command: ['rest', '--with', JSON.stringify(waited)], page: byMenu('Skip a step…', async (page) => (await page.page.select('dialog select', 'rest'), fill(page, 'Response', JSON.stringify(waited)))) },
  { verb: 'signal', of: asks, ends: true, body: { name: 'go', data: { by: 'ann' } }, command: ['go', '--data', '{"by": "ann"}'], page: byKey('s', (page) => fill(page, 'Data', '{"by": "ann"}')) },
  { verb: 'approve', of: approves, ends: true, body: { step: 'pay', edit: { b: 7 } }, command: ['pay', '--edit', '{"b": 7}'], page: byKey('Shift+Y', (page) => fill(page, 'b', '7')) },
  { verb: 'reject', of: approves, ends: true, body: { step: 'pay' }, command: ['pay'], page: byKey('Shift+N', (page) => page.untilText('500', 'dialog')) },
  { verb: 'reject', name: 'reject items', of: approvesItems, body: { step: 'each', items: '0,2' }, command: ['each/0,2'], page: byKey('Shift+N', (page) => fill(page, 'Items', '0,2')) },
  { verb: 'resolve', of: doubts, ends: true, body: { step: 'once', failed: 'it did not happen' }, command: ['once', '--failed', 'it did not happen'], page: byMenu('Resolve an attempt in doubt…', async (page) => (await page.page.select('dialog select', 'once'), await page.clickNamed('It failed', 'dialog'), fill(page, 'How it failed', 'it did not happen'))) },
  { verb: 'fork', of: ended, forks: true, ends: true, body: { at: 'add' }, command: ['--at', 'add'], page: byKey('Shift+F', (page) => page.page.select('dialog select', 'add')) },
  { verb: 'remove', of: ended, gone: true, command: [], page: byKey('Delete') },
  // the last: chains of the others may be set aside with its own
  { verb: 'resume', of: setAside, ends: true, unsaid: true, page: byButton('Resume') },
];

const said = new Set(['ChainForked', 'PauseChanged', 'Amended', 'SignalReceived', 'SignalConsumed', 'ApprovalAnswered', 'CancelRequested', 'RetryRequested', 'ItemsGiven', 'DoubtCleared', 'ItemsSettled', 'VisitSettled', 'ChainFinished']);
/** A fork, by the name that each way gives it. */
const forkOf = (id) => `${id}-fork`;

/** What is left of it, without when, without the id of the chain, and without the key by which it counts once: each sending has its own. Whose it was apart. */
async function leftOf(id, verb) {
  const { entries } = await coordinator.get(`/v1/audit?subject=${encodeURIComponent(id)}`);
  const asked = entries.filter((entry) => entry.act !== 'submit').slice(-1);
  const events = verb.gone ? [] : (await coordinator.get(pathOf(verb.forks ? forkOf(id) : id, '/history?limit=1000'))).events.filter((event) => said.has(event.event));
  return {
    left: {
      entries: asked.map(({ act, detail, reason }) => ({ act, detail: detail?.replaceAll(id, 'ID'), reason })),
      // an error that a person made names that person, too
      events: JSON.parse(JSON.stringify(events.map(({ seq, time, at, by, text, later_ms, key, ...others }) => others)).replace(/ by 127\.0\.0\.1:\d+/g, '').replaceAll(id, 'ID')),
    },
    by: { entries: asked.map((entry) => entry.by), events: events.map((event) => typeof event.by) },
  };
}

const onCommandLine = (id, { verb, forks, command = [] }) =>
  new Promise((done, failed_) => {
    const words = verb === 'remove' ? ['rm', id, '--reason', why] : [verb, id, ...command, ...(forks ? ['--id', forkOf(id)] : []), '--reason', why];
    execFile(catena, [...words, '--cluster', readFileSync(join(coordinator.folder, 'data/door'), 'utf8').split('\n')[0]], { timeout: 60_000 }, (error, _, text) => {
      // a chain that fails or is cancelled is told by the exit code: what was not done is seen by what it leaves
      if (error?.killed) failed_(new Error(`${words.join(' ')}: ${error.code} ${text}`));
      else done();
    });
  });

for (const verb of verbs) {
  test(`${verb.name ?? verb.verb}: by the page, over HTTP and on the command line`, async () => {
    const ids = ['page', 'http', 'command'].map((way) => `${(verb.name ?? verb.verb).replace(' ', '-')}-${way}`);
    const [ofPage, ofHttp, ofCommand] = ids;
    for (const id of ids) await verb.of.make(id);
    await verb.of.allMade?.(ids);
    for (const id of ids) await verb.of.ready(id);

    const page = await Page.open(browser, coordinator, { path: `#/chains/${ofPage}/steps` });
    page.tolerate(/404|409|422/); // what is checked while it is written, and a chain that is gone
    await page.until(() => document.querySelectorAll('#chain-panel .table-row').length > 0);
    await verb.page(page);
    if (verb.forks) await fill(page, 'Id of the new chain', forkOf(ofPage));
    await fill(page, 'Reason', why);
    await page.atRest();
    await page.until(() => document.querySelector('dialog button[type=submit]')?.disabled === false);
    await page.click('dialog button[type=submit]');
    await page.untilGone('dialog[open]');
    await page.close();

    if (verb.gone) await coordinator.request(`${pathOf(ofHttp)}?reason=${encodeURIComponent(why)}`, { method: 'DELETE' });
    else await coordinator.request(pathOf(ofHttp, `:${verb.verb}`), { method: 'POST', body: { ...verb.body, ...(verb.forks ? { id: forkOf(ofHttp) } : {}), reason: why } });
    await onCommandLine(ofCommand, verb);
    if (verb.ends) for (const id of ids) await coordinator.whenEnded(verb.forks ? forkOf(id) : id);

    const [first, second, third] = await Promise.all(ids.map((id) => leftOf(id, verb)));
    assert.deepEqual(second.left, first.left, 'HTTP as the page');
    assert.deepEqual(third.left, first.left, 'the command line as the page');
    assert.deepEqual(second.by, first.by);
    assert.equal(first.left.entries.length, 1);
    assert.equal(first.left.entries[0].reason, why);
    assert.equal(first.by.entries[0].via, 'http');
    assert.ok(third.by.entries[0].via && third.by.entries[0].via !== 'http', `via ${third.by.entries[0].via}`);
    if (!verb.gone && !verb.unsaid) assert.ok(first.left.events.some((event) => event.reason === why), `the reason stands in an event: ${JSON.stringify(first.left.events)}`);
  });
}

test('resume leaves a paused chain paused: the page offers to unpause it instead, HTTP changes nothing, and the command line says why', async () => {
  await paused.make('stays-paused');
  await paused.ready('stays-paused');
  const before = (await coordinator.get(pathOf('stays-paused', '/history?limit=1000'))).events.length;
  const page = await Page.open(browser, coordinator, { path: '#/chains/stays-paused/steps' });
  await page.until(() => [...document.querySelectorAll('button')].some((button) => button.innerText.trim() === 'Unpause'));
  assert.equal(await page.page.evaluate(() => [...document.querySelectorAll('button')].some((button) => button.innerText.trim() === 'Resume')), false);
  await page.close();
  assert.equal((await coordinator.request(pathOf('stays-paused', ':resume'), { method: 'POST', body: { reason: why } })).status, 'paused');
  await onCommandLine('stays-paused', { verb: 'resume' });
  assert.equal((await coordinator.chainOf('stays-paused')).status, 'paused');
  assert.equal((await coordinator.get(pathOf('stays-paused', '/history?limit=1000'))).events.length, before);
});
