// Serves dist as the coordinator does, and passes everything else on to one: `node dev.mjs http://127.0.0.1:7421 [PORT]`. With --watch, dist is built anew when a source changes.
import { createServer, request } from 'node:http';
import { readFileSync, watch } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const root = dirname(fileURLToPath(import.meta.url));
const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml' };
export const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";

/** A server that has dist, and passes the rest on to `target`; resolves to its port. */
export async function serve(target, port = 0) {
  const server = createServer((incoming, answer) => {
    const path = new URL(incoming.url, 'http://page').pathname;
    if (path === '/' || path === '/ui') {
      answer.writeHead(302, { location: '/ui/' }).end();
      return;
    }
    if (path.startsWith('/ui/')) {
      const name = path === '/ui/' ? 'index.html' : path.slice(4);
      const type = types[extname(name)];
      try {
        if (!type || name.includes('/')) throw new Error('no such file');
        const content = readFileSync(join(root, 'dist', name));
        answer.writeHead(200, { 'content-type': type, 'content-security-policy': policy, 'cache-control': 'no-cache' }).end(content);
      } catch {
        answer.writeHead(404).end();
      }
      return;
    }
    const headers = { ...incoming.headers, host: target.host };
    if (headers.origin) headers.origin = target.origin;
    const passed = request({ host: target.hostname, port: target.port, path: incoming.url, method: incoming.method, headers }, (given) => {
      answer.writeHead(given.statusCode, given.headers);
      given.pipe(answer);
      given.on('close', () => given.complete || answer.destroy());
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise((done) => server.listen(port, '127.0.0.1', done));
  return server;
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  const server = await serve(new URL(words[0] ?? 'http://127.0.0.1:7421'), Number(words[1] ?? 0));
  console.log(`http://127.0.0.1:${server.address().port}/ui/`);
  if (process.argv.includes('--watch')) {
    let timer;
    watch(join(root, 'src'), { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(() => build(join(root, 'dist')).then(() => console.log('built'), () => undefined), 100);
    });
  }
}
