// The view of one chain: its tabs, and everything that can be done to it, by mouse and by keys.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Coordinator, Page, core, launch } from './helpers.mjs';
import { startStub } from './stub.mjs';
import { fanOutRoutes } from './stub_routes.mjs';

let coordinator;
let browser;
before(async () => {
  [coordinator, browser] = await Promise.all([Coordinator.start(), launch()]);
});
after(async () => {
  await browser?.close();
  await coordinator?.stop();
});

const add = (a, b) => [core('math'), { operation: 'add', a, b }];
const audit = async (subject) => (await coordinator.get(`/v1/audit?subject=${encodeURIComponent(subject)}`)).entries.map(({ act, reason }) => ({ act, reason }));
const historyOf = async (id) => (await coordinator.get(`/v1/chains/${encodeURIComponent(id)}/history?limit=1000`)).events;
const statusIs = (wanted) => document.querySelector('.chain-head .status-word')?.innerText === wanted;
const openChain = (id, tab = 'steps', others = {}) => Page.open(browser, coordinator, { path: `#/chains/${encodeURIComponent(id)}/${tab}`, ...others });
const list = (...numbers) => numbers;

/** A chain that has something in each tab: a fan-out of which an item failed, a child, a skipped step, something printed. */
async function rich(id) {
  await coordinator.submit(
    {
      id,
      definition: {
        name: 'rich',
        arguments: [{ name: 'greeting', type_name: 'string', default_value: 'hello' }],
        instructions: [
          { execution_id: 'say', tool_definition_path: 'print.tool', arguments: { text: 'REF:arguments.greeting' } },
          { execution_id: 'halves', tool_definition_path: core('math'), arguments: { operation: 'divide', a: 12 }, parallel_execution: { iterate_over: list(1, 2, 0, 4), child_argument_name: 'b', on_item_failure: 'null' } },
          { execution_id: 'never', tool_definition_path: core('math'), arguments: { operation: 'add', a: 1, b: 1 }, conditions: [{ param: 'REF:say.text', operator: 'equals', value: 'no' }] },
          { execution_id: 'nested', tool_definition: { name: 'inner', instructions: [{ execution_id: 'one', tool_definition_path: core('math'), arguments: { operation: 'add', a: 1, b: 2 } }] }, arguments: {}, dependencies: ['halves'] },
          { execution_id: 'broken', tool_definition_path: core('fail'), arguments: { message: 'this had to fail' }, dependencies: ['nested'] },
          { execution_id: 'after', tool_definition_path: core('math'), arguments: { operation: 'add', a: 1, b: 2 }, dependencies: ['broken'] },
        ],
      },
      arguments: { greeting: 'good day' },
    },
    30,
  );
}

describe('its tabs', () => {
  before(() => rich('rich'));

  test('each can be reached by a key, says what the coordinator says, and has nothing that axe finds', async () => {
    const page = await openChain('rich', 'graph');
    await page.until(statusIs, 'failed');
    const tabs = await page.page.evaluate(() => [...document.querySelectorAll('.tabs [role=tab]')].map((tab) => tab.id.replace('tab-', '')));
    assert.ok(['graph', 'timeline', 'steps', 'why', 'events', 'logs', 'data', 'children', 'definition'].every((tab) => tabs.includes(tab)), tabs.join());
    // something of each that is only there once its answer is
    const shows = {
      graph: () => document.querySelectorAll('.node').length === 6,
      timeline: () => document.querySelectorAll('.table-row .bar').length > 3,
      steps: () => document.querySelectorAll('.table-row').length === 6,
      why: () => document.querySelector('.scroll')?.innerText.includes('this had to fail'),
      events: () => document.querySelector('.table-rows')?.innerText.includes('ChainStarted'),
      logs: () => document.querySelector('.log .table-rows')?.innerText.includes('good day'),
      data: () => document.querySelector('.json')?.innerText.includes('good day'),
      children: () => document.querySelector('.table-rows')?.innerText.includes('nested'),
      definition: () => document.querySelector('.source-text .table-rows')?.innerText.includes('this had to fail'),
    };
    for (const theme of ['light', 'dark']) {
      await page.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
      for (const [index, [tab, shown]] of Object.entries(shows).entries()) {
        await page.press(String(index + 1));
        await page.until((id) => document.querySelector(`#tab-${id}[aria-selected=true]`) !== null, tab);
        await page.until(shown);
        await page.axe(`${tab}, ${theme}`);
      }
    }
    await page.close();
  });

  test('a step is shown beside them: its arguments, response, error, failed items and logs', async () => {
    const page = await openChain('rich', 'steps');
    await page.until(() => document.querySelectorAll('.table-row').length === 6);
    await page.click('[data-key=say]');
    await page.until(() => location.hash === '#/chains/rich/steps?step=say');
    await page.until(() => document.querySelectorAll('.side-panel .json').length === 2);
    assert.match(await page.page.evaluate(() => document.querySelector('.side-panel').innerText), /good day/);
    await page.clickNamed('Show', '.side-panel');
    await page.until(() => document.querySelector('.panel-logs .table-rows')?.innerText.includes('good day'));
    await page.axe('a step');
    await page.press('Escape');
    await page.untilGone('.side-panel');
    await page.click('[data-key=halves]');
    await page.until(() => document.querySelector('.failed-items')?.innerText.includes('#2'));
    await page.until(() => document.querySelector('.failed-items')?.innerText.includes('division by zero'));
    await page.axe('a fan-out');
    await page.go('#/chains/rich/steps?step=broken');
    await page.until(() => document.querySelector('.side-panel .error-box')?.innerText.includes('this had to fail'));
    await page.close();
  });

  test('the graph has the nodes and edges of the coordinator, as a picture and as a list, and arrow keys walk it', async () => {
    const graph = await coordinator.get('/v1/chains/rich/graph');
    const page = await openChain('rich', 'graph');
    await page.until((wanted) => document.querySelectorAll('.node').length === wanted, graph.nodes.length);
    const drawn = await page.page.evaluate(() => ({ nodes: [...document.querySelectorAll('.node')].map((node) => node.dataset.node), lines: [...document.querySelectorAll('.edge-line')].reduce((sum, line) => sum + line.getAttribute('d').split('M').length - 1, 0) }));
    assert.deepEqual(new Set(drawn.nodes), new Set(graph.nodes.map((node) => node.id)));
    assert.equal(drawn.lines, graph.edges.length);
    // from the first node to all others by arrows
    await page.page.evaluate(() => document.querySelector('.node[tabindex="0"]').focus());
    const seen = new Set();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowRight', 'ArrowLeft', 'ArrowLeft', 'ArrowDown']) {
      seen.add(await page.page.evaluate(() => document.activeElement.dataset.node));
      await page.press(key);
      await page.until(() => document.activeElement.dataset.node !== undefined);
    }
    assert.ok(seen.size >= 4, [...seen].join());
    await page.press('n');
    await page.until(() => document.activeElement.dataset.node === 'broken');
    await page.press('Enter');
    await page.until(() => document.querySelector('.side-panel')?.innerText.includes('this had to fail'));
    await page.press('Escape', 'v');
    await page.until(() => document.querySelector('.graph-list') !== null);
    const listed = await page.page.evaluate(() => [...document.querySelectorAll('.graph-list li')].flatMap((row) => [...row.querySelectorAll('[data-from]')].map((one) => [one.dataset.from, row.dataset.node])));
    const sorted = (edges) => edges.map((edge) => edge.join(' ')).sort();
    assert.deepEqual(sorted(listed), sorted(graph.edges.map((edge) => [edge.from, edge.to])));
    await page.axe('the graph as a list');
    await page.close();
  });

  test('a graph of 500 steps is laid out by the worker, in groups, within 2,000 elements', async () => {
    const instructions = Array.from({ length: 500 }, (_, index) => ({
      execution_id: `s${index}`,
      tool_definition_path: core('math'),
      arguments: { operation: 'add', a: 1, b: index },
      ...(index === 0 ? {} : { dependencies: [`s${Math.max(0, index - 1 - ((index * 7) % 9))}`] }),
    }));
    await coordinator.submit({ id: 'wide', definition: { instructions } });
    const page = await openChain('wide', 'graph');
    await page.until(() => document.querySelectorAll('.node').length > 5);
    const groups = await page.page.evaluate(() => document.querySelector('.graph-note')?.innerText);
    assert.match(groups, /500 steps, shown in \d+ groups/);
    for (const key of ['0', '-', '-', '+', '+', '+', '+', 'd', '0']) {
      await page.press(key);
      const all = await page.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.querySelectorAll('*').length)))));
      assert.ok(all <= 2000, `${all} elements after ${key}`);
    }
    await coordinator.whenEnded('wide');
    await page.until(statusIs, 'succeeded');
    await page.close();
  });

  test('a chain that is not there says so', async () => {
    const page = await openChain('nobody');
    page.tolerate(/404/);
    await page.until(() => document.querySelector('.problem')?.innerText.includes('chain_not_found'));
    await page.axe('no chain');
    await page.close();
  });
});

test('from the list to a chain, a step and what it printed, and back, by keys alone', async () => {
  await coordinator.chain('by-keys', [['say', 'print.tool', { text: 'typed' }]], {}, 30);
  const page = await Page.open(browser, coordinator, { path: '#/chains?name=definition' });
  await page.until(() => document.querySelector('[data-key=by-keys]') !== null);
  await page.press('j');
  while ((await page.page.evaluate(() => document.activeElement.dataset.key)) !== 'by-keys') await page.press('j');
  await page.press('Enter');
  await page.until(() => location.hash === '#/chains/by-keys' && document.querySelectorAll('.node').length === 1);
  await page.until(() => document.activeElement.tagName === 'MAIN'); // the focus is in the new view
  await page.press('3');
  await page.until(() => document.querySelectorAll('.table-row').length === 1);
  await page.press('j', 'Enter');
  await page.until(() => document.querySelector('.side-panel')?.innerText.includes('typed'));
  await page.press('Escape', '6');
  await page.until(() => document.querySelector('.log .table-rows')?.innerText.includes('typed'));
  // the tabs themselves, by arrows
  await page.page.focus('[role=tab][aria-selected=true]');
  await page.press('ArrowRight');
  await page.until(() => document.activeElement.id === 'tab-data' && location.hash.includes('/data'));
  // what is in the page can be reached by Tab, and each stop is seen
  const stops = new Set();
  for (let press = 0; press < 40; press++) {
    await page.press('Tab');
    const { name, seen } = await page.page.evaluate(() => {
      const active = document.activeElement;
      const style = getComputedStyle(active);
      return { name: active.getAttribute('aria-label') ?? active.innerText.slice(0, 30), seen: active === document.body || style.outlineStyle !== 'none' };
    });
    assert.ok(seen, `the focus on ${name} is seen`);
    stops.add(name);
  }
  assert.ok(stops.size > 5, [...stops].join());
  await page.press('u');
  await page.until(() => location.hash === '#/chains');
  await page.close();
});

test('with reduced motion nothing turns', async () => {
  await coordinator.chain('still', [['rest', core('wait'), { duration: '10m' }]]);
  const page = await Page.inContext(await browser.createBrowserContext(), coordinator, { path: '#/chains/still/steps', emulate: [{ name: 'prefers-reduced-motion', value: 'reduce' }] });
  await page.until(() => document.querySelector('.mark-arc') !== null);
  assert.equal(await page.page.evaluate(() => getComputedStyle(document.querySelector('.mark-arc')).animationDuration), '0s');
  await page.close();
});

describe('it is live', () => {
  test('statuses, events and log lines come as they are written', async () => {
    const gate = coordinator.gate('live');
    await coordinator.chain('live', [['wait', 'gate.tool', { file: gate.file }], ['then', ...add(1, 2), { dependencies: ['wait'] }]]);
    const [steps, events, logs] = await Promise.all([openChain('live', 'steps'), openChain('live', 'events'), openChain('live', 'logs')]);
    await steps.until(() => document.querySelector('[data-key=wait]')?.innerText.includes('running'));
    await events.untilText('goes to worker', '.table-rows');
    await logs.untilText('waits for it', '.table-rows');
    gate.open();
    await logs.untilText('it is there', '.table-rows');
    await events.until(() => document.querySelector('.table-rows').innerText.includes('ChainFinished'));
    await steps.until(() => document.querySelector('[data-key=then]')?.innerText.includes('completed'));
    await steps.until(statusIs, 'succeeded');
    const wanted = (await historyOf('live')).map((event) => String(event.seq));
    await events.until((all) => Number(document.querySelector('.table').getAttribute('aria-rowcount')) === all + 1, wanted.length);
    for (const page of [steps, events, logs]) await page.close();
  });
});

describe('its actions', () => {
  test('cancel, by mouse, twice at once: it is asked once, with its reason', async () => {
    await coordinator.chain('cancel-me', [['rest', core('wait'), { duration: '10m' }]]);
    const page = await openChain('cancel-me');
    await page.clickNamed('Cancel', '.view-actions');
    await page.untilText('Cancel this chain', 'dialog');
    await page.axe('the dialog of cancel');
    const sent = [];
    page.page.on('request', (request) => request.method() === 'POST' && !request.url().includes('validate_only') && sent.push(request.headers()['idempotency-key']));
    await page.page.focus('dialog input[type=text]');
    await page.type('not needed any more');
    await page.page.evaluate(() => {
      const button = [...document.querySelectorAll('dialog footer button')].find((one) => one.innerText === 'Cancel the chain');
      button.click();
      button.click();
    });
    await page.until(statusIs, 'cancelled');
    assert.deepEqual(await audit('cancel-me'), [{ act: 'cancel', reason: 'not needed any more' }]);
    assert.equal(sent.length, 1);
    assert.match(sent[0], /^[0-9a-f]{32}$/);
    assert.ok((await historyOf('cancel-me')).some((event) => event.event === 'ChainFinished' && event.status === 'cancelled'));
    await page.close();
  });

  test('retry, by keys, with the preview that the coordinator gives', async () => {
    const gate = coordinator.gate('retry');
    gate.open('fail');
    await coordinator.chain('retry-me', [['one', ...add(1, 2)], ['two', 'gate.tool', { file: gate.file }, { dependencies: ['one'] }], ['three', ...add(3, 4), { dependencies: ['two'] }]], {}, 30);
    const page = await openChain('retry-me');
    await page.until(statusIs, 'failed');
    await page.press('r');
    await page.untilText('1 of 3 steps run again, 1 more once they have ended', 'dialog');
    const preview = await coordinator.request('/v1/chains/retry-me:retry', { method: 'POST', body: { dry_run: true } });
    const shown = await page.page.evaluate(() => [...document.querySelectorAll('.preview tbody tr')].map((row) => [row.cells[0].innerText, row.classList.contains('preview-runs')]));
    assert.deepEqual(shown, preview.steps.map((step) => [step.id, ['runs', 'anew'].includes(step.action)]));
    await page.axe('the dialog of retry');
    gate.open();
    // from the first radio button past the preview to the reason
    await page.press('Tab', 'Tab');
    await page.until(() => document.activeElement.matches('dialog input[type=text]'));
    await page.type('mended');
    await page.press('Enter');
    await page.until(statusIs, 'succeeded');
    assert.deepEqual(await audit('retry-me'), [{ act: 'retry', reason: 'mended' }]);
    await page.close();
  });

  test('retry from a step that is chosen', async () => {
    await coordinator.chain('retry-from', [['one', ...add(1, 2)], ['two', core('fail'), { message: 'no' }, { dependencies: ['one'] }]], {}, 30);
    const page = await openChain('retry-from', 'steps');
    await page.click('[data-key=one]');
    await page.clickNamed('Retry from here', '.side-panel');
    await page.clickNamed('From these steps on, also where they succeeded', 'dialog');
    await page.untilText('2 of 2 steps run', 'dialog');
    await page.clickNamed('Retry', 'dialog footer');
    await page.untilGone('dialog[open]');
    await coordinator.whenEnded('retry-from');
    assert.equal((await historyOf('retry-from')).filter((event) => event.event === 'VisitEntered' && event.step === 'one').length, 2);
    await page.close();
  });

  test('skip a step', async () => {
    await coordinator.chain('skip-me', [['never', core('fail'), { message: 'no' }], ['then', core('math'), { operation: 'add', a: 'REF:never.a', b: 2 }]], {}, 30);
    const page = await openChain('skip-me', 'steps');
    await page.until(statusIs, 'failed');
    await page.click('[data-key=never]');
    await page.clickNamed('Skip', '.side-panel');
    await page.page.focus('dialog textarea');
    await page.press('Control+a');
    await page.type('{"a": ');
    await page.untilText('The response is no JSON', 'dialog');
    await page.type('40}');
    await page.axe('the dialog of skip');
    await page.clickNamed('Skip', 'dialog footer');
    await page.untilGone('dialog[open]');
    assert.deepEqual(await audit('skip-me'), [{ act: 'skip', reason: undefined }]);
    await page.close();
  });

  test('what the coordinator refuses is said in the dialog', async () => {
    await coordinator.chain('refuse', [['one', ...add(1, 2)]], {}, 30);
    const page = await openChain('refuse');
    page.tolerate(/Failed to load resource/);
    await page.clickNamed('More actions');
    await page.axe('the menu');
    await page.clickNamed('Resolve an attempt in doubt…', '[role=menu]');
    await page.page.select('dialog select', 'one');
    await page.clickNamed('Resolve', 'dialog footer');
    await page.until(() => document.querySelector('dialog .problem') !== null);
    await page.axe('a refusal');
    await page.close();
  });

  test('remove, and a chain that somebody else removes', async () => {
    await coordinator.chain('remove-me', [['one', ...add(1, 2)]], {}, 30);
    const page = await openChain('remove-me');
    await page.until(statusIs, 'succeeded');
    await page.press('Delete');
    await page.untilText('cannot be undone', 'dialog');
    await page.press('Enter');
    await page.until(() => location.hash === '#/chains');
    await assert.rejects(coordinator.chainOf('remove-me'), { status: 404 });
    await page.close();
  });

  test('resolve an attempt in doubt, and resume what was set aside by a crash', async () => {
    const gate = coordinator.gate('doubt');
    await coordinator.chain('doubt', [['once', 'gate.tool', { file: gate.file }, { effect: 'at_most_once' }]]);
    const page = await openChain('doubt');
    page.tolerate(/ERR_|Failed to load resource/);
    await page.until(() => document.querySelector('[data-key=once]')?.innerText.includes('running'));
    // until the program runs, nothing is in doubt
    for (let printed = false; !printed; ) printed = (await coordinator.get('/v1/chains/doubt/logs')).rows.some((row) => row.text.includes('waits for it'));
    await coordinator.kill();
    gate.open();
    await coordinator.begin();
    for (let doubt = false; !doubt; ) doubt = (await coordinator.get('/v1/chains/doubt/steps/once/items')).items[0]?.status === 'in_doubt';
    await page.until(() => document.querySelector('.live-live') !== null);
    await page.press('Control+k');
    await page.type('resolve an attempt');
    await page.press('Enter');
    await page.untilText('Say what became of it', 'dialog');
    await page.page.select('dialog select', 'once');
    await page.clickNamed('It happened, and answered', 'dialog');
    await page.page.focus('dialog textarea');
    await page.press('Control+a');
    await page.type('{"opened": true}');
    await page.axe('the dialog of resolve');
    await page.clickNamed('Resolve', 'dialog footer');
    await page.until(statusIs, 'succeeded');
    assert.ok((await audit('doubt')).some((entry) => entry.act === 'resolve'));
    await page.close();
  });
});

describe('while a large graph is laid out', () => {
  const instructions = Array.from({ length: 500 }, (_, index) => ({
    execution_id: `s${index}`,
    tool_definition_path: core('math'),
    arguments: { operation: 'add', a: 1, b: index },
    ...(index === 0 ? {} : { dependencies: [`s${Math.max(0, index - 1 - ((index * 7) % 9))}`] }),
  }));

  /** The longest task of the page's own thread while `act` runs; 0: all were short. */
  const longest = async (page, act) => {
    await page.page.evaluate(() => {
      window.longTasks = [];
      window.longTaskObserver ??= new PerformanceObserver((list) => window.longTasks.push(...list.getEntries()));
      window.longTaskObserver.observe({ entryTypes: ['longtask'] });
    });
    await act();
    // tasks are told of in their order, some time behind their ends: one that is known to be long is the last
    return page.page.evaluate(() => new Promise((done) => setTimeout(() => {
      const from = performance.now();
      while (performance.now() < from + 60);
      const look = () => {
        window.longTasks.push(...window.longTaskObserver.takeRecords());
        if (!window.longTasks.some((task) => task.startTime + task.duration > from + 30)) setTimeout(look, 0);
        else done(Math.max(0, ...window.longTasks.filter((task) => task.startTime + task.duration <= from + 30).map((task) => task.duration)));
      };
      setTimeout(look, 0);
    }, 0)));
  };

  test('no task of the page takes longer than 50 ms', async (t) => {
    await coordinator.submit({ id: 'large', definition: { instructions } }, 30);
    await coordinator.whenEnded('large');
    const page = await openChain('large', 'steps');
    await page.until(statusIs, 'succeeded');
    // the measure measures: a task that is too long is one
    const busy = await longest(page, () => page.page.evaluate(() => new Promise((done) => setTimeout(() => {
      for (const end = performance.now() + 120; performance.now() < end; );
      done();
    }, 0))));
    assert.ok(busy >= 100, `${busy}`);
    // what others do on the machine makes tasks longer, and never shorter: the best of several times is what the page takes
    const picture = () => page.until(() => document.querySelectorAll('.node').length > 5 && !document.querySelector('.graph-note')?.innerText.startsWith('Laying out'));
    const times = [];
    for (let time = 0; time < 12 && !(times.length >= 3 && Math.min(...times) <= 50); time++) {
      await page.press('3');
      await page.until(() => document.querySelector('.node') === null);
      times.push(await longest(page, async () => {
        await page.press('1');
        await picture();
      }));
    }
    t.diagnostic(`longest tasks: ${times.map((time) => time.toFixed(0)).join(', ')} ms`);
    assert.ok(Math.min(...times) <= 50, `the longest tasks, each time: ${times.join(', ')} ms`);
    await page.close();
  });
});

test('a reason says in words what its message leaves out, and nothing twice', async () => {
  await coordinator.chain('why-ended', [['one', ...add(1, 2)]], {}, 30);
  const ended = await openChain('why-ended', 'why');
  await ended.untilText('nothing moves any more', '.reasons');
  assert.equal(await ended.page.evaluate(() => document.querySelectorAll('.reasons .json, .reasons li p').length), 2); // the message, and its code
  await ended.close();
  const reasons = [
    { code: 'steps', message: 'waits for list, sort', details: { names: ['list', 'sort'], count: 2 } },
    { code: 'workers_closed', message: 'workers that fit are cordoned: w1 and 3 more', details: { names: ['w1'], count: 4, text: 'cordoned' } },
    { code: 'other', message: 'a reason of tomorrow', since: '2026-11-25T01:00:00Z', details: { names: ['east', 'west'], count: 1500, by: 'ada', text: 'out of paper' } },
    { code: 'failing', message: 'it will fail: [timeout] no answer', details: { error: { code: 'timeout', message: 'no answer', retryable: true, details: { host: 'db-1' } } } },
  ];
  const stub = await startStub({ 'GET /v1/chains/*/explain': () => [200, { chain_id: 'wide', status: 'running', reasons }], ...fanOutRoutes({ width: 4, failed: [1] }) });
  try {
    const page = await Page.open(browser, { page: stub.base, explains: true }, { path: '#/chains/wide/why' });
    page.tolerate(/404/);
    await page.until(() => document.querySelectorAll('.reasons li').length >= 4);
    const told = await page.page.evaluate(() => [...document.querySelectorAll('.reasons li')].slice(0, 4).map((one) => [...one.querySelectorAll('p')].slice(1).map((line) => line.innerText.replace(/\s+/g, ' ').trim())));
    assert.deepEqual(told.slice(0, 2), [['steps'], ['workers_closed']]);
    assert.match(told[2][0], /^other since \d+ [smhd] (ago)?|now$/);
    assert.equal(told[2][1], 'names east, west number 1,500 by ada about out of paper');
    assert.match(await page.page.evaluate(() => document.querySelectorAll('.reasons li')[3].querySelector('.json').innerText), /db-1/);
    assert.equal(await page.page.evaluate(() => document.querySelectorAll('.reasons .json').length), 1);
    await page.axe('reasons in words');
    await page.close();
  } finally {
    await stub.close();
  }
});

describe('a fan-out in the graph', () => {
  test('has a small map of its items, with their counts in words, which follows them', async () => {
    const gates = ['a', 'b', 'c', 'd'].map((name) => coordinator.gate(`mini-${name}`));
    await coordinator.submit({
      id: 'mini',
      definition: { instructions: [{ execution_id: 'each', tool_definition_path: 'gate.tool', arguments: {}, parallel_execution: { iterate_over: gates.map((gate) => gate.file), child_argument_name: 'file', on_item_failure: 'null' } }] },
    });
    const page = await openChain('mini', 'graph');
    await page.until(() => document.querySelector('.node-states')?.textContent === '4 running' && document.querySelectorAll('.mini path').length === 1);
    gates[0].open();
    gates[2].open('fail');
    await page.until(() => document.querySelector('.node-states').textContent === '1 failed · 2 running');
    // the map follows the words with an answer of its own
    const drawn = (cells) => page.until((wanted) => [...document.querySelectorAll('.mini path')].map((path) => `${path.getAttribute('class')} ${path.getAttribute('d').split('M').length - 1}`).sort().join() === wanted, cells);
    await drawn('mini-failed 1,mini-running 2,mini-succeeded 1');
    assert.match(await page.page.evaluate(() => document.querySelector('[data-node=each]').getAttribute('aria-label')), /1 failed, 2 running, 1 succeeded/);
    for (const theme of ['light', 'dark']) {
      await page.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
      await page.axe(`a small map, ${theme}`);
    }
    gates[1].open();
    gates[3].open();
    await page.until(statusIs, 'succeeded');
    await page.until(() => document.querySelector('.node-states').textContent === '1 failed');
    await drawn('mini-failed 1,mini-succeeded 3');
    await page.close();
  });

  test('shows one failed item of a million, where it is', async () => {
    const graph = { nodes: [{ id: 'list', label: 'list', kind: 'step' }, { id: 'score', label: 'score', kind: 'fan_out' }], edges: [{ from: 'list', to: 'score', kind: 'after' }] };
    const stub = await startStub({ 'GET /v1/chains/*/graph': () => [200, graph], ...fanOutRoutes({ width: 1_000_000, failed: [0, 999_999] }) });
    try {
      const page = await Page.open(browser, { page: stub.base }, { path: '#/chains/wide/graph' });
      page.tolerate(/404/);
      await page.until(() => document.querySelector('.node-states')?.textContent === '2 failed' && document.querySelector('.mini-failed') && document.querySelector('.mini-succeeded'));
      const failed = await page.page.evaluate(() => document.querySelector('.mini-failed').getAttribute('d').match(/M[\d.]+ [\d.]+/g));
      assert.equal(failed.length, 2);
      assert.equal(failed[0], 'M0.0 0');
      assert.match(failed[1], /^M168\.0 7$/);
      assert.equal(await page.page.evaluate(() => document.querySelector('.mini-succeeded').getAttribute('d').split('M').length - 1), 84);
      await page.close();
    } finally {
      await stub.close();
    }
  });
});
