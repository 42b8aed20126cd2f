import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {atATime, executions, folder, freePort, kProcesses, kWidth, printed, program, seconds, start, stop, unpacked, until, versionOf} from "./common.mjs";

export const name = "BullMQ";
export const settings = "Redis with appendonly yes, appendfsync always; one worker process, 64 jobs at a time (2 where jobs start processes)";
export const versions = (home) => `BullMQ ${versionOf(home, "bullmq")}, ${printed(program(home, "redis-server"), ["--version"], {env: unpacked(home)}).match(/v=[0-9.]+/)[0].replace("v=", "Redis ")}`;

async function redis(home, dir, port) {
  const server = start(join(dir, "redis.log"), program(home, "redis-server"), ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder(dir, "data"), "--appendonly", "yes", "--appendfsync", "always", "--save", "",
    "--maxmemory-policy", "noeviction"], {env: unpacked(home)});
  await until("Redis", () => readFileSync(server.log, "utf8").split("Ready to accept connections").length > (server.before ?? 1));
  return server;
}
async function work(peer, concurrency) {
  await stop(peer.worker);
  const log = join(peer.dir, `worker-${concurrency}-${Date.now()}.log`);
  peer.worker = start(log, process.execPath, [join(peer.home, "bullmq_worker.mjs"), String(peer.port), String(concurrency)], {cwd: peer.home});
  await until("the worker", () => readFileSync(log, "utf8").includes("ready"));
}
export async function begin(home, dir) {
  const port = await freePort();
  const {Queue, QueueEvents, FlowProducer} = await import(pathToFileURL(createRequire(join(home, "package.json")).resolve("bullmq")).href);
  const peer = {home, dir, port, redis: await redis(home, dir, port)};
  const connection = {host: "127.0.0.1", port, maxRetriesPerRequest: null};
  peer.queue = new Queue("bench", {connection, defaultJobOptions: {removeOnComplete: {age: 60}}});
  peer.events = new QueueEvents("bench", {connection});
  peer.flows = new FlowProducer({connection});
  for (const each of [peer.queue, peer.events, peer.flows]) each.on("error", () => {});
  await peer.events.waitUntilReady();
  await work(peer, kWidth);
  return peer;
}
export async function end(peer) {
  await Promise.allSettled([peer.queue.close(), peer.events.close(), peer.flows.close()]);
  await stop(peer.worker);
  await stop(peer.redis);
}
/// All jobs that were added have completed.
async function drained(peer) {
  await until("an empty queue", async () => {
    const counts = await peer.queue.getJobCounts("waiting", "active", "delayed", "prioritized", "waiting-children", "failed");
    if (counts.failed) throw new Error("jobs failed");
    return Object.values(counts).every((count) => count === 0);
  }, 300_000);
}
export const cases = {
  sequence: (peer, count) => seconds(async () => {
    for (let value = 0; value < count; ++value) await (await peer.queue.add("step", {value})).waitUntilFinished(peer.events);
  }),
  workflows: (peer, count) => seconds(() => atATime(kWidth, count, async (value) => {
    const step = (children) => ({name: "step", queueName: "bench", data: {value}, children});
    const flow = await peer.flows.add(step([step([step()])]));
    await flow.job.waitUntilFinished(peer.events);
  })),
  fanOut: (peer, count) => seconds(async () => {
    for (let from = 0; from < count; from += 1000) await peer.queue.addBulk(Array.from({length: Math.min(1000, count - from)}, (_, at) => ({name: "step", data: {value: from + at}})));
    await drained(peer);
  }),
  processes: async (peer, count, path) => {
    await work(peer, kProcesses);
    const took = await seconds(async () => {
      await peer.queue.addBulk(Array.from({length: count}, (_, item) => ({name: "process", data: {item, program: path}})));
      await drained(peer);
    });
    await work(peer, kWidth);
    return took;
  },
};
export async function crash(peer, count, notes) {
  await work(peer, kProcesses);
  const took = await seconds(async () => {
    await peer.queue.addBulk(Array.from({length: count}, (_, item) => ({name: "note", data: {item, notes}})));
    await until("half of the items", () => executions(notes).items >= count / 2);
    await stop(peer.redis, "SIGKILL");
    peer.redis = await redis(peer.home, folder(peer.dir), peer.port);
    await drained(peer);
  });
  return {...executions(notes), seconds: took};
}
