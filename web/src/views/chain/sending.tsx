// A form with a reason that is sent once, and what the coordinator says would come of it.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { freshKey, type Answer } from '../../api';
import { plural } from '../../format';
import type { Preview, Problem } from '../../types';
import { Dialog } from '../../ui/dialog';
import { ProblemBox } from '../../ui/problem';
import { Text } from '../../ui/text';
import { toast } from '../../ui/toast';

interface SendingProps {
  title: string;
  verb: string;
  danger?: boolean;
  wide?: boolean;
  /** What is sent has no place for a reason. */
  withoutReason?: boolean;
  /** It is not sent without a reason. */
  needsReason?: boolean;
  /** Why it cannot be sent yet. */
  missing?: string;
  send(reason: string, key: string): Promise<Answer<unknown>>;
  done: string;
  close(): void;
  after(): void;
  children?: ComponentChildren;
}

/** What is under way makes a question of what would happen moot. */
let sending = false;

/** A form with a reason that is sent once: a second click while the first is under way, and Enter beside it, do nothing. */
export function SendingDialog({ title, verb, danger, wide, withoutReason, needsReason, missing: lacking, send, done, close, after, children }: SendingProps) {
  const [reason, setReason] = useState('');
  const [key] = useState(freshKey);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const missing = lacking ?? (needsReason && reason.trim() === '' ? 'Say why.' : undefined);
  // a ref: two clicks of one moment come before the page is drawn anew
  const sent = useRef(false);
  const submit = async () => {
    if (sent.current || missing !== undefined) return;
    sent.current = true;
    setBusy(true);
    setProblem(undefined);
    sending = true;
    const answer = await send(reason, key);
    sending = false;
    if (!answer.ok) {
      sent.current = false;
      setBusy(false);
      setProblem(answer.problem);
      return;
    }
    toast(done);
    close();
    after();
  };
  return (
    <Dialog
      title={title}
      wide={wide}
      close={() => !busy && close()}
      submit={() => void submit()}
      footer={
        <>
          {missing !== undefined && <span class="hint dialog-missing">{missing}</span>}
          <button type="button" class="button" disabled={busy} onClick={close}>
            Close
          </button>
          <button type="submit" class={`button ${danger ? 'button-danger' : 'button-primary'}`} disabled={busy || missing !== undefined}>
            {busy ? 'Sending…' : verb}
          </button>
        </>
      }
    >
      {children}
      {!withoutReason && (
        <label class="field">
          <span>Reason, for the audit log</span>
          <input type="text" maxLength={500} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
        </label>
      )}
      {problem && <ProblemBox problem={problem} />}
    </Dialog>
  );
}

export interface Check {
  preview?: Preview;
  problem?: Problem;
  /** Why it is not sent. */
  refusal?: string;
  asked: boolean;
}

/** What the coordinator would do, asked for a moment after `key` has changed; undefined: there is nothing to ask. */
export function useCheck(ask: (() => Promise<Answer<Preview>>) | undefined, key: string): Check {
  const [check, setCheck] = useState<Check>({ asked: false });
  const asked = ask !== undefined;
  useEffect(() => {
    setCheck({ asked });
    if (!ask) return;
    let current = true;
    const timer = setTimeout(async () => {
      if (sending) return setCheck({ asked: false });
      const answer = await ask();
      if (!current) return;
      if (answer.ok) setCheck({ asked, preview: answer.value });
      // what could not be asked may be sent all the same
      else setCheck({ asked, problem: answer.problem, refusal: answer.problem.status >= 400 && answer.problem.status < 500 ? 'The coordinator would refuse this.' : undefined });
    }, 200);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [key, asked]);
  return check;
}

export function Would({ check: { preview, problem, asked } }: { check: Check }) {
  if (!asked) return null;
  if (problem) return <ProblemBox problem={problem} />;
  if (!preview) {
    return (
      <p class="dim" role="status">
        Asking what would happen…
      </p>
    );
  }
  const below = preview.descendants ?? 0;
  return (
    <p role="status" class="would">
      <strong>
        The coordinator would{' '}
        {preview.would === 'signal' ? (
          <>
            send it the signal <Text most={100}>{preview.name ?? ''}</Text>
          </>
        ) : (
          <>
            {preview.would.replace(/_schedule$/, '')} {preview.step === undefined ? 'it' : <>step <Text most={60}>{preview.step}</Text></>}
            {preview.items !== undefined && <>, items <Text most={60}>{preview.items}</Text></>}
          </>
        )}
        {preview.terms !== undefined && <>: <Text most={300}>{preview.terms}</Text></>}
      </strong>
      {below > 0 && `, and ${preview.more_descendants ? 'more than ' : ''}${plural(below, 'chain')} below it`}.
    </p>
  );
}
