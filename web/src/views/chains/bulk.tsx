// One act on many chains: asked for once, with a reason, and its outcome for each of them.
import { useRef, useState } from 'preact/hooks';
import type { Act } from '../../actions';
import { freshKey } from '../../api';
import { plural } from '../../format';
import type { ListedChain, Problem } from '../../types';
import { Dialog } from '../../ui/dialog';
import { Mark } from '../../ui/status';
import { Text } from '../../ui/text';
import { toast } from '../../ui/toast';

const atATime = 6;

export function BulkDialog({ act, chains, close }: { act: Act; chains: readonly ListedChain[]; close(worked: boolean): void }) {
  // what was chosen when the dialog opened: rows that change under it change nothing of what was read here
  const [able] = useState(() => chains.filter((chain) => act.may(chain.status)));
  const [skipped] = useState(() => chains.length - able.length);
  const [reason, setReason] = useState('');
  const [done, setDone] = useState<number | undefined>(undefined);
  const [failed, setFailed] = useState<{ chain: string; problem: Problem }[]>([]);
  const [over, setOver] = useState(false);
  const begun = useRef(false); // two clicks of one moment come before the page is drawn anew
  const busy = done !== undefined && !over;

  const run = async () => {
    if (begun.current) return;
    begun.current = true;
    setDone(0);
    const failures: { chain: string; problem: Problem }[] = [];
    let finished = 0;
    const queue = [...able];
    const work = async () => {
      for (let chain = queue.shift(); chain; chain = queue.shift()) {
        const answer = await act.send(chain.chain_id, reason, freshKey());
        if (!answer.ok) failures.push({ chain: chain.chain_id, problem: answer.problem });
        setDone(++finished);
      }
    };
    await Promise.all(Array.from({ length: atATime }, work));
    setFailed(failures);
    setOver(true);
    if (failures.length === 0) {
      toast(`${act.done} ${plural(able.length, 'chain')}.`);
      close(true);
    }
  };

  return (
    <Dialog
      title={`${act.label} ${plural(able.length, 'chain')}`}
      close={() => !busy && close(over)}
      submit={() => void run()}
      footer={
        over ? (
          <button type="button" class="button" onClick={() => close(true)}>
            Close
          </button>
        ) : (
          <>
            <button type="button" class="button" disabled={busy} onClick={() => close(false)}>
              Keep as they are
            </button>
            <button type="submit" class={`button ${act.danger ? 'button-danger' : 'button-primary'}`} disabled={busy || able.length === 0}>
              {busy ? `${done} of ${able.length}` : `${act.label} ${plural(able.length, 'chain')}`}
            </button>
          </>
        )
      }
    >
      {skipped > 0 && <p class="hint">{plural(skipped, 'chosen chain')} cannot be {act.done.toLowerCase()} in the status it has, and stays as it is.</p>}
      <ul class="bulk-list">
        {able.slice(0, 12).map((chain) => (
          <li key={chain.chain_id}>
            <Mark status={chain.status} title="" /> <Text most={80}>{chain.chain_id}</Text>
          </li>
        ))}
        {able.length > 12 && <li class="dim">and {plural(able.length - 12, 'other')}</li>}
      </ul>
      {over ? (
        <div role="alert">
          <p>
            {plural(failed.length, 'chain')} of {able.length} did not do what was asked:
          </p>
          <ul class="bulk-list">
            {failed.slice(0, 50).map((one) => (
              <li key={one.chain}>
                <Text most={60}>{one.chain}</Text>: <Text most={300}>{one.problem.detail || one.problem.title}</Text>
              </li>
            ))}
          </ul>
        </div>
      ) : (
        <label class="field">
          <span>Reason, for the audit log</span>
          <input type="text" maxLength={500} value={reason} data-autofocus onInput={(event) => setReason(event.currentTarget.value)} disabled={busy} />
        </label>
      )}
    </Dialog>
  );
}
