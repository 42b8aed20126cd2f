// What the tests of the page share: a real coordinator, a browser that reaches nothing else, and a page that tolerates no error of the console and no breach of its policy.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';
import { serve } from '../dev.mjs';

const here = dirname(fileURLToPath(import.meta.url));
export const catena = process.env.CATENA_BINARY;
export const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';
assert.ok(catena && existsSync(catena), 'CATENA_BINARY names the binary');

/** So long a test waits for what has to come; it says nothing about how long it may take. */
export const patience = 30_000;

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

export class Coordinator {
  constructor(folder, port) {
    this.folder = folder;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** `catena dev` over a folder of its own; `env` sets its configuration, `prepare` is called with the data directory before. */
  static async start({ env = {}, tools = [], slots = 4, prepare } = {}) {
    const coordinator = new Coordinator(mkdtempSync(join(tmpdir(), 'catena-web-')), await freePort());
    coordinator.arguments = ['dev', '--http', `127.0.0.1:${coordinator.port}`, '--data-dir', join(coordinator.folder, 'data'), '--slots', String(slots), '--tools', join(here, 'tools'), ...tools.flatMap((folder) => ['--tools', folder])];
    coordinator.env = env;
    prepare?.(join(coordinator.folder, 'data'));
    await coordinator.begin();
    coordinator.page = coordinator.url;
    if (process.env.CATENA_PAGE === 'dist') {
      // the page of the tree, whatever the binary has
      coordinator.proxy = await serve(new URL(coordinator.url));
      coordinator.page = `http://127.0.0.1:${coordinator.proxy.address().port}`;
    }
    coordinator.explains = catenaExplains();
    return coordinator;
  }

  async begin() {
    this.process = spawn(catena, this.arguments, { env: { ...process.env, ...this.env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    this.process.stderr.on('data', (text) => (printed += text));
    this.ended = new Promise((done) => this.process.once('exit', done));
    await new Promise((done, failed) => {
      this.process.stdout.on('data', (text) => {
        printed += text;
        if (printed.includes(this.url)) done();
      });
      this.process.once('exit', (code) => failed(new Error(`catena dev ended with ${code}: ${printed}`)));
    });
  }

  async kill() {
    this.process.kill('SIGKILL');
    await this.ended;
  }

  async stop() {
    this.process.kill('SIGTERM');
    await this.ended;
    this.proxy?.close();
    this.proxy?.closeAllConnections();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async request(path, { method = 'GET', body, headers = {} } = {}) {
    const response = await fetch(this.url + path, { method, headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await response.text();
    const value = text === '' ? undefined : JSON.parse(text);
    if (!response.ok) throw Object.assign(new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`), { status: response.status, value });
    return value;
  }

  get(path) {
    return this.request(path);
  }

  submit(submission, wait) {
    return this.request(`/v1/chains${wait === undefined ? '' : `?wait=${wait}`}`, { method: 'POST', body: submission });
  }

  /** A chain of these steps: `[id, tool, arguments, others of the instruction]`. */
  chain(id, steps, others = {}, wait) {
    const instructions = steps.map(([execution_id, tool, args = {}, more = {}]) => ({ execution_id, tool_definition_path: tool, arguments: args, ...more }));
    return this.submit({ id, definition: { instructions }, ...others }, wait);
  }

  chainOf(id) {
    return this.get(`/v1/chains/${encodeURIComponent(id)}`);
  }

  whenEnded(id) {
    return this.get(`/v1/chains/${encodeURIComponent(id)}?wait=30`);
  }

  /** A gate for tools/gate.tool, with what opens it. */
  gate(name) {
    const file = join(this.folder, name);
    return { file, open: (text = 'open') => writeFileSync(file, text), shut: () => rmSync(file, { force: true }) };
  }
}

let explains;
function catenaExplains() {
  explains ??= execFileSync(catena, ['openapi'], { encoding: 'utf8', maxBuffer: 1 << 26 }).includes('/v1/chains/{id}/explain');
  return explains;
}

export const core = (name) => `/tools/core/${name}.tool`;

export async function launch() {
  return puppeteer.launch({
    executablePath: chromium,
    headless: true,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--force-color-profile=srgb'],
  });
}

/** A page whose errors fail the test that closes it. `tolerate`: what a test provokes. */
export class Page {
  constructor(page, base) {
    this.page = page;
    this.base = base;
    this.errors = [];
    this.tolerated = [];
  }

  static async open(browser, coordinator, { path = '#/chains', theme = 'light', width = 1280, height = 800 } = {}) {
    const context = await browser.createBrowserContext();
    return Page.inContext(context, coordinator, { path, theme, width, height });
  }

  static async inContext(context, coordinator, { path = '#/chains', theme = 'light', width = 1280, height = 800, emulate = [], before }  = {}) {
    const page = await context.newPage();
    const made = new Page(page, `${coordinator.page}/ui/`);
    made.context = context;
    page.on('console', (message) => {
      if (['error', 'warn', 'assert'].includes(message.type())) made.errors.push(`console: ${message.text()} ${message.location()?.url ?? ''}`);
    });
    page.on('pageerror', (error) => made.errors.push(`page: ${error.stack ?? error}`));
    page.on('dialog', (dialog) => {
      made.errors.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.origin !== coordinator.page && !['data:', 'blob:'].includes(url.protocol)) made.errors.push(`request to ${url.href.slice(0, 200)}`);
    });
    await page.evaluateOnNewDocument(() => {
      window.breaches = [];
      addEventListener('securitypolicyviolation', (event) => window.breaches.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber} ${event.sample}`));
    });
    if (before) await page.evaluateOnNewDocument(before);
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }, ...emulate]);
    await page.goto(made.base + path);
    if (!coordinator.explains) made.tolerate(/404.*\/explain/); // a coordinator that gives no reasons: the page says so
    return made;
  }

  tolerate(pattern) {
    this.tolerated.push(pattern);
  }

  async go(path) {
    await this.page.evaluate((hash) => {
      location.hash = hash;
    }, path);
  }

  /** Waits until `check` gives something true in the page. */
  async until(check, ...args) {
    try {
      const handle = await this.page.waitForFunction(check, { timeout: patience, polling: 50 }, ...args);
      return await handle.jsonValue();
    } catch (error) {
      const text = await this.page.evaluate(() => document.body.innerText.slice(0, 1500)).catch(() => '');
      throw new Error(`${error.message.split('\n')[0]} for ${String(check)} ${JSON.stringify(args)}; the page at ${this.page.url()} says:\n${text}\n${this.errors.join('\n')}`);
    }
  }

  untilText(text, selector = 'body') {
    return this.until((wanted, where) => document.querySelector(where)?.innerText.includes(wanted), text, selector);
  }

  untilGone(selector) {
    return this.until((where) => document.querySelector(where) === null, selector);
  }

  async press(...keys) {
    for (const key of keys) {
      const parts = key === '+' ? ['+'] : key.split('+');
      for (const modifier of parts.slice(0, -1)) await this.page.keyboard.down(modifier);
      await this.page.keyboard.press(parts.at(-1));
      for (const modifier of parts.slice(0, -1)) await this.page.keyboard.up(modifier);
    }
  }

  type(text) {
    return this.page.keyboard.type(text);
  }

  /** Waits until the dialog has its preview of what would happen: it moves the fields and the buttons, and a click would miss them. */
  async atRest() {
    // what was typed last is asked about once it is drawn
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => setTimeout(done))))));
    await this.until(() => !document.querySelector('dialog[open]').innerText.includes('Asking what would happen'));
  }

  async click(selector) {
    await this.page.waitForSelector(selector, { timeout: patience, visible: true });
    await this.page.click(selector);
  }

  /** The button, link or tab of that name. */
  async clickNamed(name, within = 'body') {
    const handle = await this.page.waitForFunction(
      (wanted, where) => {
        const scope = document.querySelector(where);
        const all = [...(scope?.querySelectorAll('button, a, [role=menuitem], [role=tab], label') ?? [])];
        return all.find((one) => (one.getAttribute('aria-label') ?? one.innerText).trim() === wanted && one.getClientRects().length > 0 && !one.disabled);
      },
      { timeout: patience, polling: 50 },
      name,
      within,
    ).catch(() => undefined);
    assert.ok(handle, `there is '${name}' in ${within}; the page says: ${await this.page.evaluate(() => document.body.innerText.slice(0, 800))}`);
    await handle.asElement().click();
  }

  /** What axe finds wrong with the page as it is. */
  async axe(label) {
    if (!(await this.page.evaluate(() => 'axe' in window))) await this.page.evaluate(axeSource);
    const found = await this.page.evaluate(async () => {
      // animations that have not ended make colours that are none
      await Promise.all(document.getAnimations().filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime)).map((one) => one.finished.catch(() => undefined)));
      const { violations } = await window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations'] });
      return violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => `${node.target.join(' ')} ${node.failureSummary?.split('\n').slice(1, 3).join(' ')}`).join(' | ')}`);
    });
    assert.deepEqual(found, [], `axe at ${label}`);
  }

  /** Nothing went wrong on this page. */
  async check() {
    const breaches = await this.page.evaluate(() => window.breaches);
    const errors = this.errors.filter((error) => !this.tolerated.some((pattern) => pattern.test(error)));
    assert.deepEqual([...breaches, ...errors], []);
  }

  async close() {
    await this.check();
    await this.context.close();
  }
}

const axeSource = readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
