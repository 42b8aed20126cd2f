// Tools that do what the argument `do` says, well or badly.
import {Fatal, InDoubt, Retry, serve, tool} from "./catena.mjs";

const deep = (depth) => {
  if (depth > 0) deep(depth - 1);
  throw new RangeError("x".repeat(5000));
};

tool({name: "probe", arguments: {do: "string"}}, async ({do: what}, call) => {
  if (what === "fatal") throw new Fatal("never");
  if (what === "retry") throw new Retry("busy", {afterMs: 250});
  if (what === "later") throw new Retry();
  if (what === "doubt") throw new InDoubt("the line broke");
  if (what === "throw") deep(30);
  if (what === "print") {
    console.log("a line for people");
    process.stdout.write("and a part of one");
  }
  if (what === "odd") return {value: 1n};
  if (what === "nothing") return undefined;
  return {key: call.idempotency_key, attempt: call.attempt, context: call.context ?? {}};
});

tool({
  name: "area", description: "How large something is.", effect: "pure", timeout: "5s",
  arguments: {size: {type: "object"}, unit: {type: "string", enum: ["m", "cm"], default: "m"}, plan: {type: "file", description: "a drawing", required: false}},
  responses: {area: "integer"},
}, ({size, unit}) => ({area: size.width * size.height, unit}));

await serve();
