// The service that Restate calls: node restate_service.mjs PORT
import {execFile} from "node:child_process";
import {appendFileSync} from "node:fs";
import {promisify} from "node:util";
import * as restate from "@restatedev/restate-sdk";

// The SDK needs it, and Node has it from 22 on.
Promise.withResolvers ??= function () {
  const made = {};
  made.promise = new this((resolve, reject) => Object.assign(made, {resolve, reject}));
  return made;
};

const execute = promisify(execFile);
const all = (promises) => restate.RestatePromise.all(promises);
/// In windows: the promises of an invocation cannot be raced by number.
async function inWindows(ctx, width, count, step) {
  let done = 0;
  for (let from = 0; from < count; from += width) {
    const window = [];
    for (let item = from; item < Math.min(from + width, count); ++item) window.push(ctx.run(`item-${item}`, () => step(item)));
    done += (await all(window)).length;
  }
  return done;
}

const bench = restate.service({
  name: "bench",
  handlers: {
    sequence: async (ctx, count) => {
      let sum = 0;
      for (let step = 0; step < count; ++step) sum += await ctx.run(`step-${step}`, () => step);
      return sum;
    },
    three: async (ctx, value) => {
      const one = await ctx.run("one", () => value + 1);
      const two = await ctx.run("two", () => one + 1);
      return await ctx.run("three", () => two + 1);
    },
    fanOut: async (ctx, count) => inWindows(ctx, count, count, (item) => item),
    processes: async (ctx, {count, width, program}) => inWindows(ctx, width, count, async (item) => (await execute(program, [String(item)])).stdout.length),
    noted: async (ctx, {count, width, notes}) => inWindows(ctx, width, count, (item) => { appendFileSync(notes, `${item}\n`); return item; }),
  },
});
restate.serve({services: [bench], port: Number(process.argv[2])});
