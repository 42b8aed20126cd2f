// What a person or another program says to a chain that waits for it: an approval, a rejection, a signal.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { checkSignal, sendSignal, type SignalSent } from '../../actions';
import { chainPath, get } from '../../api';
import { useAnswer, useLoaded } from '../../resource';
import type { Json, PinnedDefinitions } from '../../types';
import { Dialog } from '../../ui/dialog';
import { Loading, ProblemBox } from '../../ui/problem';
import { Text } from '../../ui/text';
import { countWaiting } from '../../waiting';
import { ReplyDialog } from '../approvals/reply';
import { membersOf } from '../approvals/schema';
import type { Approval, ApprovalPage } from '../approvals/types';
import { useValueForm } from '../approvals/value_form';
import type { OneProps } from './dialogs';
import { SendingDialog, useCheck, Would } from './sending';

const requestsMost = 100;

/** The list of what waits says of the step what the chain does not: who, until when, what may be edited. */
export function StepReplyDialog({ store, close, step: initial, approved }: OneProps & { approved: boolean }) {
  const [waiting] = useState(() => store.steps.value.filter((one) => one.waits_for_approval));
  const [step, setStep] = useState(() => waiting.find((one) => one.id === initial)?.id ?? (waiting.length === 1 ? waiting[0]!.id : undefined));
  const answer = useLoaded<{ of?: Approval; complete: boolean }>(step, async (signal) => {
    // a page may be empty where much waits in other chains
    let cursor: string | undefined;
    for (let asked = 0; asked < requestsMost; asked++) {
      const read = await get<ApprovalPage>('/v1/approvals', { chain: store.id, limit: 1000, cursor }, signal);
      if (!read.ok) return read;
      const of = read.value.approvals.find((one) => one.chain_id === store.id && one.step === step);
      cursor = read.value.cursor;
      if (of || cursor === undefined) return { ok: true, status: 200, value: { of, complete: true } };
    }
    return { ok: true, status: 200, value: { complete: false } };
  });
  const found = answer.value.value;
  const title = `${approved ? 'Approve' : 'Reject'} this step`;
  if (step === undefined) {
    return (
      <Dialog title={title} close={close}>
        {waiting.length === 0 ? <p>No step of this chain waits for approval.</p> : <p>Which step?</p>}
        <div class="panel-actions">
          {waiting.slice(0, 200).map((one) => (
            <button type="button" key={one.id} class="button" onClick={() => setStep(one.id)}>
              <Text most={100}>{one.id}</Text>
            </button>
          ))}
        </div>
      </Dialog>
    );
  }
  if (!found) {
    return (
      <Dialog title={title} close={close}>
        {answer.problem.value ? <ProblemBox problem={answer.problem.value} retry={() => answer.refresh()} /> : <Loading what="what waits" />}
      </Dialog>
    );
  }
  if (!found.of) {
    return (
      <Dialog title={title} close={close}>
        <p>{found.complete ? 'It does not wait for approval any more.' : 'Too much waits to find it: the view Approvals has it.'}</p>
      </Dialog>
    );
  }
  return (
    <ReplyDialog
      approved={approved}
      of={found.of}
      close={close}
      after={() => {
        store.refresh();
        void countWaiting();
      }}
    />
  );
}

/** The schema of a signal, where a definition that the chain has pinned says it in JSON. */
function schemaOf(pinned: PinnedDefinitions | undefined, name: string): Json | undefined {
  for (const one of pinned?.definitions ?? []) {
    if (!one.root || one.cut || !one.text.includes(name)) continue;
    try {
      const steps = membersOf(JSON.parse(one.text) as Json)?.instructions;
      for (const step of Array.isArray(steps) ? steps : []) {
        const awaited = membersOf(membersOf(step)?.signal);
        if (awaited?.name === name) return awaited.schema;
      }
    } catch {
      // written in YAML: the data are written as JSON
    }
  }
  return undefined;
}

export function SignalDialog({ store, close, step }: OneProps) {
  const names = useMemo(() => [...new Set(store.steps.value.map((one) => one.waits_for_signal).filter((one) => one !== undefined))], [store.steps.value]);
  const [name, setName] = useState(() => store.byId.value.get(step ?? '')?.waits_for_signal ?? names[0] ?? '');
  const pinned = useAnswer<PinnedDefinitions>(chainPath(store.id, '/definition'));
  const schema = useMemo(() => schemaOf(pinned.value.value, name.trim()), [pinned.value.value, name]);
  const written = useValueForm(schema, undefined, 'Data');
  const missing = name.trim() === '' ? 'A name is missing.' : written.error;
  const sent: SignalSent = { name: name.trim(), ...(Object.keys(written.value).length > 0 ? { data: written.value } : {}) };
  const check = useCheck(missing === undefined ? () => checkSignal(store.id, sent) : undefined, JSON.stringify(sent));
  useEffect(() => {
    if (name === '' && names.length > 0) setName(names[0]!);
  }, [names]);
  return (
    <SendingDialog
      title="Send a signal"
      verb="Send"
      done={`Sent ${sent.name} to ${store.id}.`}
      missing={missing ?? check.refusal}
      close={close}
      after={store.refresh}
      send={(reason, key) => sendSignal(store.id, sent, reason, key)}
    >
      <p>The step that waits for it takes its data as its response. A signal that comes before its step waits is kept.</p>
      <label class="field">
        <span>Name</span>
        <input type="text" spellcheck={false} autocomplete="off" list="signal-names" value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <datalist id="signal-names">
        {names.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      {written.fields(check.problem, '/data')}
      <Would check={check} />
    </SendingDialog>
  );
}
