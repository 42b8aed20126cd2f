// The picture itself: a canvas as large as what is in sight, in a box that scrolls. Pointer and keys move a cursor and select from one item to another.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { count } from '../../format';
import { theme } from '../../theme';
import type { ItemStatus } from '../../types';
import { lookOf } from '../../ui/status';
import { itemStatuses } from '../../types';
import { cellOf, coverOf, geometryOf, levelsOf, positionAt, rowOf, type Geometry } from './geometry';
import type { ItemModel } from './model';
import { Painter, paletteOf, type Palette } from './paint';

export interface Selection {
  /** Positions; `from` is where it was begun. */
  from: number;
  to: number;
}

export interface MapProps {
  model: ItemModel;
  /** Items shown, where not all are. */
  order?: Uint32Array;
  zoom: number;
  setZoom(zoom: number): void;
  /** A position. */
  cursor: number;
  moveTo(position: number, extend: boolean): void;
  selection?: Selection;
  select(selection: Selection | undefined): void;
  open(position: number): void;
  /** Says more of an item that the pointer rests on. */
  about(item: number): Promise<string | undefined>;
  /** Reports how many steps the zoom has, and how many items a cell stands for. */
  shown(levels: number, perCell: number): void;
}

const wordOf = (code: number) => (code < itemStatuses.length ? lookOf(itemStatuses[code]!).word : 'not read yet');

/** "Item 17, failed", "20 items from 40 to 59, 3 failed". */
export function describe(model: ItemModel, order: Uint32Array | undefined, geometry: Geometry | undefined, position: number): string {
  const itemAt = (at: number) => (order ? order[at]! : at);
  const perCell = geometry?.perCell ?? 1;
  const item = itemAt(position);
  if (perCell === 1) return `Item ${count(item)}, ${wordOf(model.codes[item] ?? itemStatuses.length)}`;
  const first = Math.floor(position / perCell) * perCell;
  const last = Math.min(first + perCell, order?.length ?? model.width) - 1;
  const counts = new Map<number, number>();
  for (let at = first; at <= last; at++) {
    const code = model.codes[itemAt(at)]!;
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  const parts = [...counts].sort(([, left], [, right]) => right - left).map(([code, number]) => `${count(number)} ${wordOf(code)}`);
  return `Item ${count(item)}, ${wordOf(model.codes[item]!)}; items ${count(itemAt(first))} to ${count(itemAt(last))}: ${parts.join(', ')}`;
}

export function ItemMap({ model, order, zoom, setZoom, cursor, moveTo, selection, select, open, about, shown }: MapProps) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [palette, setPalette] = useState<Palette | undefined>(undefined);
  const [hover, setHover] = useState<{ position: number; x: number; y: number } | undefined>(undefined);
  const [more, setMore] = useState<string | undefined>(undefined);
  const painter = useMemo(() => new Painter(), []);
  const version = model.version.value;
  const length = order ? order.length : model.width;

  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const read = () => setPalette(paletteOf(box.current!));
    read();
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', read);
    return () => system.removeEventListener('change', read);
  }, [theme.value]);

  const levels = useMemo(() => (size.width > 0 && length > 0 ? levelsOf(length, size.width, size.height) : []), [length, size.width, size.height]);
  const level = levels[Math.min(zoom, levels.length - 1)];
  const geometry = useMemo(() => (level ? geometryOf(length, size.width, level) : undefined), [level, length, size.width]);
  useEffect(() => shown(levels.length, geometry?.perCell ?? 1), [levels.length, geometry?.perCell]);

  const draw = () => {
    const element = canvas.current!;
    if (!geometry || !palette) return;
    const scale = devicePixelRatio || 1;
    const top = box.current!.scrollTop;
    const [width, height] = [Math.round(size.width * scale), Math.round(size.height * scale)];
    if (element.width !== width || element.height !== height) {
      element.width = width;
      element.height = height;
    }
    const context = element.getContext('2d', { alpha: false })!;
    painter.paint(context, model, order, geometry, palette, top, size.height, scale);
    context.setTransform(scale, 0, 0, scale, 0, -top * scale);
    if (selection) {
      const parts = coverOf(geometry, Math.min(selection.from, selection.to), Math.max(selection.from, selection.to));
      context.strokeStyle = palette.accent;
      context.fillStyle = palette.accent;
      for (const [x, y, wide, high] of parts) {
        context.globalAlpha = 0.22;
        context.fillRect(x, y, wide, high);
        context.globalAlpha = 1;
        context.lineWidth = 1.5;
        context.strokeRect(x - 0.5, y - 0.5, wide + 1, high + 1);
      }
    }
    for (const [at, strong] of [[hover?.position, false], [cursor, true]] as const) {
      if (at === undefined || at < 0 || at >= geometry.count) continue;
      const [x, y, wide, high] = coverOf(geometry, at, at)[0]!;
      const room = geometry.cell < 8 ? 2.5 : 1;
      context.lineWidth = strong ? 4 : 3;
      context.strokeStyle = palette.ground;
      context.strokeRect(x - room, y - room, wide + 2 * room - 1, high + 2 * room - 1);
      context.lineWidth = strong ? 2 : 1;
      context.strokeStyle = palette.ink;
      context.strokeRect(x - room, y - room, wide + 2 * room - 1, high + 2 * room - 1);
    }
  };
  const drawn = useRef(draw);
  drawn.current = draw;
  useLayoutEffect(draw, [version, geometry, palette, order, size, selection, cursor, hover?.position]);
  useEffect(() => {
    const element = box.current!;
    let asked = false;
    const scrolled = () => {
      setHover(undefined);
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        drawn.current();
      });
    };
    element.addEventListener('scroll', scrolled, { passive: true });
    return () => element.removeEventListener('scroll', scrolled);
  }, []);

  // The cursor stays in sight; a change of the zoom keeps it where it was, as far as that goes.
  useLayoutEffect(() => {
    if (!geometry || cursor < 0) return;
    const element = box.current!;
    const y = rowOf(geometry, cursor) * geometry.cell;
    if (y < element.scrollTop || y + geometry.cell > element.scrollTop + element.clientHeight) element.scrollTop = y - element.clientHeight / 2;
  }, [cursor, geometry]);

  // What the pointer rests on is asked for after a moment.
  useEffect(() => {
    setMore(undefined);
    if (!hover || !geometry) return;
    const { perCell } = geometry;
    if (perCell > 1) return;
    let current = true;
    const timer = setTimeout(async () => {
      const text = await about(order ? order[hover.position]! : hover.position);
      if (current) setMore(text);
    }, 180);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [hover?.position, version]);

  const under = (event: PointerEvent | MouseEvent) => {
    if (!geometry) return undefined;
    const bounds = canvas.current!.getBoundingClientRect();
    return positionAt(geometry, event.clientX - bounds.left, event.clientY - bounds.top + box.current!.scrollTop);
  };
  /** In a cell of several items the worst is meant. */
  const meant = (position: number) => {
    if (!geometry || geometry.perCell === 1) return position;
    const end = Math.min(position + geometry.perCell, length);
    const worst = model.worst(position, end, order);
    for (let at = position; at < end; at++) if (model.codes[order ? order[at]! : at] === worst) return at;
    return position;
  };
  const pressed = useRef<{ position: number; dragged: boolean } | undefined>(undefined);
  const cellEnd = (position: number) => Math.min(position + (geometry?.perCell ?? 1), length) - 1;

  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const position = under(event);
    if (position === undefined) return;
    if (event.shiftKey) {
      moveTo(position, true);
      return;
    }
    pressed.current = { position, dragged: false };
    if (event.pointerType === 'mouse') canvas.current!.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent) => {
    const position = under(event);
    if (position === undefined) {
      setHover(undefined);
      return;
    }
    const bounds = canvas.current!.getBoundingClientRect();
    const at = { position, x: event.clientX - bounds.left, y: event.clientY - bounds.top };
    setHover((before) => (before?.position === position ? before : at));
    const begun = pressed.current;
    if (!begun || event.pointerType !== 'mouse') return;
    if (!begun.dragged && cellOf(geometry!, begun.position) === cellOf(geometry!, position)) return;
    begun.dragged = true;
    select(position >= begun.position ? { from: begun.position, to: cellEnd(position) } : { from: cellEnd(begun.position), to: position });
  };
  const onPointerUp = (event: PointerEvent) => {
    const begun = pressed.current;
    pressed.current = undefined;
    box.current!.focus({ preventScroll: true });
    if (!begun || begun.dragged) return;
    const position = under(event);
    if (position === undefined) return;
    const chosen = meant(position);
    select(undefined);
    moveTo(chosen, false);
    open(chosen);
  };
  const zoomBy = (by: number) => setZoom(Math.max(0, Math.min(levels.length - 1, zoom + by)));
  useEffect(() => {
    // a wheel that is held with Ctrl, and a pinch, zoom; the browser's own zoom is stopped by a listener that is not passive
    const element = box.current!;
    let sum = 0;
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      sum += event.deltaY;
      if (Math.abs(sum) < 40) return;
      const position = under(event);
      if (position !== undefined) moveTo(meant(position), false);
      zoomBy(sum < 0 ? 1 : -1);
      sum = 0;
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, [geometry, zoom, levels.length]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (!geometry || event.metaKey || event.ctrlKey || event.altKey) return;
    const row = geometry.columns * geometry.perCell;
    const page = Math.max(1, Math.floor(size.height / geometry.cell) - 1) * row;
    const by: Record<string, number> = { ArrowRight: geometry.perCell, ArrowLeft: -geometry.perCell, ArrowDown: row, ArrowUp: -row, PageDown: page, PageUp: -page };
    const step = by[event.key];
    if (step !== undefined) {
      const next = cursor + step;
      // a row up or down stays in the column, so it ends where the map does
      if (next >= 0 && next < length) moveTo(next, event.shiftKey);
      else if (event.key === 'ArrowRight' || event.key === 'PageDown') moveTo(length - 1, event.shiftKey);
      else if (event.key === 'ArrowLeft' || event.key === 'PageUp') moveTo(0, event.shiftKey);
    } else if (event.key === 'Home') moveTo(0, event.shiftKey);
    else if (event.key === 'End') moveTo(length - 1, event.shiftKey);
    else if (event.key === 'Enter') open(cursor);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const tip = hover && hover.position < length ? describe(model, order, geometry, hover.position) : undefined;
  return (
    <div class="map-frame">
      <div class="map-scroll" ref={box} tabIndex={0} role="application" aria-label="Item map. Arrow keys move, Enter opens the item, n and p go to failed items." aria-describedby="map-here" onKeyDown={onKeyDown}>
        <div class="map-space" style={{ height: `${geometry ? Math.max(geometry.rows * geometry.cell, 1) : 1}px` }}>
          <canvas
            ref={canvas}
            class="map-canvas"
            aria-hidden="true"
            style={{ width: `${size.width}px`, height: `${size.height}px` }}
            onPointerDown={onPointerDown}
            onPointerMove={onPointerMove}
            onPointerUp={onPointerUp}
            onPointerCancel={() => (pressed.current = undefined)}
            onPointerLeave={() => setHover(undefined)}
          />
        </div>
      </div>
      {tip !== undefined && hover && (
        <div
          class={`map-tip${hover.x > size.width / 2 ? ' map-tip-left' : ''}${hover.y > size.height - 90 ? ' map-tip-up' : ''}`}
          aria-hidden="true"
          style={{ transform: `translate(${Math.round(hover.x)}px, ${Math.round(hover.y)}px)` }}
        >
          <div>
            {tip}
            {more !== undefined && <span class="map-tip-more">{more}</span>}
          </div>
        </div>
      )}
    </div>
  );
}

/** The sign of a status as the map draws it. */
export function Swatch({ status }: { status: ItemStatus }) {
  return <span class={`map-swatch map-swatch-${status}`} aria-hidden="true" />;
}
