// The chain as a picture: the same nodes and edges as `catena graph`, with what each has come to. Only what is in sight is in the document.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { chainPath } from '../../api';
import { count, plain, plural } from '../../format';
import { edgeKey } from '../../graph/edge_key';
import type { Box, Layout, Point } from '../../graph/layout';
import { requestLayout } from '../../graph/layout_client';
import { shownGraph, type ShownNode } from '../../graph/model';
import { useCommands } from '../../keys';
import { useAnswer } from '../../resource';
import { route, setQuery } from '../../router';
import { oneOf, remembered } from '../../storage';
import type { Graph, Step } from '../../types';
import { Icon } from '../../ui/icon';
import { Loading, Nothing, ProblemBox } from '../../ui/problem';
import { lookOf, markLine } from '../../ui/status';
import { Text } from '../../ui/text';
import { useMiniMap, wordsOf } from './mini_map';
import type { ChainStore } from './store';
import type { TabProps } from './tabs';
import { waitOf } from './waits';

/** So many fan-outs in sight have their items drawn. */
const minisMost = 12;

const direction = remembered<'LR' | 'TB'>('graph-direction', 'TB', oneOf('LR', 'TB'));

/** Text of a fixed width: wide characters count twice. */
function fitted(text: string, columns: number): string {
  const clean = plain(text, 400);
  let used = 0;
  let shown = '';
  for (const character of clean) {
    used += character.codePointAt(0)! > 0x2e7f ? 2 : 1;
    if (used > columns) return `${shown}…`;
    shown += character;
  }
  return shown;
}

/** A smooth line through the points that dagre gives, and the arrow at its end. */
function linePath(points: Point[]): string {
  const first = points[0]!;
  let text = `M${first.x.toFixed(1)} ${first.y.toFixed(1)}`;
  for (let index = 1; index < points.length - 1; index++) {
    const at = points[index]!;
    const next = points[index + 1]!;
    const end = index === points.length - 2 ? next : { x: (at.x + next.x) / 2, y: (at.y + next.y) / 2 };
    text += `Q${at.x.toFixed(1)} ${at.y.toFixed(1)} ${end.x.toFixed(1)} ${end.y.toFixed(1)}`;
  }
  if (points.length === 2) text += `L${points[1]!.x.toFixed(1)} ${points[1]!.y.toFixed(1)}`;
  return text;
}

function arrowPath(points: Point[]): string {
  const tip = points.at(-1)!;
  const before = points.at(-2) ?? tip;
  const angle = Math.atan2(tip.y - before.y, tip.x - before.x);
  const side = (turn: number) => `${(tip.x - 8 * Math.cos(angle + turn)).toFixed(1)} ${(tip.y - 8 * Math.sin(angle + turn)).toFixed(1)}`;
  return `M${tip.x.toFixed(1)} ${tip.y.toFixed(1)}L${side(0.42)}L${side(-0.42)}Z`;
}

interface View {
  x: number;
  y: number;
  scale: number;
}

const clamp = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value));

/** What a group has come to: the status that most needs to be seen. */
function statusOfGroup(steps: (Step | undefined)[]): string {
  for (const status of ['failed', 'running', 'cancelled']) if (steps.some((step) => step?.status === status)) return status;
  return steps.length > 0 && steps.every((step) => step !== undefined && ['completed', 'skipped'].includes(step.status)) ? 'completed' : 'blocked';
}

function describe(shown: ShownNode, store: ChainStore): { title: string; about: string; status: string | undefined; step: Step | undefined } {
  if (shown.members) {
    const steps = shown.members.map((member) => store.byId.value.get(member.id));
    const first = shown.members[0]!.id;
    const last = shown.members.at(-1)!.id;
    const how = { row: 'one after the other', side: 'side by side', rank: 'at the same distance' }[shown.shape!];
    return { title: plural(shown.members.length, 'step'), about: `${how}: ${first} … ${last}`, status: statusOfGroup(steps), step: undefined };
  }
  const node = shown.node!;
  const step = store.byId.value.get(node.id);
  const lines = node.label.split('\n');
  const title = lines[0] ?? node.id;
  const waits = step && waitOf(step);
  return { title, about: waits !== undefined ? `waits for ${waits}` : lines.slice(1).join(' · ') || node.calls || '', status: node.parent ? undefined : (step?.status ?? 'blocked'), step };
}

function NodeShape({ shown, box, store, detail, mini, current, chosen, press, toggle, focus }: { shown: ShownNode; box: Box; store: ChainStore; detail: boolean; mini: boolean; current: boolean; chosen: boolean; press(): void; toggle(): void; focus(): void }) {
  const { title, about, status, step } = describe(shown, store);
  const kind = shown.members ? 'group' : shown.node!.kind;
  const tone = status === undefined ? 'idle' : lookOf(status).tone;
  const items = step?.items;
  const titleText = fitted(title, status === undefined ? 24 : 21);
  const aboutText = fitted(about, 29);
  const countsText = items ? `${count(items.ok + items.failed)}/${count(items.total)}` : '';
  const inner = box.width - 24;
  const map = useMiniMap(store, step, inner, detail && mini);
  const statesText = items ? fitted((map ? wordsOf(map.counts, false) : items.failed > 0 ? [`${count(items.failed)} failed`] : []).join(' · '), 29) : '';
  // what is written first, as it is written, then what is only drawn
  const written = [titleText, aboutText, countsText, statesText].filter(Boolean).join(' ');
  const drawnWords = [status === undefined ? '' : lookOf(status).word, ...(map ? wordsOf(map.counts) : items && items.failed > 0 ? [plural(items.failed, 'failed item')] : []), shown.holds > 0 || shown.members ? (shown.open ? 'open' : 'closed') : ''];
  const label = [written, ...drawnWords].filter(Boolean).join(', ');
  const stacked = kind === 'fan_out' || kind === 'group';
  const share = (value: number) => (items && items.total > 0 ? (inner * value) / items.total : 0);
  const bad = items && items.failed > 0 ? Math.max(3, share(items.failed)) : 0;
  return (
    <g
      class={`node node-${kind} tone-${tone}${chosen ? ' node-chosen' : ''}${shown.open ? ' node-open' : ''}${status === 'blocked' || status === 'skipped' ? ' node-quiet' : ''}`}
      transform={`translate(${box.x.toFixed(1)} ${box.y.toFixed(1)})`}
      role="button"
      tabIndex={current ? 0 : -1}
      aria-label={plain(label, 400)}
      aria-pressed={chosen}
      data-node={shown.id}
      onClick={(event) => {
        event.stopPropagation();
        press();
      }}
      onFocus={focus}
    >
      {stacked && detail && <path class="node-stack" d={`M6 -3H${box.width + 3}V${box.height - 6}`} />}
      <rect class="node-box" width={box.width} height={box.height} rx={shown.node?.conditional ? 16 : 7} />
      {status !== undefined && <path class="mark-line node-mark" transform="translate(8 7)" d={markLine(status)} />}
      {detail && (
        <>
          <text class="node-title" x={status === undefined ? 12 : 29} y="20">
            {titleText}
          </text>{' '}
          <text class="node-about" x="12" y="36">
            {aboutText}
          </text>{' '}
        </>
      )}
      {detail && items && (
        <>
          {map ? (
            <g class="mini" transform="translate(12 43)">
              {map.paths.map(([of, line]) => (
                <path key={of} class={`mini-${of}`} d={line} />
              ))}
            </g>
          ) : (
            <>
              <rect class="progress-ground" x="12" y="44" width={inner} height="5" rx="2.5" />
              <rect class="counts-ok" x="12" y="44" width={Math.min(share(items.ok), inner - bad)} height="5" rx="2.5" />
              {bad > 0 && <rect class="counts-bad" x={12 + Math.min(share(items.ok), inner - bad)} y="44" width={bad} height="5" />}
            </>
          )}
          <text class="node-counts" x={box.width - 12} y="20" text-anchor="end">
            {countsText}
          </text>{' '}
          <text class="node-counts node-states" x="12" y="69">
            {statesText}
          </text>
        </>
      )}
      {detail && (shown.holds > 0 || shown.members) && (
        <g
          class="node-toggle"
          transform={`translate(${box.width - 24} ${shown.holds > 0 ? 24 : 6})`}
          onClick={(event) => {
            event.stopPropagation();
            toggle();
          }}
        >
          <rect width="18" height="18" rx="4" />
          <path d={shown.open ? 'M5 9h8' : 'M5 9h8M9 5v8'} />
        </g>
      )}
    </g>
  );
}

export default function GraphTab({ store }: TabProps) {
  const answer = useAnswer<Graph>(chainPath(store.id, '/graph'));
  const graph = answer.value.value;
  const problem = answer.problem.value;
  const asList = route.value.query.get('as') === 'list';
  if (graph) return graph.nodes.length === 0 ? <Nothing title="The chain has no steps" /> : asList ? <GraphList graph={graph} store={store} /> : <Picture graph={graph} store={store} />;
  if (problem) return problem.status === 404 ? <Nothing title="There is no picture of this chain">{problem.detail} The tab Steps has all steps.</Nothing> : <ProblemBox problem={problem} retry={() => answer.refresh()} />;
  return <Loading what="the graph" />;
}

/** The graph in words: each step and what it waits for. */
function GraphList({ graph, store }: { graph: Graph; store: ChainStore }) {
  const before = useMemo(() => {
    const found = new Map<string, Graph['edges']>();
    for (const edge of graph.edges) found.set(edge.to, [...(found.get(edge.to) ?? []), edge]);
    return found;
  }, [graph]);
  return (
    <div class="scroll">
      <div class="filters filters-tab">
        <button type="button" class="button button-small" onClick={() => setQuery({ as: undefined })}>
          As a picture
        </button>
      </div>
      <ul class="graph-list">
        {graph.nodes.slice(0, 2000).map((node) => {
          const step = store.byId.value.get(node.id);
          const status = node.parent ? undefined : (step?.status ?? 'blocked');
          return (
            <li key={node.id} data-node={node.id}>
              <button type="button" class="link" onClick={() => setQuery({ step: node.id })}>
                <Text most={120}>{node.id}</Text>
              </button>{' '}
              {status !== undefined && <span class="dim">{step && waitOf(step) !== undefined ? `waits for ${waitOf(step)}` : lookOf(status).word}</span>}
              {(before.get(node.id) ?? []).map((edge) => (
                <span key={edge.from + edge.kind} data-from={edge.from}>
                  {edge.kind === 'success' ? ' goes on from ' : edge.kind === 'failure' ? ' takes over failures of ' : ' waits for '}
                  <Text most={80}>{edge.from}</Text>
                </span>
              ))}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Picture({ graph, store }: { graph: Graph; store: ChainStore }) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(() => shownGraph(graph, opened, closed), [graph, opened, closed]);
  const [layout, setLayout] = useState<{ of: typeof shown; layout: Layout } | undefined>(undefined);
  const [failed, setFailed] = useState(false);
  const [view, setView] = useState<View>({ x: 0, y: 0, scale: 1 });
  const [size, setSize] = useState({ width: 800, height: 500 });
  const [cursor, setCursor] = useState<string | undefined>(undefined);
  const svg = useRef<SVGSVGElement>(null);
  // as long as nobody has moved it, the picture fits its place
  const moved = useRef(false);
  const wantFocus = useRef<string | undefined>(undefined);
  const chosen = route.value.query.get('step') ?? undefined;
  const flow = direction.value;

  useEffect(() => {
    let current = true;
    requestLayout({ root: shown.root, direction: flow }).then(
      (made) => {
        if (!current) return;
        setFailed(false);
        setLayout({ of: shown, layout: made });
      },
      () => current && setFailed(true),
    );
    return () => {
      current = false;
    };
  }, [shown, flow]);

  useLayoutEffect(() => {
    const element = svg.current!;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const drawn = layout?.layout;
  const nodes = layout?.of.nodes ?? [];
  /** All of it, or where that would be too small to read, the part with what runs or failed, else its beginning. */
  const place = (readable: boolean) => {
    moved.current = false;
    if (!drawn) return;
    const whole = clamp(Math.min(size.width / (drawn.width + 24), size.height / (drawn.height + 24)), 0.02, 1);
    const scale = readable ? Math.max(whole, 0.7) : whole;
    const middle = (length: number, space: number, at: number) => (length * scale <= space ? Math.max(8, (space - length * scale) / 2) : clamp(space / 2 - at * scale, space - length * scale, 0));
    const first = nodes.find((node) => node.id === chosen) ?? nodes.find((node) => ['failed', 'running'].includes(describe(node, store).status ?? '')) ?? nodes[0];
    const box = (first && drawn.boxes.get(first.id)) ?? { x: 0, y: 0, width: 0, height: 0 };
    setView({ scale, x: middle(drawn.width, size.width, box.x + box.width / 2), y: middle(drawn.height, size.height, box.y + 23) });
  };
  const fit = () => place(false);
  useEffect(() => {
    if (!moved.current) place(true);
  }, [drawn, size]);
  useEffect(() => {
    if (chosen !== undefined && moved.current) bringIntoSight(chosen);
  }, [chosen, size]);

  const zoom = (factor: number, at = { x: size.width / 2, y: size.height / 2 }) => {
    moved.current = true;
    setView((before) => {
      const scale = clamp(before.scale * factor, 0.02, 2.5);
      const ratio = scale / before.scale;
      return { scale, x: at.x - (at.x - before.x) * ratio, y: at.y - (at.y - before.y) * ratio };
    });
  };
  const pan = (x: number, y: number) => {
    moved.current = true;
    setView((before) => ({ ...before, x: before.x + x, y: before.y + y }));
  };

  // a wheel moves; with Ctrl, as a pinch of a touchpad sends it, it zooms
  useEffect(() => {
    const element = svg.current!;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey) zoom(Math.exp(-event.deltaY * 0.01), { x: event.clientX - box.left, y: event.clientY - box.top });
      else pan(event.shiftKey ? -event.deltaY : -event.deltaX, event.shiftKey ? 0 : -event.deltaY);
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, []);

  const drag = useRef<{ x: number; y: number; moved: boolean } | undefined>(undefined);
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    drag.current = { x: event.clientX, y: event.clientY, moved: false };
  };
  const onPointerMove = (event: PointerEvent) => {
    const held = drag.current;
    if (!held) return;
    if (!held.moved && Math.hypot(event.clientX - held.x, event.clientY - held.y) < 4) return;
    if (!held.moved) svg.current!.setPointerCapture(event.pointerId);
    pan(event.clientX - held.x, event.clientY - held.y);
    drag.current = { x: event.clientX, y: event.clientY, moved: true };
  };
  const onPointerUp = () => {
    // the click that ends a drag is none
    if (drag.current?.moved) svg.current!.addEventListener('click', (event) => event.stopPropagation(), { capture: true, once: true });
    drag.current = undefined;
  };

  const toggle = (node: ShownNode) => {
    const next = new Set(opened);
    if (node.members) next.add(node.id);
    else if (node.open) {
      next.delete(node.id);
      setClosed(new Set([...closed, node.id]));
    } else {
      next.add(node.id);
      setClosed(new Set([...closed].filter((id) => id !== node.id)));
    }
    setOpened(next);
    wantFocus.current = node.members ? node.members[0]!.id : node.id;
  };
  const press = (node: ShownNode) => {
    setCursor(node.id);
    if (node.members) toggle(node);
    else setQuery({ step: node.id === chosen ? undefined : node.id }, { replace: true });
  };

  const byId = useMemo(() => new Map(nodes.map((node) => [node.id, node])), [nodes]);
  const current = cursor !== undefined && byId.has(cursor) ? cursor : chosen !== undefined && byId.has(chosen) ? chosen : nodes[0]?.id;

  const bringIntoSight = (id: string) => {
    const box = drawn?.boxes.get(id);
    if (!box) return;
    setView((before) => {
      const left = box.x * before.scale + before.x;
      const top = box.y * before.scale + before.y;
      const right = left + box.width * before.scale;
      const bottom = top + Math.min(box.height, 80) * before.scale;
      const x = left < 16 ? 16 - left : right > size.width - 16 ? size.width - 16 - right : 0;
      const y = top < 16 ? 16 - top : bottom > size.height - 16 ? size.height - 16 - bottom : 0;
      return x === 0 && y === 0 ? before : { ...before, x: before.x + x, y: before.y + y };
    });
  };
  const moveTo = (id: string) => {
    moved.current = true;
    setCursor(id);
    bringIntoSight(id);
    wantFocus.current = id;
  };
  useEffect(() => {
    const id = wantFocus.current;
    if (id === undefined) return;
    const element = [...svg.current!.querySelectorAll<SVGGElement>('[data-node]')].find((one) => one.dataset.node === id);
    if (!element) return;
    wantFocus.current = undefined;
    element.focus({ preventScroll: true });
  });

  /** The nearest node in a direction: what lies aside counts twice. */
  const nextIn = (dx: number, dy: number) => {
    const from = current === undefined ? undefined : drawn?.boxes.get(current);
    if (!from || !drawn) return;
    const centre = (box: Box) => ({ x: box.x + box.width / 2, y: box.y + Math.min(box.height, 46) / 2 });
    const start = centre(from);
    let best: string | undefined;
    let bestCost = Infinity;
    for (const node of nodes) {
      if (node.id === current) continue;
      const at = centre(drawn.boxes.get(node.id)!);
      const along = (at.x - start.x) * dx + (at.y - start.y) * dy;
      const aside = Math.abs((at.x - start.x) * dy) + Math.abs((at.y - start.y) * dx);
      if (along <= 4) continue;
      const cost = along + aside * 2;
      if (cost < bestCost) {
        bestCost = cost;
        best = node.id;
      }
    }
    if (best !== undefined) moveTo(best);
  };
  const failing = nodes.filter((node) => describe(node, store).status === 'failed');
  const nextFailed = (step: number) => {
    if (failing.length === 0) return;
    const at = failing.findIndex((node) => node.id === current);
    moveTo(failing[(at + step + failing.length) % failing.length]!.id);
  };
  const currentNode = current === undefined ? undefined : byId.get(current);
  const group = 'Graph';
  useCommands(
    [
      { keys: ['+', '='], title: 'Zoom in', group, run: () => zoom(1.25) },
      { keys: ['-'], title: 'Zoom out', group, run: () => zoom(0.8) },
      { keys: ['0'], title: 'Fit the graph', group, run: fit },
      { keys: ['d'], title: 'Turn the graph', group, run: () => turn() },
      { keys: ['e'], title: 'Open or close the block', group, disabled: !currentNode || (currentNode.holds === 0 && !currentNode.members), run: () => currentNode && toggle(currentNode) },
      { keys: ['n'], title: 'Next failed step', group, disabled: failing.length === 0, run: () => nextFailed(1) },
      { keys: ['p'], title: 'Failed step before', group, disabled: failing.length === 0, run: () => nextFailed(-1) },
      { keys: ['v'], title: 'Graph as a list', group, run: () => setQuery({ as: 'list' }) },
    ],
  );
  const turn = () => {
    moved.current = false;
    direction.value = direction.value === 'LR' ? 'TB' : 'LR';
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = { ArrowDown: [0, 1], ArrowUp: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key] as [number, number] | undefined;
    if (arrow && event.shiftKey) pan(-80 * arrow[0], -80 * arrow[1]);
    else if (arrow) nextIn(arrow[0], arrow[1]);
    else if ((event.key === 'Enter' || event.key === ' ') && currentNode) press(currentNode);
    else return;
    event.preventDefault();
  };

  // what is in sight, and a little more
  const margin = 80;
  const left = (-view.x - margin) / view.scale;
  const top = (-view.y - margin) / view.scale;
  const right = (size.width - view.x + margin) / view.scale;
  const bottom = (size.height - view.y + margin) / view.scale;
  const inSight = drawn ? nodes.filter((node) => {
    const box = drawn.boxes.get(node.id);
    return box && (node.id === current || (box.x < right && box.x + box.width > left && box.y < bottom && box.y + box.height > top));
  }) : [];
  const detail = view.scale > 0.4 && inSight.length <= 160;
  // each is a question of its own
  const minis = new Set(inSight.filter((node) => node.node?.kind === 'fan_out').slice(0, minisMost).map((node) => node.id));

  const lines = useMemo(() => {
    const found = new Map<string, { line: string; arrow: string }>();
    if (!drawn || !layout) return found;
    for (const edge of layout.of.edges) {
      const points = drawn.edges.get(edgeKey(edge));
      if (!points) continue;
      const held = found.get(edge.kind) ?? { line: '', arrow: '' };
      held.line += linePath(points);
      held.arrow += arrowPath(points);
      found.set(edge.kind, held);
    }
    return found;
  }, [layout]);
  const near = useMemo(() => {
    if (!drawn || !layout || chosen === undefined) return '';
    return layout.of.edges.filter((edge) => edge.from === chosen || edge.to === chosen).map((edge) => linePath(drawn.edges.get(edgeKey(edge)) ?? [{ x: 0, y: 0 }])).join('');
  }, [layout, chosen]);

  return (
    <div class="graph">
      <div class="graph-tools" role="toolbar" aria-label="Graph">
        <button type="button" class="button-icon" aria-label="Zoom in" title="Zoom in (+)" onClick={() => zoom(1.25)}>
          <Icon name="plus" />
        </button>
        <button type="button" class="button-icon" aria-label="Zoom out" title="Zoom out (-)" onClick={() => zoom(0.8)}>
          <Icon name="minus" />
        </button>
        <button type="button" class="button-icon" aria-label="Fit the graph" title="Fit (0)" onClick={fit}>
          <Icon name="fit" />
        </button>
        <button type="button" class="button-icon" aria-label="Turn the graph" title="Turn (D)" onClick={turn}>
          <Icon name="retry" />
        </button>
        <button type="button" class="button-icon" aria-label="As a list" title="As a list (V)" onClick={() => setQuery({ as: 'list' })}>
          <Icon name="list" />
        </button>
      </div>
      {failed && <p class="graph-note">The graph cannot be laid out. The list has all of it.</p>}
      {!drawn && !failed && <p class="graph-note" role="status">Laying out {plural(graph.nodes.length, 'step')}…</p>}
      {shown.groups > 0 && (
        <p class="graph-note" role="status">
          {count(graph.nodes.length)} steps, shown in {plural(shown.groups, 'group')}. Open one by pressing it.{' '}
          {opened.size > 0 && (
            <button type="button" class="link" onClick={() => setOpened(new Set())}>
              Close all
            </button>
          )}
        </p>
      )}
      <svg
        ref={svg}
        class="graph-picture"
        role="group"
        aria-label={`Graph of ${plural(graph.nodes.length, 'step')}. Arrow keys move between steps, Enter opens one.`}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={onPointerUp}
        onDblClick={(event) => event.target === svg.current && fit()}
      >
        {drawn && (
          <g transform={`translate(${view.x.toFixed(1)} ${view.y.toFixed(1)}) scale(${view.scale.toFixed(4)})`}>
            {inSight.filter((node) => node.open).map((node) => shape(node))}
            {[...lines].map(([kind, { line, arrow }]) => (
              <g key={kind} class={`edge edge-${kind}`} aria-hidden="true">
                <path class="edge-line" d={line} />
                <path class="edge-arrow" d={arrow} />
              </g>
            ))}
            {near !== '' && <path class="edge-near" d={near} aria-hidden="true" />}
            {inSight.filter((node) => !node.open).map((node) => shape(node))}
          </g>
        )}
      </svg>
    </div>
  );

  function shape(node: ShownNode) {
    return (
      <NodeShape
        key={node.id}
        shown={node}
        box={drawn!.boxes.get(node.id)!}
        store={store}
        detail={detail || node.open === true}
        mini={minis.has(node.id)}
        current={node.id === current}
        chosen={node.id === chosen}
        press={() => press(node)}
        toggle={() => toggle(node)}
        focus={() => setCursor(node.id)}
      />
    );
  }
}
