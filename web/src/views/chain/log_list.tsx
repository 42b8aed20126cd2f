// What attempts printed, line by line. While the chain runs it is asked for what is new once a second; what scrolls out of the page's memory is said so.
import { batch, signal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { chainPath, get, isAborted } from '../../api';
import { bytes, count } from '../../format';
import type { LogPage, LogRow, Problem } from '../../types';
import { CopyButton } from '../../ui/copy';
import { Dialog } from '../../ui/dialog';
import { Nothing, ProblemBox } from '../../ui/problem';
import { Table, type Column } from '../../ui/table';
import { LongText, Text } from '../../ui/text';
import { Clock } from '../../ui/time';
import type { ChainStore } from './store';

interface Line {
  key: string;
  row: LogRow;
  text: string;
}

const linesMost = 20_000;
const followEvery = 1000;

function linesOf(row: LogRow): Line[] {
  const parts = row.text.split('\n');
  if (parts.at(-1) === '') parts.pop();
  return parts.map((text, index) => ({ key: `${row.number}.${index}`, row, text }));
}

function logLines(chain: string, filter: { step?: string; item?: number; stream?: string }) {
  const lines = signal<readonly Line[]>([]);
  const problem = signal<Problem | undefined>(undefined);
  const dropped = signal({ bytes: 0, lines: 0 });
  const loading = signal(true);
  const abort = new AbortController();
  let next: number | undefined;
  let reading = false;
  let again = false;
  async function read() {
    if (reading) {
      again = true;
      return;
    }
    reading = true;
    for (;;) {
      again = false;
      const answer = await get<LogPage>(chainPath(chain, '/logs'), __REPORT__ ? {} : { ...filter, from: next }, abort.signal);
      if (!answer.ok) {
        if (!isAborted(answer.problem)) problem.value = answer.problem;
        break;
      }
      next = answer.value.next;
      const wanted = answer.value.rows.filter((row) => (filter.step === undefined || row.step === filter.step) && (filter.stream === undefined || row.stream === filter.stream));
      const fresh = wanted.flatMap(linesOf);
      batch(() => {
        problem.value = undefined;
        const all = fresh.length > 0 ? [...lines.peek(), ...fresh] : lines.peek();
        const over = Math.max(0, all.length - linesMost);
        lines.value = over > 0 ? all.slice(over) : all;
        if (over > 0 || answer.value.dropped_bytes !== dropped.peek().bytes) dropped.value = { bytes: answer.value.dropped_bytes, lines: dropped.peek().lines + over };
      });
      if ((!answer.value.more && !again) || __REPORT__) break;
    }
    loading.value = false;
    reading = false;
  }
  return { lines, problem, dropped, loading, read: () => void read(), close: () => abort.abort() };
}

const columnsFor = (step: string | undefined): readonly Column<Line>[] => [
  { id: 'time', label: 'Time', width: '96px', narrow: 2, render: (line) => <span class="dim"><Clock at={line.row.time} ms /></span> },
  {
    id: 'of',
    label: step === undefined ? 'Step' : 'Of',
    width: step === undefined ? 'minmax(70px, 150px)' : '74px',
    narrow: 2,
    render: (line) => (
      <span class="dim">
        {step === undefined && <Text most={30}>{line.row.step}</Text>}
        {line.row.item !== undefined && ` #${count(line.row.item)}`}
        {line.row.attempt > 1 && ` try ${line.row.attempt}`}
      </span>
    ),
  },
  { id: 'stream', label: 'From', width: '38px', render: (line) => <span class={line.row.stream === 'stderr' ? 'log-err' : 'dim'}>{line.row.stream === 'stderr' ? 'err' : 'out'}</span> },
  { id: 'text', label: 'Line', width: 'minmax(120px, 1fr)', render: (line) => <Text most={400}>{line.text}</Text> },
];

export function LogList({ store, step, item }: { store: ChainStore; step?: string; item?: number }) {
  const [stream, setStream] = useState('');
  const [follow, setFollow] = useState(true);
  const [open, setOpen] = useState<Line | undefined>(undefined);
  const log = useMemo(() => logLines(store.id, { step, item, stream: stream === '' ? undefined : stream }), [store.id, step, item, stream]);
  const columns = useMemo(() => columnsFor(step), [step]);
  useEffect(() => log.close, [log]);
  useEffect(log.read, [log, store.version.value]);
  useEffect(() => {
    if (__REPORT__) return undefined;
    // the last lines may arrive behind the end of the chain
    let left = store.ended.value ? 3 : Infinity;
    const timer = setInterval(() => {
      if (left-- <= 0) clearInterval(timer);
      else if (document.visibilityState === 'visible') log.read();
    }, followEvery);
    return () => clearInterval(timer);
  }, [log, store.ended.value]);
  const lines = log.lines.value;
  const { bytes: gone, lines: out } = log.dropped.value;
  const problem = log.problem.value;
  return (
    <div class="log">
      <div class="filters filters-tab">
        <select aria-label="Stream" value={stream} onChange={(event) => setStream(event.currentTarget.value)}>
          <option value="">Both streams</option>
          <option value="stdout">stdout</option>
          <option value="stderr">stderr</option>
        </select>
        {!store.ended.value && !__REPORT__ && (
          <label class="check filter-check">
            <input type="checkbox" checked={follow} onChange={(event) => setFollow(event.currentTarget.checked)} />
            Follow
          </label>
        )}
        <CopyButton label="Copy the lines" text={() => lines.map((line) => line.text).join('\n')} />
        {(gone > 0 || out > 0) && (
          <span class="hint">
            {gone > 0 && `${bytes(gone)} were not kept. `}
            {out > 0 && `${count(out)} earlier lines are not shown.`}
          </span>
        )}
      </div>
      {problem && <ProblemBox problem={problem} retry={log.read} />}
      <Table
        label="Log lines"
        rows={lines}
        columns={columns}
        rowHeight={21}
        keyOf={(line) => line.key}
        open={(line) => setOpen(line)}
        followEnd={follow}
        empty={<Nothing title={log.loading.value ? 'Loading logs…' : 'Nothing was printed'} />}
      />
      {open && (
        <Dialog title={`Printed by ${open.row.step.slice(0, 60)}, attempt ${open.row.attempt}`} wide close={() => setOpen(undefined)}>
          <LongText label="The line" most={20_000}>{open.text}</LongText>
        </Dialog>
      )}
    </div>
  );
}
