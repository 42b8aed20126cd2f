// The history of the chain, event by event, and each further one as it is written.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { batch, signal } from '@preact/signals';
import { chainPath, get, isAborted } from '../../api';
import { count } from '../../format';
import { route, setQuery } from '../../router';
import type { HistoryEvent, HistoryPage, Json, Problem } from '../../types';
import { JsonView } from '../../ui/json';
import { Icon } from '../../ui/icon';
import { Nothing, ProblemBox } from '../../ui/problem';
import { Table, type Column } from '../../ui/table';
import { Text } from '../../ui/text';
import { Clock } from '../../ui/time';
import type { TabProps } from './tabs';

const pageRows = __REPORT__ ? 200 : 500;
const rowsMost = 50_000;

/** Reads from its beginning; further pages when they are scrolled to, and what is new once the end was reached. */
function eventList(chain: string, step: string | undefined) {
  const rows = signal<readonly HistoryEvent[]>([]);
  const problem = signal<Problem | undefined>(undefined);
  const hasMore = signal(true);
  const abort = new AbortController();
  let reading = false;
  let again = false;
  let next = 1;
  async function read() {
    if (reading) {
      again = true;
      return;
    }
    if (rows.peek().length >= rowsMost) return;
    reading = true;
    const answer = await get<HistoryPage>(chainPath(chain, '/history'), __REPORT__ ? { limit: pageRows } : { step, from: next, limit: pageRows }, abort.signal);
    reading = false;
    if (!answer.ok) {
      if (!isAborted(answer.problem)) problem.value = answer.problem;
      return;
    }
    const last = rows.peek().at(-1)?.seq ?? 0;
    const fresh = answer.value.events.filter((event) => event.seq > last && (step === undefined || event.step === step));
    batch(() => {
      problem.value = undefined;
      if (fresh.length > 0) rows.value = [...rows.peek(), ...fresh];
      hasMore.value = !__REPORT__ && answer.value.next !== undefined && rows.peek().length < rowsMost;
    });
    next = answer.value.next ?? (answer.value.events.at(-1)?.seq ?? next - 1) + 1;
    if (again) {
      again = false;
      if (!hasMore.peek()) void read();
    }
  }
  return { rows, problem, hasMore, read: () => void read(), close: () => abort.abort() };
}

const kinds: Record<string, 'ok' | 'bad' | 'busy' | 'idle' | 'warn'> = { failed: 'bad', completed: 'ok', succeeded: 'ok', cancelled: 'warn', skipped: 'idle' };
const toneOf = (event: HistoryEvent) => (event.error !== undefined ? 'bad' : (kinds[String(event.status)] ?? (event.event === 'ItemsSettled' ? 'ok' : 'idle')));

const columns: readonly Column<HistoryEvent>[] = [
  { id: 'seq', label: 'No.', width: '56px', align: 'end', render: (event) => <span class="dim">{count(event.seq)}</span> },
  { id: 'time', label: 'Time', width: '100px', render: (event) => <span class="mono"><Clock at={event.time} ms /></span> },
  { id: 'event', label: 'Event', width: '150px', narrow: 1, render: (event) => <span class={`event-kind tone-${toneOf(event)}`}><Text most={40}>{event.event ?? ''}</Text></span> },
  { id: 'step', label: 'Step', width: 'minmax(80px, 160px)', narrow: 2, render: (event) => (event.step === undefined ? '' : <Text most={60}>{event.step}</Text>) },
  { id: 'text', label: 'What happened', width: 'minmax(160px, 1fr)', render: (event) => <Text most={300}>{event.text}</Text> },
];

export default function Events({ store }: TabProps) {
  const step = route.value.query.get('step') ?? undefined;
  const list = useMemo(() => eventList(store.id, step), [store.id, step]);
  const [openSeq, setOpenSeq] = useState<number | undefined>(undefined);
  const [follow, setFollow] = useState(true);
  useEffect(() => list.close, [list]);
  useEffect(() => {
    // the first page at once; later changes only once the end was reached
    if (list.rows.peek().length === 0 || !list.hasMore.peek()) list.read();
  }, [list, store.version.value]);
  const rows = list.rows.value;
  const shown = openSeq === undefined ? undefined : rows.find((event) => event.seq === openSeq);
  const problem = list.problem.value;
  return (
    <>
      <div class="filters filters-tab">
        {step !== undefined ? (
          <span>
            Only of step <strong><Text most={80}>{step}</Text></strong>{' '}
            <button type="button" class="link" onClick={() => setQuery({ step: undefined })}>
              Show all
            </button>
          </span>
        ) : (
          <span class="dim">{count(rows.length)} events{list.hasMore.value ? ' so far' : ''}</span>
        )}
        {!store.ended.value && !__REPORT__ && (
          <label class="check filter-check">
            <input type="checkbox" checked={follow} onChange={(event) => setFollow(event.currentTarget.checked)} />
            Stay at the end
          </label>
        )}
      </div>
      {problem && <ProblemBox problem={problem} retry={list.read} />}
      <Table
        label="Events"
        rows={rows}
        columns={columns}
        rowHeight={28}
        keyOf={(event) => String(event.seq)}
        open={(event) => setOpenSeq(openSeq === event.seq ? undefined : event.seq)}
        current={openSeq === undefined ? undefined : String(openSeq)}
        hasMore={list.hasMore.value}
        more={list.read}
        followEnd={follow && !store.ended.value && !list.hasMore.value}
        empty={<Nothing title={list.hasMore.value ? 'Loading events…' : 'No events'} />}
      />
      {shown && (
        <section class="drawer" aria-label={`Event ${shown.seq}`}>
          <header>
            <h2>
              {shown.seq}: <Text most={80}>{shown.event ?? 'event'}</Text>
            </h2>
            <button type="button" class="button-icon" aria-label="Close the event" onClick={() => setOpenSeq(undefined)}>
              <Icon name="cross" />
            </button>
          </header>
          <p><Text most={2000}>{shown.text}</Text></p>
          <JsonView value={shown as unknown as Json} label="the event" openTo={2} />
        </section>
      )}
    </>
  );
}
