// Approvals and signals: the inbox with made-up chains of every kind, and both with a coordinator whose chains wait.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Coordinator, core, launch, Page } from './helpers.mjs';
import { hostile } from './hostile_strings.mjs';
import { startStub } from './stub.mjs';
import { approvalRoutes } from './stub_routes.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const rowOf = (id) => document.querySelector(`.table-row[data-key^="${id} "]`)?.innerText;
/** The field of that label. */
const fill = async (page, label, text) => {
  const handle = await page.page.evaluateHandle((wanted) => {
    const found = [...document.querySelectorAll('dialog label')].find((one) => one.innerText.startsWith(wanted));
    return found.control ?? found.querySelector('input, textarea');
  }, label);
  await handle.asElement().click({ count: 3 });
  await page.type(text);
};
const reason = (page, text) => fill(page, 'Reason', text);
const canSend = () => document.querySelector('dialog button[type=submit]')?.disabled === false;
const inStub = async (options, work) => {
  const stub = await startStub(approvalRoutes(options));
  try {
    await work(stub, (others = {}) => Page.open(browser, { page: stub.base, explains: true }, { path: '#/approvals', ...others }));
  } finally {
    await stub.close();
  }
};

describe('the inbox', () => {
  test('says of each who, since when, until when and what of; a form made from the schema sends once', () =>
    inStub({}, async (stub, open) => {
      const page = await open({ path: '#/chains' });
      page.tolerate(/422/); // what is checked while it is written
      await page.until(() => document.querySelector('nav .tab-count')?.innerText === '3');
      await page.press('g', 'a');
      await page.until(() => document.querySelectorAll('.table-row').length === 3);
      const first = await page.page.evaluate(rowOf, 'pay-0');
      for (const word of ['anna', 'then it is rejected', '"amount":500']) assert.ok(first.includes(word), `${word} in ${first}`);
      assert.ok((await page.page.evaluate(rowOf, 'pay-1')).includes('0-2,5'));
      await page.axe('the inbox');
      await page.clickNamed('Approve pay of pay-0');
      await page.untilText('amount: This argument is required.', 'dialog footer');
      await fill(page, 'amount', '500');
      await page.untilText('The coordinator would refuse this.', 'dialog footer');
      // at the field that the pointer names
      await page.until(() => [...document.querySelectorAll('dialog .argument')].filter((one) => one.innerText.includes('it is more than 100')).map((one) => one.innerText.split(' ')[0]).join() === 'amount');
      await page.until(() => [...document.querySelectorAll('dialog .argument')].some((one) => one.innerText.startsWith('tags') && one.innerText.includes('0: Value type not permitted')));
      await page.until(() => [...document.querySelectorAll('dialog .argument')].some((one) => one.innerText.startsWith('note/a') && one.innerText.includes('it is none of these')));
      await page.axe('an approval that is refused');
      await fill(page, 'amount', '90.5');
      await page.page.select('dialog .argument select', 'true');
      await fill(page, 'tags', '["a"]');
      await page.untilText('The coordinator would approve step pay.', 'dialog .would');
      await page.axe('an approval');
      await reason(page, 'within the limits');
      stub.asked.length = 0;
      await page.page.evaluate(() => {
        const form = document.querySelector('dialog form');
        form.requestSubmit();
        form.requestSubmit();
      });
      await page.until(() => document.querySelectorAll('.table-row').length === 2 && document.querySelector('dialog[open]') === null);
      const sent = stub.asked.filter((one) => one.path === '/v1/chains/pay-0:approve' && one.query === '');
      assert.equal(sent.length, 1);
      assert.deepEqual(sent[0].body, { step: 'pay', edit: { amount: 90.5, urgent: true, tags: ['a'] }, reason: 'within the limits' });
      assert.ok(sent[0].headers['idempotency-key']);
      await page.until(() => document.querySelector('nav .tab-count')?.innerText === '2');
      await page.close();
    }));

  test('rejects items by keys, with a reason, which it asks for; without a schema what is edited is what there is', () =>
    inStub({}, async (stub, open) => {
      const page = await open();
      await page.until(() => document.querySelectorAll('.table-row').length === 3);
      await page.press('j', 'j');
      await page.press('Shift+N');
      await page.untilText('Reject this step', 'dialog');
      await page.untilText('Say why.', 'dialog footer');
      assert.equal(await page.page.evaluate(canSend), false);
      assert.equal(await page.page.evaluate(() => document.querySelector('dialog .value-form')), null);
      await fill(page, 'Items', '1,5');
      await page.untilText('items 1,5', 'dialog .would');
      await reason(page, 'twice the same');
      await page.until(canSend);
      await page.press('Enter');
      await page.until(() => document.querySelectorAll('.table-row').length === 2);
      const sent = stub.asked.find((one) => one.path === '/v1/chains/pay-1:reject' && one.query === '');
      assert.deepEqual(sent.body, { step: 'each', items: '1,5', reason: 'twice the same' });
      // arguments that are too large to be told have no fields: JSON
      await page.clickNamed('Approve pay of pay-2');
      await page.untilText('The first of 68.4 KiB', 'dialog');
      await fill(page, 'Other arguments, as JSON', '[1]');
      await page.untilText('An object is wanted', 'dialog footer');
      await fill(page, 'Other arguments, as JSON', '{"text": "short"}');
      await page.until(canSend);
      await page.press('Tab');
      await page.clickNamed('Approve', 'dialog footer');
      await page.until(() => document.querySelectorAll('.table-row').length === 1);
      assert.deepEqual(stub.asked.find((one) => one.path === '/v1/chains/pay-2:approve' && one.query === '').body, { step: 'pay', edit: { text: 'short' } });
      await page.press('?');
      await page.untilText('Approve the step', 'dialog');
      await page.untilText('Go to approvals', 'dialog');
      await page.close();
    }));

  test('comes in pages, the longest waiting first, and is filtered by who in the address', () =>
    inStub({ waiting: 250 }, async (stub, open) => {
      const page = await open();
      await page.until(() => document.querySelectorAll('.table-row').length > 5);
      assert.match(await page.page.evaluate(() => document.querySelector('.table-row').dataset.key), /^pay-0 /);
      await page.until(() => document.querySelector('nav .tab-count')?.innerText === '99+');
      for (let rows = 0; rows < 250; ) {
        await page.page.evaluate(() => document.querySelector('.table').scrollTo(0, 1e6));
        rows = await page.until((least) => {
          const all = Number(document.querySelector('.table-rows').style.height.replace('px', '')) / 34;
          return all > least ? all : undefined;
        }, rows);
      }
      await page.press('/');
      await page.type('anna');
      await page.until(() => location.hash === '#/approvals?who=anna' && [...document.querySelectorAll('.table-row')].every((row) => row.innerText.includes('anna')));
      await page.go('#/approvals?who=nobody');
      await page.untilText('Nothing that fits waits for approval');
      await page.close();
    }));

  for (const theme of ['light', 'dark'])
    test(`strings that want to run are text, narrow and ${theme}`, () =>
      inStub({ hostile }, async (stub, open) => {
        const page = await open({ theme, width: 420 });
        page.tolerate(/422/);
        await page.until(() => document.querySelectorAll('.table-row').length === 3);
        const fits = async (where) => {
          assert.ok(await page.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${where}: nothing is wider than the screen`);
          assert.equal(await page.page.evaluate(() => window.ran), undefined, where);
          await page.axe(where);
        };
        await fits(`the inbox, ${theme}`);
        for (const keys of ['Shift+Y', 'Shift+N']) {
          await page.press(keys);
          await page.until(() => document.querySelector('dialog .json') !== null);
          await fits(`${keys}, ${theme}`);
          if (keys === 'Shift+Y') {
            await fill(page, 'amount', '500');
            await page.until(() => document.querySelector('dialog .problem') !== null);
            await fits(`refused, ${theme}`);
          }
          await page.press('Escape');
          await page.untilGone('dialog[open]');
        }
        await page.close();
      }));
});

describe('with a coordinator', () => {
  let coordinator;
  before(async () => {
    coordinator = await Coordinator.start({ slots: 8 });
  });
  after(() => coordinator?.stop());

  const approve = { who: 'accounting', timeout: '2d', schema: { type: 'object', properties: { b: { type: 'number', maximum: 100 } } } };
  const pay = (id, more = {}) => coordinator.chain(id, [['pay', core('math'), { operation: 'add', a: 500, b: 1 }, { approve, ...more }]]);
  const waits = async (id) => {
    for (let found = false; !found; ) found = (await coordinator.get(`/v1/approvals?chain=${id}`)).approvals.length > 0;
  };
  const open = (path) => Page.open(browser, coordinator, { path });
  const answered = async (id) => (await coordinator.get(`/v1/chains/${id}/history?limit=1000`)).events.filter((event) => event.event === 'ApprovalAnswered');

  test('a step is approved with another argument from the inbox, and runs with it', async () => {
    await pay('edited');
    await waits('edited');
    const page = await open('#/approvals');
    page.tolerate(/422/);
    await page.until(rowOf, 'edited');
    await page.clickNamed('Approve pay of edited');
    await fill(page, 'b', '101');
    await page.until(() => document.querySelector('dialog .argument')?.innerText.includes('100'));
    await fill(page, 'b', '7');
    await page.untilText('The coordinator would approve step pay.', 'dialog .would');
    await reason(page, 'within the limits');
    await page.clickNamed('Approve', 'dialog footer');
    await page.untilText('Nothing waits for approval');
    const chain = await coordinator.whenEnded('edited');
    assert.equal(chain.status, 'succeeded');
    assert.equal((await coordinator.get('/v1/chains/edited/steps/pay/response')).result, 507);
    const [event] = await answered('edited');
    assert.equal(event.reason, 'within the limits');
    await page.close();
  });

  test('a step says in the page of its chain that it waits, and is rejected there', async () => {
    await pay('rejected');
    await waits('rejected');
    const page = await open('#/chains/rejected/steps');
    await page.until(() => document.querySelector('[data-key=pay]')?.innerText.includes('waits for approval'));
    await page.click('[data-key=pay]');
    await page.untilText('approval', '.side-panel .facts');
    await page.axe('a step that waits for approval');
    await page.clickNamed('Reject', '.side-panel');
    await page.untilText('accounting', 'dialog');
    await page.untilText('The coordinator would reject step pay.', 'dialog .would');
    await reason(page, 'twice the same');
    await page.clickNamed('Reject', 'dialog footer');
    await page.untilText('approval_rejected', '.chain-head .error-box');
    assert.equal((await coordinator.chainOf('rejected')).error.code, 'approval_rejected');
    await page.close();
  });

  test('items of a fan-out are approved from the chain, by keys, and the graph says how many wait', async () => {
    await coordinator.chain('wide', [['each', core('math'), { operation: 'add', b: 1 }, { approve: true, parallel_execution: { iterate_over: [1, 2, 3], child_argument_name: 'a' } }]]);
    await waits('wide');
    const page = await open('#/chains/wide');
    await page.until(() => document.querySelector('[data-node=each]')?.textContent.includes('approval of 3 items'));
    // `a` alone amends the chain
    await page.press('g', 'a');
    await page.until(rowOf, 'wide');
    await page.press('Enter');
    await page.until(() => document.querySelector('[data-node=each]') !== null && document.querySelector('dialog[open]') === null);
    await page.press('Shift+Y');
    await page.untilText('Approve this step', 'dialog');
    await page.until(() => [...document.querySelectorAll('dialog input')].some((one) => one.value === '0-2'));
    await fill(page, 'Items', '0,2');
    await page.untilText('items 0,2', 'dialog .would');
    await page.press('Enter');
    await page.until(() => document.querySelector('[data-node=each]')?.textContent.includes('approval of 1 item'));
    await coordinator.request('/v1/chains/wide:approve', { method: 'POST', body: { step: 'each', items: '1' } });
    assert.equal((await coordinator.whenEnded('wide')).status, 'succeeded');
    await page.close();
  });

  test('a step says which signal it waits for, and takes what a form of its schema sends', async () => {
    const schema = { type: 'object', required: ['by'], properties: { by: { type: 'string' }, amount: { type: 'integer' } } };
    await coordinator.submit({ id: 'asks', definition: { instructions: [{ execution_id: 'ask', signal: { name: 'go', schema } }] }, deadline: '2h' });
    const page = await open('#/chains/asks/steps?step=ask');
    page.tolerate(/422/);
    await page.untilText('signal go', '.side-panel .facts');
    await page.untilText('Deadline', '.chain-head .facts');
    await page.until(() => /in (1 h|59 m|2 h)/.test([...document.querySelectorAll('.chain-head .facts > div')].find((one) => one.innerText.startsWith('Deadline'))?.innerText));
    await page.axe('a step that waits for a signal');
    await page.clickNamed('Send signal', '.side-panel');
    await page.untilText('by: This argument is required.', 'dialog footer');
    await fill(page, 'amount', '12');
    await fill(page, 'by', 'ann');
    await page.untilText('The coordinator would send it the signal go.', 'dialog .would');
    await page.axe('a signal');
    await reason(page, 'within the limits');
    await page.clickNamed('Send', 'dialog footer');
    const chain = await coordinator.whenEnded('asks');
    assert.deepEqual(chain.response, { ask: { amount: 12, by: 'ann' } });
    await page.until(() => document.querySelector('.chain-head .status-word')?.innerText === 'succeeded');
    await page.close();
  });
});
