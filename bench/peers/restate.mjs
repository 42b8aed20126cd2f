import {join} from "node:path";
import {executions, folder, freePort, listens, kProcesses, post, printed, seconds, secondsOfPosts, start, stop, until, versionOf} from "./common.mjs";

export const name = "Restate";
export const settings = "one node, default settings: each journal entry is synced (local loglet, RocksDB WAL with fsync); the service is a Node process";
export const versions = (home) => `${printed(join(home, "node_modules/.bin/restate-server"), ["--version"])}, SDK ${versionOf(home, "@restatedev/restate-sdk")}`;

async function serve(home, dir, ports) {
  const server = start(join(dir, "server.log"), join(home, "node_modules/.bin/restate-server"), ["--base-dir", folder(dir, "data"), "--node-name", "bench"], {
    env: {...process.env, RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ports.ingress}`, RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${ports.admin}`, RESTATE_BIND_ADDRESS: `127.0.0.1:${ports.node}`,
      RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${ports.node}`, RESTATE_LOG_FILTER: "warn", DO_NOT_TRACK: "1"},
  });
  await until("Restate's admin interface", async () => (await fetch(`http://127.0.0.1:${ports.admin}/health`)).ok);
  return server;
}
export async function begin(home, dir) {
  const ports = {ingress: await freePort(), admin: await freePort(), node: await freePort(), service: await freePort()};
  const service = start(join(dir, "service.log"), process.execPath, [join(home, "restate_service.mjs"), String(ports.service)], {cwd: home});
  await until("the service", () => listens(ports.service));
  const server = await serve(home, dir, ports);
  await until("the registration", () => post(`http://127.0.0.1:${ports.admin}/deployments`, {uri: `http://127.0.0.1:${ports.service}`, force: true}));
  return {home, dir, ports, service, server, call: (handler, body, headers) => post(`http://127.0.0.1:${ports.ingress}/bench/${handler}`, body, headers)};
}
export async function end(peer) {
  await stop(peer.server);
  await stop(peer.service);
}
export const cases = {
  sequence: (peer, count) => seconds(() => peer.call("sequence", count)),
  workflows: (peer, count) => secondsOfPosts(peer.home, `http://127.0.0.1:${peer.ports.ingress}/bench/three`, 1, "4", count),
  fanOut: (peer, count) => seconds(() => peer.call("fanOut", count)),
  processes: (peer, count, program) => seconds(() => peer.call("processes", {count, width: kProcesses, program})),
};
export async function crash(peer, count, notes) {
  const key = {"idempotency-key": "crash"};
  const took = await seconds(async () => {
    const first = peer.call("noted", {count, width: kProcesses, notes}, key).catch(() => null);
    await until("half of the items", () => executions(notes).items >= count / 2);
    await stop(peer.server, "SIGKILL");
    await first;
    peer.server = await serve(peer.home, peer.dir, peer.ports);
    await until("the end of the run", () => peer.call("noted", {count, width: kProcesses, notes}, key).then(() => true), 300_000);
  });
  return {...executions(notes), seconds: took};
}
