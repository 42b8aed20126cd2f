// What webhooks were told, and what waits for its next try.
import { useState } from 'preact/hooks';
import { freshKey, get, pathOf, post } from '../../api';
import { useLoaded } from '../../resource';
import { href, route, setQuery } from '../../router';
import { Nothing, ProblemBox } from '../../ui/problem';
import { Status } from '../../ui/status';
import { Table, type Column } from '../../ui/table';
import { Text } from '../../ui/text';
import { Age } from '../../ui/time';
import { toast, toastProblem } from '../../ui/toast';
import type { Delivery, WebhookPage } from './types';

export function Webhooks() {
  const state = route.value.query.get('state') ?? '';
  const answer = useLoaded<WebhookPage>(`webhooks/${state}`, (signal) => get<WebhookPage>(pathOf('/v1/webhooks', { state, limit: 500 }), undefined, signal));
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set());
  const replay = async (delivery: Delivery) => {
    if (busy.has(delivery.id)) return;
    setBusy(new Set([...busy, delivery.id]));
    const sent = await post(`/v1/webhooks/${encodeURIComponent(delivery.id)}:replay`, undefined, { key: freshKey() });
    setBusy((before) => new Set([...before].filter((id) => id !== delivery.id)));
    if (sent.ok) toast('It is delivered once more.');
    else toastProblem(sent.problem);
    answer.refresh();
  };
  const columns: readonly Column<Delivery>[] = [
    { id: 'state', label: 'State', width: '112px', render: (one) => <Status status={one.state} /> },
    { id: 'event', label: 'Event', width: '96px', render: (one) => <Text most={30}>{one.event}</Text> },
    { id: 'chain', label: 'Chain', width: 'minmax(110px, 1fr)', render: (one) => <a href={href(['chains', one.chain_id])} tabIndex={-1}><Text most={80}>{one.chain_id}</Text></a> },
    { id: 'url', label: 'To', width: 'minmax(120px, 1.5fr)', narrow: 2, render: (one) => <Text most={100}>{one.url}</Text> },
    { id: 'time', label: 'When', width: '84px', narrow: 2, render: (one) => <Age at={one.time} /> },
    { id: 'tries', label: 'Tries', width: '50px', align: 'end', narrow: 1, render: (one) => one.tries },
    { id: 'last', label: 'Last answer', width: 'minmax(90px, 1fr)', narrow: 1, render: (one) => <Text most={120}>{one.error ?? (one.status === undefined ? '' : String(one.status))}</Text> },
    {
      id: 'replay',
      label: 'Again',
      width: '80px',
      render: (one) => (
        <button type="button" class="button button-small" disabled={busy.has(one.id)} onClick={() => void replay(one)}>
          Replay
        </button>
      ),
    },
  ];
  return (
    <>
      <div class="filters filters-tab" role="search" aria-label="Filters">
        <div class="chips" role="group" aria-label="State">
          {(['pending', 'delivered', 'given_up'] as const).map((one) => (
            <button type="button" key={one} class="chip" aria-pressed={state === one} onClick={() => setQuery({ state: state === one ? undefined : one })}>
              {one.replace('_', ' ')}
            </button>
          ))}
        </div>
        <button type="button" class="button button-small" onClick={() => answer.refresh()}>
          Read again
        </button>
      </div>
      {answer.problem.value ? (
        <ProblemBox problem={answer.problem.value} retry={() => answer.refresh()} />
      ) : (
        <Table label="Webhooks" rows={answer.value.value?.deliveries ?? []} columns={columns} keyOf={(one) => one.id} empty={<Nothing title={answer.loading.value ? 'Reading deliveries…' : 'No webhook was told anything'} />} />
      )}
    </>
  );
}
