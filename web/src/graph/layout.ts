// Where the nodes of a graph stand. The same graph gives the same picture: nodes and edges are given to dagre in the order in which they came. A node may hold a graph
// of its own (a loop, branches): that is laid out first, and the node is as large as it needs.
import { Graph, layout } from '@dagrejs/dagre';
import { edgeKey } from './edge_key';

export interface LayoutNode {
  id: string;
  width: number;
  height: number;
  inner?: Level;
}

export interface Level {
  nodes: LayoutNode[];
  edges: { from: string; to: string }[];
}

export interface LayoutRequest {
  root: Level;
  direction: 'LR' | 'TB';
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface Layout {
  width: number;
  height: number;
  /** Upper left corners, in the order of the request, what holds others before what it holds. */
  boxes: Map<string, Box>;
  /** By `from`, a space and `to` as JSON. */
  edges: Map<string, Point[]>;
}

/** Above the nodes that a node holds: its own label. */
export const headerHeight = 46;
const padding = 12;

function layOutLevel(level: Level, direction: 'LR' | 'TB', margin: number): { width: number; height: number; boxes: Map<string, Box>; edges: Map<string, Point[]> } {
  const inner = new Map<string, ReturnType<typeof layOutLevel>>();
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: direction, nodesep: 20, ranksep: 40, edgesep: 10, marginx: margin, marginy: margin });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of level.nodes) {
    let { width, height } = node;
    if (node.inner) {
      const held = layOutLevel(node.inner, direction, padding);
      inner.set(node.id, held);
      width = Math.max(width, held.width);
      height = headerHeight + held.height;
    }
    graph.setNode(node.id, { width, height });
  }
  level.edges.forEach((edge, index) => graph.setEdge(edge.from, edge.to, {}, String(index)));
  layout(graph);
  const boxes = new Map<string, Box>();
  const edges = new Map<string, Point[]>();
  for (const node of level.nodes) {
    const at = graph.node(node.id) as { x: number; y: number; width: number; height: number };
    const box = { x: at.x - at.width / 2, y: at.y - at.height / 2, width: at.width, height: at.height };
    boxes.set(node.id, box);
    const held = inner.get(node.id);
    if (!held) continue;
    const left = box.x + (box.width - held.width) / 2;
    const top = box.y + headerHeight;
    for (const [id, one] of held.boxes) boxes.set(id, { ...one, x: one.x + left, y: one.y + top });
    for (const [key, points] of held.edges) edges.set(key, points.map((point) => ({ x: point.x + left, y: point.y + top })));
  }
  level.edges.forEach((edge, index) => {
    const { points } = graph.edge(edge.from, edge.to, String(index)) as { points: Point[] };
    edges.set(edgeKey(edge), points.map(({ x, y }) => ({ x, y })));
  });
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return { width: Math.max(0, width), height: Math.max(0, height), boxes, edges };
}

export const layOut = (request: LayoutRequest): Layout => layOutLevel(request.root, request.direction, 16);
