// What of a graph is shown: blocks open or closed, and above a number of nodes, rows of steps and steps that stand side by side as one. Pure.
import type { Graph, GraphNode } from '../types';
import type { Level, LayoutNode } from './layout';

/** So many nodes are shown one by one; a larger graph is shown in groups, which can be opened. */
export const nodesMost = 300;

export interface ShownNode {
  id: string;
  /** Undefined: a group of steps. */
  node?: GraphNode;
  members?: GraphNode[];
  shape?: 'row' | 'side' | 'rank';
  /** It holds others, and they are shown within it. */
  open?: boolean;
  /** It holds others: a loop, branches. */
  holds: number;
  depth: number;
}

export interface ShownEdge {
  from: string;
  to: string;
  kind: string;
}

export interface ShownGraph {
  nodes: ShownNode[];
  edges: ShownEdge[];
  root: Level;
  /** That were not opened. */
  groups: number;
}

interface Unit {
  id: string;
  members: GraphNode[];
  shape?: ShownNode['shape'];
}

export const nodeWidth = 196;
const plainHeight = 46;
const countsHeight = 78;

export const heightOf = (node: GraphNode | undefined) => (node && node.kind === 'fan_out' ? countsHeight : plainHeight);

const groupId = (shape: string, members: GraphNode[]) => `group:${shape}:${members[0]!.id}`;

/** Edges between units, each once; an edge within a unit is none. */
function edgesBetween(units: Unit[], edges: ShownEdge[]): ShownEdge[] {
  const unitOf = new Map<string, string>();
  for (const unit of units) for (const member of unit.members) unitOf.set(member.id, unit.id);
  const seen = new Set<string>();
  const found: ShownEdge[] = [];
  for (const edge of edges) {
    const from = unitOf.get(edge.from);
    const to = unitOf.get(edge.to);
    if (from === undefined || to === undefined || (from === to && edge.from !== edge.to)) continue;
    const key = JSON.stringify([from, to, edge.kind]);
    if (seen.has(key)) continue;
    seen.add(key);
    found.push({ from, to, kind: edge.kind });
  }
  return found;
}

function neighbours(edges: ShownEdge[]) {
  const before = new Map<string, Set<string>>();
  const after = new Map<string, Set<string>>();
  const add = (map: Map<string, Set<string>>, key: string, value: string) => {
    const held = map.get(key);
    if (held) held.add(value);
    else map.set(key, new Set([value]));
  };
  for (const edge of edges) {
    add(before, edge.to, edge.from);
    add(after, edge.from, edge.to);
  }
  return { before, after };
}

const merge = (units: Unit[], shape: 'row' | 'side' | 'rank'): Unit => {
  const members = units.flatMap((unit) => unit.members);
  return { id: groupId(shape, members), members, shape };
};

/** Steps one behind the other, with nothing beside them, as one. */
function withRows(units: Unit[], edges: ShownEdge[], least: number, opened: ReadonlySet<string>): Unit[] {
  const { before, after } = neighbours(edges);
  const single = (map: Map<string, Set<string>>, id: string) => {
    const held = map.get(id);
    return held && held.size === 1 ? [...held][0] : undefined;
  };
  const byId = new Map(units.map((unit) => [unit.id, unit]));
  const rowOf = new Map<string, Unit>();
  const inRow = new Set<string>();
  for (const unit of units) {
    if (inRow.has(unit.id)) continue;
    const previous = single(before, unit.id);
    if (previous !== undefined && single(after, previous) === unit.id && previous !== unit.id && !inRow.has(previous)) continue; // not its begin
    const row = [unit];
    for (let next = single(after, unit.id); next !== undefined && single(before, next) === row.at(-1)!.id && !row.some((one) => one.id === next); next = single(after, next)) row.push(byId.get(next)!);
    if (row.length < least) continue;
    const merged = merge(row, 'row');
    if (opened.has(merged.id)) continue;
    for (const one of row) inRow.add(one.id);
    rowOf.set(unit.id, merged);
  }
  return units.flatMap((unit) => rowOf.get(unit.id) ?? (inRow.has(unit.id) ? [] : [unit]));
}

/** Steps that wait for the same and are waited for by the same, as one. */
function withSides(units: Unit[], edges: ShownEdge[], least: number, opened: ReadonlySet<string>): Unit[] {
  const { before, after } = neighbours(edges);
  const keyOf = (unit: Unit) => JSON.stringify([[...(before.get(unit.id) ?? [])].sort(), [...(after.get(unit.id) ?? [])].sort()]);
  const sides = new Map<string, Unit[]>();
  for (const unit of units) {
    const key = keyOf(unit);
    const held = sides.get(key);
    if (held) held.push(unit);
    else sides.set(key, [unit]);
  }
  const shown = new Set<string>();
  return units.flatMap((unit) => {
    const side = sides.get(keyOf(unit))!;
    if (side.length < least) return [unit];
    const merged = merge(side, 'side');
    if (opened.has(merged.id)) return [unit];
    if (shown.has(merged.id)) return [];
    shown.add(merged.id);
    return [merged];
  });
}

/** The last resort: steps of the same distance from the beginning, as one. Steps of circles have the rank that they are first met with. */
function withRanks(units: Unit[], edges: ShownEdge[], opened: ReadonlySet<string>): Unit[] {
  const { before, after } = neighbours(edges);
  const rank = new Map<string, number>();
  const waits = new Map(units.map((unit) => [unit.id, [...(before.get(unit.id) ?? [])].filter((id) => id !== unit.id).length]));
  let ready = units.filter((unit) => waits.get(unit.id) === 0).map((unit) => unit.id);
  for (let at = 0; ready.length > 0; at++) {
    const next: string[] = [];
    for (const id of ready) {
      rank.set(id, at);
      for (const to of after.get(id) ?? []) {
        const left = (waits.get(to) ?? 0) - 1;
        waits.set(to, left);
        if (left === 0 && !rank.has(to)) next.push(to);
      }
    }
    ready = next;
  }
  const ranks = new Map<number, Unit[]>();
  for (const unit of units) {
    const at = rank.get(unit.id) ?? -1;
    const held = ranks.get(at);
    if (held) held.push(unit);
    else ranks.set(at, [unit]);
  }
  return [...ranks.entries()].sort(([left], [right]) => left - right).flatMap(([, all]) => {
    if (all.length < 3) return all;
    const merged = merge(all, 'rank');
    return opened.has(merged.id) ? all : [merged];
  });
}

function grouped(nodes: GraphNode[], edges: ShownEdge[], most: number, opened: ReadonlySet<string>): Unit[] {
  let units: Unit[] = nodes.map((node) => ({ id: node.id, members: [node] }));
  for (let pass = 0; pass < 8 && units.length > most; pass++) {
    const size = units.length;
    units = withRows(units, edgesBetween(units, edges), 3, opened);
    if (units.length > most) units = withSides(units, edgesBetween(units, edges), 3, opened);
    if (units.length === size) break;
  }
  if (units.length > most) units = withRanks(units, edgesBetween(units, edges), opened);
  return units;
}

/** `opened`: blocks and groups that somebody has opened; `closed`: blocks that somebody has closed. */
export function shownGraph(graph: Graph, opened: ReadonlySet<string>, closed: ReadonlySet<string>): ShownGraph {
  const large = graph.nodes.length > nodesMost;
  const byParent = new Map<string, GraphNode[]>();
  for (const node of graph.nodes) {
    const parent = node.parent ?? '';
    const held = byParent.get(parent);
    if (held) held.push(node);
    else byParent.set(parent, [node]);
  }
  const parentOf = new Map(graph.nodes.map((node) => [node.id, node.parent ?? '']));
  const edgesOf = new Map<string, ShownEdge[]>();
  for (const edge of graph.edges) {
    const parent = parentOf.get(edge.from);
    if (parent === undefined || parentOf.get(edge.to) !== parent) continue;
    const held = edgesOf.get(parent);
    if (held) held.push(edge);
    else edgesOf.set(parent, [edge]);
  }
  const shown: ShownGraph = { nodes: [], edges: [], root: { nodes: [], edges: [] }, groups: 0 };
  const level = (parent: string, depth: number): Level => {
    const nodes = byParent.get(parent) ?? [];
    const edges = edgesOf.get(parent) ?? [];
    const units = large ? grouped(nodes, edges, depth === 0 ? nodesMost : 40, opened) : nodes.map((node) => ({ id: node.id, members: [node], shape: undefined }));
    const between = edgesBetween(units, edges);
    const made: LayoutNode[] = [];
    for (const unit of units) {
      if (unit.shape) {
        shown.groups++;
        shown.nodes.push({ id: unit.id, members: unit.members, shape: unit.shape, holds: 0, depth });
        made.push({ id: unit.id, width: nodeWidth, height: plainHeight });
        continue;
      }
      const node = unit.members[0]!;
      const holds = byParent.get(node.id)?.length ?? 0;
      const open = holds > 0 && depth < 8 && (opened.has(node.id) || (!large && !closed.has(node.id)));
      shown.nodes.push({ id: node.id, node, holds, open, depth });
      made.push({ id: node.id, width: nodeWidth, height: heightOf(node), inner: open ? level(node.id, depth + 1) : undefined });
    }
    shown.edges.push(...between);
    // dagre wants no edge twice; kinds beside each other are drawn along the same line
    const seen = new Set<string>();
    return { nodes: made, edges: between.filter((edge) => !seen.has(`${edge.from} ${edge.to}`) && seen.add(`${edge.from} ${edge.to}`)).map(({ from, to }) => ({ from, to })) };
  };
  shown.root = level('', 0);
  return shown;
}
