// Which chain this one is compared with: by its id, or one of the same definition.
import { useState } from 'preact/hooks';
import { pathOf } from '../../api';
import { useAnswer } from '../../resource';
import { go, href } from '../../router';
import type { ChainPage } from '../../types';
import { Dialog } from '../../ui/dialog';
import { Status } from '../../ui/status';
import { Text } from '../../ui/text';
import { Age } from '../../ui/time';
import type { OneProps } from './dialogs';

export function CompareDialog({ store, close }: OneProps) {
  const name = store.chain.value?.name;
  const alike = useAnswer<ChainPage>(name === undefined ? undefined : pathOf('/v1/chains', { name, limit: 20 }));
  const [other, setOther] = useState('');
  const others = (alike.value.value?.chains ?? []).filter((one) => one.chain_id !== store.id);
  return (
    <Dialog
      title="Compare with another chain"
      close={close}
      submit={() => other.trim() !== '' && go(href(['compare', store.id, other.trim()]))}
      footer={
        <button type="submit" class="button button-primary" disabled={other.trim() === ''}>
          Compare
        </button>
      }
    >
      <label class="field">
        <span>Id of the other chain</span>
        <input type="text" data-autofocus spellcheck={false} autocomplete="off" value={other} onInput={(event) => setOther(event.currentTarget.value)} />
      </label>
      {others.length > 0 && (
        <>
          <p>Or the newest of the same definition:</p>
          <ul class="alike">
            {others.map((one) => (
              <li key={one.chain_id}>
                <Status status={one.status} />
                <a href={href(['compare', store.id, one.chain_id])}>
                  <Text most={80}>{one.chain_id}</Text>
                </a>
                <Age at={one.started_at} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}
