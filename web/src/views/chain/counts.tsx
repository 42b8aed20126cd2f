// How far a fan-out is, in one line: what succeeded, what failed, and the rest.
import { count } from '../../format';
import type { Step } from '../../types';

export function CountsBar({ items, width = 90 }: { items: NonNullable<Step['items']>; width?: number }) {
  const { total, ok, failed } = items;
  const share = (value: number) => (total === 0 ? 0 : (width * value) / total);
  // one failed item of a million is seen
  const bad = failed === 0 ? 0 : Math.max(3, share(failed));
  const good = Math.min(share(ok), width - bad);
  return (
    <span class="counts">
      <svg width={width} height="6" aria-hidden="true">
        <rect class="progress-ground" width={width} height="6" rx="3" />
        <rect class="counts-ok" width={good} height="6" rx="3" />
        <rect class="counts-bad" x={good} width={bad} height="6" rx="1" />
      </svg>
      <span class="number">
        {count(ok + failed)}/{count(total)}
        {failed > 0 && <span class="tone-bad counts-failed"> {count(failed)} failed</span>}
      </span>
    </span>
  );
}
