// Starts a chain of a definition: arguments, an id and labels, checked by the coordinator while they are written, and sent once.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { freshKey, post } from '../../api';
import { useCommands } from '../../keys';
import { go, href } from '../../router';
import type { Chain, Json, Problem } from '../../types';
import { Icon } from '../../ui/icon';
import { ProblemBox } from '../../ui/problem';
import { toast } from '../../ui/toast';
import { argumentsOf, ArgumentsForm, isTouched, type Drafts } from './arguments';
import type { Definition } from './types';

export function labelsOf(text: string): { labels?: Record<string, string>; error?: string } {
  const labels: Record<string, string> = Object.create(null);
  for (const part of text.split(',').map((one) => one.trim()).filter(Boolean)) {
    const mark = part.indexOf('=');
    if (mark < 1) return { error: 'Labels are written key=value, with commas between them.' };
    labels[part.slice(0, mark)] = part.slice(mark + 1);
  }
  return { labels };
}

/** Where a finding of the coordinator points to an argument: its name. */
const argumentAt = (pointer: string | undefined) => {
  const found = pointer?.match(/^\/arguments\/([^/]+)/);
  return found ? found[1]!.replaceAll('~1', '/').replaceAll('~0', '~') : undefined;
};

export function Run({ definition }: { definition: Definition }) {
  const parameters = definition.arguments ?? [];
  const [drafts, setDrafts] = useState<Drafts>({});
  const [id, setId] = useState('');
  const [labels, setLabels] = useState('');
  const [deadline, setDeadline] = useState('');
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [checked, setChecked] = useState<{ ok: true } | { ok: false; problem: Problem } | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const { values, errors } = useMemo(() => argumentsOf(parameters, drafts), [parameters, drafts]);
  const label = labelsOf(labels);
  const sound = Object.keys(errors).length === 0 && label.error === undefined;
  const body = {
    name: definition.name,
    ...(Object.keys(values).length > 0 ? { arguments: values as { [key: string]: Json } } : {}),
    ...(id.trim() === '' ? {} : { id: id.trim() }),
    ...(deadline.trim() === '' ? {} : { deadline: deadline.trim() }),
    ...(label.labels && Object.keys(label.labels).length > 0 ? { labels: label.labels } : {}),
  };
  const text = JSON.stringify(body);
  // the same submission has the same key, so that a second click, or one after a lost answer, starts no second chain
  const key = useMemo(freshKey, [text]);

  useEffect(() => {
    setChecked(undefined);
    setProblem(undefined);
    if (!sound) return;
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      const answer = await post<unknown>('/v1/chains', JSON.parse(text), { query: { validate_only: true }, signal: abort.signal });
      if (abort.signal.aborted) return;
      setChecked(answer.ok ? { ok: true } : { ok: false, problem: answer.problem });
    }, 300);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text, sound]);

  const submit = async () => {
    setTried(true);
    if (busy || !sound) return;
    setBusy(true);
    setProblem(undefined);
    const answer = await post<Chain>('/v1/chains', JSON.parse(text), { key });
    setBusy(false);
    if (!answer.ok) {
      setProblem(answer.problem);
      return;
    }
    toast(`Started ${answer.value.chain_id}.`);
    go(href(['chains', answer.value.chain_id]));
  };
  useCommands([{ keys: ['Mod+Enter'], title: 'Run it', group: 'Definition', inFields: true, run: () => void submit() }]);

  const refused = checked && !checked.ok ? checked.problem : undefined;
  const pointed: Record<string, string> = Object.create(null);
  for (const finding of refused?.errors ?? []) {
    const name = argumentAt(finding.pointer);
    if (name !== undefined) pointed[name] ??= finding.detail;
  }
  // a field that was not touched is not called wrong before somebody sends the form
  const shownErrors = Object.fromEntries(Object.entries({ ...pointed, ...errors }).filter(([name]) => tried || isTouched(drafts, name)));
  const elsewhere = refused && (!refused.errors || refused.errors.some((finding) => argumentAt(finding.pointer) === undefined));
  return (
    <form
      class="run"
      aria-label="Run it"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <ArgumentsForm parameters={parameters} drafts={drafts} errors={shownErrors} change={setDrafts} />
      <details class="run-more">
        <summary>Id, labels and deadline</summary>
        <label class="field">
          <span>Id of the chain</span>
          <input type="text" value={id} spellcheck={false} autocomplete="off" placeholder="made by the coordinator" onInput={(event) => setId(event.currentTarget.value)} />
        </label>
        <label class="field">
          <span>Labels</span>
          <input type="text" value={labels} spellcheck={false} autocomplete="off" placeholder="key=value, key=value" onInput={(event) => setLabels(event.currentTarget.value)} />
        </label>
        <label class="field">
          <span>Deadline: it fails if it has not ended then</span>
          <input type="text" value={deadline} spellcheck={false} autocomplete="off" placeholder="2h, or 2026-01-31T08:00:00Z" onInput={(event) => setDeadline(event.currentTarget.value)} />
        </label>
        {label.error !== undefined && <p class="tone-bad bad-text">{label.error}</p>}
      </details>
      {problem ? <ProblemBox problem={problem} /> : elsewhere && refused && <ProblemBox problem={refused} />}
      <div class="run-foot">
        <button type="submit" class="button button-primary" disabled={busy}>
          <Icon name="play" size={14} /> {busy ? 'Starting…' : 'Run'}
        </button>
        <span class="dim" role="status">
          {!sound ? (tried ? 'Some fields are not right yet.' : '') : checked === undefined ? 'Checking…' : checked.ok ? 'The coordinator would take this.' : 'The coordinator would refuse this.'}
        </span>
      </div>
    </form>
  );
}
