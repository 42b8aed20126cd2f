/** Makes a tool of a function. @param {ToolOptions} options @param {ToolFunction} run @returns {ToolFunction} */
export function tool(options: ToolOptions, run: ToolFunction): ToolFunction;
/** Answers calls until stdin ends. What tools print goes to stderr. Or prints: --describe, --definition TOOL. @param {string[]} [words] */
export function serve(words?: string[]): Promise<void>;
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
    constructor(code: string, message: string, { status, retryable, safeToResend, findings, details }?: ErrorOptions);
    code: string;
    status: number;
    retryable: boolean;
    safeToResend: boolean;
    findings: Finding[];
    details: any;
    /** @type {string[]} */
    pointers: string[];
}
/** Nobody answered. Where `safeToResend` is false, nobody knows whether the request arrived. */
export class ConnectionLost extends CatenaError {
}
/** The time that a caller gave to `wait` is over; the chain goes on. */
export class WaitTimeout extends CatenaError {
}
/** The chain did not succeed: `chain` is what became of it. Without an error the code is its status. */
export class ChainFailed extends CatenaError {
    /** @param {Chain} chain */
    constructor(chain: Chain);
    chain: Chain;
}
/** An item of a fan-out failed; `index` is its place in the list. */
export class ItemFailed extends CatenaError {
    /** @param {number} index @param {ChainError} error */
    constructor(index: number, error: ChainError);
    index: number;
}
/** A chain as it was when it was asked for; `data` is the whole answer. */
export class Chain {
    /** @param {Client} client @param {Json} data */
    constructor(client: Client, data: Json);
    client: Client;
    data: Json;
    /** @type {string} */
    id: string;
    /** @type {string} */
    status: string;
    /** @type {ChainError | undefined} */
    error: ChainError | undefined;
    /** What the chain answered; a large response takes a request of its own. @returns {Promise<any>} */
    response(): Promise<any>;
    /** @param {number} [timeoutMs] @returns {Promise<Chain>} */
    wait(timeoutMs?: number): Promise<Chain>;
    /** @param {number} [timeoutMs] @returns {Promise<any>} */
    result(timeoutMs?: number): Promise<any>;
}
/** The chains of a coordinator. A request that may be sent twice is sent again, for `patienceMs`. */
export class Client {
    /** @param {string} [url] @param {{token?: string, patienceMs?: number}} [options] */
    constructor(url?: string, { token, patienceMs }?: {
        token?: string;
        patienceMs?: number;
    });
    patienceMs: number;
    /** Starts a chain. @param {Definition} definition @param {Json} [args] @param {Submission} [submission] @returns {Promise<Chain>} */
    submit(definition: Definition, args?: Json, { key, ...more }?: Submission): Promise<Chain>;
    /** Submits, and answers with the response of the chain.
     * @param {Definition} definition @param {Json} [args] @param {Submission & {timeoutMs?: number}} [submission] @returns {Promise<any>} */
    run(definition: Definition, args?: Json, { timeoutMs, ...submission }?: Submission & {
        timeoutMs?: number;
    }): Promise<any>;
    /** The chain when it has ended, also over a restart of the coordinator; rejects with WaitTimeout after `timeoutMs`.
     * @param {string} id @param {number} [timeoutMs] @returns {Promise<Chain>} */
    wait(id: string, timeoutMs?: number): Promise<Chain>;
    /** The response of the chain when it has ended; rejects with ChainFailed where it has not succeeded.
     * @param {string} id @param {number} [timeoutMs] @returns {Promise<any>} */
    result(id: string, timeoutMs?: number): Promise<any>;
    /** Runs a definition for each item, in one chain, and yields the responses in the order of the items. `argument` is the one that gets the item;
     * `arguments` are the same for all. A failed item rejects with ItemFailed at its place; with failures: "return" the error is yielded, and the others go on.
     * @param {Definition} definition @param {Iterable<any>} items @param {string} argument
     * @param {Submission & {arguments?: Json, concurrency?: number, failures?: "throw" | "return"}} [options] @returns {AsyncGenerator<any, void, void>} */
    map(definition: Definition, items: Iterable<any>, argument: string, { arguments: args, concurrency, failures, ...submission }?: Submission & {
        arguments?: Json;
        concurrency?: number;
        failures?: "throw" | "return";
    }): AsyncGenerator<any, void, void>;
    /** The responses of a fan-out's items in order, as they come.
     * @param {string} id @param {string} step @param {{failures?: "throw" | "return"}} [options] @returns {AsyncGenerator<any, void, void>} */
    results(id: string, step: string, { failures }?: {
        failures?: "throw" | "return";
    }): AsyncGenerator<any, void, void>;
    /** @param {string} id @returns {Promise<Chain>} */
    get(id: string): Promise<Chain>;
    /** @param {string} id @returns {Promise<any>} */
    response(id: string): Promise<any>;
    /** Chains, newest first; `all`: those that chains started, too.
     * @param {{label?: string | Record<string, string>, status?: string, name?: string, since?: string, all?: boolean, limit?: number}} [filters]
     * @returns {AsyncGenerator<Json, void, void>} */
    list({ label, ...filters }?: {
        label?: string | Record<string, string>;
        status?: string;
        name?: string;
        since?: string;
        all?: boolean;
        limit?: number;
    }): AsyncGenerator<Json, void, void>;
    /** What happened to a chain, event by event; `after` is the `seq` of the last known event.
     * @param {string} id @param {{after?: number, step?: string, item?: number, since?: string, limit?: number}} [options]
     * @returns {AsyncGenerator<Json, void, void>} */
    history(id: string, { after, ...filters }?: {
        after?: number;
        step?: string;
        item?: number;
        since?: string;
        limit?: number;
    }): AsyncGenerator<Json, void, void>;
    /** What becomes of all chains; `after` is the `number` of the last known event. `follow`: without an end. Rejects with `events_lost` where events behind
     * `after` are not kept any more.
     * @param {{after?: number, follow?: boolean, chain?: string, kind?: string, name?: string, all?: boolean, limit?: number}} [options]
     * @returns {AsyncGenerator<Json, void, void>} */
    events({ after, follow, ...filters }?: {
        after?: number;
        follow?: boolean;
        chain?: string;
        kind?: string;
        name?: string;
        all?: boolean;
        limit?: number;
    }): AsyncGenerator<Json, void, void>;
    /** @param {string} id @param {{reason?: string, now?: boolean}} [body] */
    cancel(id: string, body?: {
        reason?: string;
        now?: boolean;
    }): Promise<Chain>;
    /** @param {string} id */
    resume(id: string): Promise<Chain>;
    /** Runs again what failed or never ran, also what `from` and `items` name.
     * @param {string} id @param {{failed?: boolean, from?: string[], items?: Record<string, string>, where?: string}} [body] */
    retry(id: string, body?: {
        failed?: boolean;
        from?: string[];
        items?: Record<string, string>;
        where?: string;
    }): Promise<Chain>;
    /** A response in place of running a step, or items of it such as "3,7-9".
     * @param {string} id @param {string} step @param {any} response @param {{items?: string}} [more] */
    skip(id: string, step: string, response: any, more?: {
        items?: string;
    }): Promise<Chain>;
    /** What became of an attempt in doubt: `response`, `failed` with a message, or not begun: `again`.
     * @param {string} id @param {string} step @param {{response?: Json, failed?: string, again?: boolean, items?: string}} outcome */
    resolve(id: string, step: string, outcome: {
        response?: Json;
        failed?: string;
        again?: boolean;
        items?: string;
    }): Promise<Chain>;
    /** @param {string} id @returns {Promise<string[]>} */
    remove(id: string): Promise<string[]>;
    /** @param {Json} [filters] @returns {AsyncGenerator<any, void, void>} */
    schedules: (filters?: Json) => AsyncGenerator<any, void, void>;
    /** @param {string} name @returns {Promise<any>} */
    schedule: (name: string) => Promise<any>;
    /** @param {string} name @param {string} [reason] @returns {Promise<any>} */
    deleteSchedule: (name: string, reason?: string) => Promise<any>;
    /** `cron` with `timezone`, or `every`; `overlap`, `catchup`, `follow`, and what a submission has.
     * @param {string} name @param {Definition} definition @param {Json} said @returns {Promise<any>} */
    createSchedule(name: string, definition: Definition, { replace, ...said }: Json): Promise<any>;
    /** @param {string} name @param {"pause" | "resume" | "trigger" | "backfill"} verb
     * @param {{reason?: string, from?: string, until?: string}} [said] @returns {Promise<any>} */
    orderSchedule(name: string, verb: "pause" | "resume" | "trigger" | "backfill", said?: {
        reason?: string;
        from?: string;
        until?: string;
    }): Promise<any>;
    #private;
}
/** The tool failed, and would fail again. */
export class Fatal extends Error {
}
/** The tool failed for now. The step's `retry` decides about another attempt, not before `afterMs`. */
export class Retry extends Error {
    /** @param {string} [message] @param {{afterMs?: number}} [options] */
    constructor(message?: string, { afterMs }?: {
        afterMs?: number;
    });
    afterMs: number | undefined;
}
/** Nobody knows whether it happened: a step that is `at_most_once` waits for a person, others may be retried. */
export class InDoubt extends Error {
}
export type Json = {
    [member: string]: any;
};
/**
 * a definition, or the name of one that the coordinator knows
 */
export type Definition = string | Json;
export type Finding = {
    code: string;
    detail: string;
    pointer?: string;
    suggestion?: string;
    [member: string]: any;
};
export type ChainError = {
    code: string;
    message: string;
    retryable?: boolean;
    details?: any;
    cause?: ChainError;
};
/**
 * `key`: one key starts one chain
 */
export type Submission = {
    id?: string;
    key?: string;
    labels?: Record<string, string>;
    context?: Json;
    name?: string;
    priority?: number;
    durability?: "sync" | "async" | "none";
    deadline?: string;
};
export type ErrorOptions = {
    status?: number;
    retryable?: boolean;
    safeToResend?: boolean;
    findings?: Finding[];
    details?: any;
};
export type TypeName = "string" | "number" | "integer" | "boolean" | "object" | "list" | "file" | "any";
export type Field = {
    type: TypeName;
    description?: string;
    required?: boolean;
    default?: any;
    enum?: any[];
};
/**
 * a name alone is that of a required field's type
 */
export type Fields = Record<string, TypeName | Field>;
/**
 * what a tool is told of its attempt
 */
export type Call = {
    idempotency_key: string;
    attempt: number;
    timeout_ms?: number;
    context?: Json;
    work_dir?: string;
};
/**
 * other members go into the definition
 */
export type ToolOptions = {
    name: string;
    description?: string;
    arguments?: Fields;
    responses?: Fields;
    effect?: "pure" | "idempotent" | "at_most_once";
    timeout?: string;
    [member: string]: any;
};
export type ToolFunction = (args: any, call: Call) => any;
