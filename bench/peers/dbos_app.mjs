// Workflows of DBOS behind a little HTTP interface: node dbos_app.mjs DATABASE_URL PORT
import {execFile} from "node:child_process";
import {appendFileSync} from "node:fs";
import {createServer} from "node:http";
import {promisify} from "node:util";
import {DBOS} from "@dbos-inc/dbos-sdk";

const execute = promisify(execFile);
const [url, port] = process.argv.slice(2);
DBOS.setConfig({name: "bench", systemDatabaseUrl: url, logLevel: "error", runAdminServer: false});

async function inWindows(width, count, step) {
  for (let from = 0; from < count; from += width) {
    await Promise.all(Array.from({length: Math.min(width, count - from)}, (_, at) => DBOS.runStep(() => step(from + at), {name: `item-${from + at}`})));
  }
  return count;
}
const workflows = {
  sequence: async (count) => { for (let at = 0; at < count; ++at) await DBOS.runStep(async () => at, {name: "step"}); return count; },
  three: async (value) => { for (const step of ["one", "two", "three"]) value = await DBOS.runStep(async () => value + 1, {name: step}); return value; },
  fanOut: async (count) => inWindows(64, count, async (item) => item),
  processes: async ({count, width, program}) => inWindows(width, count, async (item) => (await execute(program, [String(item)])).stdout.length),
  noted: async ({count, width, notes}) => inWindows(width, count, async (item) => { appendFileSync(notes, `${item}\n`); return item; }),
};
const registered = Object.fromEntries(Object.entries(workflows).map(([name, work]) => [name, DBOS.registerWorkflow(work, {name})]));
await DBOS.launch();
createServer(async (request, response) => {
  let body = "";
  for await (const piece of request) body += piece;
  try {
    const {argument, id} = JSON.parse(body);
    const handle = await DBOS.startWorkflow(registered[request.url.slice(1)], id ? {workflowID: id} : {})(argument);
    response.end(JSON.stringify({result: await handle.getResult()}));
  } catch (error) {
    response.statusCode = 500;
    response.end(String(error?.stack ?? error));
  }
}).listen(Number(port), "127.0.0.1", () => console.log("The application listens."));
