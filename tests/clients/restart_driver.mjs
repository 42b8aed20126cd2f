// Waits for a chain, submits one or maps a list, whatever becomes of the coordinator.   restart_driver.mjs CLIENT-FOLDER URL wait|submit|map
import assert from "node:assert/strict";
import path from "node:path";
import {pathToFileURL} from "node:url";

const {Client, WaitTimeout} = await import(pathToFileURL(path.resolve(process.argv[2], "catena.mjs")).href);
const client = new Client(process.argv[3]);
const verbs = {
  submit: () => {
    console.log("begins");
    return client.run("math", {operation: "add", a: 1, b: 2});
  },
  map: async () => {
    const answers = client.map("core/wait", ["1ms", "10m"], "duration", {id: "mapped-node"});
    await answers.next();
    console.log("begins");
    const {value} = await answers.next();
    assert((await answers.next()).done);
    return value;
  },
  wait: async () => {
    await assert.rejects(client.wait("nap", 0), WaitTimeout);
    console.log("begins");
    return client.result("nap");
  },
};
console.log(JSON.stringify(await verbs[process.argv[4]]()));
