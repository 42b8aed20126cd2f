// A new chain that shares what this one had come to: from a step on, or behind an event of its history.
import { useRef, useState } from 'preact/hooks';
import { checkFork, forkChain, type Fork } from '../../actions';
import { go, href } from '../../router';
import type { Chain } from '../../types';
import type { OneProps } from './dialogs';
import { parsed, StepChoice, StepsPreview } from './form_parts';
import { SendingDialog, useCheck, Would } from './sending';

export function ForkDialog({ store, close, step: initial = '' }: OneProps) {
  const [mode, setMode] = useState<'at' | 'seq'>('at');
  const [step, setStep] = useState(initial);
  const [seq, setSeq] = useState('');
  const [text, setText] = useState('');
  const [id, setId] = useState('');
  const made = useRef('');
  const place = mode === 'at' ? (step === '' ? undefined : { at: step }) : /^[1-9][0-9]*$/.test(seq.trim()) ? { seq: Number(seq) } : undefined;
  const other = text.trim() === '' ? {} : parsed(text, 'value');
  const fork: Fork = { ...place, ...(id.trim() === '' ? {} : { id: id.trim() }), ...(other.value === undefined ? {} : { arguments: other.value }) };
  const check = useCheck(!place || other.error ? undefined : () => checkFork(store.id, fork), JSON.stringify(fork));
  const steps = check.preview?.steps;
  return (
    <SendingDialog
      title="Fork this chain"
      verb="Fork"
      wide
      done="Forked the chain."
      missing={other.error ?? (place ? check.refusal : mode === 'at' ? 'Choose a step.' : 'Name an event of the history.')}
      close={close}
      after={() => go(href(['chains', made.current]))}
      send={async (reason, key) => {
        const answer = await forkChain(store.id, fork, reason, key);
        if (answer.ok) made.current = (answer.value as Chain).chain_id;
        return answer;
      }}
    >
      <p>A new chain begins with all that this one had come to, and runs the rest. This chain stays as it is.</p>
      <fieldset class="choices">
        <legend>Where it begins</legend>
        <label class="check">
          <input type="radio" name="fork" data-autofocus checked={mode === 'at'} onChange={() => setMode('at')} />
          At a step, which begins anew with all that depends on it
        </label>
        <label class="check">
          <input type="radio" name="fork" checked={mode === 'seq'} onChange={() => setMode('seq')} />
          Behind an event of the history
        </label>
      </fieldset>
      {mode === 'at' ? (
        <StepChoice steps={store.steps.value} value={step} change={setStep} />
      ) : (
        <label class="field">
          <span>Number of the event</span>
          <input type="text" inputMode="numeric" value={seq} onInput={(event) => setSeq(event.currentTarget.value)} />
        </label>
      )}
      <label class="field">
        <span>Other arguments, as JSON (those of this chain when empty)</span>
        <textarea class="mono" rows={4} spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <label class="field">
        <span>Id of the new chain (one is made when empty)</span>
        <input type="text" spellcheck={false} autocomplete="off" value={id} onInput={(event) => setId(event.currentTarget.value)} />
      </label>
      {steps ? <StepsPreview steps={steps} verb="run in the fork" /> : <Would check={check} />}
    </SendingDialog>
  );
}
