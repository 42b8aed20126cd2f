// Retry, skip or resolve some items of a fan-out: which of them, a preview of what would happen, a reason, and one key for as long as the dialog is open.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { previewRetry, resolveStep, retryChain, skipStep } from '../../actions';
import { chainPath, freshKey, post, type Answer } from '../../api';
import { count, plural } from '../../format';
import { itemStatuses, type Json, type Preview, type Problem, type RetryPreview } from '../../types';
import { Dialog } from '../../ui/dialog';
import { ProblemBox } from '../../ui/problem';
import { lookOf, Mark } from '../../ui/status';
import { Text } from '../../ui/text';
import { toast } from '../../ui/toast';
import { itemsText, type ItemModel } from './model';

export type ItemAct = 'retry' | 'skip' | 'resolve';

export interface ActProps {
  act: ItemAct;
  model: ItemModel;
  /** In their order. */
  items: readonly number[] | Uint32Array;
  close(done: boolean): void;
}

const titles: Record<ItemAct, string> = { retry: 'Retry items', skip: 'Skip items', resolve: 'Resolve items in doubt' };
const verbs: Record<ItemAct, string> = { retry: 'Retry', skip: 'Skip', resolve: 'Resolve' };
const done: Record<ItemAct, string> = { retry: 'Retried', skip: 'Skipped', resolve: 'Resolved' };
/** A list of items longer than this is not sent: the body has a bound, and so has a reader. */
const mostText = 900_000;

const willRun = (step: RetryPreview['steps'][number]) => step.action === 'runs' || step.action === 'anew';

function WouldRun({ preview, step }: { preview: RetryPreview; step: string }) {
  const here = preview.steps.find((one) => one.id === step);
  const others = preview.steps.filter((one) => one.id !== step && willRun(one));
  return (
    <p role="status" class="would">
      <strong>{here?.items?.run !== undefined ? `${plural(here.items.run, 'item')} of ${count(here.items.of ?? 0)} would run` : here && willRun(here) ? 'The step would run' : 'Nothing of this step would run'}</strong>
      {others.length > 0 && (
        <>
          , and {plural(others.length, 'other step')}:{' '}
          {others.slice(0, 8).map((one, index) => (
            <span key={one.id}>
              {index > 0 && ', '}
              <Text most={40}>{one.id}</Text>
            </span>
          ))}
          {others.length > 8 && ' …'}
        </>
      )}
      .
    </p>
  );
}

export function ActDialog({ act, model, items, close }: ActProps) {
  const byStatus = useMemo(() => {
    const counts = new Map<number, number>();
    for (const item of items) counts.set(model.codes[item]!, (counts.get(model.codes[item]!) ?? 0) + 1);
    return counts;
  }, [items]);
  const natural = act === 'resolve' ? 'in_doubt' : 'failed';
  const [only, setOnly] = useState<number | undefined>(() => {
    const code = itemStatuses.indexOf(natural);
    return byStatus.size > 1 && byStatus.has(code) ? code : undefined;
  });
  const chosen = useMemo(() => (only === undefined ? items : Array.from(items).filter((item) => model.codes[item] === only)), [items, only]);
  const text = useMemo(() => itemsText(chosen), [chosen]);
  const [reason, setReason] = useState('');
  const [key] = useState(freshKey);
  const [busy, setBusy] = useState(false);
  const [sent, setSent] = useState<Problem | undefined>(undefined);
  const [refused, setRefused] = useState<Problem | undefined>(undefined);
  const [preview, setPreview] = useState<RetryPreview | Preview | undefined>(undefined);
  const [how, setHow] = useState<'again' | 'failed' | 'response'>('again');
  const [message, setMessage] = useState('');
  const [response, setResponse] = useState('{}');
  const parsed = useMemo((): { value?: Json; error?: string } => {
    try {
      return { value: JSON.parse(response) as Json };
    } catch (error) {
      return { error: `The response is no JSON: ${(error as Error).message.slice(0, 100)}` };
    }
  }, [response]);

  const needsResponse = act === 'skip' || (act === 'resolve' && how === 'response');
  const missing =
    chosen.length === 0 ? 'No item is chosen.' : text.length > mostText ? 'These are too many items for one request: choose fewer.' : needsResponse && parsed.error ? parsed.error : act === 'resolve' && how === 'failed' && message.trim() === '' ? 'Say how they failed.' : undefined;
  const skip = { step: model.step, items: text, response: parsed.value ?? null };
  const resolution = { step: model.step, items: text, ...(how === 'again' ? { again: true as const } : how === 'failed' ? { failed: message.trim() } : { response: parsed.value ?? null }) };

  useEffect(() => {
    setPreview(undefined);
    setRefused(undefined);
    if (missing !== undefined) return;
    let current = true;
    const timer = setTimeout(async () => {
      const answer: Answer<RetryPreview | Preview> =
        act === 'retry'
          ? await previewRetry(model.chain, { items: { [model.step]: text } })
          : await post<Preview>(chainPath(model.chain, act === 'skip' ? ':skip' : ':resolve'), act === 'skip' ? skip : resolution, { query: { validate_only: true } });
      if (!current) return;
      if (answer.ok) setPreview(answer.value);
      else setRefused(answer.problem);
    }, 200);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text, missing, how, message, response]);

  const submit = async () => {
    if (busy || missing !== undefined || refused) return;
    setBusy(true);
    setSent(undefined);
    const answer: Answer<unknown> =
      act === 'retry'
        ? await retryChain(model.chain, { items: { [model.step]: text } }, reason, key)
        : act === 'skip'
          ? await skipStep(model.chain, skip, reason, key)
          : await resolveStep(model.chain, resolution, reason, key);
    if (!answer.ok) {
      setBusy(false);
      setSent(answer.problem);
      return;
    }
    toast(`${done[act]} ${plural(chosen.length, 'item')} of ${model.step}.`);
    close(true);
  };

  return (
    <Dialog
      title={titles[act]}
      close={() => !busy && close(false)}
      submit={() => void submit()}
      footer={
        <>
          {missing !== undefined && <span class="hint dialog-missing">{missing}</span>}
          <button type="button" class="button" disabled={busy} onClick={() => close(false)}>
            Close
          </button>
          <button type="submit" class="button button-primary" disabled={busy || missing !== undefined || refused !== undefined}>
            {busy ? 'Sending…' : `${verbs[act]} ${plural(chosen.length, 'item')}`}
          </button>
        </>
      }
    >
      {byStatus.size > 1 ? (
        <fieldset class="choices">
          <legend>Which of the {plural(items.length, 'item')}</legend>
          <label class="check">
            <input type="radio" name="which" checked={only === undefined} onChange={() => setOnly(undefined)} />
            All of them
          </label>
          {[...byStatus]
            .filter(([code]) => code < itemStatuses.length)
            .map(([code, number]) => (
              <label class="check" key={code}>
                <input type="radio" name="which" data-autofocus={only === code ? true : undefined} checked={only === code} onChange={() => setOnly(code)} />
                <Mark status={itemStatuses[code]!} size={14} />
                The {lookOf(itemStatuses[code]!).word}: {count(number)}
              </label>
            ))}
        </fieldset>
      ) : (
        <p>
          {plural(items.length, 'item')} of <code><Text most={60}>{model.step}</Text></code>
        </p>
      )}
      <p class="mono act-items" title={text.slice(0, 1000)}>
        {text.length > 160 ? `${text.slice(0, 160)}…` : text}
      </p>
      {act === 'skip' && <p>They get this response in place of being run.</p>}
      {act === 'resolve' && (
        <fieldset class="choices">
          <legend>What happened</legend>
          {(
            [
              ['again', 'It did not happen: run them again'],
              ['failed', 'They failed'],
              ['response', 'It happened, and each answered'],
            ] as const
          ).map(([id, label]) => (
            <label class="check" key={id}>
              <input type="radio" name="how" checked={how === id} onChange={() => setHow(id)} />
              {label}
            </label>
          ))}
        </fieldset>
      )}
      {act === 'resolve' && how === 'failed' && (
        <label class="field">
          <span>How they failed</span>
          <input type="text" value={message} onInput={(event) => setMessage(event.currentTarget.value)} />
        </label>
      )}
      {needsResponse && (
        <label class="field">
          <span>Response, as JSON</span>
          <textarea class="mono" rows={4} spellcheck={false} value={response} onInput={(event) => setResponse(event.currentTarget.value)} />
        </label>
      )}
      {refused ? (
        <ProblemBox problem={refused} />
      ) : preview === undefined ? (
        missing === undefined && <p class="dim" role="status">Asking what would happen…</p>
      ) : !('would' in preview) ? (
        <WouldRun preview={preview} step={model.step} />
      ) : (
        <p role="status" class="would">
          <strong>The coordinator would do this.</strong>
        </p>
      )}
      <label class="field">
        <span>Reason, for the audit log</span>
        <input type="text" maxLength={500} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
      {sent && <ProblemBox problem={sent} />}
    </Dialog>
  );
}
