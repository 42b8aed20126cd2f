// What can be done to schedules: each dialog says what would come of it, and sends once.
import { useEffect, useState } from 'preact/hooks';
import { get } from '../../api';
import { go, href } from '../../router';
import { Text } from '../../ui/text';
import { Clock } from '../../ui/time';
import { SendingDialog, useCheck, Would } from '../chain/sending';
import { labelsOf } from '../definitions/run';
import type { DefinitionPage } from '../definitions/types';
import { checkCreate, checkOrder, checkRemove, createSchedule, order, removeSchedule, type Order, type Schedule, type Wish, type Would as ScheduleWould } from './types';

export type ScheduleAct = Order | 'delete';

export const actWords: Record<ScheduleAct, { label: string; done: string; about: string }> = {
  pause: { label: 'Pause', done: 'Paused', about: 'Due times go by without a run, and have none later. What was triggered runs all the same.' },
  resume: { label: 'Resume', done: 'Resumed', about: 'Due times have runs again. Those that went by meanwhile have none.' },
  trigger: { label: 'Trigger', done: 'Triggered', about: 'A run begins now. It waits for those that go on, unless the schedule lets them overlap.' },
  backfill: { label: 'Backfill', done: 'Ordered runs of', about: 'Each due time of the span that has no run gets one.' },
  delete: { label: 'Delete', done: 'Deleted', about: 'It begins nothing more. Runs that go on do so, and their chains stay.' },
};

export const mayOrder = (act: ScheduleAct, schedule: Schedule) => (act === 'pause' ? !schedule.paused : act === 'resume' ? schedule.paused : true);

/** What a field of a local time holds, in UTC; undefined: it is no time yet. */
function instant(local: string): string | undefined {
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** The time zone of the field is that of who looks. */
const local = (at: Date) => new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

export function OrderDialog({ act, schedule, close, after }: { act: ScheduleAct; schedule: Schedule; close(): void; after(): void }) {
  const words = actWords[act];
  const [from, setFrom] = useState(() => local(new Date(Date.now() - 86_400_000)));
  const [until, setUntil] = useState(() => local(new Date()));
  const span = { from: instant(from), until: instant(until) };
  const wrong = act !== 'backfill' ? undefined : span.from === undefined || span.until === undefined ? 'Both times are wanted.' : span.from >= span.until ? 'The span ends before it begins.' : undefined;
  const said = act === 'backfill' ? span : {};
  const check = useCheck(wrong === undefined ? () => (act === 'delete' ? checkRemove(schedule) : checkOrder(schedule.name, act, said)) : undefined, JSON.stringify(said));
  return (
    <SendingDialog
      title={`${words.label} this schedule`}
      verb={words.label}
      danger={act === 'delete'}
      done={`${words.done} ${schedule.name}.`}
      missing={wrong ?? check.refusal}
      close={close}
      after={after}
      send={(reason, key) => (act === 'delete' ? removeSchedule(schedule, reason, key) : order(schedule.name, act, said, reason, key))}
    >
      <p>
        <strong><Text most={100}>{schedule.name}</Text></strong>: {words.about}
      </p>
      {act === 'backfill' && (
        <div class="span-fields">
          <label class="field">
            <span>From</span>
            <input type="datetime-local" data-autofocus value={from} onInput={(event) => setFrom(event.currentTarget.value)} />
          </label>
          <label class="field">
            <span>Until</span>
            <input type="datetime-local" value={until} onInput={(event) => setUntil(event.currentTarget.value)} />
          </label>
        </div>
      )}
      <Would check={check} />
    </SendingDialog>
  );
}

/** The names of stored definitions that begin like what is written. */
function useNames(text: string): readonly string[] {
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      const found = await get<DefinitionPage>('/v1/definitions', { name: `*${text.replace(/[*?[\\]/g, '')}*`, limit: 20 }, abort.signal);
      if (found.ok) setNames(found.value.definitions.map((one) => one.name));
    }, 200);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  return names;
}

const overlaps = { skip: 'skip: the next has no run', queue: 'queue: the next waits', allow: 'allow: both go on', cancel: 'cancel: the older one is cancelled' };

export function CreateDialog({ close }: { close(): void }) {
  const [name, setName] = useState('');
  const [definition, setDefinition] = useState('');
  const [by, setBy] = useState<'cron' | 'every'>('cron');
  const [cron, setCron] = useState('');
  const [every, setEvery] = useState('');
  const [timezone, setTimezone] = useState('');
  const [overlap, setOverlap] = useState('skip');
  const [catchup, setCatchup] = useState('');
  const [deadline, setDeadline] = useState('');
  const [follow, setFollow] = useState(false);
  const [args, setArgs] = useState('');
  const [labels, setLabels] = useState('');
  const names = useNames(definition);
  const read = labelsOf(labels);
  let wrong: string | undefined;
  let values: Wish['arguments'];
  try {
    values = args.trim() === '' ? undefined : (JSON.parse(args) as Wish['arguments']);
  } catch (error) {
    wrong = `The arguments are no JSON: ${(error as Error).message.slice(0, 80)}`;
  }
  const missing =
    name.trim() === '' ? 'A name is missing.' : definition.trim() === '' ? 'A definition is missing.' : (by === 'cron' ? cron : every).trim() === '' ? 'When is it due?' : (wrong ?? read.error);
  const wish: Wish = {
    name: definition.trim(),
    overlap,
    ...(by === 'cron' ? { cron: cron.trim(), ...(timezone.trim() === '' ? {} : { timezone: timezone.trim() }) } : { every: every.trim() }),
    ...(catchup.trim() === '' ? {} : { catchup: catchup.trim() }),
    ...(deadline.trim() === '' ? {} : { deadline: deadline.trim() }),
    ...(follow ? { follow: true } : {}),
    ...(values === undefined ? {} : { arguments: values }),
    ...(read.labels && Object.keys(read.labels).length > 0 ? { labels: read.labels } : {}),
  };
  const check = useCheck(missing === undefined ? () => checkCreate(name.trim(), wish) : undefined, JSON.stringify([name, wish]));
  const next = (check.preview as ScheduleWould | undefined)?.next ?? [];
  const field = (label: string, value: string, change: (text: string) => void, placeholder: string, others: object = {}) => (
    <label class="field">
      <span>{label}</span>
      <input type="text" spellcheck={false} autocomplete="off" placeholder={placeholder} value={value} onInput={(event) => change(event.currentTarget.value)} {...others} />
    </label>
  );
  return (
    <SendingDialog
      title="New schedule"
      verb="Create"
      wide
      withoutReason
      done={`Created ${name.trim()}.`}
      missing={missing ?? check.refusal}
      close={close}
      after={() => go(href(['schedules', name.trim()]))}
      send={(_, key) => createSchedule(name.trim(), wish, key)}
    >
      <div class="schedule-form">
        {field('Name', name, setName, 'nightly', { 'data-autofocus': true, maxLength: 100 })}
        {field('Definition', definition, setDefinition, 'team/report', { list: 'schedule-definitions' })}
        <datalist id="schedule-definitions">
          {names.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <fieldset class="choices">
          <legend>When it is due</legend>
          <label class="check">
            <input type="radio" name="by" checked={by === 'cron'} onChange={() => setBy('cron')} /> At times
          </label>
          <label class="check">
            <input type="radio" name="by" checked={by === 'every'} onChange={() => setBy('every')} /> Again and again
          </label>
        </fieldset>
        {by === 'cron' ? (
          <>
            {field('Cron expression: minute, hour, day, month, weekday', cron, setCron, '0 2 * * *')}
            {field('Time zone', timezone, setTimezone, 'UTC')}
          </>
        ) : (
          field('Every', every, setEvery, '10m')
        )}
        <label class="field">
          <span>While a run goes on</span>
          <select value={overlap} onChange={(event) => setOverlap(event.currentTarget.value)}>
            {Object.entries(overlaps).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        {field('Catch-up window, after downtime', catchup, setCatchup, '1h')}
        {field('Deadline of each run, from its beginning', deadline, setDeadline, '2h')}
        {field('Labels of each run', labels, setLabels, 'key=value, key=value')}
        <label class="check">
          <input type="checkbox" checked={follow} onChange={(event) => setFollow(event.currentTarget.checked)} /> Take the newest version of the definition at each run
        </label>
        <label class="field schedule-arguments">
          <span>Arguments, as JSON</span>
          <textarea class="mono" rows={3} spellcheck={false} placeholder="{}" value={args} onInput={(event) => setArgs(event.currentTarget.value)} />
        </label>
      </div>
      <Would check={check} />
      {next.length > 0 && (
        <p>
          Due{' '}
          {next.slice(0, 5).map((at, index) => (
            <span key={at}>
              {index > 0 && ', '}
              <Clock at={at} date />
            </span>
          ))}
        </p>
      )}
    </SendingDialog>
  );
}
