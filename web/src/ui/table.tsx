// A table of any length: rows of one height, of which only those in sight are in the document. The cursor moves by keys, and rows can be selected by mouse and keys.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useCommands } from '../keys';

export interface Column<Row> {
  id: string;
  label: string;
  /** In place of the label: a scale above the column. */
  head?: ComponentChildren;
  /** Of a grid: `120px`, `minmax(160px, 2fr)`. */
  width: string;
  render(row: Row): ComponentChildren;
  align?: 'end';
  /** Left out on narrow screens (1: below 1100 px, 2: below 700 px). */
  narrow?: 1 | 2;
}

export interface TableProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf(row: Row): string;
  rowHeight?: number;
  /** Enter, and a click. */
  open?(row: Row): void;
  /** Where the row leads: makes the row's first cell a link, which the browser can open in a new tab. */
  selection?: { chosen: ReadonlySet<string>; change(chosen: Set<string>): void };
  /** Called when the last rows come into sight. */
  more?(): void;
  hasMore?: boolean;
  /** In place of rows, when there are none. */
  empty?: ComponentChildren;
  /** The row that is shown in detail beside the table. */
  current?: string;
  /** Fills what its parent leaves; otherwise it is as high as its rows, up to this many. */
  fitRows?: number;
  rowClass?(row: Row): string | undefined;
  /** Also called when the cursor moves. */
  onCursor?(row: Row): void;
  /** Stays at its end while rows come, as long as it is scrolled there. */
  followEnd?: boolean;
}

const overscan = 8;

export function Table<Row>(props: TableProps<Row>) {
  const { rows, columns, keyOf, rowHeight = 34, selection } = props;
  const box = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState({ top: 0, height: 600 });
  const [cursorKey, setCursorKey] = useState<string | undefined>(undefined);
  const anchor = useRef<number | undefined>(undefined);
  const atEnd = useRef(true);

  const found = cursorKey === undefined ? -1 : rows.findIndex((row) => keyOf(row) === cursorKey);
  const cursor = found >= 0 ? found : rows.length > 0 ? 0 : -1;

  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () => setScroll((before) => (before.top === element.scrollTop && before.height === element.clientHeight ? before : { top: element.scrollTop, height: element.clientHeight }));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    let asked = false;
    const scrolled = () => {
      atEnd.current = element.scrollTop + element.clientHeight >= element.scrollHeight - 2 * rowHeight;
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        measure();
      });
    };
    element.addEventListener('scroll', scrolled, { passive: true });
    measure();
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', scrolled);
    };
  }, [rowHeight]);

  // Rows that come above those in sight do not move them.
  const anchored = useRef<{ key: string; offset: number } | undefined>(undefined);
  useLayoutEffect(() => {
    const element = box.current!;
    const held = anchored.current;
    if (held && !props.followEnd && element.scrollTop > 0) {
      const index = rows.findIndex((row) => keyOf(row) === held.key);
      if (index >= 0) element.scrollTop = index * rowHeight + held.offset;
    }
  }, [rows]);
  useLayoutEffect(() => {
    const element = box.current!;
    const index = Math.floor(element.scrollTop / rowHeight);
    const row = rows[index];
    anchored.current = row && element.scrollTop > 0 ? { key: keyOf(row), offset: element.scrollTop - index * rowHeight } : undefined;
  });
  useLayoutEffect(() => {
    if (props.followEnd && atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [rows.length, props.followEnd]);

  const first = Math.max(0, Math.floor(scroll.top / rowHeight) - overscan);
  const last = Math.min(rows.length, Math.ceil((scroll.top + scroll.height) / rowHeight) + overscan);
  useEffect(() => {
    if (props.hasMore && last >= rows.length - overscan) props.more?.();
  }, [last, rows.length, props.hasMore]);

  const wantFocus = useRef<string | undefined>(undefined);
  const [, setFocusRequests] = useState(0);
  useLayoutEffect(() => {
    if (wantFocus.current === undefined) return;
    const row = box.current!.querySelector<HTMLElement>('.table-row[tabindex="0"]');
    if (row?.dataset.key !== wantFocus.current) return;
    wantFocus.current = undefined;
    row.focus({ preventScroll: true });
  });

  const bringIntoSight = (index: number) => {
    const element = box.current!;
    const head = element.querySelector<HTMLElement>('.table-head')?.offsetHeight ?? 0;
    const top = index * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight - head) element.scrollTop = top + rowHeight - element.clientHeight + head;
  };
  const moveTo = (index: number, extend = false) => {
    if (rows.length === 0) return;
    const next = Math.max(0, Math.min(rows.length - 1, index));
    const row = rows[next]!;
    if (extend && selection) {
      anchor.current ??= cursor;
      const [low, high] = [Math.min(anchor.current, next), Math.max(anchor.current, next)];
      selection.change(new Set(rows.slice(low, high + 1).map(keyOf)));
    } else {
      anchor.current = undefined;
    }
    setCursorKey(keyOf(row));
    bringIntoSight(next);
    props.onCursor?.(row);
    // the focus goes along, so that a screen reader says the row
    wantFocus.current = keyOf(row);
    // also where it stays on the same row, and nothing is rendered anew
    setFocusRequests((times) => times + 1);
  };
  const toggle = (index: number) => {
    const row = rows[index];
    if (!row || !selection) return;
    const chosen = new Set(selection.chosen);
    const key = keyOf(row);
    if (!chosen.delete(key)) chosen.add(key);
    selection.change(chosen);
  };
  const page = Math.max(1, Math.floor(scroll.height / rowHeight) - 2);
  const group = props.label;
  const openRow = (index: number) => {
    const row = rows[index];
    if (row) props.open?.(row);
  };
  // keys go to the table that has the focus, and to this one while no other has it
  const inTable = () => {
    const active = document.activeElement;
    return active === null || box.current?.contains(active) === true || active.closest('[role=grid]') === null;
  };
  const only = (run: () => void) => () => {
    if (inTable()) run();
  };
  useCommands(
    [
      { keys: ['j'], title: 'Next row', group, quiet: true, run: only(() => moveTo(box.current?.contains(document.activeElement) || cursorKey !== undefined ? cursor + 1 : cursor)) },
      { keys: ['k'], title: 'Row before', group, quiet: true, run: only(() => moveTo(cursor - 1)) },
      { keys: ['Enter', 'o'], title: 'Open the row', group, quiet: true, disabled: !props.open, run: only(() => openRow(cursor)) },
      { keys: ['x', 'Space'], title: 'Select the row', group, quiet: true, disabled: !selection, run: only(() => toggle(cursor)) },
    ],
  );

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey && event.key === 'a' && selection) selection.change(new Set(rows.map(keyOf)));
    else if (event.metaKey || event.ctrlKey || event.altKey) return;
    else if (event.key === 'ArrowDown') moveTo(cursor + 1, event.shiftKey);
    else if (event.key === 'ArrowUp') moveTo(cursor - 1, event.shiftKey);
    else if (event.key === 'PageDown') moveTo(cursor + page, event.shiftKey);
    else if (event.key === 'PageUp') moveTo(cursor - page, event.shiftKey);
    else if (event.key === 'Home') moveTo(0, event.shiftKey);
    else if (event.key === 'End') moveTo(rows.length - 1, event.shiftKey);
    else if (event.key === 'Escape' && selection && selection.chosen.size > 0) selection.change(new Set());
    else return;
    event.preventDefault();
  };

  const click = (event: MouseEvent, index: number) => {
    const target = event.target as HTMLElement;
    const row = rows[index]!;
    setCursorKey(keyOf(row));
    if (target.closest('a, button, input, label')) return;
    if (selection && (event.ctrlKey || event.metaKey)) {
      toggle(index);
      anchor.current = index;
      return;
    }
    if (selection && event.shiftKey) {
      getSelection()?.removeAllRanges();
      moveTo(index, true);
      return;
    }
    if ((getSelection()?.toString() ?? '') !== '') return; // somebody marks text to copy it
    props.onCursor?.(row);
    openRow(index);
  };

  const template = `${selection ? '36px ' : ''}${columns.map((column) => column.width).join(' ')}`;
  const all = selection !== undefined && rows.length > 0 && rows.every((row) => selection.chosen.has(keyOf(row)));
  const narrowClass = (column: Column<Row>) => (column.narrow ? ` narrow-${column.narrow}` : '');
  const widthsOn = (narrow: 1 | 2) => `${selection ? '36px ' : ''}${columns.filter((column) => !column.narrow || column.narrow > narrow).map((column) => column.width).join(' ')}`;
  const widthsNarrowest = `${selection ? '36px ' : ''}${columns.filter((column) => !column.narrow).map((column) => column.width).join(' ')}`;
  const style = { '--columns': template, '--columns-1': widthsOn(1), '--columns-2': widthsNarrowest, '--row': `${rowHeight}px` };
  const boxStyle = props.fitRows === undefined ? style : { ...style, maxHeight: `${(Math.min(props.fitRows, Math.max(rows.length, 1)) + 1) * rowHeight + 2}px` };

  return (
    <div
      class={`table${props.fitRows === undefined ? ' table-fill' : ''}`}
      role="grid"
      aria-label={props.label}
      aria-rowcount={props.hasMore ? -1 : rows.length + 1}
      aria-multiselectable={selection ? 'true' : undefined}
      ref={box}
      style={boxStyle}
      onKeyDown={onKeyDown}
      tabIndex={rows.length === 0 ? 0 : -1}
    >
      <div class="table-head" role="row" aria-rowindex={1}>
        {selection && (
          <span role="columnheader" class="table-check">
            <input type="checkbox" aria-label="Select all rows that are loaded" checked={all} onChange={() => selection.change(all ? new Set() : new Set(rows.map(keyOf)))} />
          </span>
        )}
        {columns.map((column) => (
          <span role="columnheader" class={`${column.align === 'end' ? 'cell-end' : ''}${narrowClass(column)}`} key={column.id}>
            {column.head ?? column.label}
          </span>
        ))}
      </div>
      {rows.length === 0 ? (
        <div role="row" class="table-empty">
          <div role="gridcell">{props.empty ?? 'Nothing here.'}</div>
        </div>
      ) : (
        <div class="table-rows" role="rowgroup" style={{ height: `${rows.length * rowHeight}px` }}>
          {rows.slice(first, last).map((row, offset) => {
            const index = first + offset;
            const key = keyOf(row);
            const chosen = selection?.chosen.has(key) ?? false;
            return (
              <div
                key={key}
                role="row"
                data-index={index}
                data-key={key}
                aria-rowindex={index + 2}
                aria-selected={selection ? chosen : undefined}
                aria-current={props.current === key ? 'true' : undefined}
                class={`table-row${index === cursor ? ' cursor' : ''}${chosen ? ' chosen' : ''}${props.open ? ' opens' : ''} ${props.rowClass?.(row) ?? ''}`}
                tabIndex={index === cursor ? 0 : -1}
                style={{ transform: `translateY(${index * rowHeight}px)` }}
                onClick={(event) => click(event, index)}
                onFocus={() => key !== cursorKey && setCursorKey(key)}
              >
                {selection && (
                  <span role="gridcell" class="table-check">
                    <input type="checkbox" tabIndex={-1} aria-label="Select this row" checked={chosen} onClick={(event) => event.stopPropagation()} onChange={() => toggle(index)} />
                  </span>
                )}
                {columns.map((column) => (
                  <span role="gridcell" class={`${column.align === 'end' ? 'cell-end' : ''}${narrowClass(column)}`} key={column.id}>
                    {column.render(row)}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      )}
    </div>
  );
}
