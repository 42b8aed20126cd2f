import { now } from '../clock';
import { age, clock, duration } from '../format';

/** How long ago; the title has the time itself. */
export function Age({ at }: { at?: string }) {
  if (!at) return <span class="dim">–</span>;
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={clock(time, { date: true, ms: true })}>
      {age(time, now.value)}
    </time>
  );
}

/** The time of day; the title has the date. */
export function Clock({ at, ms, date }: { at: string; ms?: boolean; date?: boolean }) {
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={`${clock(time, { date: true, ms: true })} (${age(time, now.value)})`}>
      {clock(time, { ms, date })}
    </time>
  );
}

/** From `from` to `to`, or to now while it goes on. */
export function Took({ from, to }: { from?: string; to?: string }) {
  if (!from) return <span class="dim">–</span>;
  return <span class="number">{duration((to ? Date.parse(to) : now.value) - Date.parse(from))}</span>;
}
