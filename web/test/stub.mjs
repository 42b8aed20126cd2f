// A server that answers as the coordinator does, from made-up data: a fan-out of a million items, definitions, workers. It counts what it was asked, and keeps what was written.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml' };
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";

/** The same numbers each time. */
export function* numbers(seed) {
  let state = seed >>> 0;
  for (;;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** `failed` scattered items of `width`, in order. */
export function scattered(width, failed, seed = 7) {
  const found = new Set();
  for (const number of numbers(seed)) {
    if (found.size === failed) break;
    found.add(Math.floor(number * width));
  }
  return [...found].sort((left, right) => left - right);
}

export function runsOf(width, failed, settled = width) {
  const runs = [];
  let from = 0;
  for (const item of failed) {
    if (item >= settled) break;
    if (item > from) runs.push(['succeeded', from, item - from]);
    const last = runs.at(-1);
    if (last && last[0] === 'failed' && last[1] + last[2] === item) last[2]++;
    else runs.push(['failed', item, 1]);
    from = item + 1;
  }
  if (from < settled) runs.push(['succeeded', from, settled - from]);
  if (settled < width) runs.push(['running', settled, Math.min(64, width - settled)]);
  if (settled + 64 < width) runs.push(['queued', settled + 64, width - settled - 64]);
  return runs;
}

/** `routes`: functions by `METHOD /path`, with `*` for one part of it; each is given { parts, query, body, headers } and answers [status, value, headers]. */
export async function startStub(given) {
  // the side bar of every view counts what waits
  const routes = { 'GET /v1/approvals': () => [200, { approvals: [] }], ...given };
  const asked = [];
  const match = (method, path) => {
    for (const [key, handle] of Object.entries(routes)) {
      const [wanted, pattern] = key.split(' ');
      if (wanted !== method) continue;
      const parts = path.match(new RegExp(`^${pattern.replace(/[.:]/g, '\\$&').replaceAll('*', '([^/]+)')}$`));
      if (parts) return { handle, parts: parts.slice(1).map(decodeURIComponent) };
    }
    return undefined;
  };
  const streams = new Set();
  const server = createServer(async (request, answer) => {
    const url = new URL(request.url, 'http://stub');
    if (url.pathname.startsWith('/ui/')) {
      const name = url.pathname === '/ui/' ? 'index.html' : url.pathname.slice(4);
      try {
        const content = readFileSync(join(root, 'dist', name));
        answer.writeHead(200, { 'content-type': types[extname(name)], 'content-security-policy': policy }).end(content);
      } catch {
        answer.writeHead(404).end();
      }
      return;
    }
    if (url.pathname === '/empty') {
      answer.writeHead(200, { 'content-type': types['.html'] }).end('<!doctype html><html lang="en"><title>empty</title><body><p>Empty</p></body></html>');
      return;
    }
    if (url.pathname === '/v1/events') {
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      answer.write(': here\n\n');
      streams.add(answer);
      request.on('close', () => streams.delete(answer));
      return;
    }
    let text = '';
    for await (const part of request) text += part;
    const body = text === '' ? undefined : JSON.parse(text);
    asked.push({ method: request.method, path: url.pathname, query: url.search, body, headers: request.headers });
    const found = match(request.method, url.pathname);
    const [status, value, headers] = found
      ? await found.handle({ parts: found.parts, query: url.searchParams, body, headers: request.headers })
      : [404, { type: '/v1/errors/not_found', title: 'not found', status: 404, detail: `nothing at ${url.pathname}`, code: 'not_found', source: 'request', retryable: false, safe_to_resend: true }];
    const bytes = Buffer.from(JSON.stringify(value));
    answer.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length, ...headers }).end(bytes);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    base: `http://127.0.0.1:${server.address().port}`,
    asked,
    close: () => {
      for (const stream of streams) stream.end();
      server.closeAllConnections?.();
      return new Promise((closed) => server.close(closed));
    },
  };
}
