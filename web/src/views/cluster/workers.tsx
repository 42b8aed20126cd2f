// The workers: what they do, and whether they are given work. Work is taken from one by cordon and drain, with a reason.
import { useEffect, useState } from 'preact/hooks';
import { freshKey, post, token } from '../../api';
import { useCommands } from '../../keys';
import { bytes, count, duration, plain } from '../../format';
import { useAnswer } from '../../resource';
import { href, route, setQuery } from '../../router';
import type { Explanation, Problem, StoreState, WorkerNode } from '../../types';
import { Dialog } from '../../ui/dialog';
import { Icon } from '../../ui/icon';
import { Loading, Nothing, ProblemBox } from '../../ui/problem';
import { Status } from '../../ui/status';
import { Table, type Column } from '../../ui/table';
import { Text } from '../../ui/text';
import { toast } from '../../ui/toast';
import { Bar, Figure, Line } from './parts';
import { follow, latest, nodes, nodesProblem, sampleNow, samples } from './samples';
import type { CallerLimits } from './types';

type NodeAct = 'cordon' | 'uncordon' | 'drain';
const words: Record<NodeAct, { title: string; about: string; done: string }> = {
  cordon: { title: 'Cordon', about: 'The worker gets no new work. What it runs goes on.', done: 'Cordoned' },
  uncordon: { title: 'Uncordon', about: 'The worker gets work again.', done: 'Uncordoned' },
  drain: { title: 'Drain', about: 'The worker gets no new work, finishes what it runs, and leaves.', done: 'Draining' },
};

function NodeDialog({ node, act, close }: { node: WorkerNode; act: NodeAct; close(): void }) {
  const [reason, setReason] = useState('');
  const [key] = useState(freshKey);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const submit = async () => {
    if (busy) return;
    setBusy(true);
    const answer = await post(`/v1/nodes/${encodeURIComponent(node.id)}:${act}`, reason.trim() === '' ? {} : { reason: reason.trim() }, { key });
    setBusy(false);
    if (!answer.ok) {
      setProblem(answer.problem);
      return;
    }
    toast(`${words[act].done} ${node.id}.`);
    void sampleNow();
    close();
  };
  return (
    <Dialog
      title={`${words[act].title} ${plain(node.id, 60)}`}
      close={() => !busy && close()}
      submit={() => void submit()}
      footer={
        <>
          <button type="button" class="button" disabled={busy} onClick={close}>
            Close
          </button>
          <button type="submit" class={`button ${act === 'drain' ? 'button-danger' : 'button-primary'}`} disabled={busy}>
            {busy ? 'Sending…' : words[act].title}
          </button>
        </>
      }
    >
      <p>{words[act].about}</p>
      {act !== 'uncordon' && (node.running ?? node.slots.used) > 0 && <p>It runs {count(node.running ?? node.slots.used)} now.</p>}
      <label class="field">
        <span>Reason, for the audit log</span>
        <input type="text" maxLength={500} data-autofocus value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
      {problem && <ProblemBox problem={problem} />}
    </Dialog>
  );
}

function WhyWaits() {
  const answer = useAnswer<Explanation>('/v1/explain');
  const seen = samples.value.length;
  useEffect(() => {
    if (seen > 0 && seen % 4 === 0 && answer.problem.peek()?.status !== 404) answer.refresh();
  }, [seen]);
  const reasons = answer.value.value?.reasons ?? [];
  if (answer.problem.value?.status === 404 || !answer.value.value) return null;
  return (
    <section class="cluster-part" aria-label="Why work waits">
      <h2>Why work waits</h2>
      {reasons.length === 0 ? (
        <p class="dim">No work waits.</p>
      ) : (
        <ul class="reasons-list">
          {reasons.slice(0, 50).map((one, index) => (
            <li key={index}>
              <Icon name="clock" size={14} />
              <span>
                <Text most={400}>{one.message}</Text>{' '}
                {one.chain !== undefined && <a href={href(['chains', one.chain], { step: one.step })}><Text most={60}>{one.chain}</Text></a>}
              </span>
              <code class="code">{plain(one.code, 40)}</code>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

export function Workers() {
  useEffect(follow, [token.value]);
  const store = useAnswer<StoreState>('/v1/store');
  const limits = useAnswer<CallerLimits>('/v1/limits');
  const [acting, setActing] = useState<{ node: string; act: NodeAct } | undefined>(undefined);
  const seen = samples.value;
  useEffect(() => {
    if (seen.length > 0 && seen.length % 4 === 0) store.refresh();
  }, [seen.length]);
  const list = nodes.value;
  const now = latest.value;
  const chosen = route.value.query.get('node') ?? undefined;
  const node = list?.find((one) => one.id === chosen);
  const open = (id: string, act: NodeAct) => setActing({ node: id, act });
  useCommands(
    [
      { keys: ['c'], title: 'Cordon the worker', group: 'Workers', disabled: !node || node.state === 'cordoned', run: () => open(node!.id, 'cordon') },
      { keys: ['Shift+c'], title: 'Uncordon the worker', group: 'Workers', disabled: !node, run: () => open(node!.id, 'uncordon') },
      { keys: ['d'], title: 'Drain the worker', group: 'Workers', disabled: !node, run: () => open(node!.id, 'drain') },
      { keys: ['Escape'], title: 'Close the worker', group: 'Workers', quiet: true, disabled: !node, run: () => setQuery({ node: undefined }) },
    ],
  );
  const columns: readonly Column<WorkerNode>[] = [
    { id: 'state', label: 'State', width: '116px', render: (one) => <Status status={one.state} /> },
    { id: 'id', label: 'Worker', width: 'minmax(120px, 1.4fr)', render: (one) => <strong><Text most={80}>{one.id}</Text></strong> },
    {
      id: 'slots',
      label: 'Slots',
      width: '160px',
      render: (one) => (
        <span class="progress">
          <Bar part={one.slots.used} of={one.slots.total} tone="busy" width={70} />
          <span class="number">
            {count(one.slots.used)}/{count(one.slots.total)}
          </span>
        </span>
      ),
    },
    { id: 'queued', label: 'Queued', width: '70px', align: 'end', narrow: 2, render: (one) => (one.queued === undefined ? '–' : count(one.queued)) },
    { id: 'rate', label: 'Tasks/s', width: '80px', align: 'end', narrow: 2, render: (one) => (one.rate === undefined ? '–' : one.rate.toFixed(one.rate < 10 ? 1 : 0)) },
    { id: 'labels', label: 'Labels', width: 'minmax(80px, 1fr)', narrow: 1, render: (one) => <Text most={80}>{(one.labels ?? []).join(', ')}</Text> },
    { id: 'version', label: 'Version', width: '90px', narrow: 1, render: (one) => <Text most={30}>{one.version ?? ''}</Text> },
    { id: 'seen', label: 'Last heard', width: '92px', align: 'end', narrow: 2, render: (one) => (one.heartbeat_age_ms === undefined ? '–' : `${duration(one.heartbeat_age_ms)} ago`) },
  ];
  const disk = store.value.value?.disk;
  const full = disk && disk.total > 0 ? 1 - disk.free / disk.total : 0;
  const acted = acting && list?.find((one) => one.id === acting.node);
  return (
    <div class="cluster-view scroll">
      <dl class="figures">
        <Figure label="Slots taken" value={now ? count(now.used) : '–'} about={now && `of ${count(now.total)}`}>
          <Line label="Slots taken since the page was opened" values={seen.map((one) => one.used)} most={now?.total} />
        </Figure>
        <Figure label="Tasks a second" value={now ? now.rate.toFixed(now.rate < 10 ? 1 : 0) : '–'}>
          <Line label="Tasks a second since the page was opened" values={seen.map((one) => one.rate)} />
        </Figure>
        <Figure label="Queued at workers" value={now ? count(now.queued) : '–'}>
          <Line label="Tasks queued at workers since the page was opened" values={seen.map((one) => one.queued)} />
        </Figure>
        <Figure label="Store" value={store.value.value ? bytes(store.value.value.bytes) : '–'} about={store.value.value && `write ${count(store.value.value.commit)}${store.value.value.durable_commit < store.value.value.commit ? `, durable to ${count(store.value.value.durable_commit)}` : ', all durable'}`} />
        <Figure label="Disk" value={disk ? `${bytes(disk.free)} free` : '–'} about={disk && `of ${bytes(disk.total)}`}>
          {disk && <Bar part={full} of={1} tone={full > 0.95 ? 'bad' : full > 0.85 ? 'warn' : 'ok'} width={150} />}
        </Figure>
        {limits.value.value?.requests && <Figure label="Your requests" value={`${count(limits.value.value.requests.remaining)} left`} about={`${count(limits.value.value.requests.per_second)} a second`} />}
      </dl>
      {nodesProblem.value && <ProblemBox problem={nodesProblem.value} retry={() => void sampleNow()} />}
      <section class="cluster-part cluster-workers" aria-label="Workers">
        <h2>Workers</h2>
        {list === undefined ? (
          !nodesProblem.value && <Loading what="workers" />
        ) : (
          <Table
            label="Workers"
            rows={list}
            columns={columns}
            keyOf={(one) => one.id}
            fitRows={14}
            rowHeight={38}
            current={chosen}
            open={(one) => setQuery({ node: one.id === chosen ? undefined : one.id })}
            empty={<Nothing title="No worker has registered">Start one: <code>catena worker</code>.</Nothing>}
          />
        )}
        {node && (
          <div class="node-about" aria-label="About the worker" role="region">
            <dl class="facts">
              {(
                [
                  ['Address', node.address],
                  ['Runs', (node.kinds ?? []).join(', ')],
                  ['Capabilities', (node.capabilities ?? []).join(', ')],
                  ['Labels', (node.labels ?? []).join(', ')],
                  ['Tool roots', (node.tool_roots ?? []).join(', ')],
                  ['Incarnation', node.incarnation === undefined ? undefined : String(node.incarnation)],
                  ['Lost for', node.lost_ms === undefined ? undefined : duration(node.lost_ms)],
                ] as const
              )
                .filter(([, value]) => value !== undefined && value !== '')
                .map(([name, value]) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd><Text most={300}>{value!}</Text></dd>
                  </div>
                ))}
            </dl>
            <div class="item-acts">
              {(['cordon', 'uncordon', 'drain'] as const).map((act) => (
                <button type="button" key={act} class="button button-small" onClick={() => open(node.id, act)}>
                  {words[act].title}…
                </button>
              ))}
            </div>
          </div>
        )}
      </section>
      <WhyWaits />
      {acting && acted && <NodeDialog node={acted} act={acting.act} close={() => setActing(undefined)} />}
    </div>
  );
}
