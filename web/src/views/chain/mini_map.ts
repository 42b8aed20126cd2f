// The item map of a fan-out within its node of the graph: few cells, each with the worst of the items that it stands for, and how many items have each status.
import { useEffect, useRef } from 'preact/hooks';
import { allPages, stepPath } from '../../api';
import { count } from '../../format';
import { useLoaded } from '../../resource';
import { itemStatuses, type ItemRun, type ItemStates, type ItemStatus, type Step } from '../../types';
import { lookOf } from '../../ui/status';
import { worstFirst } from '../items/model';
import type { ChainStore } from './store';

const columns = 43;
const rows = 2;
const rowHeight = 7;
const runsMost = 20_000;
export const miniHeight = rows * rowHeight;

/** From the top of a cell, and how high: statuses differ in their shape as in their colour. */
const shapes: Record<ItemStatus, [number, number]> = { succeeded: [0, 6], failed: [0, 6], in_doubt: [0, 3], waiting: [2, 4], running: [3, 3], queued: [5, 1], not_needed: [2.5, 1] };

export interface MiniMap {
  /** A path for each status that a cell has. */
  paths: [ItemStatus, string][];
  /** By number, the worst status first. */
  counts: [ItemStatus, number][];
}

/** The worst status of each cell. Items that no run has are as queued ones. Pure. */
export function cellsOf(runs: readonly ItemRun[], width: number, cells: number): ItemStatus[] {
  const ranks = new Array<number>(cells).fill(worstFirst.length);
  for (const [status, first, number] of runs) {
    const rank = worstFirst.indexOf(status);
    const last = Math.min(cells - 1, Math.floor(((first + number - 1) * cells) / width));
    for (let cell = Math.floor((first * cells) / width); cell <= last; cell++) if (rank < ranks[cell]!) ranks[cell] = rank;
  }
  return ranks.map((rank) => worstFirst[rank] ?? 'queued');
}

export function drawMini(runs: readonly ItemRun[], width: number, room: number): MiniMap {
  const cells = Math.min(width, columns * rows);
  const perRow = Math.min(cells, columns);
  const step = Math.min(14, room / perRow);
  const paths = new Map<ItemStatus, string>();
  for (const [cell, status] of cellsOf(runs, width, cells).entries()) {
    const [top, height] = shapes[status];
    const x = (cell % perRow) * step;
    const y = Math.floor(cell / perRow) * rowHeight + top;
    paths.set(status, `${paths.get(status) ?? ''}M${x.toFixed(1)} ${y}h${(step - 0.6).toFixed(1)}v${height}h-${(step - 0.6).toFixed(1)}z`);
  }
  const counts = new Map<ItemStatus, number>();
  for (const [status, , number] of runs) counts.set(status, (counts.get(status) ?? 0) + number);
  const inOrder = <Value>(map: Map<ItemStatus, Value>) => worstFirst.flatMap((status): [ItemStatus, Value][] => (map.has(status) ? [[status, map.get(status)!]] : []));
  return { paths: inOrder(paths), counts: inOrder(counts) };
}

export const wordsOf = (counts: MiniMap['counts'], all = true) =>
  counts.filter(([status]) => all || status !== 'succeeded').map(([status, number]) => `${count(number)} ${lookOf(status).word}`);

/** The map of a step; nothing until it is there, and where it is not `wanted`. It is read anew with the step, which the store reads twice a second while it runs. */
export function useMiniMap(store: ChainStore, step: Step | undefined, room: number, wanted: boolean): MiniMap | undefined {
  const items = wanted ? step?.items : undefined;
  const path = items && items.total > 0 ? stepPath(store.id, step!.id, '/items:states') : undefined;
  const states = useLoaded(path, (signal) => allPages<ItemStates, ItemRun>(path!, (page) => page.runs.filter(([status]) => itemStatuses.includes(status)), { most: runsMost, signal }));
  const going = step?.status === 'running';
  const asked = useRef<string | undefined>(undefined);
  useEffect(() => {
    // the first time it is asked for anyway
    if (path !== undefined && asked.current === path) states.refresh();
    asked.current = path;
  }, [path, step?.visit, step?.status, going && store.version.value]);
  const held = states.value.value;
  return held && held.last.width > 0 ? drawMini(held.rows, held.last.width, room) : undefined;
}
