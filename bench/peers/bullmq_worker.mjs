// Workers of the queues: node bullmq_worker.mjs PORT CONCURRENCY
import {execFile} from "node:child_process";
import {appendFileSync} from "node:fs";
import {promisify} from "node:util";
import {Worker} from "bullmq";

const execute = promisify(execFile);
const work = {
  step: async (job) => job.data.value + 1,
  process: async (job) => (await execute(job.data.program, [String(job.data.item)])).stdout.length,
  note: async (job) => { appendFileSync(job.data.notes, `${job.data.item}\n`); return job.data.item; },
};
const connection = {host: "127.0.0.1", port: Number(process.argv[2]), maxRetriesPerRequest: null};
const worker = new Worker("bench", async (job) => work[job.name](job), {connection, concurrency: Number(process.argv[3])});
worker.on("error", () => {});
await worker.waitUntilReady();
console.log("ready");
