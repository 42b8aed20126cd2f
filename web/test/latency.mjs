// How long a change takes from its commit to the screen while a fan-out settles thousands of items a second: the real binary, a real browser, one clock. It asserts nothing.
//   CATENA_BINARY=build/release/catena node web/test/latency.mjs [--repeats 5] [--seconds 12] [--slots 96]
//
// When a change was committed: an event of the feed has the time at which it was decided, which is before its commit, so that the figures are rather too high. Items are no events:
// their count is asked for all the time, and the n-th is taken to be committed when the last question was sent whose answer did not have it yet: too early again.
// When it is on screen: a frame whose document has it was handed over, by the clock of the page, which is that of the machine.
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { Coordinator, Page, core, launch } from './helpers.mjs';

const { values } = parseArgs({ options: { repeats: { type: 'string', default: '5' }, seconds: { type: 'string', default: '12' }, slots: { type: 'string', default: '96' } } });
const repeats = Number(values.repeats);
const seconds = Number(values.seconds);
const slots = Number(values.slots);
const sleepMs = 10;
const wantedRate = 5000;
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** In the page: what each frame showed that no frame before it did. `window.looks` is set by `watch`. */
function record() {
  window.seen = {};
  window.counted = [];
  let asked = false;
  const look = () => {
    asked = false;
    const rows = [...document.querySelectorAll('.table-row')].map((row) => `${row.dataset.key} ${row.querySelector('.status-word')?.innerText}`);
    const text = document.querySelector('.items-bar [role=status], [data-key=each] .counts .number')?.textContent ?? '';
    // what this frame has is drawn when the task behind it runs
    setTimeout(() => {
      const now = Date.now();
      for (const row of rows) window.seen[row] ??= now;
      if (text !== window.counted.at(-1)?.text) window.counted.push({ text, at: now });
    }, 0);
  };
  new MutationObserver(() => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(look);
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
}

const numbered = (text) => Number(text.replaceAll(',', ''));
/** "1,200 of 72,000 items settled", "72,000 items", "1,200/72,000". */
function shownCount(text) {
  const part = /^([\d,]+)(?: of |\/)[\d,]+/.exec(text);
  if (part) return numbered(part[1]);
  const all = /^([\d,]+) items$/.exec(text);
  return all ? numbered(all[1]) : 0;
}

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
function figures(lags) {
  const sorted = Float64Array.from(lags).sort();
  return { changes: sorted.length, p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95), p99: percentile(sorted, 0.99), most: sorted.at(-1) };
}

const inline = (endpoint) => ({ additional_arguments: true, system_event_endpoint: endpoint });
/** Some slots stay for others: those wait for none behind the fan-out. */
const mostAtOnce = Math.max(1, slots - 16);
const fanOut = (items, others = []) => ({
  instructions: [
    { execution_id: 'list', tool_definition: inline('builtin:range'), arguments: { count: items } },
    { execution_id: 'each', tool_definition: inline('builtin:sleep'), arguments: { duration: `${sleepMs}ms` }, parallel_execution: { iterate_over: 'REF:list.items', child_argument_name: 'n', max_concurrency: mostAtOnce } },
    ...others,
  ],
});
/** Steps that end one after the other beside the fan-out, for as long as it lasts. */
const ticks = (number) =>
  Array.from({ length: number }, (_, tick) => ({ execution_id: `tick-${tick}`, tool_definition_path: core('wait'), arguments: { duration: '200ms' }, ...(tick === 0 ? {} : { dependencies: [`tick-${tick - 1}`] }) }));

/** Asks for the count of the fan-out until it has ended. */
async function poll(coordinator, id, polls) {
  for (;;) {
    const sent = Date.now();
    const { steps } = await coordinator.get(`/v1/chains/${id}/steps`);
    const each = steps.find((step) => step.id === 'each');
    if (each?.items) polls.push({ sent, count: each.items.ok + each.items.failed, total: each.items.total });
    if (each?.settled_at) return;
    await sleep(15);
  }
}

/** When each event came over the stream to a program that does nothing else: what the page could have had. */
function listen(coordinator, came) {
  const abort = new AbortController();
  const reading = (async () => {
    const response = await fetch(`${coordinator.url}/v1/events?all=true`, { headers: { accept: 'text/event-stream' }, signal: abort.signal });
    let rest = '';
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      const at = Date.now();
      const blocks = (rest + part).split('\n\n');
      rest = blocks.pop();
      for (const block of blocks) {
        const id = /^id: ?(\d+)/m.exec(block);
        if (id) came.set(Number(id[1]), at);
      }
    }
  })().catch(() => undefined);
  return () => {
    abort.abort();
    return reading;
  };
}

async function eventsBehind(coordinator, number) {
  const events = [];
  for (let after = number; ; ) {
    const page = await coordinator.get(`/v1/events?all=true&after=${after}&limit=1000`);
    events.push(...page.events);
    after = page.next;
    if (!page.more) return events;
  }
}

/** The n-th item is committed no earlier than the last question was sent that was answered without it, and is shown by the first frame that counts as far. */
function lagsOfCounts(polls, counted) {
  const lags = [];
  const shown = counted.map(({ text, at }) => ({ count: shownCount(text), at })).filter((one) => one.count > 0);
  let from = polls[0]?.sent;
  let known = 0;
  let frame = 0;
  for (const { sent, count } of polls) {
    for (let item = known + 1; item <= count; item++) {
      while (frame < shown.length && shown[frame].count < item) frame++;
      if (frame === shown.length) return lags;
      lags.push(shown[frame].at - from);
    }
    known = Math.max(known, count);
    from = sent;
  }
  return lags;
}

const rateOf = (polls) => {
  const running = polls.filter(({ count, total }) => count > 0 && count < total);
  const [first, last] = [running[0], running.at(-1)];
  return first && last && last.sent > first.sent ? ((last.count - first.count) * 1000) / (last.sent - first.sent) : 0;
};

let number = 0;
/** One repeat of a view; `loaded`: while the fan-out settles. */
async function measure(browser, coordinator, view, loaded, items) {
  const id = `wide-${++number}`;
  const { next } = await coordinator.get('/v1/events?from_now=true');
  const polls = [];
  const came = new Map();
  const stopListening = listen(coordinator, came);
  let polling = Promise.resolve();
  const begin = async () => {
    await coordinator.submit({ id, definition: fanOut(loaded ? items : 1, view === 'steps' ? ticks(Math.floor(seconds * 4)) : []) });
    polling = poll(coordinator, id, polls);
  };
  const path = view === 'list' ? '#/chains' : `#/chains/${id}/${view}`;
  if (view !== 'list') await begin();
  const page = await Page.open(browser, coordinator, { path, height: view === 'items' ? 800 : 1600 });
  await page.until(() => document.querySelector('.live-live') !== null);
  if (view === 'steps') await page.until(() => document.querySelector('[data-key=each]') !== null);
  if (view === 'items') await page.until(() => document.querySelector('.map-canvas') !== null);
  await page.page.evaluate(record);
  const watchedSince = Date.now() + 100; // what came before was not watched
  if (view === 'list') {
    await begin();
    const until = Date.now() + seconds * 1000;
    for (let probe = 0; Date.now() < until; probe++) {
      await coordinator.chain(`probe-${number}-${probe}`, [['add', core('math'), { operation: 'add', a: 1, b: probe }]]);
      await sleep(150);
    }
  }
  if (loaded) await polling;
  else if (view === 'steps') await sleep(seconds * 1000);
  const untilThen = Date.now();
  await sleep(3000); // what is still on its way to the screen
  const { seen, counted } = await page.page.evaluate(() => ({ seen: window.seen, counted: window.counted }));
  await page.close();
  await stopListening();
  await coordinator.request(`/v1/chains/${id}:kill`, { method: 'POST', body: {} }).catch(() => undefined); // it may have ended
  const lags = [];
  const streamed = [];
  let lost = 0;
  for (const event of await eventsBehind(coordinator, next)) {
    const at = Date.parse(event.time);
    if (at < watchedSince || at > untilThen) continue;
    const wanted =
      view === 'list' && event.chain_id.startsWith('probe-') && event.kind === 'ended' ? `${event.chain_id} succeeded`
      : view === 'steps' && event.chain_id === id && event.kind === 'step_settled' && event.step.startsWith('tick-') ? `${event.step} completed`
      : undefined;
    if (wanted === undefined) continue;
    if (seen[wanted] === undefined) lost++;
    else lags.push(seen[wanted] - at);
    if (came.has(event.number)) streamed.push(came.get(event.number) - at);
  }
  const watched = polls.filter(({ sent }) => sent >= watchedSince);
  return { lags, lost, streamed, counts: loaded && view !== 'list' ? lagsOfCounts(watched, counted).slice(watched[0]?.count ?? 0) : [], rate: loaded ? rateOf(polls) : 0 };
}

const browser = await launch();
const coordinator = await Coordinator.start({ slots });
try {
  // so many that they last as long as is measured, at the rate that this machine has
  const trial = [];
  await coordinator.submit({ id: 'trial', definition: fanOut(20_000) });
  await poll(coordinator, 'trial', trial);
  const items = Math.ceil(Math.max(wantedRate, rateOf(trial)) * seconds);
  console.log(`${cpus().length} processors, load ${loadavg()[0].toFixed(1)}, fan-outs of ${items} items of ${sleepMs} ms, ${slots} slots, ${repeats} repeats`);
  const results = new Map();
  const add = (name, lags, rate, lost) => {
    const held = results.get(name) ?? { lags: [], rates: [], lost: 0 };
    for (const lag of lags) held.lags.push(lag);
    held.rates.push(rate);
    held.lost += lost;
    results.set(name, held);
  };
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const view of ['list', 'steps']) {
      const calm = await measure(browser, coordinator, view, false, items);
      add(`${view}: events, calm`, calm.lags, 0, calm.lost);
      const loaded = await measure(browser, coordinator, view, true, items);
      add(`${view}: events`, loaded.lags, loaded.rate, loaded.lost);
      add(`${view}: the same, to a program that reads the stream`, loaded.streamed, loaded.rate, 0);
      if (view === 'steps') add('steps: settled items', loaded.counts, loaded.rate, 0);
    }
    const map = await measure(browser, coordinator, 'items', true, items);
    add('items: settled items', map.counts, map.rate, 0);
    console.error(`repeat ${repeat + 1} of ${repeats}, load ${loadavg()[0].toFixed(1)}`);
  }
  console.log('| what | changes | items/s meanwhile, fewest of a repeat | p50 | p95 | p99 | most | not seen |');
  console.log('|---|---|---|---|---|---|---|---|');
  for (const [name, { lags, rates, lost }] of results) {
    if (lags.length === 0) {
      console.log(`| ${name} | 0 | | | | | | ${lost} |`);
      continue;
    }
    const { changes, p50, p95, p99, most } = figures(lags);
    console.log(`| ${name} | ${changes} | ${Math.round(Math.min(...rates))} | ${p50} ms | ${p95} ms | ${p99} ms | ${most} ms | ${lost} |`);
  }
} finally {
  await browser.close();
  await coordinator.stop();
}
