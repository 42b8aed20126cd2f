// Where items stand: rows of cells from left to right, a cell for each item, or for several where there are more items than room.

export interface Geometry {
  /** Items shown. */
  count: number;
  perCell: number;
  /** Side of a cell, in CSS pixels. */
  cell: number;
  columns: number;
  rows: number;
}

export interface Level {
  perCell: number;
  cell: number;
}

const smallest = 3;
const sizes = [3, 5, 8, 12, 18, 26];

function geometry(count: number, width: number, { perCell, cell }: Level): Geometry {
  const columns = Math.max(1, Math.floor(width / cell));
  return { count, perCell, cell, columns, rows: Math.ceil(Math.ceil(count / perCell) / columns) };
}

/** The steps of the zoom: the first shows all items at once, the last one item in a cell with its sign. */
export function levelsOf(count: number, width: number, height: number): Level[] {
  const fits = (level: Level) => geometry(count, width, level).rows * level.cell <= height;
  const single = [...sizes].reverse().find((cell) => fits({ perCell: 1, cell }));
  if (single !== undefined) return [{ perCell: 1, cell: single }, ...sizes.filter((cell) => cell > single).map((cell) => ({ perCell: 1, cell }))];
  const cells = Math.max(1, Math.floor(width / smallest) * Math.floor(height / smallest));
  let perCell = Math.ceil(count / cells);
  while (!fits({ perCell, cell: smallest })) perCell++;
  const levels: Level[] = [];
  for (let each = perCell; each > 1; each = Math.floor(each / 4)) levels.push({ perCell: each, cell: smallest });
  return [...levels, ...sizes.map((cell) => ({ perCell: 1, cell }))];
}

export const geometryOf = (count: number, width: number, level: Level) => geometry(count, width, level);

export const cellOf = (geometry: Geometry, position: number) => Math.floor(position / geometry.perCell);
export const rowOf = (geometry: Geometry, position: number) => Math.floor(cellOf(geometry, position) / geometry.columns);

/** The first position in the cell at a point of the map, or undefined beside it. */
export function positionAt(geometry: Geometry, x: number, y: number): number | undefined {
  const column = Math.floor(x / geometry.cell);
  if (column < 0 || column >= geometry.columns || y < 0) return undefined;
  const position = (Math.floor(y / geometry.cell) * geometry.columns + column) * geometry.perCell;
  return position < geometry.count ? position : undefined;
}

/** The rectangles that cover the cells from `first` to `last`: at most three. */
export function coverOf(geometry: Geometry, first: number, last: number): [x: number, y: number, width: number, height: number][] {
  const { columns, cell } = geometry;
  const [from, to] = [cellOf(geometry, first), cellOf(geometry, last)];
  const [top, bottom] = [Math.floor(from / columns), Math.floor(to / columns)];
  const [left, right] = [from % columns, to % columns];
  if (top === bottom) return [[left * cell, top * cell, (right - left + 1) * cell, cell]];
  const parts: [number, number, number, number][] = [[left * cell, top * cell, (columns - left) * cell, cell]];
  if (bottom - top > 1) parts.push([0, (top + 1) * cell, columns * cell, (bottom - top - 1) * cell]);
  parts.push([0, bottom * cell, (right + 1) * cell, cell]);
  return parts;
}
