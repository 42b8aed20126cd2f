// When what happened: each attempt with what it waited for, and the path that decided how long the chain took. Rows come in pages, and only those in sight are in the document.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { batch, signal } from '@preact/signals';
import { chainPath, get, isAborted } from '../../api';
import { now } from '../../clock';
import { clock, count, duration, plain } from '../../format';
import { useCommands } from '../../keys';
import { route, setQuery } from '../../router';
import type { Problem, Timeline, TimelineBar, TimelineRow } from '../../types';
import { Icon } from '../../ui/icon';
import { Nothing, ProblemBox } from '../../ui/problem';
import { Table, type Column } from '../../ui/table';
import { Text } from '../../ui/text';
import type { TabProps } from './tabs';

const pageRows = 1000;
const rowsMost = 200_000;
const keyOf = (row: TimelineRow) => `${row.step} ${row.visit} ${row.item ?? ''}`;

/** All pages that were scrolled to; an update reads them again, from the first on. */
function timelineRows(chain: string) {
  const rows = signal<readonly TimelineRow[]>([]);
  const head = signal<Timeline | undefined>(undefined);
  const problem = signal<Problem | undefined>(undefined);
  const hasMore = signal(false);
  const abort = new AbortController();
  let reading = false;
  let wanted: 'update' | undefined;
  let next: number | undefined;
  let pagesRead = 0;
  const ask = (from?: number) => get<Timeline>(chainPath(chain, '/timeline'), __REPORT__ ? {} : { from, limit: pageRows }, abort.signal);
  const fail = (one: Problem) => {
    if (!isAborted(one)) problem.value = one;
  };
  async function update() {
    if (reading) {
      wanted = 'update';
      return;
    }
    reading = true;
    // pages far below are read again when they are scrolled to next: a long timeline is not read whole twice a second
    const pages = Math.min(Math.max(1, pagesRead), 3);
    let all: TimelineRow[] = [];
    let from: number | undefined;
    let first: Timeline | undefined;
    for (let page = 0; page < pages; page++) {
      const answer = await ask(from);
      if (!answer.ok) {
        fail(answer.problem);
        break;
      }
      first ??= answer.value;
      all = all.concat(answer.value.rows);
      from = answer.value.next;
      if (from === undefined) break;
    }
    if (first) {
      batch(() => {
        problem.value = undefined;
        head.value = first;
        if (from === undefined || pagesRead <= pages) {
          rows.value = all;
          next = from;
          pagesRead = pages;
        } else {
          rows.value = [...all, ...rows.peek().slice(all.length)];
        }
        hasMore.value = next !== undefined && !__REPORT__;
      });
    }
    reading = false;
    if (wanted) {
      wanted = undefined;
      void update();
    }
  }
  async function more() {
    if (reading || next === undefined || rows.peek().length >= rowsMost) return;
    reading = true;
    const answer = await ask(next);
    reading = false;
    if (!answer.ok) {
      fail(answer.problem);
      return;
    }
    batch(() => {
      rows.value = [...rows.peek(), ...answer.value.rows];
      next = answer.value.next;
      pagesRead++;
      hasMore.value = next !== undefined && rows.peek().length < rowsMost;
    });
  }
  return { rows, head, problem, hasMore, update: () => void update(), more: () => void more(), close: () => abort.abort() };
}

const barWords: Record<TimelineBar['kind'], string> = { queued: 'queued', running: 'running', backoff: 'backoff', waiting: 'waiting for a person', lost: 'lost' };
const kinds: readonly TimelineBar['kind'][] = ['queued', 'running', 'backoff', 'waiting', 'lost'];

interface Window {
  from: number;
  to: number;
}

/** Round times within the window: 5 to 10 of them. */
function ticksOf(window: Window, begin: number): { at: number; label: string }[] {
  const span = window.to - window.from;
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5, 216e5, 432e5, 864e5];
  let step = steps.find((one) => span / one <= 9) ?? 864e5;
  while (span / step > 12) step *= 2;
  const found: { at: number; label: string }[] = [];
  for (let at = begin + Math.ceil((window.from - begin) / step) * step; at < window.to; at += step) found.push({ at, label: at === begin ? '0' : `+${duration(at - begin)}` });
  return found;
}

const percent = (value: number) => `${(value * 100).toFixed(3)}%`;

function Bars({ row, window, end, critical }: { row: TimelineRow; window: Window; end: number; critical: { from: number; to: number }[] }) {
  const span = window.to - window.from;
  const place = (from: number, to: number) => {
    const left = (Math.max(from, window.from) - window.from) / span;
    const right = (Math.min(to, window.to) - window.from) / span;
    return right < 0 || left > 1 || right < left ? undefined : { x: percent(left), width: percent(Math.max(right - left, 0)) };
  };
  const spanAt = place(Date.parse(row.from), row.to ? Date.parse(row.to) : end);
  const words = row.bars
    .slice(0, 8)
    .map((bar) => `${bar.attempt === undefined ? '' : `attempt ${bar.attempt} `}${barWords[bar.kind]} ${duration((bar.to ? Date.parse(bar.to) : end) - Date.parse(bar.from))}${bar.outcome ? `, ${bar.outcome}` : ''}`)
    .join('; ');
  return (
    <svg class="bars" width="100%" height="24" role="img" aria-label={plain(words || `${row.fan_out ? `${count(row.items ?? 0)} items` : 'nothing yet'}`, 400)}>
      {row.fan_out && spanAt && <rect class={`bar bar-span${(row.failed ?? 0) > 0 ? ' bar-bad' : ''}${row.to ? '' : ' bar-on'}`} x={spanAt.x} width={spanAt.width} y="8" height="8" rx="2" />}
      {row.bars.slice(0, 60).map((bar, index) => {
        const at = place(Date.parse(bar.from), bar.to ? Date.parse(bar.to) : end);
        if (!at) return null;
        const bad = bar.outcome === 'failed' || bar.outcome === 'lost';
        return (
          <svg key={index} x={at.x} y="5" width={at.width} height="14" class="bar-box">
            <title>{plain(`${barWords[bar.kind]}${bar.attempt === undefined ? '' : `, attempt ${bar.attempt}`}${bar.worker ? ` on ${bar.worker}` : ''}${bar.outcome ? `: ${bar.outcome}` : ''}, ${clock(Date.parse(bar.from), { ms: true })}, ${duration((bar.to ? Date.parse(bar.to) : end) - Date.parse(bar.from))}`)}</title>
            <rect class={`bar bar-${bar.kind}${bad ? ' bar-bad' : ''}${bar.to ? '' : ' bar-on'}`} width="100%" height="14" rx="2" />
            {bad && <path class="bar-cross" d="M3 3l8 8M11 3l-8 8" />}
          </svg>
        );
      })}
      {critical.map((one, index) => {
        const at = place(one.from, Math.min(one.to, end));
        return at && <rect key={`c${index}`} class="bar-critical" x={at.x} width={at.width} y="21" height="3" />;
      })}
    </svg>
  );
}

function Axis({ ticks, window }: { ticks: { at: number; label: string }[]; window: Window }) {
  return (
    <>
      <span class="sr-only">Time</span>
      <svg class="axis" width="100%" height="28" aria-hidden="true">
        {ticks.map((tick) => {
          const x = percent((tick.at - window.from) / (window.to - window.from));
          return (
            <g key={tick.at}>
              <line x1={x} x2={x} y1="20" y2="28" />
              <text x={x} y="18" dx="2">
                {tick.label}
              </text>
            </g>
          );
        })}
      </svg>
    </>
  );
}

export default function TimelineTab({ store }: TabProps) {
  const list = useMemo(() => timelineRows(store.id), [store.id]);
  useEffect(() => list.close, [list]);
  useEffect(list.update, [list, store.version.value]);
  const head = list.head.value;
  const rows = list.rows.value;
  const problem = list.problem.value;
  const onlyCritical = route.value.query.get('critical') === 'true';
  const [window, setWindow] = useState<Window | undefined>(undefined);
  // the server's clock goes with the page's from the answer on
  const offset = useMemo(() => (head ? Date.parse(head.now) - Date.now() : 0), [head]);
  const begin = head ? Date.parse(head.started_at) : 0;
  const end = head ? (head.finished_at ? Date.parse(head.finished_at) : __REPORT__ ? Date.parse(head.now) : now.value + offset) : 1;
  const whole = { from: begin, to: Math.max(end, begin + 1) };
  const shown = window ?? whole;

  const critical = useMemo(() => {
    const found = new Map<string, { from: number; to: number }[]>();
    for (const one of head?.critical_path ?? []) {
      const key = `${one.step} ${one.visit} `;
      found.set(key, [...(found.get(key) ?? []), { from: Date.parse(one.from), to: one.to === undefined ? Infinity : Date.parse(one.to) }]);
    }
    return found;
  }, [head]);
  const visible = useMemo(() => (onlyCritical ? rows.filter((row) => row.item === undefined && critical.has(keyOf(row))) : rows), [rows, onlyCritical, critical]);

  const zoom = (factor: number) => {
    const middle = (shown.from + shown.to) / 2;
    const half = Math.max(0.5, ((shown.to - shown.from) * factor) / 2);
    const from = Math.max(whole.from, middle - half);
    const to = Math.min(whole.to, middle + half);
    setWindow(from <= whole.from && to >= whole.to ? undefined : { from, to });
  };
  const move = (share: number) => {
    const span = shown.to - shown.from;
    const by = Math.max(whole.from - shown.from, Math.min(whole.to - shown.to, span * share));
    if (window) setWindow({ from: shown.from + by, to: shown.to + by });
  };
  const group = 'Timeline';
  useCommands(
    [
      { keys: ['+', '='], title: 'Zoom in', group, run: () => zoom(0.5) },
      { keys: ['-'], title: 'Zoom out', group, run: () => zoom(2) },
      { keys: ['0'], title: 'Show the whole time', group, run: () => setWindow(undefined) },
      { keys: ['h', 'Shift+ArrowLeft'], title: 'Earlier', group, run: () => move(-0.4) },
      { keys: [';', 'Shift+ArrowRight'], title: 'Later', group, run: () => move(0.4) },
      { keys: ['p'], title: 'Only the critical path', group, run: () => setQuery({ critical: onlyCritical ? '' : 'true' }) },
    ],
  );

  const columns: Column<TimelineRow>[] = [
    {
      id: 'step',
      label: 'Step',
      width: 'minmax(110px, 210px)',
      render: (row) => (
        <span class={row.item === undefined ? 'name' : 'timeline-item'}>
          {row.item === undefined ? (
            <>
              <Text most={60}>{row.step}</Text>
              {row.visit > 1 && <span class="dim"> visit {row.visit}</span>}
            </>
          ) : (
            <span class="number">#{count(row.item)}</span>
          )}
          {row.item === undefined && critical.has(keyOf(row)) && <span class="critical-mark" title="on the critical path">◆<span class="sr-only"> on the critical path</span></span>}
        </span>
      ),
    },
    { id: 'items', label: 'Items', width: '92px', align: 'end', narrow: 1, render: (row) => (row.items === undefined ? '' : <>{count(row.items)}{(row.failed ?? 0) > 0 && <span class="tone-bad counts-failed"> ({count(row.failed!)})</span>}</>) },
    {
      id: 'took',
      label: 'Took',
      width: '72px',
      align: 'end',
      narrow: 2,
      render: (row) => {
        return duration((row.to ? Date.parse(row.to) : end) - Date.parse(row.from));
      },
    },
    { id: 'bars', label: 'Time', head: <Axis ticks={ticksOf(shown, begin)} window={shown} />, width: 'minmax(140px, 1fr)', render: (row) => <Bars row={row} window={shown} end={end} critical={row.item === undefined ? (critical.get(keyOf(row)) ?? []) : []} /> },
  ];

  if (problem && !head) return problem.status === 404 ? <Nothing title="There is no timeline of this chain">{problem.detail}</Nothing> : <ProblemBox problem={problem} retry={list.update} />;
  return (
    <>
      <div class="filters filters-tab timeline-tools">
        <button type="button" class="chip" aria-pressed={onlyCritical} onClick={() => setQuery({ critical: onlyCritical ? '' : 'true' })}>
          ◆ Critical path
        </button>
        <span class="legend" aria-hidden="true">
          {kinds.map((kind) => (
            <span key={kind}>
              <svg width="18" height="12">
                <rect class={`bar bar-${kind}`} x="0.5" y="0.5" width="17" height="11" rx="2" />
              </svg>
              {barWords[kind]}
            </span>
          ))}
        </span>
        <span class="timeline-zoom">
          <button type="button" class="button-icon" aria-label="Earlier" disabled={!window} onClick={() => move(-0.4)}>
            <Icon name="left" />
          </button>
          <button type="button" class="button-icon" aria-label="Zoom in" title="Zoom in (+)" onClick={() => zoom(0.5)}>
            <Icon name="plus" />
          </button>
          <button type="button" class="button-icon" aria-label="Zoom out" title="Zoom out (-)" onClick={() => zoom(2)}>
            <Icon name="minus" />
          </button>
          <button type="button" class="button-icon" aria-label="The whole time" title="The whole time (0)" onClick={() => setWindow(undefined)}>
            <Icon name="fit" />
          </button>
          <button type="button" class="button-icon" aria-label="Later" disabled={!window} onClick={() => move(0.4)}>
            <Icon name="right" />
          </button>
        </span>
      </div>
      <svg class="patterns" width="0" height="0" aria-hidden="true">
        <defs>
          <pattern id="bar-stripes" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect class="stripe-ground" width="6" height="6" />
            <rect class="stripe" width="2.5" height="6" />
          </pattern>
          <pattern id="bar-dots" width="5" height="5" patternUnits="userSpaceOnUse">
            <rect class="dot-ground" width="5" height="5" />
            <circle class="dot" cx="2.5" cy="2.5" r="1.2" />
          </pattern>
        </defs>
      </svg>
      {head?.complete === false && <p class="filters filters-tab hint">The chain has more events than were looked at: this is its beginning.</p>}
      {problem && <ProblemBox problem={problem} retry={list.update} />}
      <div class="timeline">
        <Table
          label="Timeline"
          rows={visible}
          columns={columns}
          rowHeight={28}
          keyOf={keyOf}
          open={(row) => setQuery({ step: row.step })}
          hasMore={list.hasMore.value}
          more={list.more}
          empty={<Nothing title={head ? 'Nothing has begun yet' : 'Loading the timeline…'} />}
        />
      </div>
    </>
  );
}
