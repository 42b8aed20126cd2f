// dist: the same bytes as a new build gives, small enough, and with the layout where it does not hold up the page.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from '../build.mjs';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const contents = (folder) => new Map(readdirSync(folder).sort().map((name) => [name, readFileSync(join(folder, name))]));
const kib = (bytes) => Math.round((bytes / 1024) * 10) / 10;

let folder;
let first;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'catena-web-dist-'));
  ({ first } = await build(folder));
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('dist is what the sources give, byte by byte', () => {
  const [held, made] = [contents(dist), contents(folder)];
  assert.deepEqual([...held.keys()], [...made.keys()], 'run make web');
  for (const [name, content] of made) assert.ok(content.equals(held.get(name)), `${name} differs: run make web`);
});

test('the first load is at most 90 KiB, all of it at most 320 KiB', () => {
  const sizes = [...contents(dist)].map(([name, content]) => [name, gzipSync(content, { level: 9 }).length]);
  const sum = (names) => sizes.filter(([name]) => names(name)).reduce((total, [, size]) => total + size, 0);
  const load = sum((name) => name === 'index.html' || first.includes(name));
  const all = sum(() => true);
  assert.ok(load > 0 && load <= 90 * 1024, `the first load is ${kib(load)} KiB`);
  assert.ok(all <= 320 * 1024, `all of dist is ${kib(all)} KiB`);
});

test('index.html has no script or style of its own, and names only files that are there', () => {
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  assert.doesNotMatch(page, /<style|style=| on[a-z]+=|<script(?![^>]* src=)|https?:/);
  const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]);
  assert.equal(named.length, 3);
  for (const name of named) assert.ok(contents(dist).has(name), name);
});

test('graphs are laid out by the worker: nothing that the page runs itself has the code for it', () => {
  const files = [...contents(dist)].filter(([name]) => name.endsWith('.js'));
  const lays = files.filter(([, content]) => content.includes('network-simplex')).map(([name]) => name);
  assert.deepEqual(lays.map((name) => name.split('-')[0]), ['layout']);
});

test('the report is one file that asks for nothing, with the place for what it tells', () => {
  const report = readFileSync(join(dist, 'report.html'), 'utf8');
  assert.equal(report.split('__CATENA_REPORT__').length, 2);
  assert.doesNotMatch(report, /<link|<script[^>]* src=|<img/);
  assert.equal(report.split('</script').length, 3, 'nothing in the script ends it');
});
