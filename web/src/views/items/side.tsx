// Beside the map: failures that are alike, the slowest items, and who worked on them. A coordinator that does not know one of these leaves it out.
import { useEffect } from 'preact/hooks';
import { stepPath } from '../../api';
import { count, duration, plural } from '../../format';
import { useAnswer } from '../../resource';
import type { Cluster, ClusterPage, ItemStatus } from '../../types';
import { Mark } from '../../ui/status';
import { Text } from '../../ui/text';

interface Slowest {
  items: { index: number; status: ItemStatus; attempts: number; took_ms: number; worker?: string }[];
  complete?: boolean;
}

interface Workers {
  workers: { worker: string; items: number; failed: number; took_ms_total?: number }[];
  complete?: boolean;
}

export interface SideProps {
  chain: string;
  step: string;
  failed: number;
  /** Grows when items may have changed. */
  version: number;
  cluster?: string;
  choose(cluster: Cluster | undefined): void;
  retry?(cluster: Cluster): void;
  goTo(item: number): void;
}

/** Asks again some time after what it depends on has changed, not with each change. */
function useCalm(refresh: () => void, on: number) {
  useEffect(() => {
    if (on === 0) return;
    const timer = setTimeout(refresh, 1500);
    return () => clearTimeout(timer);
  }, [on]);
}

function Clusters({ chain, step, failed, cluster, choose, retry, goTo }: SideProps) {
  const page = useAnswer<ClusterPage>(failed > 0 ? stepPath(chain, step, '/clusters') : undefined);
  useCalm(page.refresh.bind(page), failed);
  const clusters = page.value.value?.clusters ?? [];
  if (failed === 0) return null;
  const most = Math.max(...clusters.map((one) => one.count), 1);
  return (
    <section class="map-part" aria-label="Errors">
      <h2>
        Errors <span class="dim">{plural(failed, 'failed item')}</span>
      </h2>
      {!page.value.value && <p class="dim">{page.problem.value ? 'Cannot be read now.' : 'Reading…'}</p>}
      <ul class="clusters">
        {clusters.slice(0, 50).map((one) => {
          const chosen = cluster === one.kind;
          return (
            <li key={one.kind} class={chosen ? 'cluster cluster-chosen' : 'cluster'}>
              <button type="button" class="cluster-body" aria-pressed={chosen} title="Show only these items" onClick={() => choose(chosen ? undefined : one)}>
                <span class="cluster-top">
                  <strong class="number">{count(one.count)}</strong>
                  <svg class="cluster-bar tone-bad" width="56" height="5" aria-hidden="true">
                    <rect class="progress-ground" width="56" height="5" rx="2.5" />
                    <rect class="progress-done" width={Math.max(3, (56 * one.count) / most)} height="5" rx="2.5" />
                  </svg>
                  <code class="code"><Text most={40}>{one.error.code}</Text></code>
                </span>
                <span class="cluster-message"><Text most={240}>{one.error.message}</Text></span>
              </button>
              <span class="cluster-tools">
                {one.first !== undefined && (
                  <button type="button" class="link" onClick={() => goTo(one.first!)}>
                    Item {count(one.first)}
                  </button>
                )}
                {retry && (
                  <button type="button" class="link" onClick={() => retry(one)}>
                    Retry…
                  </button>
                )}
              </span>
            </li>
          );
        })}
      </ul>
      {(page.value.value?.others ?? 0) > 0 && <p class="dim">{plural(page.value.value!.others, 'failed item')} in smaller groups</p>}
      {page.value.value?.next !== undefined && <p class="hint">Of the first 20,000 failures.</p>}
    </section>
  );
}

function SlowestItems({ chain, step, version, goTo }: SideProps) {
  const answer = useAnswer<Slowest>(stepPath(chain, step, '/items:slowest?count=20'));
  useCalm(answer.refresh.bind(answer), version);
  const items = answer.value.value?.items ?? [];
  if (items.length === 0) return null;
  const most = Math.max(...items.map((one) => one.took_ms), 1);
  return (
    <section class="map-part" aria-label="Slowest items">
      <h2>
        Slowest {answer.value.value?.complete === false && <span class="dim">of those read</span>}
      </h2>
      <ol class="bars">
        {items.slice(0, 20).map((one) => (
          <li key={one.index}>
            <button type="button" onClick={() => goTo(one.index)} title={`Item ${count(one.index)}: ${plural(one.attempts, 'attempt')}${one.worker === undefined ? '' : `, by ${one.worker.slice(0, 80)}`}`}>
              <Mark status={one.status} size={14} title="" />
              <span class="number">{count(one.index)}</span>
              <svg class="bar tone-busy" height="5" aria-hidden="true" width="100%">
                <rect class="progress-done" width={`${(100 * one.took_ms) / most}%`} height="5" rx="2.5" />
              </svg>
              <span class="number bars-end">{duration(one.took_ms)}</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function ByWorker({ chain, step, version }: SideProps) {
  const answer = useAnswer<Workers>(stepPath(chain, step, '/items:workers'));
  useCalm(answer.refresh.bind(answer), version);
  const workers = answer.value.value?.workers ?? [];
  if (workers.length === 0) return null;
  return (
    <section class="map-part" aria-label="By worker">
      <h2>
        By worker {answer.value.value?.complete === false && <span class="dim">of those read</span>}
      </h2>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Worker</th>
            <th scope="col" class="cell-end">Items</th>
            <th scope="col" class="cell-end">Failed</th>
            <th scope="col" class="cell-end">Each</th>
          </tr>
        </thead>
        <tbody>
          {workers.slice(0, 50).map((one) => (
            <tr key={one.worker}>
              <td><Text most={40}>{one.worker}</Text></td>
              <td class="cell-end">{count(one.items)}</td>
              <td class={one.failed > 0 ? 'cell-end tone-bad bad-text' : 'cell-end dim'}>{count(one.failed)}</td>
              <td class="cell-end">{one.took_ms_total !== undefined && one.items > 0 ? duration(one.took_ms_total / one.items) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function Side(props: SideProps) {
  return (
    <>
      <Clusters {...props} />
      <SlowestItems {...props} />
      <ByWorker {...props} />
    </>
  );
}
