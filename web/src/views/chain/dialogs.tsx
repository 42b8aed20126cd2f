// What can be done to a chain: each dialog sends once, with one key for as long as it is open, and says what the coordinator answers.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { acts, amendChain, checkAmend, previewRetry, resolveStep, retryChain, skipStep, type Act, type FormAct, type RetryChoice, type Terms } from '../../actions';
import { go } from '../../router';
import type { Problem, RetryPreview, Step } from '../../types';
import { ProblemBox } from '../../ui/problem';
import { CompareDialog } from './compare_with';
import { ForkDialog } from './fork_dialog';
import { parsed, StepChoice, StepsPreview } from './form_parts';
import { SignalDialog, StepReplyDialog } from './replies';
import { SendingDialog, useCheck, Would } from './sending';
import type { ChainStore } from './store';

export type DialogName = Act['id'] | FormAct['id'];

export interface OneProps {
  store: ChainStore;
  close(): void;
  step?: string;
}

const abouts: Record<Exclude<Act['id'], 'retry'>, string> = {
  cancel: 'What runs is stopped, and nothing begins any more but the final steps. Results stay; a retry can go on from them.',
  kill: 'What runs is stopped at once, and no final step runs. Results stay; a retry can go on from them.',
  pause: 'Nothing new begins: no step, no attempt, no child chain. What runs ends and is recorded. Deadlines go on.',
  unpause: 'The chain goes on, and with it the chains that were paused because of it.',
  resume: 'The chain goes on where it was interrupted or set aside.',
  remove: 'The chain and all chains that it has started are removed, with their results and logs. This cannot be undone.',
};

function ActDialog({ act, store, close }: OneProps & { act: Act & { id: keyof typeof abouts } }) {
  const check = useCheck(() => act.check(store.id), act.id);
  return (
    <SendingDialog
      title={`${act.label} this chain`}
      verb={`${act.label} the chain`}
      danger={act.danger}
      done={`${act.done} ${store.id}.`}
      missing={check.refusal}
      close={close}
      after={act.id === 'remove' ? () => go('#/chains') : store.refresh}
      send={(reason, key) => act.send(store.id, reason, key)}
    >
      <p>{abouts[act.id]}</p>
      <Would check={check} />
    </SendingDialog>
  );
}

function RetryDialog({ store, close, step }: OneProps) {
  const [mode, setMode] = useState<'all' | 'failed' | 'from'>('all');
  const [from, setFrom] = useState<string[]>(step === undefined ? [] : [step]);
  const [items, setItems] = useState('');
  const [preview, setPreview] = useState<RetryPreview | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const steps = store.steps.value;
  const only = from.length === 1 ? steps.find((one) => one.id === from[0] && one.items) : undefined;
  const choice: RetryChoice = useMemo(
    () => (mode === 'failed' ? { failed: true } : mode === 'all' ? {} : only && items.trim() !== '' ? { items: { [only.id]: items.trim() } } : { from }),
    [mode, from, items, only],
  );
  useEffect(() => {
    let current = true;
    const timer = setTimeout(async () => {
      const answer = await previewRetry(store.id, choice);
      if (!current) return;
      setPreview(answer.ok ? answer.value : undefined);
      setProblem(answer.ok ? undefined : answer.problem);
    }, 200);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [choice]);
  return (
    <SendingDialog
      title="Retry this chain"
      verb="Retry"
      wide
      done={`Retried ${store.id}.`}
      missing={mode === 'from' && from.length === 0 ? 'Choose a step.' : problem ? 'The coordinator would refuse this.' : undefined}
      close={close}
      after={store.refresh}
      send={(reason, key) => retryChain(store.id, choice, reason, key)}
    >
      <fieldset class="choices">
        <legend>What runs again</legend>
        <label class="check">
          <input type="radio" name="retry" data-autofocus checked={mode === 'all'} onChange={() => setMode('all')} />
          What failed or never ran, and what depends on it
        </label>
        <label class="check">
          <input type="radio" name="retry" checked={mode === 'failed'} onChange={() => setMode('failed')} />
          Only what failed, also where that was tolerated
        </label>
        <label class="check">
          <input type="radio" name="retry" checked={mode === 'from'} onChange={() => setMode('from')} />
          From these steps on, also where they succeeded
        </label>
      </fieldset>
      {mode === 'from' && (
        <div class="from">
          <label class="field">
            <span>Steps</span>
            <select multiple size={Math.min(6, Math.max(2, steps.length))} onChange={(event) => setFrom([...event.currentTarget.selectedOptions].map((option) => option.value))}>
              {steps.slice(0, 2000).map((one) => (
                <option key={one.id} value={one.id} selected={from.includes(one.id)}>
                  {one.id} ({one.status})
                </option>
              ))}
            </select>
          </label>
          {only && (
            <label class="field">
              <span>Items, such as 3,7-9 (all when empty)</span>
              <input type="text" value={items} onInput={(event) => setItems(event.currentTarget.value)} />
            </label>
          )}
        </div>
      )}
      {problem ? <ProblemBox problem={problem} /> : preview ? <StepsPreview steps={preview.steps} changed={preview.takes_up_changes} /> : <p class="dim" role="status">Asking what would run…</p>}
    </SendingDialog>
  );
}

const isFanOut = (steps: readonly Step[], id: string) => steps.some((one) => one.id === id && one.items !== undefined);

function SkipDialog({ store, close, step: initial = '' }: OneProps) {
  const [step, setStep] = useState(initial);
  const [items, setItems] = useState('');
  const [text, setText] = useState('{}');
  const response = parsed(text, 'response');
  return (
    <SendingDialog
      title="Skip a step"
      verb="Skip"
      done={`Skipped ${step} of ${store.id}.`}
      missing={step === '' ? 'Choose a step.' : response.error}
      close={close}
      after={store.refresh}
      send={(reason, key) => skipStep(store.id, { step, response: response.value!, ...(items.trim() === '' ? {} : { items: items.trim() }) }, reason, key)}
    >
      <p>The step, or items of it, get this response in place of being run. Steps that wait for it go on with it.</p>
      <StepChoice steps={store.steps.value} value={step} change={setStep} />
      {isFanOut(store.steps.value, step) && (
        <label class="field">
          <span>Items, such as 3,7-9</span>
          <input type="text" value={items} onInput={(event) => setItems(event.currentTarget.value)} />
        </label>
      )}
      <label class="field">
        <span>Response, as JSON</span>
        <textarea class="mono" rows={5} spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
    </SendingDialog>
  );
}

function ResolveDialog({ store, close, step: initial = '' }: OneProps) {
  const [step, setStep] = useState(initial);
  const [items, setItems] = useState('');
  const [how, setHow] = useState<'again' | 'failed' | 'response'>('again');
  const [message, setMessage] = useState('');
  const [text, setText] = useState('{}');
  const response = parsed(text, 'response');
  return (
    <SendingDialog
      title="Resolve an attempt in doubt"
      verb="Resolve"
      done={`Resolved ${step} of ${store.id}.`}
      missing={step === '' ? 'Choose a step.' : how === 'failed' && message.trim() === '' ? 'Say how it failed.' : how === 'response' ? response.error : undefined}
      close={close}
      after={store.refresh}
      send={(reason, key) =>
        resolveStep(
          store.id,
          { step, ...(items.trim() === '' ? {} : { items: items.trim() }), ...(how === 'again' ? { again: true } : how === 'failed' ? { failed: message.trim() } : { response: response.value! }) },
          reason,
          key,
        )
      }
    >
      <p>An attempt that may happen once only was cut off, and nobody knows whether it happened. Say what became of it.</p>
      <StepChoice steps={store.steps.value} value={step} change={setStep} />
      {isFanOut(store.steps.value, step) && (
        <label class="field">
          <span>Items, such as 3,7-9, or all</span>
          <input type="text" value={items} onInput={(event) => setItems(event.currentTarget.value)} />
        </label>
      )}
      <fieldset class="choices">
        <legend>What happened</legend>
        <label class="check">
          <input type="radio" name="resolve" checked={how === 'again'} onChange={() => setHow('again')} />
          It did not happen: run it again
        </label>
        <label class="check">
          <input type="radio" name="resolve" checked={how === 'failed'} onChange={() => setHow('failed')} />
          It failed
        </label>
        <label class="check">
          <input type="radio" name="resolve" checked={how === 'response'} onChange={() => setHow('response')} />
          It happened, and answered
        </label>
      </fieldset>
      {how === 'failed' && (
        <label class="field">
          <span>How it failed</span>
          <input type="text" value={message} onInput={(event) => setMessage(event.currentTarget.value)} />
        </label>
      )}
      {how === 'response' && (
        <label class="field">
          <span>Response, as JSON</span>
          <textarea class="mono" rows={5} spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
      )}
    </SendingDialog>
  );
}

interface TermField {
  name: Exclude<keyof Terms, 'step'>;
  label: string;
  number?: boolean;
}
const termFields: readonly TermField[] = [
  { name: 'max_concurrency', label: 'Items of a fan-out that run at once (0: any number)', number: true },
  { name: 'tolerate', label: 'Items of it that may fail: a number, or a share such as 5%' },
  { name: 'timeout', label: 'Time for an attempt: 250ms, 5s, 2m (0s: any)' },
  { name: 'retry_attempts', label: 'Attempts of a task, the first included', number: true },
  { name: 'priority', label: 'Priority of the chain, with all below it', number: true },
  { name: 'deadline', label: 'Deadline: 2h from now, a time, or none' },
];

type ChainTerm = 'priority' | 'deadline';
const ofChain = (name: string): name is ChainTerm => name === 'priority' || name === 'deadline';

function AmendDialog({ store, close, step: initial = '' }: OneProps) {
  const steps = store.steps.value;
  const [step, setStep] = useState(initial);
  const [texts, setTexts] = useState<Partial<Record<TermField['name'], string>>>({});
  const fields = termFields.filter(({ name }) => step === '' || (!ofChain(name) && (isFanOut(steps, step) || (name !== 'max_concurrency' && name !== 'tolerate'))));
  const given = fields.flatMap(({ name, number }) => {
    const text = texts[name]?.trim() ?? '';
    return text === '' ? [] : [[name, number ? Number(text) : text]];
  });
  const terms: Terms = { ...(step === '' ? {} : { step }), ...Object.fromEntries(given) };
  const check = useCheck(given.length === 0 ? undefined : () => checkAmend(store.id, terms), JSON.stringify(terms));
  const amended = steps.find((one) => one.id === step)?.amended;
  return (
    <SendingDialog
      title="Amend this chain"
      verb="Amend"
      done={`Amended ${store.id}.`}
      missing={given.length === 0 ? 'Fill in what changes.' : check.refusal}
      close={close}
      after={store.refresh}
      send={(reason, key) => amendChain(store.id, terms, reason, key)}
    >
      <p>In force at once for what begins from now on. Attempts that run keep their terms. What is left empty stays as it is.</p>
      <StepChoice steps={steps} value={step} change={setStep} none="The whole chain" />
      {fields.map(({ name, label, number }) => (
        <label class="field" key={name}>
          <span>{label}</span>
          <input
            type="text"
            inputMode={number ? 'numeric' : 'text'}
            name={name}
            value={texts[name] ?? ''}
            placeholder={!ofChain(name) && amended?.[name] !== undefined ? `amended to ${amended[name]}` : undefined}
            onInput={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      <Would check={check} />
    </SendingDialog>
  );
}

const dialogs: Record<FormAct['id'] | 'retry', (props: OneProps) => preact.JSX.Element> = {
  retry: RetryDialog,
  skip: SkipDialog,
  resolve: ResolveDialog,
  amend: AmendDialog,
  signal: SignalDialog,
  approve: (props) => <StepReplyDialog approved {...props} />,
  reject: (props) => <StepReplyDialog approved={false} {...props} />,
  compare: CompareDialog,
  fork: ForkDialog,
};

export function ChainDialogs({ name, ...props }: OneProps & { name: DialogName }) {
  if (name in dialogs) {
    const Shown = dialogs[name as keyof typeof dialogs];
    return <Shown {...props} />;
  }
  return <ActDialog act={acts.find((one) => one.id === name) as Act & { id: keyof typeof abouts }} {...props} />;
}
