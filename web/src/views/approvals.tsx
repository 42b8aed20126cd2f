// What waits for a person, in all chains: the longest waiting first, with the answer to each.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { get } from '../api';
import { plural } from '../format';
import { useFresh } from '../fresh';
import { useCommands } from '../keys';
import { useLoaded } from '../resource';
import { go, href, route, setQuery } from '../router';
import { Nothing, ProblemBox } from '../ui/problem';
import { Table, type Column } from '../ui/table';
import { Text } from '../ui/text';
import { Age } from '../ui/time';
import { countWaiting } from '../waiting';
import { ReplyDialog } from './approvals/reply';
import { thenWords, type Approval, type ApprovalPage } from './approvals/types';

const pageRows = 100;
const askMost = 1000;
const rowsMost = 5000;
/** A page may be empty where a filter fits little. */
const requestsMost = 100;

const keyOf = (row: Approval) => `${row.chain_id} ${row.step}`;

const columnsOf = (answer: (row: Approval, approved: boolean) => void): readonly Column<Approval>[] => [
  { id: 'since', label: 'Since', width: '76px', render: (row) => <Age at={row.since} /> },
  {
    id: 'chain',
    label: 'Chain',
    width: 'minmax(80px, 1.2fr)',
    render: (row) => (
      <a href={href(['chains', row.chain_id], { step: row.step })} tabIndex={-1}>
        <Text most={100}>{row.chain_id}</Text>
      </a>
    ),
  },
  { id: 'step', label: 'Step', width: 'minmax(60px, 1fr)', render: (row) => <Text most={80}>{row.step}</Text> },
  { id: 'items', label: 'Items', width: '110px', narrow: 1, render: (row) => row.items !== undefined && <Text most={60}>{row.items}</Text> },
  { id: 'who', label: 'Who', width: 'minmax(80px, 1fr)', narrow: 2, render: (row) => row.who !== undefined && <Text most={200}>{row.who}</Text> },
  {
    id: 'until',
    label: 'Until',
    width: '168px',
    narrow: 1,
    render: (row) =>
      row.until === undefined ? (
        <span class="dim">–</span>
      ) : (
        <>
          <Age at={row.until} />, {thenWords[row.on_timeout ?? 'fail']}
        </>
      ),
  },
  { id: 'arguments', label: 'Arguments', width: 'minmax(100px, 1.6fr)', narrow: 1, render: (row) => <Text most={160} mono>{row.arguments_begin ?? (row.arguments === undefined ? '' : JSON.stringify(row.arguments))}</Text> },
  {
    id: 'reply',
    label: 'Answer',
    width: '146px',
    render: (row) => (
      <span class="row-actions">
        {[true, false].map((approved) => (
          <button type="button" key={String(approved)} class="button button-small" tabIndex={-1} aria-label={`${approved ? 'Approve' : 'Reject'} ${row.step.slice(0, 60)} of ${row.chain_id.slice(0, 80)}`} onClick={() => answer(row, approved)}>
            {approved ? 'Approve' : 'Reject'}
          </button>
        ))}
      </span>
    ),
  },
];

/** A filter in the address, which follows it a moment after the last key. */
function Filter({ name, label, field }: { name: 'who' | 'chain'; label: string; field?: preact.RefObject<HTMLInputElement | null> }) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <input
      ref={field}
      type="search"
      aria-label={label}
      placeholder={label}
      spellcheck={false}
      defaultValue={route.peek().query.get(name) ?? ''}
      onInput={(event) => {
        const next = event.currentTarget.value.trim();
        clearTimeout(timer.current);
        timer.current = setTimeout(() => setQuery({ [name]: next }), 250);
      }}
    />
  );
}

export default function Approvals() {
  const query = route.value.query;
  const who = query.get('who') ?? '';
  const chain = query.get('chain') ?? '';
  const filtered = who !== '' || chain !== '';
  const key = JSON.stringify([who, chain]);
  // how many rows are wanted: the table asks for more as somebody gets to its end
  const wanted = useMemo(() => ({ rows: pageRows }), [key]);
  const answer = useLoaded<{ rows: Approval[]; more: boolean }>(`approvals/${key}`, async (signal) => {
    const rows: Approval[] = [];
    let cursor: string | undefined;
    for (let asked = 0; asked < requestsMost; asked++) {
      const read = await get<ApprovalPage>('/v1/approvals', { who, chain, limit: Math.min(askMost, wanted.rows), cursor }, signal);
      if (!read.ok) return read;
      rows.push(...read.value.approvals);
      cursor = read.value.cursor;
      if (cursor === undefined || rows.length >= wanted.rows) break;
    }
    return { ok: true, status: 200, value: { rows, more: cursor !== undefined } };
  });
  useFresh(answer, () => true);
  const rows = answer.value.value?.rows ?? [];
  const more = answer.value.value?.more === true;
  const [at, setAt] = useState<string | undefined>(undefined);
  const [reply, setReply] = useState<{ of: Approval; approved: boolean } | undefined>(undefined);
  const columns = useMemo(() => columnsOf((of, approved) => setReply({ of, approved })), []);
  const row = rows.find((one) => keyOf(one) === at) ?? rows[0];
  const field = useRef<HTMLInputElement>(null);
  useCommands([
    { keys: ['/'], title: 'Only those of one person', group: 'Approvals', run: () => field.current?.focus() },
    { keys: ['Shift+y'], title: 'Approve the step', group: 'Approvals', disabled: !row, run: () => row && setReply({ of: row, approved: true }) },
    { keys: ['Shift+n'], title: 'Reject the step', group: 'Approvals', disabled: !row, run: () => row && setReply({ of: row, approved: false }) },
  ]);
  const problem = answer.problem.value;
  return (
    <>
      <div class="view-head">
        <h1>Approvals</h1>
        <Filter name="who" label="Who" field={field} />
        <Filter name="chain" label="Chain" />
      </div>
      {problem && <ProblemBox problem={problem} retry={() => answer.refresh()} />}
      <Table
        label="Approvals"
        rows={rows}
        columns={columns}
        keyOf={keyOf}
        open={(one) => go(href(['chains', one.chain_id], { step: one.step }))}
        onCursor={(one) => setAt(keyOf(one))}
        hasMore={more && rows.length < rowsMost}
        more={() => {
          if (wanted.rows > rows.length) return;
          wanted.rows = rows.length + pageRows;
          answer.refresh();
        }}
        empty={
          <Nothing title={!answer.value.value && !problem ? 'Loading approvals…' : filtered ? 'Nothing that fits waits for approval' : 'Nothing waits for approval'}>
            {!filtered && <>A step waits here whose definition says <code>approve</code>.</>}
          </Nothing>
        }
      />
      {more && rows.length >= rowsMost && <p class="table-note">{plural(rows.length, 'step')} are shown, as many as the page holds.</p>}
      {reply && (
        <ReplyDialog
          key={keyOf(reply.of)}
          {...reply}
          close={() => setReply(undefined)}
          after={() => {
            answer.refresh();
            void countWaiting();
          }}
        />
      )}
    </>
  );
}
