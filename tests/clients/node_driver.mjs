// The scenarios with the TypeScript client.   node_driver.mjs CLIENT-FOLDER URL
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import {pathToFileURL} from "node:url";

const {CatenaError, Client} = await import(pathToFileURL(path.resolve(process.argv[2], "catena.mjs")).href);
const client = new Client(process.argv[3]);

async function all(values) {
  const list = [];
  for await (const value of values) list.push(value);
  return list;
}

const functions = {
  submit: async ({definition, arguments: args, ...more}) => (await client.submit(definition, args, more)).id,
  run: ({definition, arguments: args}) => client.run(definition, args),
  wait: async ({id}) => (await client.wait(id)).status,
  result: ({id}) => client.result(id),
  get: async ({id}) => (await client.get(id)).status,
  history: async ({id}) => (await all(client.history(id)))[0].event,
  list: async ({filters}) => (await all(client.list({limit: 1, ...filters}))).map((chain) => chain.chain_id),
  cancel: async ({id}) => void (await client.cancel(id)),
  skip: async ({id, step, response}) => void (await client.skip(id, step, response)),
  remove: async ({id}) => void (await client.remove(id)),
  map: async ({definition, items, argument, ...more}) =>
    (await all(client.map(definition, items, argument, more))).map((one) => (one instanceof CatenaError ? {code: one.code} : one)),
  create_schedule: async ({name, definition, ...said}) => (await client.createSchedule(name, definition, said)).version,
  schedules: async ({filters}) => (await all(client.schedules({limit: 1, ...filters}))).map((one) => one.name),
  is_paused: async ({name}) => (await client.schedule(name)).paused,
  order_schedule: async ({name, verb, since, ...said}) => (await client.orderSchedule(name, verb, {from: since, ...said})).runs ?? 0,
  trigger: async ({name}) => (await client.orderSchedule(name, "trigger")).chain_id.split("-")[0],
  delete_schedule: async ({name}) => void (await client.deleteSchedule(name)),
};

const scenarios = JSON.parse(fs.readFileSync(new URL("scenarios.json", import.meta.url), "utf8"));
let steps = 0, failures = 0;
for (const {title, steps: wanted} of scenarios) {
  for (const {do: verb, value, fails, ...said} of wanted) {
    let got;
    try {
      got = {value: (await functions[verb](said)) ?? null};
    } catch (error) {
      if (!(error instanceof CatenaError)) throw error;
      got = {fails: {code: error.code, pointers: error.pointers}};
    }
    steps++;
    try {
      assert.deepEqual(got, fails ? {fails: {pointers: [], ...fails}} : {value});
    } catch (difference) {
      failures++;
      console.error(`${title}: ${verb}\n${difference.message}`);
      break;
    }
  }
}
console.log(`${scenarios.length} scenarios, ${steps} steps, ${failures} failed`);
process.exit(failures > 0 || steps < 30 ? 1 : 0);
