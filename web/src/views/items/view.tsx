// The item map of one fan-out: all of its items at once, from a picture down to one item.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useCommands } from '../../keys';
import { count, plural } from '../../format';
import { route, setQuery } from '../../router';
import { itemStatuses, type Cluster, type Step } from '../../types';
import { Icon } from '../../ui/icon';
import { Nothing, ProblemBox } from '../../ui/problem';
import { lookOf, Status } from '../../ui/status';
import { Table, type Column } from '../../ui/table';
import { Text } from '../../ui/text';
import type { ChainStore } from '../chain/store';
import { ActDialog, type ItemAct } from './act';
import { ItemPanel, readItem } from './item_panel';
import { describe, ItemMap, Swatch, type Selection } from './map';
import { failedCode, ItemModel, worstFirst } from './model';
import { Side } from './side';

const readEvery = 300;
const mostRuns = 200_000;

interface Run {
  code: number;
  first: number;
  count: number;
}

const columns = (itemAt: (at: number) => number): Column<Run>[] => [
  { id: 'status', label: 'Status', width: '130px', render: (run) => <Status status={itemStatuses[run.code] ?? 'pending'} /> },
  { id: 'items', label: 'Items', width: 'minmax(160px, 1fr)', render: (run) => <span class="number">{run.count === 1 ? count(itemAt(run.first)) : `${count(itemAt(run.first))} to ${count(itemAt(run.first + run.count - 1))}`}</span> },
  { id: 'count', label: 'How many', width: '110px', align: 'end', render: (run) => count(run.count) },
];

/** Reads the statuses, and reads them again while the step runs and somebody looks. */
function useModel(store: ChainStore, step: string, running: boolean): ItemModel {
  const model = useMemo(() => new ItemModel(store.id, step), [store.id, step]);
  const version = store.version.value;
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      if (document.visibilityState !== 'visible' && model.complete.peek()) {
        timer = setTimeout(read, readEvery);
        return;
      }
      const begun = performance.now();
      const whole = await model.read(abort.signal);
      if (abort.signal.aborted) return;
      // a fan-out whose statuses take long to read is read less often
      if (running || !whole) timer = setTimeout(read, Math.max(whole ? readEvery : 2000, 2 * (performance.now() - begun)));
    };
    void read();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
    // a chain that stands still is read when something became of it; one that runs is read anyway
  }, [model, running, running ? 0 : version]);
  return model;
}

export function ItemsView({ store, steps, step }: { store: ChainStore; steps: readonly Step[]; step: Step }) {
  const query = route.value.query;
  const running = !store.ended.value && step.status === 'running';
  const model = useModel(store, step.id, running);
  const version = model.version.value;

  const only = query.get('only') ?? undefined;
  const onlyCode = only === undefined ? -1 : itemStatuses.indexOf(only as (typeof itemStatuses)[number]);
  const [cluster, setCluster] = useState<Cluster | undefined>(undefined);
  const asTable = query.get('as') === 'table';
  const item = query.has('item') && /^\d{1,9}$/.test(query.get('item')!) ? Number(query.get('item')) : undefined;

  const [zoom, setZoom] = useState(0);
  const [levels, setLevels] = useState({ count: 1, perCell: 1 });
  const [cursor, setCursor] = useState(0);
  const [selection, setSelection] = useState<Selection | undefined>(undefined);
  const [acting, setActing] = useState<{ act: ItemAct; items: readonly number[] | Uint32Array } | undefined>(undefined);
  const [said, setSaid] = useState('');
  const anchor = useRef<number | undefined>(undefined);
  const page = useRef<HTMLDivElement>(null);

  useEffect(() => {
    setCursor(0);
    setSelection(undefined);
    setCluster(undefined);
    setZoom(0);
  }, [model]);
  // before the next key: what it selects is of what is shown then
  useLayoutEffect(() => {
    setSelection(undefined);
    setZoom(0);
  }, [only, cluster?.kind]);

  /** Items shown, where not all are: those of a group of errors, or of one status. */
  const order = useMemo(() => {
    if (cluster) {
      const items: number[] = [];
      for (const [first, number] of cluster.items ?? []) for (let at = first; at < first + number && at < model.width; at++) items.push(at);
      return Uint32Array.from(items);
    }
    return onlyCode >= 0 ? model.itemsOf(onlyCode) : undefined;
  }, [cluster, onlyCode, version, model]);
  const length = order ? order.length : model.width;
  const itemAt = (position: number) => (order ? order[position]! : position);
  const positionOf = (wanted: number) => (order ? order.indexOf(wanted) : wanted);
  const at = Math.min(cursor, Math.max(0, length - 1));
  const counts = model.counts;
  const failed = counts[failedCode]!;

  const openItem = (number: number | undefined) => setQuery({ item: number });
  const moveTo = (position: number, extend: boolean) => {
    if (extend) {
      anchor.current ??= at;
      setSelection({ from: anchor.current, to: position });
    } else {
      anchor.current = undefined;
    }
    setCursor(position);
    if (item !== undefined && !extend) openItem(itemAt(position));
    setSaid(describe(model, order, undefined, position));
  };
  const goTo = (number: number) => {
    let position = positionOf(number);
    if (position < 0 && (cluster || only !== undefined)) {
      setCluster(undefined);
      setQuery({ only: undefined, item: number });
      position = number;
    } else {
      openItem(number);
    }
    anchor.current = undefined;
    setCursor(Math.max(0, position));
    setSaid(describe(model, undefined, undefined, number));
  };
  /** To the next failed item, or the one before, from one end to the other. */
  const nextFailed = (direction: 1 | -1) => {
    if (failed === 0 || length === 0) {
      setSaid('No item has failed.');
      return;
    }
    const isFailed = (position: number) => model.codes[itemAt(position)] === failedCode;
    let position = -1;
    if (!order) {
      position = direction > 0 ? model.codes.indexOf(failedCode, at + 1) : at === 0 ? -1 : model.codes.lastIndexOf(failedCode, at - 1);
      if (position < 0) position = direction > 0 ? model.codes.indexOf(failedCode) : model.codes.lastIndexOf(failedCode);
    } else {
      for (let step = 1; step <= length && position < 0; step++) {
        const next = (at + direction * step + length * 2) % length;
        if (isFailed(next)) position = next;
      }
    }
    if (position < 0) return;
    moveTo(position, false);
    openItem(itemAt(position));
  };
  const zoomBy = (by: number) => setZoom(Math.max(0, Math.min(levels.count - 1, Math.min(zoom, levels.count - 1) + by)));
  const setOnly = (status: string | undefined) => {
    setCluster(undefined);
    setCursor(0);
    setQuery({ only: status, item: undefined });
  };

  // An address that names an item shows it.
  const first = useRef(true);
  useEffect(() => {
    if (!first.current || !model.complete.value || item === undefined) return;
    first.current = false;
    const position = positionOf(item);
    if (position >= 0) setCursor(position);
  }, [model.complete.value]);

  const range = selection && { from: Math.min(selection.from, selection.to), to: Math.min(Math.max(selection.from, selection.to), length - 1) };
  const selected = useMemo(() => {
    if (!range) return undefined;
    const items = new Uint32Array(Math.max(0, range.to - range.from + 1));
    for (let index = 0; index < items.length; index++) items[index] = itemAt(range.from + index);
    return items;
  }, [range?.from, range?.to, order]);
  const selectedFailed = useMemo(() => (selected ? selected.reduce((sum, one) => sum + (model.codes[one] === failedCode ? 1 : 0), 0) : 0), [selected, version]);
  const mayAct = !__REPORT__;
  const act = (what: ItemAct) => {
    if (selected) setActing({ act: what, items: selected });
  };

  useCommands(
    [
      { keys: ['n'], title: 'Next failed item', group: 'Item map', run: () => nextFailed(1) },
      { keys: ['p'], title: 'Failed item before', group: 'Item map', run: () => nextFailed(-1) },
      { keys: ['f'], title: 'Failed items only', group: 'Item map', run: () => setOnly(only === 'failed' ? undefined : 'failed') },
      { keys: ['+', '='], title: 'Zoom in', group: 'Item map', run: () => zoomBy(1) },
      { keys: ['-'], title: 'Zoom out', group: 'Item map', run: () => zoomBy(-1) },
      { keys: ['0'], title: 'All items in sight', group: 'Item map', run: () => setZoom(0) },
      { keys: ['v'], title: 'Picture or table', group: 'Item map', run: () => setQuery({ as: asTable ? undefined : 'table' }) },
      { keys: ['Shift+a'], title: 'Select all that is shown', group: 'Item map', disabled: length === 0, run: () => setSelection({ from: 0, to: length - 1 }) },
      { keys: ['Shift+r'], title: 'Retry the selected items', group: 'Item map', disabled: !selected || !mayAct, run: () => act('retry') },
      { keys: ['Shift+k'], title: 'Skip the selected items', group: 'Item map', disabled: !selected || !mayAct, run: () => act('skip') },
      { keys: ['Shift+d'], title: 'Resolve the selected items', group: 'Item map', disabled: !selected || !mayAct, run: () => act('resolve') },
      { keys: ['Escape'], title: 'Close the item, end the selection', group: 'Item map', quiet: true, disabled: item === undefined && !selection && !cluster, run: () => (item !== undefined ? openItem(undefined) : selection ? setSelection(undefined) : setCluster(undefined)) },
    ],
  );

  const about = async (number: number) => {
    const found = await readItem(store.id, step.id, number);
    if (!found) return undefined;
    if (found.error) return `${found.error.code}: ${found.error.message}`.slice(0, 240);
    if (found.value !== undefined) return JSON.stringify(found.value).slice(0, 160);
    return found.value_begins?.slice(0, 160);
  };

  const table = useMemo(() => {
    if (!asTable) return undefined;
    if (!order) return model.runs(mostRuns);
    const runs: Run[] = [];
    for (let position = 0; position < order.length && runs.length < mostRuns; position++) runs.push({ code: model.codes[order[position]!]!, first: position, count: 1 });
    return { runs, cut: runs.length < order.length };
  }, [asTable, order, version]);

  const problem = model.problem.value;
  const settled = counts[itemStatuses.indexOf('succeeded')]! + failed + counts[itemStatuses.indexOf('not_needed')]!;
  const shownStatuses = itemStatuses.filter((status) => counts[itemStatuses.indexOf(status)]! > 0 || status === only);
  shownStatuses.sort((left, right) => worstFirst.indexOf(left) - worstFirst.indexOf(right));

  return (
    <div class="items" ref={page}>
      <div class="items-main">
        <div class="items-bar" role="toolbar" aria-label="Item map">
          {steps.length > 1 ? (
            <select aria-label="Fan-out" value={step.id} onChange={(event) => setQuery({ fan: event.currentTarget.value, item: undefined, only: undefined })}>
              {steps.slice(0, 1000).map((one) => (
                <option key={one.id} value={one.id} selected={one.id === step.id}>
                  {one.id} ({one.status})
                </option>
              ))}
            </select>
          ) : (
            <strong><Text most={60}>{step.id}</Text></strong>
          )}
          <span class="dim number" role="status">
            {model.width === 0 ? (model.complete.value ? 'no items' : 'Reading…') : settled === model.width ? plural(model.width, 'item') : `${count(settled)} of ${plural(model.width, 'item')} settled`}
          </span>
          <div class="chips items-legend" role="group" aria-label="Show only">
            {shownStatuses.map((status) => (
              <button type="button" key={status} class="chip" aria-pressed={only === status} title={`Only ${lookOf(status).word} items`} onClick={() => setOnly(only === status ? undefined : status)}>
                <Swatch status={status} />
                {lookOf(status).word} <span class="number">{count(counts[itemStatuses.indexOf(status)]!)}</span>
              </button>
            ))}
          </div>
          <span class="items-tools">
            {failed > 0 && (
              <>
                <button type="button" class="button-icon" aria-label="Failed item before" title="Failed item before (P)" onClick={() => nextFailed(-1)}>
                  <Icon name="left" />
                </button>
                <button type="button" class="button-icon" aria-label="Next failed item" title="Next failed item (N)" onClick={() => nextFailed(1)}>
                  <Icon name="right" />
                </button>
              </>
            )}
            {!asTable && (
              <>
                <button type="button" class="button-icon" aria-label="Zoom out" title="Zoom out (-)" disabled={zoom <= 0} onClick={() => zoomBy(-1)}>
                  <Icon name="minus" />
                </button>
                <button type="button" class="button-icon" aria-label="Zoom in" title="Zoom in (+)" disabled={zoom >= levels.count - 1} onClick={() => zoomBy(1)}>
                  <Icon name="plus" />
                </button>
                <button type="button" class="button-icon" aria-label="All items in sight" title="All items in sight (0)" onClick={() => setZoom(0)}>
                  <Icon name="fit" />
                </button>
              </>
            )}
            <button type="button" class="button button-small" aria-pressed={asTable} title="The same as rows (V)" onClick={() => setQuery({ as: asTable ? undefined : 'table' })}>
              <Icon name="list" size={14} /> Table
            </button>
          </span>
        </div>
        {problem && <ProblemBox problem={problem} />}
        {asTable && table ? (
          <Table
            label="Items"
            rows={table.runs}
            columns={columns(itemAt)}
            keyOf={(run) => String(run.first)}
            open={(run) => {
              setCursor(run.first);
              openItem(itemAt(run.first));
            }}
            current={item === undefined ? undefined : String(positionOf(item))}
            empty={<Nothing title="No items" />}
          />
        ) : (
          <ItemMap
            model={model}
            order={order}
            zoom={zoom}
            setZoom={setZoom}
            cursor={length === 0 ? -1 : at}
            moveTo={moveTo}
            selection={range}
            select={(next) => {
              anchor.current = next?.from;
              setSelection(next);
            }}
            open={(position) => {
              openItem(itemAt(position));
            }}
            about={about}
            shown={(number, perCell) => setLevels((before) => (before.count === number && before.perCell === perCell ? before : { count: number, perCell }))}
          />
        )}
        {selected ? (
          <div class="items-note items-selected" role="toolbar" aria-label="With the selected items">
            <strong role="status">
              {plural(selected.length, 'item')} selected{selectedFailed > 0 && `, ${count(selectedFailed)} failed`}
            </strong>
            <span class="dim number">{selected.length > 0 && `${count(selected[0]!)} to ${count(selected.at(-1)!)}`}</span>
            {mayAct && (
              <>
                <button type="button" class="button button-small" onClick={() => act('retry')}>Retry…</button>
                <button type="button" class="button button-small" onClick={() => act('skip')}>Skip…</button>
                <button type="button" class="button button-small" onClick={() => act('resolve')}>Resolve…</button>
              </>
            )}
            <button type="button" class="link" onClick={() => setSelection(undefined)}>
              Clear
            </button>
          </div>
        ) : (
          <p class="items-note">
            {table?.cut
              ? `The first ${count(mostRuns)} rows. Use the filters to see the others.`
              : cluster
                ? `${plural(order!.length, 'item')} that failed alike${cluster.more_items ? ', the first of them' : ''}.`
                : only !== undefined
                  ? `Only ${lookOf(only).word} items.`
                  : levels.perCell > 1
                    ? `A cell stands for ${count(levels.perCell)} items and shows the worst of them. Drag to select; zoom to see each.`
                    : 'Drag, or Shift and arrow keys, to select.'}{' '}
            {(cluster || only !== undefined) && (
              <button
                type="button"
                class="link"
                onClick={() => {
                  setCluster(undefined);
                  setOnly(undefined);
                }}
              >
                Show all items
              </button>
            )}
          </p>
        )}
        <p class="sr-only" id="map-here" role="status" aria-live="polite">
          {said}
        </p>
      </div>
      <aside class={`items-side${item === undefined ? '' : ' items-side-item'}`} aria-label="About the items" tabIndex={-1}>
        {item !== undefined && item < Math.max(model.width, 1) ? (
          <ItemPanel
            key={item}
            chain={store.id}
            step={step.id}
            item={item}
            status={model.statusOf(item)}
            version={version}
            close={() => openItem(undefined)}
            to={(direction) => {
              const next = positionOf(item) + direction;
              if (next >= 0 && next < length) moveTo(next, false);
            }}
            act={mayAct ? (what) => setActing({ act: what, items: [item] }) : undefined}
          />
        ) : (
          <Side
            chain={store.id}
            step={step.id}
            failed={failed}
            version={running ? version : store.version.value}
            cluster={cluster?.kind}
            choose={(next) => {
              setQuery({ only: undefined });
              setCursor(0);
              setCluster(next);
            }}
            retry={
              mayAct
                ? (one) => {
                    const items: number[] = [];
                    for (const [begin, number] of one.items ?? []) for (let index = begin; index < begin + number; index++) items.push(index);
                    setActing({ act: 'retry', items });
                  }
                : undefined
            }
            goTo={goTo}
          />
        )}
      </aside>
      {!__REPORT__ && acting && (
        <ActDialog
          act={acting.act}
          model={model}
          items={acting.items}
          close={(sent) => {
            setActing(undefined);
            if (sent) {
              setSelection(undefined);
              store.refresh();
            }
          }}
        />
      )}
    </div>
  );
}
