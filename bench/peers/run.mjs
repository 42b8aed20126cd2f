#!/usr/bin/env node
// node run.mjs CATENA HOME [--rounds N] [--quick] [--only NAMES]: catena and its peers, by turns, the same work each. Prints a table of medians in Markdown, and writes it, with every single figure, beside the peers: HOME/peers.md and HOME/peers.json.
import {copyFileSync, mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {cpus, loadavg, totalmem, tmpdir} from "node:os";
import {join, resolve} from "node:path";
import * as bullmq from "./bullmq.mjs";
import * as catena from "./catena.mjs";
import * as dask from "./dask.mjs";
import * as dbos from "./dbos.mjs";
import * as parallel from "./parallel.mjs";
import * as restate from "./restate.mjs";

const [binary, where, ...options] = process.argv.slice(2);
if (!where) {
  console.error("usage: node run.mjs CATENA HOME [--rounds N] [--quick] [--only catena,Restate,...]");
  process.exit(2);
}
const option = (name, otherwise) => { const at = options.indexOf(name); return at < 0 ? otherwise : options[at + 1]; };
const rounds = Number(option("--rounds", 3));
const small = options.includes("--quick") ? 10 : 1;
const only = option("--only", "").split(",").filter(Boolean);
const home = resolve(where);
const peers = [catena, restate, bullmq, dbos, dask, parallel].filter((peer) => only.length === 0 || only.includes(peer.name));
catena.use(resolve(binary));
for (const service of ["restate_service.mjs", "bullmq_worker.mjs", "dbos_app.mjs"]) copyFileSync(join(import.meta.dirname, service), join(home, service));

/// What is measured. `counts`: how much of it, where one peer takes too long for the common count; a rate is a rate.
const measured = [
  {id: "sequence", title: "sequential durable steps, one after the other", unit: "steps/s", count: 500},
  {id: "pureSequence", title: "the same of a builtin that only computes", unit: "steps/s", count: 2000},
  {id: "workflows", title: "three-step workflows, 64 at a time, from the request to the result", unit: "workflows/s", count: 2000},
  {id: "fanOut", title: "a fan-out of items that do nothing", unit: "items/s", count: 2000, counts: {catena: 200000, BullMQ: 10000, Dask: 5000}},
  {id: "processes", title: "a fan-out of process tools, 2 at a time", unit: "items/s", count: 1000},
];
const kCrashed = 300;

const figures = {};
const crashes = {};
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const broken = [];
for (let round = 0; round < rounds; ++round) {
  for (const peer of peers) {
    const dir = mkdtempSync(join(tmpdir(), "catena-peers-"));
    let handle;
    try {
      handle = await peer.begin(home, dir);
      for (const {id, unit, count, counts} of measured) {
        if (!peer.cases[id]) continue;
        const many = Math.max(10, Math.round((counts?.[peer.name] ?? count) / small));
        await peer.cases[id](handle, Math.min(many, 20), join(import.meta.dirname, "answer.sh"));  // warm
        const took = await peer.cases[id](handle, many, join(import.meta.dirname, "answer.sh"));
        ((figures[id] ??= {})[peer.name] ??= []).push(many / took);
        console.error(`round ${round + 1}, load ${loadavg()[0].toFixed(1)}: ${peer.name}, ${id}: ${Math.round(many / took)} ${unit}`);
      }
      if (peer.crash) {
        const many = Math.max(50, Math.round(kCrashed / small));
        const came = await peer.crash(handle, many, join(dir, "notes"), join(import.meta.dirname, "note.sh"));
        if (came.items !== many) throw new Error(`after kill -9 ${came.items} of ${many} items were executed`);
        (crashes[peer.name] ??= []).push(came);
        console.error(`round ${round + 1}: ${peer.name}, kill -9: ${came.repeated} of ${many} items executed again, ${came.seconds.toFixed(1)} s in all`);
      }
    } catch (error) {
      broken.push(`${peer.name}, round ${round + 1}: ${error.message}`);
      console.error(`${peer.name}: ${error.stack}`);
    } finally {
      if (handle) await peer.end(handle).catch(() => {});
      if (!process.env.CATENA_PEERS_KEEP) rmSync(dir, {recursive: true, force: true});
    }
  }
}

const cell = (value) => (value === undefined ? "" : Math.round(value).toLocaleString("en"));
const lines = [`| | ${peers.map((peer) => peer.name).join(" | ")} |`, `|---|${peers.map(() => "---").join("|")}|`];
for (const {id, title, unit} of measured) lines.push(`| ${title} (${unit}) | ${peers.map((peer) => cell(figures[id]?.[peer.name] && median(figures[id][peer.name]))).join(" | ")} |`);
lines.push(`| \`kill -9\` in the middle of a fan-out, resumed: items executed again | ${peers.map((peer) => cell(crashes[peer.name] && median(crashes[peer.name].map(({repeated}) => repeated)))).join(" | ")} |`);
const about = [
  `Medians of ${rounds} rounds, by turns, on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores (${cpus()[0].model}), ${Math.round(totalmem() / 2 ** 30)} GiB, load ${loadavg()[0].toFixed(1)} at the end, Node ${process.version}.`,
  "", "| | version | settings |", "|---|---|---|",
  ...peers.map((peer) => `| ${peer.name} | ${peer.versions(home)} | ${peer.settings} |`),
];
const page = [...lines, "", ...about, ...broken.map((line) => `\nNot measured: ${line}`)].join("\n") + "\n";
writeFileSync(join(home, "peers.md"), page);
writeFileSync(join(home, "peers.json"), JSON.stringify({figures, crashes, broken}, null, 1) + "\n");
console.log(page);
process.exit(broken.length ? 1 : 0);
