// How much waits for a person, for the side bar: asked for now and then while somebody looks, and by whoever answers something.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get } from './api';
import { epoch, liveState } from './live/live';

const askEvery = 20_000;
const countsTo = 99;

/** "3", or "99+"; undefined: nothing, or nobody knows. */
export const waiting = signal<string | undefined>(undefined);

let asking = false;
/** Whoever has no such list, or may not see it, is not asked again. */
let absent = false;

export async function countWaiting() {
  if (asking || absent || document.visibilityState !== 'visible') return;
  asking = true;
  const answer = await get<{ approvals: unknown[]; cursor?: string }>('/v1/approvals', { limit: countsTo, fields: 'step' });
  asking = false;
  if (!answer.ok) absent = [403, 404].includes(answer.problem.status);
  else {
    const { approvals, cursor } = answer.value;
    waiting.value = cursor !== undefined ? `${countsTo}+` : approvals.length > 0 ? String(approvals.length) : undefined;
  }
}

/** Only behind a stream that has begun: a coordinator that asks for a token is not asked for more. */
export function useWaiting() {
  const begun = epoch.value;
  useEffect(() => {
    absent = false;
    const ask = () => liveState.peek() === 'live' && void countWaiting();
    ask();
    const timer = setInterval(ask, askEvery);
    return () => clearInterval(timer);
  }, [begun]);
}
