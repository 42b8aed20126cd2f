// The rows of the list of chains: pages as they are scrolled to, held up to date by the feed. An event changes what it says at once; what it does not say (how many
// steps have settled, labels of a new chain) comes with the page that has the chain, which is asked for again, at most twice a second.
import { batch, effect, signal } from '@preact/signals';
import { get, isAborted } from '../../api';
import { epoch, onEvents } from '../../live/live';
import type { ChainPage, ChainStatus, FeedEvent, ListedChain, Problem } from '../../types';

export interface Filters {
  status?: string;
  name?: string;
  label?: string;
  since?: string;
  namespace?: string;
  all?: string;
}

const names: readonly (keyof Filters)[] = ['status', 'name', 'label', 'since', 'namespace', 'all'];

export function filtersOf(query: URLSearchParams): Filters {
  const found: Filters = {};
  for (const name of names) {
    const value = query.get(name);
    if (value) found[name] = value;
  }
  return found;
}

const pageRows = 100;
const rowsMost = 20_000;
const refreshEvery = 500;
/** What comes within this time of the first change is read with it. */
const refreshSoon = 100;

/** A page that was read: the cursor it was asked with, and the last row before it. */
interface PageStart {
  cursor?: string;
  behind?: string;
}

/** What an event says of its chain as a whole; events of steps say nothing of it. */
export function statusAfter(event: FeedEvent): ChainStatus | undefined {
  switch (event.kind) {
    case 'step_began':
    case 'step_settled':
    case 'cancelling':
      return undefined;
    default:
      return event.status as ChainStatus;
  }
}

export function chainList(filters: Filters) {
  const rows = signal<readonly ListedChain[]>([]);
  const loading = signal(true);
  const problem = signal<Problem | undefined>(undefined);
  const hasMore = signal(false);
  const full = signal(false);

  let pages: PageStart[] = [{}];
  let pageOf = new Map<string, PageStart>();
  let nextCursor: string | undefined;
  let abort = new AbortController();
  let readingMore = false;
  let beginning = false;
  let wantMore = false; // what was under way when all was begun anew
  let stale = new Set<PageStart>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let refreshing = false;
  let refreshedAt = 0;
  let failures = 0;

  const ask = (start: PageStart) => get<ChainPage>('/v1/chains', { ...filters, limit: pageRows, cursor: start.cursor }, abort.signal);

  function show(all: readonly ListedChain[]) {
    rows.value = all;
    full.value = all.length >= rowsMost;
    hasMore.value = nextCursor !== undefined && !full.value;
  }

  /** Puts a page in the place of the rows that it covers. False: the rows around it are gone, and all is read anew. */
  function put(start: PageStart, page: ChainPage): boolean {
    const held = rows.peek();
    const from = start.behind === undefined ? 0 : held.findIndex((row) => row.chain_id === start.behind) + 1;
    if (start.behind !== undefined && from === 0) return false;
    for (const chain of page.chains) pageOf.set(chain.chain_id, start);
    const isLast = page.cursor === undefined;
    // the coordinator looked at many chains, none of which fits: what is held is further on
    if (!isLast && page.chains.length === 0) return true;
    const last = page.chains.at(-1)?.chain_id;
    const to = isLast ? held.length : held.findIndex((row) => row.chain_id === last) + 1;
    if (!isLast && to === 0) {
      if (start !== pages[0]) return false;
      // more new chains than a page has: begin again with it
      pages = [start];
      pageOf = new Map(page.chains.map((chain) => [chain.chain_id, start]));
      nextCursor = page.cursor;
      show(page.chains);
      return true;
    }
    if (isLast) {
      pages = pages.slice(0, pages.indexOf(start) + 1);
      nextCursor = undefined;
    }
    const known = new Set(page.chains.map((chain) => chain.chain_id));
    // a chain stands once, also where it has moved from one page to another
    show([...held.slice(0, from).filter((row) => !known.has(row.chain_id)), ...page.chains, ...held.slice(Math.max(from, to)).filter((row) => !known.has(row.chain_id))]);
    return true;
  }

  async function restart() {
    abort.abort();
    abort = new AbortController();
    readingMore = false;
    stale.clear();
    const start: PageStart = {};
    beginning = true;
    const answer = await ask(start);
    if (!answer.ok && isAborted(answer.problem)) return; // another beginning is under way
    beginning = false;
    if (!answer.ok) {
      batch(() => {
        problem.value = answer.problem;
        loading.value = false;
      });
      if (answer.problem.retryable) later(Math.min(10_000, 1000 * 2 ** failures++), () => void restart());
      return;
    }
    failures = 0;
    batch(() => {
      problem.value = undefined;
      const before = rows.peek();
      const covered = answer.value.chains.at(-1)?.chain_id;
      // what was scrolled to stays, where the first page still meets it
      if (before.length > 0 && answer.value.cursor !== undefined && before.some((row) => row.chain_id === covered)) {
        for (const page of pages.slice(1)) stale.add(page);
        put(pages[0]!, answer.value);
        loading.value = false;
        schedule();
        return;
      }
      pages = [start];
      pageOf = new Map(answer.value.chains.map((chain) => [chain.chain_id, start]));
      nextCursor = answer.value.cursor;
      show(answer.value.chains);
      // none that fits yet: the list is empty when the last page is
      if (rows.peek().length === 0 && hasMore.peek()) wantMore = true;
      else loading.value = false;
    });
    goOn();
  }

  function goOn() {
    if (!wantMore) return;
    wantMore = false;
    void more();
  }

  async function more() {
    if (readingMore || nextCursor === undefined || full.peek() || abort.signal.aborted) return;
    readingMore = true;
    // pages may be empty while there are more; the table asks again only when it has new rows
    for (let fresh = 0; fresh === 0 && nextCursor !== undefined; ) {
      const start: PageStart = { cursor: nextCursor, behind: rows.peek().at(-1)?.chain_id };
      const answer = await ask(start);
      if (!answer.ok) {
        wantMore = true;
        // whoever gave it up has begun anew, or has left
        if (isAborted(answer.problem)) {
          if (!beginning) goOn();
          return;
        }
        readingMore = false;
        batch(() => {
          problem.value = answer.problem;
          loading.value = false;
        });
        if (answer.problem.retryable) {
          later(Math.min(10_000, 500 * 2 ** failures++), () => {
            goOn();
            schedule();
          });
        }
        return;
      }
      failures = 0;
      nextCursor = answer.value.cursor;
      const known = new Set(rows.peek().map((row) => row.chain_id));
      const added = answer.value.chains.filter((chain) => !known.has(chain.chain_id));
      fresh = added.length;
      if (answer.value.chains.length > 0 || nextCursor === undefined) pages.push(start);
      for (const chain of answer.value.chains) pageOf.set(chain.chain_id, start);
      batch(() => {
        problem.value = undefined;
        show([...rows.peek(), ...added]);
      });
    }
    readingMore = false;
    loading.value = false;
  }

  function later(delay: number, run: () => void) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      run();
    }, delay);
  }

  function schedule() {
    if (timer === undefined && !refreshing && stale.size > 0) later(Math.max(refreshSoon, refreshEvery - (Date.now() - refreshedAt)), () => void refreshStale());
  }

  async function refreshStale() {
    refreshing = true;
    refreshedAt = Date.now();
    // the first page first: there is what is new; of the others a few at a time
    const wanted = [...stale].sort((left, right) => pages.indexOf(left) - pages.indexOf(right)).slice(0, 4);
    for (const start of wanted) stale.delete(start);
    for (const start of wanted) {
      if (!pages.includes(start)) continue;
      const answer = await ask(start);
      if (!answer.ok) {
        if (isAborted(answer.problem)) break;
        stale.add(start);
        continue;
      }
      if (!put(start, answer.value)) {
        refreshing = false;
        void restart();
        return;
      }
    }
    refreshing = false;
    schedule();
  }

  function hear(events: FeedEvent[]) {
    const changed = new Map<string, Partial<ListedChain>>();
    for (const event of events) {
      const status = statusAfter(event);
      const start = pageOf.get(event.chain_id);
      if (start) {
        stale.add(start);
        if (status !== undefined) {
          const ended = ['succeeded', 'failed', 'cancelled'].includes(status);
          changed.set(event.chain_id, { status, finished_at: ended ? event.time : undefined });
        }
      } else {
        stale.add(pages[0]!);
      }
    }
    if (changed.size > 0) {
      rows.value = rows.peek().map((row) => {
        const change = changed.get(row.chain_id);
        return change ? { ...row, ...change } : row;
      });
    }
    schedule();
  }

  return {
    rows,
    loading,
    problem,
    hasMore,
    full,
    more: () => void more(),
    refresh: () => void restart(),
    open() {
      const stopEvents = onEvents(hear);
      const stopEpoch = effect(() => {
        epoch.value;
        void restart();
      });
      return () => {
        stopEvents();
        stopEpoch();
        clearTimeout(timer);
        abort.abort();
      };
    },
  };
}
