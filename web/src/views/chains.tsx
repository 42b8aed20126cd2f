// All chains, newest first: as they are written, with filters that stand in the address.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useCommands } from '../keys';
import { acts, type Act } from '../actions';
import { count, plural } from '../format';
import { href, go, route, setQuery } from '../router';
import { remembered } from '../storage';
import { chainStatuses, type ListedChain } from '../types';
import { Icon } from '../ui/icon';
import { Menu } from '../ui/menu';
import { Nothing, ProblemBox } from '../ui/problem';
import { lookOf, Mark, Status } from '../ui/status';
import { Table, type Column } from '../ui/table';
import { Text } from '../ui/text';
import { Age, Took } from '../ui/time';
import { BulkDialog } from './chains/bulk';
import { chainList, filtersOf, type Filters } from './chains/list';
import { SaveView } from './chains/save_view';

interface SavedView {
  name: string;
  query: string;
}

const isSaved = (value: unknown): value is SavedView[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null && typeof (one as SavedView).name === 'string' && typeof (one as SavedView).query === 'string');

const saved = remembered<SavedView[]>('views', [], isSaved);
const builtIn: readonly SavedView[] = [
  { name: 'All', query: '' },
  { name: 'Running', query: 'status=pending,running' },
  { name: 'Needs attention', query: 'status=failed,paused,quarantined' },
  { name: 'Last hour', query: 'since=1h' },
];

/** The same filters have the same text, in whatever order they were set. */
const canonical = (query: URLSearchParams) => {
  const sorted = new URLSearchParams(query);
  sorted.sort();
  return sorted.toString();
};

function Progress({ chain }: { chain: ListedChain }) {
  const { settled, total } = chain.steps;
  const share = total === 0 ? 0 : Math.min(1, settled / total);
  return (
    <span class="progress" title={`${settled} of ${plural(total, 'step')} settled`}>
      <svg width="44" height="6" aria-hidden="true" class={`tone-${lookOf(chain.status).tone}`}>
        <rect class="progress-ground" width="44" height="6" rx="3" />
        <rect class="progress-done" width={44 * share} height="6" rx="3" />
      </svg>
      <span class="number">
        {count(settled)}/{count(total)}
      </span>
    </span>
  );
}

function Labels({ labels }: { labels?: Record<string, string> }) {
  const pairs = Object.entries(labels ?? {}).sort(([left], [right]) => (left < right ? -1 : 1));
  if (pairs.length === 0) return null;
  return (
    <span class="labels">
      {pairs.slice(0, 4).map(([key, value]) => (
        <button
          type="button"
          key={key}
          class="label"
          tabIndex={-1}
          title={`Only chains with ${key}=${value}`.slice(0, 300)}
          onClick={(event) => {
            event.stopPropagation();
            setQuery({ label: `${key}=${value}` });
          }}
        >
          <Text most={24}>{key}</Text>=<Text most={32}>{value}</Text>
        </button>
      ))}
      {pairs.length > 4 && <span class="dim">+{pairs.length - 4}</span>}
    </span>
  );
}

const columns: readonly Column<ListedChain>[] = [
  { id: 'status', label: 'Status', width: '112px', render: (chain) => <Status status={chain.status} /> },
  {
    id: 'id',
    label: 'Chain',
    width: 'minmax(150px, 1.6fr)',
    render: (chain) => (
      <a href={href(['chains', chain.chain_id])} tabIndex={-1}>
        <Text most={120}>{chain.chain_id}</Text>
      </a>
    ),
  },
  { id: 'name', label: 'Definition', width: 'minmax(90px, 1fr)', narrow: 2, render: (chain) => <Text most={80}>{chain.name}</Text> },
  { id: 'steps', label: 'Steps', width: '112px', narrow: 2, render: (chain) => <Progress chain={chain} /> },
  { id: 'started', label: 'Started', width: '84px', render: (chain) => <Age at={chain.started_at} /> },
  { id: 'took', label: 'Took', width: '84px', align: 'end', narrow: 2, render: (chain) => <Took from={chain.started_at} to={chain.finished_at} /> },
  {
    id: 'about',
    label: 'Labels and error',
    width: 'minmax(120px, 1.5fr)',
    narrow: 1,
    render: (chain) => (
      <span class="about">
        <Labels labels={chain.labels} />
        {chain.error && (
          <span class="tone-bad about-error">
            <Text most={120}>{`${chain.error.code}: ${chain.error.message}`}</Text>
          </span>
        )}
      </span>
    ),
  },
];

/** A field whose text goes into the address when it is left, or a moment after the last key. */
function FilterField({ name, label, placeholder, width }: { name: keyof Filters; label: string; placeholder: string; width: number }) {
  const value = route.value.query.get(name) ?? '';
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const own = useRef(value);
  useEffect(() => {
    // the address has changed elsewhere: a saved view, Back, a label that was clicked
    if (value !== own.current) {
      own.current = value;
      setText(value);
    }
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const apply = (next: string) => {
    clearTimeout(timer.current);
    own.current = next.trim();
    setQuery({ [name]: next.trim() });
  };
  return (
    <input
      type="text"
      class="filter-field"
      id={`filter-${name}`}
      aria-label={label}
      placeholder={placeholder}
      title={label}
      style={{ width: `${width}px` }}
      spellcheck={false}
      autocomplete="off"
      value={text}
      onInput={(event) => {
        const next = event.currentTarget.value;
        setText(next);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => apply(next), 300);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply(event.currentTarget.value);
        if (event.key === 'Escape') event.currentTarget.blur();
      }}
      onBlur={(event) => event.currentTarget.value.trim() !== own.current && apply(event.currentTarget.value)}
    />
  );
}

const times: readonly [string, string][] = [
  ['', 'Any time'],
  ['15m', 'Last 15 minutes'],
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
];

function FilterBar({ filters }: { filters: Filters }) {
  const statuses = new Set(filters.status?.split(',').filter(Boolean));
  const toggle = (status: string) => {
    const next = new Set(statuses);
    if (!next.delete(status)) next.add(status);
    setQuery({ status: chainStatuses.filter((one) => next.has(one)).join(',') });
  };
  const any = Object.values(filters).some(Boolean);
  return (
    <div class="filters" role="search" aria-label="Filters">
      <div class="chips" role="group" aria-label="Status">
        {chainStatuses.map((status) => (
          <button type="button" key={status} class="chip" aria-pressed={statuses.has(status)} onClick={() => toggle(status)}>
            <Mark status={status} size={14} />
            {lookOf(status).word}
          </button>
        ))}
      </div>
      <FilterField name="name" label="Name of the definition, or a pattern of it" placeholder="Definition" width={130} />
      <FilterField name="label" label="Label: key=value, several with commas" placeholder="Label key=value" width={150} />
      <FilterField name="namespace" label="Namespace" placeholder="Namespace" width={110} />
      <select aria-label="Started" value={filters.since ?? ''} onChange={(event) => setQuery({ since: event.currentTarget.value })}>
        {times.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
        {filters.since && !times.some(([value]) => value === filters.since) && <option value={filters.since}>Since {filters.since.slice(0, 40)}</option>}
      </select>
      <label class="check filter-check">
        <input type="checkbox" checked={filters.all === 'true'} onChange={(event) => setQuery({ all: event.currentTarget.checked ? 'true' : '' })} />
        Child chains
      </label>
      {any && (
        <button type="button" class="link" onClick={() => go('#/chains', { replace: true })}>
          Clear
        </button>
      )}
    </div>
  );
}

export default function Chains() {
  const filters = useMemo(() => filtersOf(route.value.query), [route.value]);
  const key = canonical(new URLSearchParams(Object.entries(filters) as [string, string][]));
  const list = useMemo(() => chainList(filters), [key]);
  useEffect(() => list.open(), [list]);
  const rows = list.rows.value;
  const [chosen, setChosen] = useState<Set<string>>(new Set());
  const [bulk, setBulk] = useState<Act | undefined>(undefined);
  const [saving, setSaving] = useState(false);
  useEffect(() => setChosen(new Set()), [key]);

  const chosenRows = useMemo(() => rows.filter((row) => chosen.has(row.chain_id)), [rows, chosen]);
  const compare = () => go(href(['compare', ...chosenRows.map((row) => row.chain_id).reverse()])); // the older one first
  const mayBulk = (one: Act) => chosenRows.some((row) => one.may(row.status));

  useCommands(
    [
      { keys: ['/'], title: 'Filter by definition', group: 'Chains', run: () => document.getElementById('filter-name')?.focus() },
      { keys: ['l'], title: 'Filter by label', group: 'Chains', run: () => document.getElementById('filter-label')?.focus() },
      { keys: ['Shift+x'], title: 'Clear all filters', group: 'Chains', run: () => go('#/chains', { replace: true }) },
      { keys: ['Shift+s'], title: 'Save these filters as a view', group: 'Chains', run: () => setSaving(true) },
      ...acts.map((one) => ({ keys: one.key === undefined ? undefined : [one.key], title: `${one.label} the chosen chains`, group: 'Chains', disabled: !mayBulk(one), run: () => setBulk(one) })),
      { keys: ['='], title: 'Compare the two chosen chains', group: 'Chains', disabled: chosenRows.length !== 2, run: compare },
      ...builtIn.map((view) => ({ title: `View: ${view.name}`, group: 'Chains', run: () => go(`#/chains${view.query && `?${view.query}`}`) })),
      ...saved.value.map((view) => ({ title: `View: ${view.name}`, group: 'Chains', run: () => go(`#/chains${view.query && `?${view.query}`}`) })),
    ],
  );

  const views = [...builtIn, ...saved.value];
  const problem = list.problem.value;
  return (
    <>
      <div class="view-head">
        <h1>Chains</h1>
        <nav class="saved" aria-label="Saved views">
          {views.map((view, index) => {
            const here = canonical(new URLSearchParams(view.query)) === key;
            return (
              <a key={`${index}/${view.name}`} href={`#/chains${view.query && `?${view.query}`}`} aria-current={here ? 'true' : undefined}>
                <Text most={40}>{view.name}</Text>
              </a>
            );
          })}
        </nav>
        <div class="view-actions">
          <Menu
            label="Saved views"
            className="button-icon"
            items={[
              { id: 'save', label: 'Save these filters as a view', run: () => setSaving(true) },
              ...saved.value.map((view, index) => ({
                id: `forget-${index}`,
                danger: true,
                label: <>Forget “<Text most={30}>{view.name}</Text>”</>,
                run: () => (saved.value = saved.value.filter((one) => one !== view)),
              })),
            ]}
          >
            <Icon name="star" />
          </Menu>
        </div>
      </div>
      {chosen.size === 0 ? (
        <FilterBar filters={filters} />
      ) : (
        <div class="filters bulk" role="toolbar" aria-label="With the chosen chains">
          <strong role="status">{plural(chosen.size, 'chain')} selected</strong>
          {acts.map((one) => (
            <button type="button" key={one.id} class="button button-small" disabled={!mayBulk(one)} onClick={() => setBulk(one)}>
              {one.label}
            </button>
          ))}
          <button type="button" class="button button-small" disabled={chosenRows.length !== 2} onClick={compare}>
            Compare
          </button>
          <button type="button" class="link" onClick={() => setChosen(new Set())}>
            Clear
          </button>
        </div>
      )}
      {problem && <ProblemBox problem={problem} retry={() => list.refresh()} />}
      <Table
        label="Chains"
        rows={rows}
        columns={columns}
        keyOf={(chain) => chain.chain_id}
        open={(chain) => go(href(['chains', chain.chain_id]))}
        selection={{ chosen, change: setChosen }}
        hasMore={list.hasMore.value}
        more={() => list.more()}
        empty={
          problem ? (
            <Nothing title="The chains cannot be listed" />
          ) : list.loading.value ? (
            <Nothing title="Loading chains…" />
          ) : key === '' ? (
            <Nothing title="No chains yet">
              Start one: <code>catena submit DEFINITION</code>. It appears here by itself.
            </Nothing>
          ) : (
            <Nothing title="No chain fits these filters">
              <a href="#/chains">Show all chains</a>
            </Nothing>
          )
        }
      />
      {list.full.value && <p class="table-note">{plural(rows.length, 'chain')} are loaded, as many as the page holds. Use filters to see older ones.</p>}
      {bulk && (
        <BulkDialog
          act={bulk}
          chains={chosenRows}
          close={(worked) => {
            setBulk(undefined);
            if (worked) setChosen(new Set());
            list.refresh();
          }}
        />
      )}
      {saving && (
        <SaveView
          taken={views.map((view) => view.name)}
          close={(name) => {
            setSaving(false);
            if (name !== undefined) saved.value = [...saved.value, { name, query: key }];
          }}
        />
      )}
    </>
  );
}
