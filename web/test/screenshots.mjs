// The pictures of docs/web.md: a real coordinator that runs the example of a corpus with a broken tool; and the stub, for what takes a million items. `make screenshots` runs it.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Coordinator, launch, Page } from './helpers.mjs';
import { scattered, startStub } from './stub.mjs';
import { clusterRoutes, definitionRoutes, fanOutRoutes } from './stub_routes.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const out = resolve(process.argv[2] ?? join(root, 'docs/pictures'));
const mostBytes = 60 * 1024;
mkdirSync(out, { recursive: true });
const browser = await launch();
const folder = mkdtempSync(join(tmpdir(), 'catena-pictures-'));
const corpus = join(folder, 'corpus');
cpSync(join(root, 'examples/corpus'), corpus, { recursive: true });
const tool = join(corpus, 'tools/bin/analyse.sh');
const wordList = join(folder, 'word-list');
// a tool that needs something that is not there
writeFileSync(tool, readFileSync(tool, 'utf8').replace('\n', `\n[ -e ${wordList} ] || { echo 'analyse: cannot open the word list' >&2; exit 1; }\n`));

async function shot(page, name) {
  await page.page.mouse.move(2, 790);
  await page.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const file = join(out, `${name}.webp`);
  for (const quality of [82, 70, 55, 40]) {
    await page.page.screenshot({ path: file, type: 'webp', quality });
    if (statSync(file).size <= mostBytes) break;
  }
  const { size } = statSync(file);
  if (size > mostBytes) throw new Error(`${file} has ${size} bytes`);
  console.log(`${name}.webp ${(size / 1024).toFixed(1)} KiB`);
}

const coordinator = await Coordinator.start({ tools: [corpus] });
try {
  writeFileSync(wordList, '');
  await coordinator.submit({ id: 'licenses', name: 'corpus' }, 30);
  rmSync(wordList);
  await coordinator.submit({ id: 'licenses-2', name: 'corpus', labels: { team: 'search' } }, 30);
  await coordinator.submit({ id: 'three-longest', name: 'corpus', arguments: { show: 3 }, labels: { team: 'search' } }, 30);
  const page = await Page.open(browser, coordinator, { width: 1280, height: 760 });
  await page.untilText('licenses-2', '[role=grid]');
  await page.go('#/chains/licenses-2/graph');
  await page.until(() => document.querySelectorAll('.node').length > 3 && document.querySelectorAll('.mini').length >= 2);
  await page.until(() => document.getAnimations().every((one) => one.playState !== 'running' || !Number.isFinite(one.effect?.getComputedTiming().endTime)));
  await shot(page, 'web-graph');
  await page.go('#/chains/licenses-2/items?fan=analyse');
  await page.untilText('failed', '.items-legend');
  await page.press('n');
  await page.untilText('cannot open the word list', '.item-panel');
  await shot(page, 'web-item');
  await page.press('Escape');
  await page.untilGone('.item-panel');
  await page.press('f');
  await page.untilText('Only failed items', '.items-note');
  await page.press('Shift+A');
  await page.untilText('selected', '.items-selected');
  await page.press('Shift+R');
  await page.until(() => document.querySelector('dialog .would') !== null);
  writeFileSync(wordList, '');
  await page.page.type('dialog input[type=text]', 'the word list is back');
  await shot(page, 'web-retry');
  await page.press('Enter');
  await page.untilGone('dialog[open]');
  await page.until(() => document.querySelector('.status-strong')?.innerText.includes('succeeded'));
  await page.context.close();
} finally {
  await coordinator.stop();
  rmSync(folder, { recursive: true, force: true });
}

const stub = await startStub({ ...fanOutRoutes({ width: 1_000_000, failed: scattered(1_000_000, 1000), chain: 'nightly-scores' }), ...definitionRoutes().routes, ...clusterRoutes().routes });
for (const [name, path, theme, ready] of [
  ['web-map', '#/chains/nightly-scores/items', 'light', () => document.querySelectorAll('.clusters li').length > 0 && document.querySelectorAll('.bars li').length > 0],
  ['web-editor', '#/definitions/team%2Freport?tab=edit', 'light', () => document.querySelector('.code-place')?.shadowRoot?.querySelector('.cm-line') != null && document.querySelector('.check')?.innerText.includes('nothing wrong')],
  ['web-cluster', '#/cluster', 'light', () => document.querySelectorAll('.spark-line').length === 3],
]) {
  const page = await Page.open(browser, { page: stub.base }, { path, theme, width: 1280, height: 760 });
  await page.until(ready);
  if (name === 'web-editor') {
    await page.page.evaluate(() => document.querySelector('.code-place').shadowRoot.querySelector('.cm-content').focus());
    await page.press('Control+Home', ...Array(10).fill('ArrowDown'), 'End', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft');
    await page.press('Backspace');
    await page.type('.BROKEN');
    await page.until(() => document.querySelectorAll('.check-line').length === 1);
  }
  await shot(page, name);
  await page.context.close();
}
await stub.close();
await browser.close();
