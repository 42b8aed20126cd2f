// The one way to the coordinator: requests whose failures are values. A report answers from what it holds, and refuses to write.
import { signal } from '@preact/signals';
import type { Problem } from './types';

export type Answer<T> = { ok: true; value: T; status: number; etag?: string } | { ok: false; problem: Problem };
export type Query = Record<string, string | number | boolean | undefined | null>;

export interface Report {
  title: string;
  made_at: string;
  version?: string;
  chain_id: string;
  answers: Record<string, unknown>;
}

/** What a report holds; on the served page there is none. */
export let report: Report | undefined;

export function openReport(held: Report) {
  report = held;
}

const tokenKey = 'catena-token';

function storedToken(): string | undefined {
  try {
    return sessionStorage.getItem(tokenKey) ?? undefined;
  } catch {
    return undefined; // storage may be forbidden; the token then lives as long as the page
  }
}

export const token = signal<string | undefined>(__REPORT__ ? undefined : storedToken());
/** True while the server asks for a token, or for another one: the shell shows the form. */
export const tokenWanted = signal<false | 'none' | 'refused'>(false);

export function useToken(value: string | undefined) {
  try {
    if (value === undefined) sessionStorage.removeItem(tokenKey);
    else sessionStorage.setItem(tokenKey, value);
  } catch {
    // kept in memory only
  }
  token.value = value;
  tokenWanted.value = false;
}

/** `path` with `query`; members that are undefined, null or empty are left out. */
export function pathOf(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  if (pairs.length === 0) return path;
  return `${path}?${pairs.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`).join('&')}`;
}

export const chainPath = (id: string, rest = '') => `/v1/chains/${encodeURIComponent(id)}${rest}`;
export const stepPath = (id: string, step: string, rest = '') => chainPath(id, `/steps/${encodeURIComponent(step)}${rest}`);

/** A fresh key for a write: the same key again is the same write. */
export function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16)); // randomUUID is for secure contexts only
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  query?: Query;
  body?: unknown;
  key?: string;
  ifMatch?: string;
  /** Only where nothing is there yet. */
  ifNoneMatch?: '*';
  signal?: AbortSignal;
  /** Answers larger than this are refused in place of stopping the page (default 16 MiB). */
  mostBytes?: number;
}

export function problemOf(code: string, title: string, detail: string, status = 0, retryable = false): Problem {
  return { type: '', title, status, detail, code, source: status >= 500 || status === 0 ? 'server' : 'request', retryable, safe_to_resend: true };
}

export const isAborted = (problem: Problem) => problem.code === 'aborted';

export async function request<T>(path: string, options: RequestOptions = {}): Promise<Answer<T>> {
  const method = options.method ?? 'GET';
  const full = pathOf(path, options.query);
  if (__REPORT__) return answerOfReport<T>(report!, method, full);
  const headers: Record<string, string> = { accept: 'application/json' };
  if (token.value !== undefined) headers.authorization = `Bearer ${token.value}`;
  if (method !== 'GET') headers['idempotency-key'] = options.key ?? freshKey();
  if (options.ifMatch !== undefined) headers['if-match'] = options.ifMatch;
  if (options.ifNoneMatch !== undefined) headers['if-none-match'] = options.ifNoneMatch;
  const init: RequestInit = { method, headers, cache: 'no-store', credentials: 'same-origin', redirect: 'error', signal: options.signal ?? null };
  if (options.body !== undefined) {
    headers['content-type'] = 'application/json';
    init.body = JSON.stringify(options.body);
  }
  const asked = token.value;
  let response: Response;
  let text: string;
  try {
    response = await fetch(full, init);
    const read = await textOf(response, options.mostBytes ?? 16 * 1024 * 1024);
    if (read === undefined) return { ok: false, problem: problemOf('too_large_to_show', 'Too large to show', `The answer of ${full} is larger than the page shows. A program can read it there.`, 413) };
    text = read;
  } catch {
    if (options.signal?.aborted) return { ok: false, problem: problemOf('aborted', 'The request was given up', '') };
    return { ok: false, problem: problemOf('unreachable', 'The coordinator cannot be reached', 'It may be down, or being started anew. The page tries again when it is back.', 0, true) };
  }
  let value: unknown;
  try {
    value = text === '' ? undefined : JSON.parse(text);
  } catch {
    return { ok: false, problem: problemOf('no_json', 'The answer cannot be read', `The answer of ${full} is no JSON.`, response.status) };
  }
  if (response.ok) return { ok: true, value: value as T, status: response.status, etag: response.headers.get('etag') ?? undefined };
  if (response.status === 401 && asked === token.value) tokenWanted.value = asked === undefined ? 'none' : 'refused';
  const problem = value && typeof value === 'object' && 'code' in value ? (value as Problem) : problemOf('refused', `HTTP ${response.status}`, text.slice(0, 500), response.status);
  return { ok: false, problem };
}

/** Undefined: it is larger than `most`, and was not read further. */
async function textOf(response: Response, most: number): Promise<string | undefined> {
  if (!response.body) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) {
      await reader.cancel();
      return undefined;
    }
    parts.push(decoder.decode(value, { stream: true }));
  }
  parts.push(decoder.decode());
  return parts.join('');
}

function answerOfReport<T>(held: Report, method: string, path: string): Answer<T> {
  if (method !== 'GET') return { ok: false, problem: problemOf('read_only', 'A report changes nothing', 'Open the page of the coordinator to act on the chain.', 405) };
  if (Object.hasOwn(held.answers, path)) return { ok: true, value: held.answers[path] as T, status: 200 };
  return { ok: false, problem: problemOf('not_in_report', 'Not part of this report', 'The report holds the chain as it was. The page of the coordinator has the rest.', 404) };
}

export const get = <T>(path: string, query?: Query, signal?: AbortSignal) => request<T>(path, { query, signal });
export const post = <T>(path: string, body?: unknown, options: RequestOptions = {}) => request<T>(path, { ...options, method: 'POST', body });
export const put = <T>(path: string, body: unknown, options: RequestOptions = {}) => request<T>(path, { ...options, method: 'PUT', body });
export const remove = <T>(path: string, options: RequestOptions = {}) => request<T>(path, { ...options, method: 'DELETE' });

/** All pages of a list that goes on by a number (`next` and `from`), up to `most` rows. */
export async function allPages<Page extends { next?: number }, Row>(
  path: string,
  rowsOf: (page: Page) => Row[],
  options: { query?: Query; most: number; signal?: AbortSignal },
): Promise<Answer<{ rows: Row[]; complete: boolean; last: Page }>> {
  let rows: Row[] = [];
  let from: number | undefined;
  for (;;) {
    const answer = await get<Page>(path, { ...options.query, from }, options.signal);
    if (!answer.ok) return answer;
    rows = from === undefined ? rowsOf(answer.value) : rows.concat(rowsOf(answer.value));
    from = answer.value.next;
    if (from === undefined || rows.length >= options.most) return { ok: true, status: 200, value: { rows, complete: from === undefined, last: answer.value } };
  }
}
