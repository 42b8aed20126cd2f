// Chains and tools of catena, from TypeScript and JavaScript: one file, Node 18 and later, nothing to install. The types stand in the comments;
// catena.d.mts is made from them by `npm run types`.
//
// A client of the HTTP interface:     await new Client("http://127.0.0.1:7421").run("math", {operation: "add", a: 1, b: 2})
// A tool behind a `serve:` endpoint:  tool({name: "square", arguments: {n: "integer"}}, ({n}) => ({square: n * n})), and serve()
import {randomUUID} from "node:crypto";
import http from "node:http";
import https from "node:https";
import path from "node:path";
import {StringDecoder} from "node:string_decoder";
import {fileURLToPath} from "node:url";

const WAIT_MS = 30_000;  // what one request asks the coordinator to wait; the coordinator takes at most 60 s
const PAUSE_MS = 2_000;  // the longest pause before a request is sent again
const STACK_MAX = 3000;

/** @typedef {{[member: string]: any}} Json */
/** @typedef {string | Json} Definition a definition, or the name of one that the coordinator knows */
/** @typedef {{code: string, detail: string, pointer?: string, suggestion?: string, [member: string]: any}} Finding */
/** @typedef {{code: string, message: string, retryable?: boolean, details?: any, cause?: ChainError}} ChainError */
/** @typedef {{id?: string, key?: string, labels?: Record<string, string>, context?: Json, name?: string, priority?: number,
 *   durability?: "sync" | "async" | "none", deadline?: string}} Submission `key`: one key starts one chain */
/** @typedef {{status?: number, retryable?: boolean, safeToResend?: boolean, findings?: Finding[], details?: any}} ErrorOptions */

/** A refused request. `code` is one of `catena errors`; `pointers` say where in the body something is wrong. */
export class CatenaError extends Error {
  /** @param {string} code @param {string} message @param {ErrorOptions} [options] */
  constructor(code, message, {status = 0, retryable = false, safeToResend = false, findings = [], details} = {}) {
    super(`${code}: ${message}`);
    this.name = new.target.name;
    this.code = code;
    this.status = status;
    this.retryable = retryable;
    this.safeToResend = safeToResend;
    this.findings = findings;
    this.details = details;
    /** @type {string[]} */
    this.pointers = findings.flatMap((finding) => finding.pointer ?? []);
  }
}

/** Nobody answered. Where `safeToResend` is false, nobody knows whether the request arrived. */
export class ConnectionLost extends CatenaError {}

/** The time that a caller gave to `wait` is over; the chain goes on. */
export class WaitTimeout extends CatenaError {}

/** The chain did not succeed: `chain` is what became of it. Without an error the code is its status. */
export class ChainFailed extends CatenaError {
  /** @param {Chain} chain */
  constructor(chain) {
    const error = chain.error ?? {code: chain.status, message: `the chain is ${chain.status}`};
    super(error.code, `chain '${chain.id}': ${error.message}`, error);
    this.chain = chain;
  }
}

/** An item of a fan-out failed; `index` is its place in the list. */
export class ItemFailed extends CatenaError {
  /** @param {number} index @param {ChainError} error */
  constructor(index, error) {
    super(error.code, `item ${index}: ${error.message}`, error);
    this.index = index;
  }
}

/** @param {number} status @param {string} text */
function problem(status, text) {
  try {
    const body = JSON.parse(text);
    const options = {status, retryable: body.retryable, safeToResend: body.safe_to_resend, findings: body.errors};
    if (typeof body.code === "string") return new CatenaError(body.code, body.detail, options);
  } catch {}  // a proxy's answer
  return new CatenaError("http_error", `the answer is HTTP ${status}: ${text.slice(0, 200)}`, {status});
}

/** A chain as it was when it was asked for; `data` is the whole answer. */
export class Chain {
  /** @param {Client} client @param {Json} data */
  constructor(client, data) {
    this.client = client;
    this.data = data;
    /** @type {string} */
    this.id = data.chain_id;
    /** @type {string} */
    this.status = data.status;
    /** @type {ChainError | undefined} */
    this.error = data.error;
  }

  /** What the chain answered; a large response takes a request of its own. @returns {Promise<any>} */
  async response() {
    return "response_bytes" in this.data ? this.client.response(this.id) : this.data.response;
  }

  /** @param {number} [timeoutMs] @returns {Promise<Chain>} */
  wait(timeoutMs) {
    return this.client.wait(this.id, timeoutMs);
  }

  /** @param {number} [timeoutMs] @returns {Promise<any>} */
  result(timeoutMs) {
    return this.client.result(this.id, timeoutMs);
  }
}

/** The chains of a coordinator. A request that may be sent twice is sent again, for `patienceMs`. */
export class Client {
  #url;
  #token;

  /** @param {string} [url] @param {{token?: string, patienceMs?: number}} [options] */
  constructor(url = "http://127.0.0.1:7421", {token, patienceMs = 60_000} = {}) {
    this.#url = new URL(url);
    this.#token = token;
    this.patienceMs = patienceMs;
  }

  /** Starts a chain. @param {Definition} definition @param {Json} [args] @param {Submission} [submission] @returns {Promise<Chain>} */
  async submit(definition, args, {key = randomUUID(), ...more} = {}) {
    const body = {[typeof definition === "string" ? "name" : "definition"]: definition, arguments: args, ...more};
    const [, data] = await this.#ask("POST", "/v1/chains", {body, again: true, headers: {"Idempotency-Key": key}});
    return new Chain(this, data);
  }

  /** Submits, and answers with the response of the chain.
   * @param {Definition} definition @param {Json} [args] @param {Submission & {timeoutMs?: number}} [submission] @returns {Promise<any>} */
  async run(definition, args, {timeoutMs, ...submission} = {}) {
    return (await this.submit(definition, args, submission)).result(timeoutMs);
  }

  /** The chain when it has ended, also over a restart of the coordinator; rejects with WaitTimeout after `timeoutMs`.
   * @param {string} id @param {number} [timeoutMs] @returns {Promise<Chain>} */
  async wait(id, timeoutMs = Infinity) {
    const until = Date.now() + timeoutMs;
    for (;;) {
      const span = Math.max(1, Math.min(WAIT_MS, until - Date.now()));
      const asked = Date.now();
      const [status, data] = await this.#ask("GET", chainPath(id), {query: {wait: `${Math.round(span)}ms`}, again: true, until});
      if (status === 200 || data.status === "quarantined") return new Chain(this, data);  // the latter needs somebody
      if (Date.now() - asked < span / 2) await sleep(Math.min(1000, span));  // nothing waits for it there: nobody runs it, or there is no room
      if (Date.now() >= until)
        throw new WaitTimeout("wait_timeout", `chain '${id}' has not ended within ${timeoutMs} ms; it is ${data.status}`, {retryable: true});
    }
  }

  /** The response of the chain when it has ended; rejects with ChainFailed where it has not succeeded.
   * @param {string} id @param {number} [timeoutMs] @returns {Promise<any>} */
  async result(id, timeoutMs) {
    const chain = await this.wait(id, timeoutMs);
    if (chain.status !== "succeeded") throw new ChainFailed(chain);
    return chain.response();
  }

  /** Runs a definition for each item, in one chain, and yields the responses in the order of the items. `argument` is the one that gets the item;
   * `arguments` are the same for all. A failed item rejects with ItemFailed at its place; with failures: "return" the error is yielded, and the others go on.
   * @param {Definition} definition @param {Iterable<any>} items @param {string} argument
   * @param {Submission & {arguments?: Json, concurrency?: number, failures?: "throw" | "return"}} [options] @returns {AsyncGenerator<any, void, void>} */
  async *map(definition, items, argument, {arguments: args = {}, concurrency, failures = "throw", ...submission} = {}) {
    const called = typeof definition === "string" ? {tool_definition_path: toolPath(definition)} : {tool_definition: definition};
    const kept = failures === "return" ? {on_item_failure: "error", tolerated_failure_percentage: 100} : {};
    const spread = {iterate_over: "REF:arguments.items", child_argument_name: argument, max_concurrency: concurrency, ...kept};
    const spreading = {
      name: "map",
      arguments: [{name: "items", type_name: "list"}],
      instructions: [{execution_id: "each", arguments: args, parallel_execution: spread, ...called}],
      responses: [{name: "count", type_name: "integer"}],
      response_reference_map: {count: "REF:each.response.length"},
    };
    const chain = await this.submit(spreading, {items: [...items]}, submission);
    yield* this.results(chain.id, "each", {failures});
  }

  /** The responses of a fan-out's items in order, as they come.
   * @param {string} id @param {string} step @param {{failures?: "throw" | "return"}} [options] @returns {AsyncGenerator<any, void, void>} */
  async *results(id, step, {failures = "throw"} = {}) {
    for (let at = 0, pause = 20, ended = false;;) {
      const page = await this.#get(chainPath(id, "steps", step, "items"), {from: at, limit: 1000});
      const before = at;
      for (const item of page.items) {
        if (item.status === "failed") {
          const failed = new ItemFailed(item.item, item.error);
          if (failures !== "return") throw failed;
          yield failed;
        } else if (item.status === "succeeded" || item.status === "not_needed") {
          yield "response_at" in item ? await this.#get(item.response_at) : (item.response ?? null);
        } else {
          break;
        }
        at = item.item + 1;
      }
      if (page.width && at >= page.width) return;
      if (at > before) {
        pause = 20;
      } else if (ended) {
        await this.result(id);
        return;
      } else {
        const asked = Date.now();
        const [status, data] = await this.#ask("GET", chainPath(id), {query: {wait: `${pause}ms`}, again: true});
        ended = status === 200 || data.status === "quarantined";
        if (!ended && Date.now() - asked < pause / 2) await sleep(pause);
        pause = Math.min(2 * pause, 1000);
      }
    }
  }

  /** @param {string} id @returns {Promise<Chain>} */
  async get(id) {
    return new Chain(this, await this.#get(chainPath(id)));
  }

  /** @param {string} id @returns {Promise<any>} */
  response(id) {
    return this.#get(chainPath(id, "response"));
  }

  /** Chains, newest first; `all`: those that chains started, too.
   * @param {{label?: string | Record<string, string>, status?: string, name?: string, since?: string, all?: boolean, limit?: number}} [filters]
   * @returns {AsyncGenerator<Json, void, void>} */
  async *list({label, ...filters} = {}) {
    const text = typeof label === "object" ? Object.entries(label).map(([key, value]) => `${key}=${value}`).join(",") : label;
    yield* this.#pages("chains", {...filters, label: text});
  }

  /** What happened to a chain, event by event; `after` is the `seq` of the last known event.
   * @param {string} id @param {{after?: number, step?: string, item?: number, since?: string, limit?: number}} [options]
   * @returns {AsyncGenerator<Json, void, void>} */
  async *history(id, {after = 0, ...filters} = {}) {
    for (let from = after + 1; from !== undefined;) {
      const page = await this.#get(chainPath(id, "history"), {from, ...filters});
      yield* page.events;
      from = page.next;
    }
  }

  /** What becomes of all chains; `after` is the `number` of the last known event. `follow`: without an end. Rejects with `events_lost` where events behind
   * `after` are not kept any more.
   * @param {{after?: number, follow?: boolean, chain?: string, kind?: string, name?: string, all?: boolean, limit?: number}} [options]
   * @returns {AsyncGenerator<Json, void, void>} */
  async *events({after = 0, follow = false, ...filters} = {}) {
    for (let from = after + 1, pause = 100;;) {
      const page = await this.#get("/v1/events", {from, ...filters});
      if (page.lost && from > 1) throw new CatenaError("events_lost", `events behind ${from - 1} are not kept any more; list the chains anew`);
      yield* page.events;
      from = page.next;
      if (page.more) continue;
      if (!follow) return;
      pause = page.events.length > 0 ? 100 : Math.min(2 * pause, 1000);
      await sleep(pause);
    }
  }

  /** @param {string} id @param {{reason?: string, now?: boolean}} [body] */
  cancel(id, body = {}) {
    return this.#control(id, "cancel", body);
  }

  /** @param {string} id */
  resume(id) {
    return this.#control(id, "resume", {});
  }

  /** Runs again what failed or never ran, also what `from` and `items` name.
   * @param {string} id @param {{failed?: boolean, from?: string[], items?: Record<string, string>, where?: string}} [body] */
  retry(id, body = {}) {
    return this.#control(id, "retry", body);
  }

  /** A response in place of running a step, or items of it such as "3,7-9".
   * @param {string} id @param {string} step @param {any} response @param {{items?: string}} [more] */
  skip(id, step, response, more = {}) {
    return this.#control(id, "skip", {step, response, ...more});
  }

  /** What became of an attempt in doubt: `response`, `failed` with a message, or not begun: `again`.
   * @param {string} id @param {string} step @param {{response?: Json, failed?: string, again?: boolean, items?: string}} outcome */
  resolve(id, step, outcome) {
    return this.#control(id, "resolve", {step, ...outcome});
  }

  /** @param {string} id @returns {Promise<string[]>} */
  async remove(id) {
    return (await this.#ask("DELETE", chainPath(id)))[1].removed;
  }

  /** @param {Json} [filters] @returns {AsyncGenerator<any, void, void>} */
  schedules = (filters) => this.#pages("schedules", filters);
  /** @param {string} name @returns {Promise<any>} */
  schedule = (name) => this.#get(schedulePath(name));
  /** @param {string} name @param {string} [reason] @returns {Promise<any>} */
  deleteSchedule = async (name, reason) => (await this.#ask("DELETE", schedulePath(name), {query: {reason}}))[1];

  /** `cron` with `timezone`, or `every`; `overlap`, `catchup`, `follow`, and what a submission has.
   * @param {string} name @param {Definition} definition @param {Json} said @returns {Promise<any>} */
  async createSchedule(name, definition, {replace = false, ...said}) {
    const body = {[typeof definition === "string" ? "name" : "definition"]: definition, ...said};
    return (await this.#ask("PUT", schedulePath(name), {body, headers: replace ? {} : {"If-None-Match": "*"}}))[1];
  }

  /** @param {string} name @param {"pause" | "resume" | "trigger" | "backfill"} verb
   * @param {{reason?: string, from?: string, until?: string}} [said] @returns {Promise<any>} */
  async orderSchedule(name, verb, said = {}) {
    return (await this.#ask("POST", `${schedulePath(name)}:${verb}`, {body: said}))[1];
  }

  /** @param {string} of @param {Json} [query] @returns {AsyncGenerator<any, void, void>} */
  async *#pages(of, query) {
    let page = /** @type {Json} */ ({cursor: undefined});
    for (; "cursor" in page; yield* page[of]) page = await this.#get(`/v1/${of}`, {...query, cursor: page.cursor});
  }

  /** @param {string} id @param {string} verb @param {Json} body */
  async #control(id, verb, body) {
    return new Chain(this, (await this.#ask("POST", `${chainPath(id)}:${verb}`, {body}))[1]);
  }

  /** @param {string} target @param {Json} [query] @returns {Promise<any>} */
  async #get(target, query) {
    return (await this.#ask("GET", target, {query, again: true}))[1];
  }

  /** `again`: nothing changes when the request is sent twice; so it is, while nobody can answer.
   * @param {string} method @param {string} target
   * @param {{query?: Json, body?: any, again?: boolean, headers?: Record<string, string>, until?: number}} [options] @returns {Promise<[number, any]>} */
  async #ask(method, target, {query = {}, body, again = false, headers = {}, until = Infinity} = {}) {
    const givenUp = Math.min(Date.now() + this.patienceMs, until);
    const values = Object.entries(query).filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]);
    const whole = this.#url.pathname.replace(/\/$/, "") + target + (values.length > 0 ? `?${new URLSearchParams(values)}` : "");
    for (let pause = 100;; pause *= 2) {
      let error, may = again, after = 0;
      try {
        const answer = await this.#send(method, whole, body, headers);
        if (answer.status < 400) return [answer.status, JSON.parse(answer.text)];
        error = problem(answer.status, answer.text);
        may = [429, 502, 503, 504].includes(answer.status) && (again || error.safeToResend);
        after = 1000 * Number.parseInt(answer.after || "0", 10) || 0;
      } catch (broken) {
        const cause = /** @type {NodeJS.ErrnoException} */ (broken);
        may = again || cause.code === "ECONNREFUSED";  // then nothing was sent
        error = new ConnectionLost("connection_failed", `${this.#url.host}: ${cause.message}`, {retryable: may, safeToResend: may});
      }
      const left = givenUp - Date.now();
      if (!may || left <= 0) throw error;
      await sleep(Math.min(left, PAUSE_MS, Math.max(pause, after)));
    }
  }

  /** @param {string} method @param {string} target @param {any} body @param {Record<string, string>} more
   * @returns {Promise<{status: number, after: string | undefined, text: string}>} */
  #send(method, target, body, more) {
    /** @type {Record<string, string>} */
    const headers = {...more};
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    const text = body === undefined ? undefined : JSON.stringify(body);
    if (text !== undefined) Object.assign(headers, {"Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(text))});
    return new Promise((resolve, reject) => {
      const {protocol, hostname, port} = this.#url;
      const to = {method, path: target, headers, hostname: hostname.replace(/^\[|\]$/g, ""), port, agent: false, timeout: WAIT_MS + 30_000};
      const request = (protocol === "https:" ? https : http).request(to, (answer) => {
        /** @type {Buffer[]} */
        const parts = [];
        answer.on("data", (part) => parts.push(part));
        answer.on("error", reject);
        answer.on("end", () => resolve({status: answer.statusCode ?? 0, after: answer.headers["retry-after"], text: Buffer.concat(parts).toString()}));
      });
      request.on("timeout", () => request.destroy(new Error("no answer in time")));
      request.on("error", reject);
      request.end(text);
    });
  }
}

/** @param {number} ms @returns {Promise<void>} */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** @param {string} id @param {...string} rest */
const chainPath = (id, ...rest) => ["/v1/chains", ...[id, ...rest].map(encodeURIComponent)].join("/");
/** @param {string} name */
const schedulePath = (name) => `/v1/schedules/${encodeURIComponent(name)}`;
/** @param {string} name */
const toolPath = (name) => (name.startsWith("/") ? name : `/tools/${name}.tool`);

// ---- tools ----

/** The tool failed, and would fail again. */
export class Fatal extends Error {}

/** The tool failed for now. The step's `retry` decides about another attempt, not before `afterMs`. */
export class Retry extends Error {
  /** @param {string} [message] @param {{afterMs?: number}} [options] */
  constructor(message = "not now", {afterMs} = {}) {
    super(message);
    this.afterMs = afterMs;
  }
}

/** Nobody knows whether it happened: a step that is `at_most_once` waits for a person, others may be retried. */
export class InDoubt extends Error {}

/** @typedef {"string" | "number" | "integer" | "boolean" | "object" | "list" | "file" | "any"} TypeName */
/** @typedef {{type: TypeName, description?: string, required?: boolean, default?: any, enum?: any[]}} Field */
/** @typedef {Record<string, TypeName | Field>} Fields a name alone is that of a required field's type */
/** @typedef {{idempotency_key: string, attempt: number, timeout_ms?: number, context?: Json, work_dir?: string}} Call what a tool is told of its attempt */
/** @typedef {{name: string, description?: string, arguments?: Fields, responses?: Fields, effect?: "pure" | "idempotent" | "at_most_once", timeout?: string,
 *   [member: string]: any}} ToolOptions other members go into the definition */
/** @typedef {(args: any, call: Call) => any} ToolFunction */

/** @type {Map<string, {options: ToolOptions, run: ToolFunction}>} */
const tools = new Map();
/** Makes a tool of a function. @param {ToolOptions} options @param {ToolFunction} run @returns {ToolFunction} */
export function tool(options, run) {
  tools.set(options.name, {options, run});
  return run;
}

/** @param {Fields} [fields] @returns {(Field & {name: string, required: boolean})[]} */
const fieldsOf = (fields = {}) =>
  Object.entries(fields).map(([name, said]) => {
    const field = typeof said === "string" ? {type: said} : said;
    return {...field, name, required: field.required ?? field.default === undefined};
  });

/** All of its definition but for the endpoint: what `describe` answers. @param {ToolOptions} options */
function describedTool({arguments: args, responses, ...more}) {
  const script = path.resolve(process.argv[1]);
  const own = path.relative(path.dirname(script), fileURLToPath(import.meta.url));
  /** @param {Fields} [fields] */
  const declared = (fields) => fieldsOf(fields).map(({type, default: value, ...field}) => ({...field, type_name: type, default_value: value}));
  const files = [path.basename(script), ...(own.startsWith("..") || own.includes("node_modules") ? [] : [own])];
  return {arguments: declared(args), responses: declared(responses), files, ...more};
}

const describeTools = () => ({tools: [...tools.values()].map(({options}) => describedTool(options))});

/** @param {ToolOptions} options */
const definitionOf = (options) => ({system_event_endpoint: `serve:node ${path.basename(process.argv[1])} ${options.name}`, ...describedTool(options)});

/** @param {unknown} thrown */
function failure(thrown) {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (error instanceof InDoubt) return {code: 1, message: error.message || "in doubt", data: {in_doubt: true}};
  if (error instanceof Retry) return {code: 1, message: error.message, data: {retryable: true, retry_after_ms: error.afterMs}};
  if (error instanceof Fatal) return {code: 1, message: error.message || "failed", data: {retryable: false}};
  const stack = (error.stack ?? "").split("\n").filter((line) => !line.includes(import.meta.url) && !line.includes("(node:")).join("\n");
  return {code: 1, message: `${error.name}: ${error.message}`.slice(0, 2000), data: {retryable: false, traceback: stack.slice(0, STACK_MAX)}};
}

/** @param {string} line @param {string} [only] @returns {Promise<Json>} */
async function answerTo(line, only) {
  /** @type {Json} */
  const said = {jsonrpc: "2.0", id: null};
  try {
    const request = JSON.parse(line);
    said.id = request.id ?? null;
    if (request.method === "describe") return {...said, result: describeTools()};
    if (request.method !== "call") return {...said, error: {code: -32601, message: `there is no method '${request.method}'`}};
    const one = tools.get(only ?? request.params.tool);
    if (!one) throw new Fatal(`the endpoint has to name one of the tools ${[...tools.keys()].join(", ")}: serve:node FILE#TOOL`);
    const given = {...request.params.arguments};
    for (const field of fieldsOf(one.options.arguments)) given[field.name] ??= field.default;
    const made = await one.run(given, request.params);
    return {...said, result: made === undefined || made === null ? {} : typeof made === "object" && !Array.isArray(made) ? made : {result: made}};
  } catch (thrown) {
    return {...said, error: failure(thrown)};
  }
}

/** Lines end in a line feed and in nothing else: JSON may have other separators within a text. @param {AsyncIterable<Buffer>} input */
async function* linesOf(input) {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const bytes of input) {
    const lines = (rest + decoder.write(bytes)).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest) yield rest;
}

/** Answers calls until stdin ends. What tools print goes to stderr. Or prints: --describe, --definition TOOL. @param {string[]} [words] */
export async function serve(words = process.argv.slice(2)) {
  if (words[0] === "--describe") return console.log(JSON.stringify(describeTools(), null, 2));
  const wanted = words.filter((word) => word !== "--definition")[0] ?? (tools.size === 1 ? [...tools.keys()][0] : undefined);
  const one = tools.get(wanted ?? "");
  if (!one && words.length > 0) throw new Error(`name one of the tools ${[...tools.keys()].join(", ")}, not '${wanted}'`);
  if (one && words[0] === "--definition") return console.log(JSON.stringify(definitionOf(one.options), null, 2));
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = /** @type {any} */ (process.stderr.write.bind(process.stderr));
  for await (const line of linesOf(process.stdin)) {
    let text;
    const answer = await answerTo(line, wanted);
    try {
      text = JSON.stringify(answer);
    } catch (thrown) {  // a circle, a BigInt
      text = JSON.stringify({jsonrpc: "2.0", id: answer.id, error: failure(thrown)});
    }
    await new Promise((resolve) => write(text + "\n", resolve));
  }
}
