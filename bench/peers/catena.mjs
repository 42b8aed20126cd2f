import {readFileSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {executions, folder, kProcesses, post, printed, seconds, secondsOfPosts, start, stop, until} from "./common.mjs";

export const name = "catena";
export const settings = "a coordinator with slots of its own and the HTTP interface, durability sync";
export let binary = "catena";
export function use(path) { binary = path; }
export const versions = () => printed(binary, ["version"]).split("\n")[0];

const tool = (endpoint, argument, response) => ({arguments: [{name: argument, type_name: "any", required: true}], responses: response ? [{name: response, type_name: "any"}] : [], additional_arguments: true,
  system_event_endpoint: endpoint});
const kServe = `import json, sys
for line in sys.stdin:
    call = json.loads(line)
    print(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": {"value": 1}}), flush=True)
`;

async function serve(peer) {
  const port_file = join(peer.dir, "http-port");
  writeFileSync(port_file, "");
  peer.server = start(join(peer.dir, "coordinator.log"), binary, ["coordinator", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--http-port-file", port_file, "--slots", String(kProcesses),
    "--data-dir", join(peer.dir, "data")], {env: {...process.env, HOME: peer.dir, XDG_CONFIG_HOME: peer.dir, CATENA_TOOLS__ROOTS: peer.tools}});
  await until("catena's HTTP interface", () => readFileSync(port_file, "utf8").trim());
  peer.url = `http://127.0.0.1:${readFileSync(port_file, "utf8").trim()}`;
  await until("catena", async () => (await fetch(`${peer.url}/readyz`)).ok);
}
export async function begin(home, dir) {
  const peer = {home, dir, tools: folder(dir, "tools")};
  writeFileSync(join(peer.tools, "serve.py"), kServe);
  writeFileSync(join(peer.tools, "step.tool"), JSON.stringify(tool(`serve:/usr/bin/python3 ${join(peer.tools, "serve.py")}`, "value", "value")));
  writeFileSync(join(peer.tools, "numbers.tool"), JSON.stringify(tool("builtin:range", "count", "items")));
  await serve(peer);
  return peer;
}
export const end = (peer) => stop(peer.server);

async function run(peer, definition, more = {}) {
  const began = await post(`${peer.url}/v1/chains?wait=60`, {definition, ...more});
  let chain = began;
  while (!["succeeded", "failed", "cancelled", "quarantined"].includes(chain.status)) chain = await (await fetch(`${peer.url}/v1/chains/${began.chain_id}?wait=60`)).json();
  if (chain.status !== "succeeded") throw new Error(`catena: ${JSON.stringify(chain.error)}`);
  return chain;
}
const step = (id, path, args, more = {}) => ({execution_id: id, tool_definition_path: path, arguments: args, ...more});
/// Each step waits for the one before it.
const inARow = (count, path, args) => ({instructions: Array.from({length: count}, (_, at) => step(`s${at}`, path, args(at), at ? {dependencies: [`s${at - 1}`]} : {}))});
const overItems = (count, path, argument, more = {}) => ({
  arguments: [{name: "count", type_name: "integer", required: true}],
  instructions: [
    step("numbers", "/numbers.tool", {count: "REF:arguments.count"}),
    step("each", path, more.arguments ?? {}, {parallel_execution: {iterate_over: "REF:numbers.items", child_argument_name: argument}}),
  ],
  response_reference_map: {done: "REF:each.response.length"},
  responses: [{name: "done", type_name: "integer"}],
});
export const cases = {
  sequence: (peer, count) => seconds(() => run(peer, inARow(count, "/step.tool", (value) => ({value})))),
  pureSequence: (peer, count) => seconds(() => run(peer, inARow(count, "/tools/core/math.tool", (a) => ({operation: "add", a, b: 1})))),
  workflows: async (peer, count) => {
    const stored = await fetch(`${peer.url}/v1/definitions/three`, {method: "PUT", headers: {"content-type": "application/json"},
      body: JSON.stringify({definition: inARow(3, "/tools/core/math.tool", (a) => ({operation: "add", a, b: 1}))})});
    if (!stored.ok) throw new Error(await stored.text());
    return secondsOfPosts(peer.home, `${peer.url}/v1/chains?wait=60`, {name: "three"}, '"status":"succeeded"', count);
  },
  fanOut: (peer, count) => seconds(() => run(peer, overItems(count, "/tools/core/math.tool", "a", {arguments: {operation: "add", b: 1}}), {arguments: {count}})),
  processes: async (peer, count, path) => {
    writeFileSync(join(peer.tools, "process.tool"), JSON.stringify(tool(`exec:${path}`, "item")));
    return seconds(() => run(peer, overItems(count, "/process.tool", "item"), {arguments: {count}}));
  },
};
export async function crash(peer, count, notes, note_tool) {
  writeFileSync(join(peer.tools, "note.tool"), JSON.stringify(tool(`exec:${note_tool} ${notes}`, "item", "ok")));
  const id = "crash";
  const took = await seconds(async () => {
    await post(`${peer.url}/v1/chains`, {id, definition: overItems(count, "/note.tool", "item"), arguments: {count}});
    await until("half of the items", () => executions(notes).items >= count / 2);
    await stop(peer.server, "SIGKILL");
    await serve(peer);
    await until("the end of the chain", async () => {
      const chain = await (await fetch(`${peer.url}/v1/chains/${id}?wait=10`)).json();
      if (chain.status === "failed") throw new Error(JSON.stringify(chain.error));
      return chain.status === "succeeded";
    }, 300_000);
  });
  return {...executions(notes), seconds: took};
}
