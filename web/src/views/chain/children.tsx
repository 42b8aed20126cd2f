// The chains that this one has started.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { chainPath, get, pathOf } from '../../api';
import { useLoaded } from '../../resource';
import { go, href, route, setQuery } from '../../router';
import { chainStatuses, type ChainPage, type ListedChain } from '../../types';
import { Nothing, ProblemBox } from '../../ui/problem';
import { lookOf, Mark, Status } from '../../ui/status';
import { Table, type Column } from '../../ui/table';
import { Text } from '../../ui/text';
import { Age, Took } from '../../ui/time';
import type { TabProps } from './tabs';

const pageRows = 200;

export default function Children({ store }: TabProps) {
  const status = route.value.query.get('status') ?? '';
  const all = route.value.query.get('all') === 'true';
  const path = __REPORT__ ? chainPath(store.id, '/children') : pathOf(chainPath(store.id, '/children'), { status, all: all ? 'true' : '', limit: pageRows });
  const first = useLoaded<ChainPage>(path, (signal) => get<ChainPage>(path, undefined, signal));
  const [further, setFurther] = useState<{ path: string; rows: ListedChain[]; cursor?: string } | undefined>(undefined);
  useEffect(() => first.refresh(), [store.version.value, store.familyVersion.value]);
  const page = first.value.value;
  const more = further?.path === path ? further : undefined;
  const rows = useMemo(() => {
    const known = new Set(page?.chains.map((chain) => chain.chain_id));
    return [...(page?.chains ?? []), ...(more?.rows ?? []).filter((chain) => !known.has(chain.chain_id))];
  }, [page, more]);
  const cursor = more ? more.cursor : page?.cursor;
  const readMore = async () => {
    const answer = await get<ChainPage>(path, { cursor });
    if (answer.ok) setFurther({ path, rows: [...(more?.rows ?? []), ...answer.value.chains], cursor: answer.value.cursor });
  };
  const columns: readonly Column<ListedChain>[] = [
    { id: 'status', label: 'Status', width: '112px', render: (chain) => <Status status={chain.status} /> },
    {
      id: 'id',
      label: 'Chain',
      width: 'minmax(150px, 1.6fr)',
      render: (chain) => {
        const text = <Text most={120}>{chain.chain_id.startsWith(`${store.id}/`) ? chain.chain_id.slice(store.id.length + 1) : chain.chain_id}</Text>;
        return __REPORT__ ? text : <a href={href(['chains', chain.chain_id])} tabIndex={-1}>{text}</a>;
      },
    },
    { id: 'name', label: 'Definition', width: 'minmax(90px, 1fr)', narrow: 2, render: (chain) => <Text most={80}>{chain.name}</Text> },
    { id: 'steps', label: 'Steps', width: '72px', align: 'end', narrow: 2, render: (chain) => `${chain.steps.settled}/${chain.steps.total}` },
    { id: 'started', label: 'Started', width: '84px', render: (chain) => <Age at={chain.started_at} /> },
    { id: 'took', label: 'Took', width: '84px', align: 'end', narrow: 2, render: (chain) => <Took from={chain.started_at} to={chain.finished_at} /> },
    { id: 'error', label: 'Error', width: 'minmax(100px, 1.5fr)', narrow: 1, render: (chain) => chain.error && <span class="tone-bad about-error"><Text most={140}>{`${chain.error.code}: ${chain.error.message}`}</Text></span> },
  ];
  return (
    <>
      {!__REPORT__ && (
        <div class="filters filters-tab">
          <div class="chips" role="group" aria-label="Status">
            {chainStatuses.map((one) => (
              <button type="button" key={one} class="chip" aria-pressed={status === one} onClick={() => setQuery({ status: status === one ? '' : one })}>
                <Mark status={one} size={14} />
                {lookOf(one).word}
              </button>
            ))}
          </div>
          <label class="check filter-check">
            <input type="checkbox" checked={all} onChange={(event) => setQuery({ all: event.currentTarget.checked ? 'true' : '' })} />
            All descendants
          </label>
        </div>
      )}
      {first.problem.value && <ProblemBox problem={first.problem.value} retry={() => first.refresh()} />}
      <Table
        label="Child chains"
        rows={rows}
        columns={columns}
        keyOf={(chain) => chain.chain_id}
        open={__REPORT__ ? undefined : (chain) => go(href(['chains', chain.chain_id]))}
        hasMore={cursor !== undefined && !__REPORT__}
        more={() => void readMore()}
        empty={<Nothing title={first.loading.value && !page ? 'Loading child chains…' : 'It has started no other chains'} />}
      />
    </>
  );
}
