// Schedules: listed, made, looked at, and each order given by mouse or by keys, against a real coordinator.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Coordinator, launch, Page } from './helpers.mjs';

const add = { name: 'math', arguments: { operation: 'add', a: 1, b: 2 } };
let coordinator;
let browser;

before(async () => {
  [coordinator, browser] = await Promise.all([Coordinator.start(), launch()]);
});
after(async () => {
  await browser?.close();
  await coordinator?.stop();
});

const put = (name, others) => coordinator.request(`/v1/schedules/${name}`, { method: 'PUT', body: { ...add, ...others } });
const schedule = (name) => coordinator.get(`/v1/schedules/${name}`);
const audited = async (act) => (await coordinator.get(`/v1/audit?act=${act}`)).entries;
const fill = async (page, label, text) => {
  const handle = await page.page.evaluateHandle((wanted) => [...document.querySelectorAll('dialog .field')].find((one) => one.querySelector('span').innerText.startsWith(wanted)).querySelector('input, textarea'), label);
  await handle.asElement().click({ count: 3 });
  await page.type(text);
};
const run = (name) => document.querySelector(`.table-row[data-key^="${name}-"] a[href^="#/chains/"]`) !== null;

test('a schedule is made from a form that says when it would be due, run, held, let go, filled in and deleted', async () => {
  const page = await Page.open(browser, coordinator);
  page.tolerate(/422/); // what is checked while it is written
  await page.press('g', 's');
  await page.untilText('There are no schedules');
  await page.axe('no schedules');
  await page.press('Shift+N');
  await page.untilText('A name is missing', 'dialog');
  await page.type('nightly');
  await fill(page, 'Definition', 'math');
  await fill(page, 'Cron', '0 99 * * *');
  await fill(page, 'Arguments', '{"operation": "add", "a": 1');
  await page.untilText('The arguments are no JSON', 'dialog');
  await page.type(', "b": 2}');
  await page.untilText('The coordinator would refuse this', 'dialog');
  await page.untilText('cron', 'dialog .problem');
  await page.axe('a schedule that is refused');
  await fill(page, 'Cron', '0 2 * * *');
  await fill(page, 'Time zone', 'Europe/Berlin');
  await fill(page, 'Labels', 'team=red');
  await fill(page, 'Deadline', '2h');
  await page.until(() => document.querySelectorAll('dialog time').length === 5);
  await page.axe('a new schedule');
  await page.press('Enter');
  await page.until(() => location.hash === '#/schedules/nightly');
  await page.untilText('It has had no run yet');
  const made = await schedule('nightly');
  assert.equal(made.cron, '0 2 * * *');
  assert.equal(made.timezone, 'Europe/Berlin');
  assert.equal(made.labels.team, 'red');
  assert.deepEqual({ ...made.arguments, digits: undefined }, { ...add.arguments, digits: undefined }); // which has a default
  await page.axe('a schedule');

  await page.clickNamed('Trigger');
  await page.untilText('The coordinator would trigger it', 'dialog');
  await page.axe('trigger');
  await page.click('dialog input');
  await page.type('a try');
  await page.clickNamed('Trigger', 'dialog footer');
  await page.until(run, 'nightly');
  await page.until(() => document.querySelector('.table-row')?.innerText.includes('succeeded'));
  const { runs, last } = await schedule('nightly');
  assert.equal(runs.begun, 1);
  assert.equal((await audited('trigger_schedule'))[0].reason, 'a try');
  await page.axe('a schedule with a run');

  const wicked = '<img src=x onerror="window.ran=1">\u202e';
  await page.press('Shift+P');
  await page.untilText('The coordinator would pause it', 'dialog');
  await page.type(wicked);
  await page.press('Enter');
  await page.untilText('Paused now', '.schedule-about');
  await page.untilText('<img src=x', '.schedule-about');
  assert.equal((await schedule('nightly')).pause_reason, wicked);
  assert.equal(await page.page.evaluate(() => window.ran), undefined);
  await page.axe('a paused schedule');
  await page.press('Shift+U');
  await page.untilText('The coordinator would resume it', 'dialog');
  await page.press('Enter');
  await page.untilText('Due', '.schedule-about');
  assert.equal((await schedule('nightly')).paused, false);

  await page.press('b');
  await page.untilText('The coordinator would backfill it', 'dialog');
  await page.axe('backfill');
  await page.press('Enter');
  await page.until(() => document.querySelectorAll('.table-row').length === 2); // each day has one
  await page.until(() => [...document.querySelectorAll('.table-row')].every((row) => row.innerText.includes('succeeded')));
  assert.equal((await audited('backfill_schedule')).length, 1);

  // the runs are chains with the label
  // they have their deadlines
  const begun = await coordinator.chainOf(last[0].chain_id);
  assert.ok(Math.abs(Date.parse(begun.deadline) - Date.parse(begun.started_at) - 7_200_000) < 60_000, begun.deadline);
  await page.clickNamed('All of them in the list of chains');
  await page.until(() => document.querySelectorAll('[aria-label=Chains] .table-row').length === 2);
  await page.page.goBack();
  await page.until(run, 'nightly');
  await page.page.click(`.table-row[data-key="${last[0].chain_id}"] a`);
  await page.until((id) => location.hash.startsWith(`#/chains/${id}`), last[0].chain_id);
  await page.page.goBack();
  await page.until(run, 'nightly');

  await page.press('Delete');
  await page.untilText('The coordinator would remove it', 'dialog');
  await page.axe('delete');
  await page.press('Enter');
  await page.until(() => location.hash === '#/schedules');
  await page.untilText('There are no schedules');
  await page.close();
});

test('the list is found through, kept fresh, and given orders by keys, the palette and the mouse', async () => {
  await put('poll', { every: '1h', overlap: 'queue' });
  await put('report', { cron: '@daily' });
  await coordinator.request('/v1/schedules/report:trigger', { method: 'POST', body: {} });
  const page = await Page.open(browser, coordinator, { path: '#/schedules' });
  await page.until(() => document.querySelector('[data-key=poll]') && document.querySelector('[data-key=report]')?.innerText.includes('succeeded'));
  const poll = await page.page.evaluate(() => document.querySelector('[data-key=poll]').innerText);
  for (const word of ['active', 'every 1h', 'in 59 m', 'queue', 'math']) assert.ok(poll.includes(word), `${word} in ${poll}`);
  await page.axe('schedules');
  await page.press('Shift+P'); // of the row under the cursor, the first
  await page.untilText('poll', 'dialog');
  await page.press('Enter');
  await page.until(() => document.querySelector('[data-key=poll]').innerText.includes('paused'));
  await page.press('j', 'j'); // the first takes the focus to the row under the cursor
  await page.press('Control+k');
  await page.type('trigger the schedule');
  await page.press('Enter');
  await page.untilText('report', 'dialog:not(.palette)');
  await page.press('Enter');
  await page.untilGone('dialog[open]');
  for (let times = 0; (await schedule('report')).runs.begun < 2; times++) assert.ok(times < 1000);
  // somebody else changes one: it is seen without a touch
  await coordinator.request('/v1/schedules/poll:resume', { method: 'POST', body: {} });
  await page.until(() => document.querySelector('[data-key=poll]').innerText.includes('active'));
  await page.press('?');
  await page.untilText('Backfill the schedule', 'dialog');
  await page.untilText('Go to schedules', 'dialog');
  await page.press('Escape');
  await page.press('/');
  await page.type('rep');
  await page.until(() => document.querySelectorAll('.table-row').length === 1 && location.hash.includes('name=rep'));
  await page.page.click('[data-key=report] a[href="#/schedules/report"]');
  await page.untilText('@daily', '.facts');
  await page.close();
});

test('in the dark and on a narrow screen', async () => {
  const page = await Page.open(browser, coordinator, { path: '#/schedules', theme: 'dark' });
  await page.until(() => document.querySelectorAll('.table-row').length > 0);
  await page.axe('schedules, dark');
  await page.page.setViewport({ width: 420, height: 800 });
  const fits = async (where) => assert.ok(await page.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${where}: nothing is wider than the screen`);
  await page.axe('schedules, narrow');
  await fits('schedules');
  await page.go('#/schedules/report');
  await page.until(run, 'report');
  await page.axe('a schedule, dark and narrow');
  await fits('a schedule');
  await page.go('#/schedules?new=1');
  await page.untilText('A name is missing', 'dialog');
  await page.axe('a new schedule, dark and narrow');
  await fits('a new schedule');
  await page.close();
  const none = await Page.open(browser, coordinator, { path: '#/schedules/nobody' });
  none.tolerate(/404/);
  await none.untilText('schedule_not_found');
  await none.close();
});
