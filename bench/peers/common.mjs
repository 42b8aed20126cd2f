// What the drivers of the peers share: processes that end with the run, ports, folders, waiting.
import {execFile, execFileSync, spawn} from "node:child_process";
import {existsSync, mkdirSync, openSync, readFileSync} from "node:fs";
import {Agent, request} from "node:http";
import {connect, createServer} from "node:net";
import {join} from "node:path";
import {promisify} from "node:util";

const started = new Set();
process.on("exit", () => { for (const child of started) signal(child, "SIGKILL"); });
for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => process.exit(1));

function signal(child, name) {
  try { process.kill(-child.pid, name); } catch { /* it is gone */ }
}

/// A process with its own group; what it prints goes to a file.
export function start(log, command, args, options = {}) {
  const out = openSync(log, "a");
  const child = spawn(command, args, {stdio: ["ignore", out, out], detached: true, ...options});
  child.log = log;
  child.ended = new Promise((resolve) => child.once("exit", (code) => { started.delete(child); resolve(code); }));
  child.once("error", (error) => { throw new Error(`${command}: ${error.message}`); });
  started.add(child);
  return child;
}
export async function stop(child, name = "SIGTERM") {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  signal(child, name);
  const late = setTimeout(() => signal(child, "SIGKILL"), 10_000);
  await child.ended;
  clearTimeout(late);
}

export async function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => { const {port} = server.address(); server.close(() => resolve(port)); });
  });
}
/// Whether somebody listens there.
export const listens = (port) => new Promise((resolve) => {
  const socket = connect(port, "127.0.0.1", () => { socket.destroy(); resolve(true); });
  socket.once("error", () => resolve(false));
});
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export async function until(what, holds, ms = 60_000) {
  const end = Date.now() + ms;
  for (;;) {
    try { const value = await holds(); if (value) return value; } catch { /* not yet */ }
    if (Date.now() > end) throw new Error(`never came: ${what}`);
    await pause(50);
  }
}
export function folder(...parts) {
  const path = join(...parts);
  mkdirSync(path, {recursive: true});
  return path;
}
export async function seconds(work) {
  const begin = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - begin) / 1e9;
}
/// So many at a time.
export async function atATime(width, count, one) {
  let next = 0;
  await Promise.all(Array.from({length: Math.min(width, count)}, async () => { while (next < count) await one(next++); }));
}
/// Who asks shares the cores with what is measured: Node's own client costs it less than fetch() does.
const agent = new Agent({keepAlive: true, maxSockets: 256});
export function post(url, body, headers = {}) {
  const sent = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const options = {method: "POST", agent, timeout: 600_000, headers: {"content-type": "application/json", "content-length": Buffer.byteLength(sent), ...headers}};
    const asked = request(url, options, (answer) => {
      const pieces = [];
      answer.on("data", (piece) => pieces.push(piece));
      answer.once("error", reject);
      answer.once("end", () => {
        const text = Buffer.concat(pieces).toString();
        if (answer.statusCode < 200 || answer.statusCode >= 300) return reject(new Error(`${url}: ${answer.statusCode} ${text.slice(0, 300)}`));
        resolve(text ? JSON.parse(text) : null);
      });
    });
    asked.once("timeout", () => asked.destroy(new Error(`${url}: no answer`)));
    asked.once("error", reject);
    asked.end(sent);
  });
}
/// The seconds that so many requests take, of a few seconds in which `kWidth` connections each post as soon as they are answered. The client is wrk: one in
/// Node takes more of the cores than the server that it asks. `expected` stands in each answer that is right.
export async function secondsOfPosts(home, url, body, expected, count) {
  const env = {...unpacked(home), BODY: JSON.stringify(body), EXPECTED: expected};
  const args = ["-t1", `-c${kWidth}`, `-d${count < 100 ? 1 : kLoadSeconds}s`, "--timeout", "60s", "-s", join(import.meta.dirname, "load.lua"), url];
  const {stdout} = await promisify(execFile)(program(home, "wrk"), args, {env});
  const [, answers, wrong, microseconds] = stdout.match(/^answers (\d+) wrong (\d+) microseconds (\d+)$/m) ?? [];
  if (!(answers > 0) || wrong > 0) throw new Error(`${url}: ${wrong} wrong answers of ${answers}`);
  return (count * microseconds) / 1e6 / answers;
}
/// For programs that were unpacked and not installed.
export const unpacked = (home) => ({...process.env, LD_LIBRARY_PATH: join(home, "root/usr/lib/x86_64-linux-gnu")});
export function program(home, name) {
  const path = join(home, "root/usr/bin", name);
  return existsSync(path) ? path : name;
}
export function printed(command, args, options = {}) {
  return execFileSync(command, args, {encoding: "utf8", ...options}).trim();
}
/// How often each item was executed, as the items themselves noted: a line each.
export function executions(file) {
  const counts = new Map();
  if (existsSync(file)) for (const line of readFileSync(file, "utf8").split("\n")) if (line) counts.set(line, (counts.get(line) ?? 0) + 1);
  let repeated = 0;
  for (const count of counts.values()) repeated += count - 1;
  return {items: counts.size, repeated};
}
export const versionOf = (home, name) => JSON.parse(readFileSync(join(home, "node_modules", name, "package.json"), "utf8")).version;
export const kWidth = 64;  // workflows at a time
const kLoadSeconds = 5;
export const kProcesses = 2;  // process tools at a time
