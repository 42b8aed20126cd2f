// Builds dist/ from src/: `node build.mjs` writes web/dist, `node build.mjs DIRECTORY` another one (the test that compares them does that).
// The same sources and package-lock.json give the same bytes: names carry hashes of what the files hold, and nothing has a time in it.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));

/** What dist is made from, in a stable order: a change of any of these files makes dist stale. */
export function sourceFiles() {
  const found = [];
  const walk = (directory) => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) walk(path);
      else found.push(relative(root, path).replaceAll('\\', '/'));
    }
  };
  walk(join(root, 'src'));
  return [...found, 'build.mjs', 'package-lock.json', 'tsconfig.json'].sort();
}

/** One hash over all sources: dist/SOURCES has it, so that a machine without npm can tell whether dist is stale. */
export function sourcesHash() {
  const hash = createHash('sha256');
  for (const path of sourceFiles()) {
    const content = readFileSync(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

const sha256 = (text) => createHash('sha256').update(text).digest('base64');

export async function build(directory) {
  const esbuild = await import('esbuild');
  const out = resolve(directory);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const common = {
    absWorkingDir: root,
    bundle: true,
    preserveSymlinks: true, // the tests link to the packages, and names of files must not tell where those are
    minify: true,
    write: false,
    outdir: out,
    outbase: 'src',
    target: ['es2022'],
    charset: 'utf8',
    legalComments: 'none',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.svg': 'file' },
    metafile: true,
  };
  const emit = (result) => {
    for (const file of result.outputFiles) writeFileSync(join(out, relative(out, file.path)), file.contents);
  };
  const nameOf = (result, entry) => {
    for (const [path, output] of Object.entries(result.metafile.outputs))
      if (output.entryPoint === entry) return path.split('/').pop();
    throw new Error(`${entry} was not built`);
  };
  const styleOf = (result) => Object.keys(result.metafile.outputs).find((path) => path.endsWith('.css')).split('/').pop();

  // Workers first: the page has their names.
  const workers = await esbuild.build({ ...common, format: 'iife', entryPoints: { live: 'src/live/worker.ts', layout: 'src/graph/layout_worker.ts' } });
  emit(workers);
  const define = {
    __LIVE_WORKER__: JSON.stringify(nameOf(workers, 'src/live/worker.ts')),
    __LAYOUT_WORKER__: JSON.stringify(nameOf(workers, 'src/graph/layout_worker.ts')),
    __REPORT__: 'false',
  };

  const app = await esbuild.build({ ...common, format: 'esm', splitting: true, entryPoints: { app: 'src/main.tsx' }, define });
  emit(app);
  const script = nameOf(app, 'src/main.tsx');
  const iconText = readFileSync(join(root, 'src/icon.svg'));
  const icon = `icon-${createHash('sha256').update(iconText).digest('hex').slice(0, 8)}.svg`;
  writeFileSync(join(out, icon), iconText);
  const page = readFileSync(join(root, 'src/index.html'), 'utf8');
  writeFileSync(join(out, 'index.html'), page.replace('APP_STYLE', styleOf(app)).replace('APP_SCRIPT', script).replace('APP_ICON', icon));

  // The report: one file that holds everything, under a policy of its own that names its one script and one style by their hashes.
  const report = await esbuild.build({
    ...common,
    format: 'iife',
    entryPoints: { report: 'src/report.tsx' },
    define: { ...define, __REPORT__: 'true', __LIVE_WORKER__: '""', __LAYOUT_WORKER__: '""' },
  });
  const textOf = (ending) => report.outputFiles.find((file) => file.path.endsWith(ending)).text;
  // A script element ends at the first closing tag that its text has, and a comment opens a state of its own.
  const code = textOf('.js').replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
  const style = textOf('.css');
  const policy = `default-src 'none'; script-src 'sha256-${sha256(code)}'; style-src 'sha256-${sha256(style)}'; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'`;
  const template = readFileSync(join(root, 'src/report.html'), 'utf8');
  // functions, because a replacement text may have $&
  writeFileSync(join(out, 'report.html'), template.replace('REPORT_POLICY', () => policy).replace('REPORT_STYLE', () => style).replace('REPORT_SCRIPT', () => code));

  writeFileSync(join(out, 'notices.txt'), notices([workers, app, report]));
  writeFileSync(join(out, 'SOURCES'), `${sourcesHash()}\n`);
  return { script, first: firstLoad(app, script, styleOf(app)) };
}

/** The licenses of the packages that stand in what was built; each text once, with the packages that it is of. */
function notices(results) {
  const packages = new Set();
  for (const { metafile } of results)
    for (const path of Object.keys(metafile.inputs)) {
      const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
      if (found) packages.add(found[1]);
    }
  const texts = new Map();
  for (const name of [...packages].sort()) {
    const directory = join(root, 'node_modules', name);
    const file = readdirSync(directory).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? readFileSync(join(directory, file), 'utf8').trim() : `License: ${JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')).license}`;
    texts.set(text, [...(texts.get(text) ?? []), name]);
  }
  return `The page of catena contains these packages.\n\n${[...texts].map(([text, names]) => `${names.join(', ')}\n\n${text}\n`).join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** The files that the page loads before anybody does anything: what index.html names, and what those import. */
function firstLoad(app, script, style) {
  const names = new Set([style]);
  const outputs = Object.fromEntries(Object.entries(app.metafile.outputs).map(([path, output]) => [path.split('/').pop(), output]));
  const add = (name) => {
    if (names.has(name)) return;
    names.add(name);
    for (const { path, kind } of outputs[name].imports) if (kind === 'import-statement') add(path.split('/').pop());
  };
  add(script);
  return [...names];
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  if (!existsSync(join(root, 'node_modules'))) {
    console.error('build: there is no node_modules; run npm ci in web/ first');
    process.exit(1);
  }
  const target = process.argv[2] ?? join(root, 'dist');
  const { first } = await build(target);
  const { gzipSync } = await import('node:zlib');
  let all = 0;
  let loaded = 0;
  for (const name of readdirSync(target).sort()) {
    const size = gzipSync(readFileSync(join(target, name)), { level: 9 }).length;
    all += size;
    const isFirst = first.includes(name) || name === 'index.html';
    if (isFirst) loaded += size;
    console.log(`${String(size).padStart(8)}  ${isFirst ? 'first' : '     '}  ${name}`);
  }
  console.log(`first load ${(loaded / 1024).toFixed(1)} KiB of 90, all ${(all / 1024).toFixed(1)} KiB of 320 (gzip)`);
}
