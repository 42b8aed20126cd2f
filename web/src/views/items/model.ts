// The statuses of all items of a fan-out, a byte each: a million are a megabyte. They are read as runs of neighbours, and read anew while the fan-out runs.
import { signal } from '@preact/signals';
import { get, isAborted, stepPath } from '../../api';
import { itemStatuses, type ItemStates, type ItemStatus, type Problem } from '../../types';

export const codeOf = Object.fromEntries(itemStatuses.map((status, code) => [status, code])) as Record<ItemStatus, number>;
/** An item that was not read yet. */
export const unread = itemStatuses.length;
export const failedCode = codeOf.failed;

/** The order in which a cell of several items shows them: the first of these that it has. */
export const worstFirst: readonly ItemStatus[] = ['failed', 'in_doubt', 'waiting', 'running', 'queued', 'not_needed', 'succeeded'];
const rankOf = new Uint8Array(unread + 1);
for (const [rank, status] of worstFirst.entries()) rankOf[codeOf[status]] = rank;
rankOf[unread] = worstFirst.length;

/** More items than this are not held; no fan-out has them. */
const mostItems = 20_000_000;

export class ItemModel {
  width = 0;
  visit = 0;
  codes = new Uint8Array(0);
  /** How many items have each status, and how many are not read. */
  counts = new Uint32Array(unread + 1);
  /** Grows with each change of what is above. */
  readonly version = signal(0);
  readonly complete = signal(false);
  readonly problem = signal<Problem | undefined>(undefined);

  constructor(
    readonly chain: string,
    readonly step: string,
  ) {}

  /** Reads all pages; false: it was given up or failed. */
  async read(abort: AbortSignal): Promise<boolean> {
    let from: number | undefined;
    for (;;) {
      const answer = await get<ItemStates>(stepPath(this.chain, this.step, '/items:states'), { from }, abort);
      if (!answer.ok) {
        if (!isAborted(answer.problem)) this.problem.value = answer.problem;
        return false;
      }
      this.take(answer.value);
      from = answer.value.next;
      const last = from === undefined;
      if (last || !this.complete.peek()) {
        // the first reading is shown page by page, later ones when they are whole
        this.count();
        this.version.value++;
      }
      if (last) {
        this.problem.value = undefined;
        this.complete.value = true;
        return true;
      }
    }
  }

  private take({ width, visit, runs }: ItemStates) {
    if (width !== this.width || visit !== this.visit) {
      this.width = Math.min(width, mostItems);
      this.visit = visit;
      this.codes = new Uint8Array(this.width).fill(unread);
      this.complete.value = false;
    }
    for (const [status, first, number] of runs) this.codes.fill(codeOf[status] ?? unread, first, first + number);
  }

  private count() {
    const counts = new Uint32Array(unread + 1);
    const { codes } = this;
    for (let item = 0; item < codes.length; item++) counts[codes[item]!]!++;
    this.counts = counts;
  }

  statusOf(item: number): ItemStatus | undefined {
    return itemStatuses[this.codes[item]!];
  }

  /** All items with one status, in their order. */
  itemsOf(code: number): Uint32Array {
    const items = new Uint32Array(this.counts[code]!);
    let found = 0;
    for (let item = this.codes.indexOf(code); item >= 0 && found < items.length; item = this.codes.indexOf(code, item + 1)) items[found++] = item;
    return found === items.length ? items : items.subarray(0, found);
  }

  /** The worst status within [from, to) of what `order` shows; all items where there is no order. */
  worst(from: number, to: number, order?: Uint32Array): number {
    const { codes } = this;
    let worst = unread;
    let rank = worstFirst.length;
    const end = Math.min(to, order ? order.length : codes.length);
    for (let at = from; at < end; at++) {
      const code = codes[order ? order[at]! : at]!;
      if (rankOf[code]! < rank) {
        rank = rankOf[code]!;
        worst = code;
        if (rank === 0) break;
      }
    }
    return worst;
  }

  /** Neighbours with one status, up to `most` of them: the table that stands beside the picture. */
  runs(most: number, only?: number): { runs: { code: number; first: number; count: number }[]; cut: boolean } {
    const runs: { code: number; first: number; count: number }[] = [];
    const { codes } = this;
    for (let item = 0; item < codes.length; ) {
      const code = codes[item]!;
      let end = item + 1;
      while (end < codes.length && codes[end] === code) end++;
      if (only === undefined || only === code) {
        if (runs.length === most) return { runs, cut: true };
        runs.push({ code, first: item, count: end - item });
      }
      item = end;
    }
    return { runs, cut: false };
  }
}

/** `3,7-9`, as the routes of actions take items. */
export function itemsText(items: Iterable<number>): string {
  const parts: string[] = [];
  let first = -1;
  let last = -1;
  const end = () => {
    if (first >= 0) parts.push(first === last ? `${first}` : `${first}-${last}`);
  };
  for (const item of items) {
    if (item === last + 1 && first >= 0) {
      last = item;
      continue;
    }
    end();
    first = item;
    last = item;
  }
  end();
  return parts.join(',');
}
