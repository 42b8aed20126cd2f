// The answer to a step that waits for approval: of the inbox, and of the page of its chain.
import { useState } from 'preact/hooks';
import { checkReply, sendReply, type Reply } from '../../actions';
import { bytes, plural } from '../../format';
import { href } from '../../router';
import { JsonView } from '../../ui/json';
import { LongText, Text } from '../../ui/text';
import { Age } from '../../ui/time';
import { SendingDialog, useCheck, Would } from '../chain/sending';
import { thenWords, type Approval } from './types';
import { useValueForm } from './value_form';

/** Whose answer is wanted, since when, until when, and what of. */
function About({ of }: { of: Approval }) {
  return (
    <>
      <dl class="facts facts-panel">
        <div>
          <dt>Chain</dt>
          <dd>
            <a href={href(['chains', of.chain_id], { step: of.step })}>
              <Text most={80}>{of.chain_id}</Text>
            </a>
          </dd>
        </div>
        <div>
          <dt>Step</dt>
          <dd><Text most={80}>{of.step}</Text></dd>
        </div>
        {of.who !== undefined && (
          <div>
            <dt>Who</dt>
            <dd><Text most={200}>{of.who}</Text></dd>
          </div>
        )}
        <div>
          <dt>Since</dt>
          <dd><Age at={of.since} /></dd>
        </div>
        {of.until !== undefined && (
          <div>
            <dt>Until</dt>
            <dd>
              <Age at={of.until} />, {thenWords[of.on_timeout ?? 'fail']}
            </dd>
          </div>
        )}
        {of.items !== undefined && (
          <div>
            <dt>Waiting</dt>
            <dd>{plural(of.waiting, 'item')}</dd>
          </div>
        )}
      </dl>
      {of.arguments !== undefined ? (
        <JsonView value={of.arguments} label="Arguments" openTo={2} />
      ) : (
        of.arguments_begin !== undefined && (
          <>
            <LongText label="Arguments" most={2000}>{of.arguments_begin}</LongText>
            <p class="hint">The first of {bytes(of.arguments_bytes ?? 0)}. The page of the chain has them whole.</p>
          </>
        )
      )}
    </>
  );
}

export function ReplyDialog({ approved, of, close, after }: { approved: boolean; of: Approval; close(): void; after(): void }) {
  const verb = approved ? 'Approve' : 'Reject';
  const [items, setItems] = useState(of.items ?? '');
  const edits = approved && of.allow_edit === true;
  const written = useValueForm(of.schema, of.arguments, 'Other arguments');
  const fanOut = of.items !== undefined;
  const missing = fanOut && items.trim() === '' ? 'Which items?' : edits ? written.error : undefined;
  const reply: Reply = { step: of.step, ...(fanOut ? { items: items.trim() } : {}), ...(edits && Object.keys(written.value).length > 0 ? { edit: written.value } : {}) };
  const check = useCheck(missing === undefined ? () => checkReply(of.chain_id, approved, reply) : undefined, JSON.stringify(reply));
  return (
    <SendingDialog
      title={`${verb} this step`}
      verb={verb}
      danger={!approved}
      wide={edits}
      needsReason={!approved}
      done={`${approved ? 'Approved' : 'Rejected'} ${of.step} of ${of.chain_id}.`}
      missing={missing ?? check.refusal}
      close={close}
      after={after}
      send={(reason, key) => sendReply(of.chain_id, approved, reply, reason, key)}
    >
      <p>{approved ? 'It runs as soon as there is a worker for it.' : 'It fails with approval_rejected, and is not tried again.'}</p>
      <About of={of} />
      {fanOut && (
        <label class="field">
          <span>Items, such as 3,7-9</span>
          <input type="text" spellcheck={false} autocomplete="off" value={items} onInput={(event) => setItems(event.currentTarget.value)} />
        </label>
      )}
      {edits && written.fields(check.problem, '/edit')}
      <Would check={check} />
    </SendingDialog>
  );
}
