// How items are drawn. Small cells are pixels of a picture that is drawn larger; cells with room have a sign for their status, so that nobody has to tell colours apart.
import { itemStatuses, type ItemStatus } from '../../types';
import type { Geometry } from './geometry';
import { unread, type ItemModel } from './model';

export interface Palette {
  /** By code, the last for items that are not read. */
  fill: string[];
  bytes: Uint32Array;
  sign: string;
  ground: string;
  ink: string;
  accent: string;
}

/** What the style sheet says, in the theme that is shown. */
export function paletteOf(within: HTMLElement): Palette {
  const probe = document.createElement('i');
  probe.className = 'map-probe';
  within.append(probe);
  const colour = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const fill = [...itemStatuses.map((status) => colour(`map-${status}`)), colour('map-unread')];
  const palette = {
    fill,
    bytes: Uint32Array.from(fill, pixelOf),
    sign: colour('map-sign'),
    ground: colour('map-ground'),
    ink: colour('text'),
    accent: colour('accent'),
  };
  probe.remove();
  return palette;
}

/** A pixel of ImageData. Computed colours are `rgb(r, g, b)`. */
function pixelOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  const bytes = new Uint8ClampedArray([red, green, blue, 255]);
  return new Uint32Array(bytes.buffer)[0]!;
}

/** One cell with its sign, `size` device pixels wide. */
export function drawSign(context: CanvasRenderingContext2D, x: number, y: number, size: number, code: number, palette: Palette) {
  const gap = Math.max(1, Math.round(size / 12));
  const side = size - gap;
  const status: ItemStatus | undefined = itemStatuses[code];
  context.fillStyle = palette.fill[code]!;
  context.fillRect(x, y, side, side);
  if (size < 8 || status === undefined || status === 'succeeded') return;
  context.strokeStyle = status === 'queued' || status === 'not_needed' ? palette.fill[itemStatuses.indexOf('waiting')]! : palette.sign;
  context.fillStyle = palette.sign;
  const width = Math.max(1, side / 9);
  context.lineWidth = width;
  const low = side * 0.28;
  const high = side * 0.72;
  const middle = side / 2;
  context.beginPath();
  if (status === 'failed') {
    context.moveTo(x + low, y + low);
    context.lineTo(x + high, y + high);
    context.moveTo(x + high, y + low);
    context.lineTo(x + low, y + high);
  } else if (status === 'running') {
    context.arc(x + middle, y + middle, side * 0.22, 0, 2 * Math.PI);
  } else if (status === 'waiting') {
    context.moveTo(x + side * 0.38, y + low);
    context.lineTo(x + side * 0.38, y + high);
    context.moveTo(x + side * 0.62, y + low);
    context.lineTo(x + side * 0.62, y + high);
  } else if (status === 'in_doubt') {
    context.moveTo(x + middle, y + low);
    context.lineTo(x + middle, y + side * 0.56);
    context.moveTo(x + middle, y + side * 0.66);
    context.lineTo(x + middle, y + side * 0.78);
  } else if (status === 'not_needed') {
    context.strokeStyle = palette.ink;
    context.globalAlpha = 0.6;
    context.moveTo(x + low, y + middle);
    context.lineTo(x + high, y + middle);
  } else {
    // queued: nothing within
    context.globalAlpha = 1;
  }
  context.stroke();
  context.globalAlpha = 1;
}

const signsFrom = 8;

export class Painter {
  private readonly small = document.createElement('canvas');
  private readonly signs = document.createElement('canvas');
  private signsOf = '';
  private image: ImageData | undefined;

  /** Draws the rows of the map that are in sight, `top` CSS pixels from its beginning. */
  paint(context: CanvasRenderingContext2D, model: ItemModel, order: Uint32Array | undefined, geometry: Geometry, palette: Palette, top: number, height: number, scale: number) {
    const { cell, columns, perCell, count } = geometry;
    const firstRow = Math.max(0, Math.floor(top / cell));
    const lastRow = Math.min(geometry.rows, Math.ceil((top + height) / cell));
    const rows = lastRow - firstRow;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = palette.ground;
    context.fillRect(0, 0, context.canvas.width, context.canvas.height);
    if (rows <= 0 || count === 0) return;
    const { codes } = model;
    const y0 = (firstRow * cell - top) * scale;
    if (cell >= signsFrom) {
      const size = Math.round(cell * scale);
      this.prepareSigns(size, palette);
      for (let row = firstRow; row < lastRow; row++) {
        const y = Math.round(y0 + (row - firstRow) * cell * scale);
        for (let column = 0; column < columns; column++) {
          const position = row * columns + column;
          if (position >= count) return;
          const code = codes[order ? order[position]! : position]!;
          context.drawImage(this.signs, code * size, 0, size, size, Math.round(column * cell * scale), y, size, size);
        }
      }
      return;
    }
    if (!this.image || this.image.width !== columns || this.image.height !== rows) {
      this.small.width = columns;
      this.small.height = rows;
      this.image = new ImageData(columns, rows);
    }
    const pixels = new Uint32Array(this.image.data.buffer);
    pixels.fill(0);
    const cells = Math.min(columns * rows, Math.ceil(count / perCell) - firstRow * columns);
    let position = firstRow * columns * perCell;
    if (perCell === 1) for (let at = 0; at < cells; at++, position++) pixels[at] = palette.bytes[codes[order ? order[position]! : position]!]!;
    else for (let at = 0; at < cells; at++, position += perCell) pixels[at] = palette.bytes[model.worst(position, position + perCell, order)]!;
    this.small.getContext('2d')!.putImageData(this.image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.small, 0, y0, columns * cell * scale, rows * cell * scale);
    if (cell < 5) return;
    context.fillStyle = palette.ground;
    for (let column = 1; column <= columns; column++) context.fillRect(Math.round(column * cell * scale) - 1, 0, 1, context.canvas.height);
    for (let row = 1; row <= rows; row++) context.fillRect(0, Math.round(y0 + row * cell * scale) - 1, context.canvas.width, 1);
  }

  private prepareSigns(size: number, palette: Palette) {
    const key = `${size}/${palette.fill.join()}`;
    if (key === this.signsOf) return;
    this.signsOf = key;
    this.signs.width = size * (unread + 1);
    this.signs.height = size;
    const context = this.signs.getContext('2d')!;
    for (let code = 0; code <= unread; code++) drawSign(context, code * size, 0, size, code, palette);
  }
}
