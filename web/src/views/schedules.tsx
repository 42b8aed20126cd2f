// Schedules: when each is due, what became of its last run, and what one does about it.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { get } from '../api';
import { useCommands } from '../keys';
import { useFresh } from '../fresh';
import { count, plural } from '../format';
import { useAnswer, useLoaded } from '../resource';
import { go, href, route, setQuery } from '../router';
import { usePageTitle } from '../shell';
import type { ChainPage, FeedEvent, ListedChain } from '../types';
import { Icon } from '../ui/icon';
import { JsonView } from '../ui/json';
import { Loading, Nothing, ProblemBox } from '../ui/problem';
import { Status } from '../ui/status';
import { Table, type Column } from '../ui/table';
import { Text } from '../ui/text';
import { Age, Clock, Took } from '../ui/time';
import type { ViewProps } from '../views';
import { actWords, CreateDialog, mayOrder, OrderDialog, type ScheduleAct } from './schedules/dialogs';
import { lastRun, schedulePath, stateOf, whenOf, type Schedule, type SchedulePage, type ScheduledRun } from './schedules/types';

const mostPages = 10;

const isRun = (kind: FeedEvent['kind']) => kind !== 'step_began' && kind !== 'step_settled';

const keysOf: Record<ScheduleAct, string> = { pause: 'Shift+p', resume: 'Shift+u', trigger: 'Shift+t', backfill: 'b', delete: 'Delete' };
const allActs = Object.keys(actWords) as ScheduleAct[];

/** The commands of one schedule, and the dialog of the one that was given. */
function useActs(schedule: Schedule | undefined, after: (act: ScheduleAct) => void) {
  const [acting, setActing] = useState<{ act: ScheduleAct; schedule: Schedule } | undefined>(undefined);
  const begin = (act: ScheduleAct) => schedule && setActing({ act, schedule });
  useCommands(
    allActs.map((act) => ({ keys: [keysOf[act]], title: `${actWords[act].label} the schedule`, group: 'Schedules', disabled: !schedule || !mayOrder(act, schedule), run: () => begin(act) })),
  );
  const dialog = acting && <OrderDialog {...acting} close={() => setActing(undefined)} after={() => after(acting.act)} />;
  return { begin, dialog };
}

function LastRun({ run }: { run?: ScheduledRun }) {
  if (!run) return <span class="dim">–</span>;
  return (
    <span class="about">
      <Status status={run.status} />
      <a href={href(['chains', run.chain_id])} tabIndex={-1} title={run.chain_id}>
        <Age at={run.at} />
      </a>
    </span>
  );
}

const columns: readonly Column<Schedule>[] = [
  { id: 'state', label: 'State', width: '100px', render: (row) => <Status status={stateOf(row)} /> },
  {
    id: 'name',
    label: 'Schedule',
    width: 'minmax(120px, 1.2fr)',
    render: (row) => (
      <a href={href(['schedules', row.name])} tabIndex={-1}>
        <Text most={100}>{row.name}</Text>
      </a>
    ),
  },
  { id: 'when', label: 'When', width: 'minmax(90px, 1fr)', narrow: 2, render: (row) => <Text most={80}>{whenOf(row)}</Text> },
  { id: 'next', label: 'Next due', width: '92px', render: (row) => (row.paused ? <span class="dim">paused</span> : <Age at={row.next[0]} />) },
  { id: 'last', label: 'Last run', width: '190px', narrow: 2, render: (row) => <LastRun run={lastRun(row)} /> },
  { id: 'overlap', label: 'Overlap', width: '72px', narrow: 1, render: (row) => row.overlap },
  { id: 'definition', label: 'Definition', width: 'minmax(90px, 1fr)', narrow: 1, render: (row) => <Text most={80}>{row.definition}</Text> },
  { id: 'runs', label: 'Runs', width: '70px', align: 'end', narrow: 1, render: (row) => count(row.runs.begun) },
];

function List() {
  const query = route.value.query;
  const name = query.get('name') ?? '';
  const pattern = name === '' ? undefined : /[*?]/.test(name) ? name : `*${name}*`;
  const answer = useLoaded<{ rows: Schedule[]; cut: boolean }>(`schedules/${pattern ?? ''}`, async (signal) => {
    const rows: Schedule[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < mostPages; page++) {
      const read = await get<SchedulePage>('/v1/schedules', { name: pattern, limit: 1000, cursor }, signal);
      if (!read.ok) return read;
      rows.push(...read.value.schedules);
      cursor = read.value.cursor;
      if (cursor === undefined) break;
    }
    return { ok: true, status: 200, value: { rows, cut: cursor !== undefined } };
  });
  const rows = answer.value.value?.rows ?? [];
  useFresh(answer, ({ kind, chain_id }) => isRun(kind) && rows.some((row) => chain_id.startsWith(`${row.name}-`)));
  const [at, setAt] = useState<string | undefined>(undefined);
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const acts = useActs(rows.find((row) => row.name === at) ?? rows[0], () => answer.refresh());
  const make = () => setQuery({ new: 1 });
  useCommands([
    { keys: ['/'], title: 'Look for a schedule', group: 'Schedules', run: () => field.current?.focus() },
    { keys: ['Shift+n'], title: 'New schedule', group: 'Schedules', run: make },
  ]);
  const problem = answer.problem.value;
  return (
    <>
      <div class="view-head">
        <h1>Schedules</h1>
        <input
          ref={field}
          type="search"
          aria-label="Name, or a pattern of it"
          placeholder="Name"
          defaultValue={name}
          spellcheck={false}
          onInput={(event) => {
            const next = event.currentTarget.value.trim();
            clearTimeout(timer.current);
            timer.current = setTimeout(() => setQuery({ name: next }), 250);
          }}
        />
        <div class="view-actions">
          <button type="button" class="button" onClick={make}>
            <Icon name="plus" size={14} /> New schedule
          </button>
        </div>
      </div>
      {problem && <ProblemBox problem={problem} retry={() => answer.refresh()} />}
      <Table
        label="Schedules"
        rows={rows}
        columns={columns}
        keyOf={(row) => row.name}
        open={(row) => go(href(['schedules', row.name]))}
        onCursor={(row) => setAt(row.name)}
        empty={<Nothing title={!answer.value.value && !problem ? 'Loading schedules…' : pattern ? 'No schedule has such a name' : 'There are no schedules'}>{!pattern && 'A schedule begins a chain at times that it is given.'}</Nothing>}
      />
      {answer.value.value?.cut && <p class="table-note">{plural(rows.length, 'schedule')} are shown, as many as the page holds.</p>}
      {acts.dialog}
      {query.has('new') && <CreateDialog close={() => setQuery({ new: undefined })} />}
    </>
  );
}

/** A run, with the chain that it is where there is one. */
type Run = Pick<ScheduledRun, 'chain_id' | 'status'> & Partial<ScheduledRun> & { chain?: ListedChain };

const runColumns: readonly Column<Run>[] = [
  { id: 'status', label: 'Status', width: '112px', render: (run) => <Status status={run.status} /> },
  {
    id: 'chain',
    label: 'Run',
    width: 'minmax(150px, 1.4fr)',
    render: (run) =>
      run.chain ? (
        <a href={href(['chains', run.chain_id])} tabIndex={-1}>
          <Text most={120}>{run.chain_id}</Text>
        </a>
      ) : (
        <Text most={120}>{run.chain_id}</Text>
      ),
  },
  { id: 'kind', label: 'Why', width: '80px', narrow: 2, render: (run) => run.kind ?? '' },
  { id: 'began', label: 'Began', width: '84px', render: (run) => <Age at={run.chain?.started_at ?? run.at} /> },
  { id: 'took', label: 'Took', width: '84px', align: 'end', narrow: 2, render: (run) => <Took from={run.chain?.started_at} to={run.chain?.finished_at} /> },
  { id: 'error', label: 'Error', width: 'minmax(100px, 1.4fr)', narrow: 1, render: (run) => <Text most={160}>{run.error ?? run.chain?.error?.message ?? ''}</Text> },
];

function One({ name }: { name: string }) {
  const label = `schedule=${name}`;
  const answer = useAnswer<Schedule>(schedulePath(name));
  const chains = useAnswer<ChainPage>(`/v1/chains?limit=100&label=${encodeURIComponent(label)}`);
  const ours = ({ kind, chain_id }: FeedEvent) => isRun(kind) && chain_id.startsWith(`${name}-`);
  useFresh(answer, ours);
  useFresh(chains, ours);
  usePageTitle(name.slice(0, 80));
  const schedule = answer.value.value;
  const all = chains.value.value?.chains;
  const rows = useMemo(() => {
    const told = new Map([...(schedule?.running ?? []), ...(schedule?.last ?? [])].map((run) => [run.chain_id, run]));
    const found: Run[] = (all ?? []).map((chain) => ({ ...told.get(chain.chain_id), chain_id: chain.chain_id, status: chain.status, chain }));
    for (const chain of all ?? []) told.delete(chain.chain_id);
    // those that were refused, or whose chains are removed
    for (const run of told.values()) found.push(run);
    const time = (run: Run) => run.chain?.started_at ?? run.at ?? '';
    return found.sort((left, right) => (time(left) < time(right) ? 1 : -1));
  }, [schedule, all]);
  const acts = useActs(schedule, (act) => {
    if (act === 'delete') go('#/schedules');
    else answer.refresh();
  });
  useCommands([{ keys: ['u'], title: 'Back to all schedules', group: 'Schedules', run: () => go('#/schedules') }]);
  if (!schedule) return answer.problem.value ? <ProblemBox problem={answer.problem.value} retry={() => answer.refresh()} /> : <Loading what="the schedule" />;
  const facts: [string, preact.ComponentChildren][] = [
    ['When', <Text most={100}>{whenOf(schedule)}</Text>],
    [
      'Runs',
      <a href={href(['definitions', schedule.definition])}>
        <Text most={100}>{schedule.definition}</Text>
      </a>,
    ],
    ['Version', schedule.follow ? 'the newest at each run' : 'pinned'],
    ['Overlap', schedule.overlap],
    ['Catch-up', schedule.catchup],
    ...(schedule.deadline ? [['Deadline of a run', schedule.deadline] as [string, string]] : []),
    ['Begun', count(schedule.runs.begun)],
    ['Skipped', count(schedule.runs.skipped)],
    ['Missed', count(schedule.runs.missed)],
    ['Refused', count(schedule.runs.refused)],
    ['Waiting', count(schedule.waiting)],
  ];
  const labels = Object.entries(schedule.labels).map(([key, value]) => `${key}=${value}`);
  if (labels.length > 0) facts.push(['Labels', <Text most={200}>{labels.join(', ')}</Text>]);
  return (
    <>
      <div class="view-head">
        <nav class="crumbs" aria-label="Where this is">
          <a href="#/schedules">Schedules</a>
        </nav>
        <h1><Text most={100}>{name}</Text></h1>
        <Status status={stateOf(schedule)} />
        <span class="dim">{schedule.version}</span>
        <div class="view-actions">
          {allActs.filter((act) => mayOrder(act, schedule)).map((act) => (
            <button type="button" key={act} class={act === 'trigger' ? 'button button-primary' : 'button'} onClick={() => acts.begin(act)}>
              {actWords[act].label}
            </button>
          ))}
        </div>
      </div>
      {answer.problem.value && <ProblemBox problem={answer.problem.value} retry={() => answer.refresh()} />}
      <dl class="facts">
        {facts.map(([what, value]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="schedule-about">
        {schedule.paused ? (
          <p>
            Paused <Age at={schedule.paused_at} />
            {schedule.paused_by && <> by <Text most={60}>{schedule.paused_by}</Text></>}
            {schedule.pause_reason && <>: <Text most={300}>{schedule.pause_reason}</Text></>}
          </p>
        ) : (
          <p>
            Due{' '}
            {schedule.next.length === 0 && 'no more'}
            {schedule.next.slice(0, 5).map((at, index) => (
              <span key={at}>
                {index > 0 && ', '}
                <Clock at={at} date />
              </span>
            ))}
          </p>
        )}
        {schedule.arguments !== undefined && <JsonView value={schedule.arguments} label="Arguments" openTo={1} />}
      </div>
      <div class="schedule-runs">
        <h2>Runs</h2>
        <a href={href(['chains'], { label })}>All of them in the list of chains</a>
      </div>
      <Table
        label="Runs"
        rows={rows}
        columns={runColumns}
        keyOf={(run) => run.chain_id}
        open={(run) => run.chain && go(href(['chains', run.chain_id]))}
        empty={<Nothing title={chains.value.value ? 'It has had no run yet' : 'Loading runs…'} />}
      />
      {acts.dialog}
    </>
  );
}

export default function Schedules({ parameters }: ViewProps) {
  return parameters.name === undefined ? <List /> : <One key={parameters.name} name={parameters.name} />;
}
