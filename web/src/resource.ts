// What a view shows of the coordinator: the last answer, whether a newer one is under way, and what went wrong.
import { useEffect, useMemo } from 'preact/hooks';
import { signal, type Signal } from '@preact/signals';
import { get, isAborted, token, type Answer } from './api';
import { epoch } from './live/live';
import type { Problem } from './types';

export interface Resource<T> {
  value: Signal<T | undefined>;
  problem: Signal<Problem | undefined>;
  loading: Signal<boolean>;
  /** Asks again; calls that come while an answer is under way become one that follows it. */
  refresh(): void;
}

export interface Loader<T> {
  (signal: AbortSignal): Promise<Answer<T>>;
}

class LoadedResource<T> implements Resource<T> {
  value = signal<T | undefined>(undefined);
  problem = signal<Problem | undefined>(undefined);
  loading = signal(false);
  private again = false;
  private closed = false;
  private running: AbortController | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;

  constructor(private readonly load: Loader<T>) {}

  refresh() {
    if (this.closed) return;
    if (this.running) {
      this.again = true;
      return;
    }
    clearTimeout(this.timer);
    void this.run();
  }

  private async run() {
    this.running = new AbortController();
    this.loading.value = true;
    const answer = await this.load(this.running.signal);
    this.running = undefined;
    if (this.closed) return;
    this.loading.value = false;
    if (answer.ok) {
      this.failures = 0;
      this.value.value = answer.value;
      this.problem.value = undefined;
    } else if (!isAborted(answer.problem)) {
      this.problem.value = answer.problem;
      if (answer.problem.retryable || answer.problem.status >= 500) {
        this.timer = setTimeout(() => this.refresh(), Math.min(10_000, 500 * 2 ** this.failures++));
      }
    }
    if (this.again) {
      this.again = false;
      this.refresh();
    }
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.running?.abort();
  }
}

/** An answer that follows `key`: another key is another resource. It is asked for anew when the live feed has begun again, and with another token. */
export function useLoaded<T>(key: string | undefined, load: Loader<T>): Resource<T> {
  // eslint-disable-next-line react-hooks/exhaustive-deps -- the key says what is loaded
  const resource = useMemo(() => new LoadedResource<T>(load), [key]);
  const begun = epoch.value;
  const shown = token.value;
  useEffect(() => {
    if (key !== undefined) resource.refresh();
  }, [resource, begun, shown]);
  useEffect(() => () => resource.close(), [resource]);
  return resource;
}

/** What GET `path` answers; undefined: nothing is asked. */
export function useAnswer<T>(path: string | undefined): Resource<T> {
  return useLoaded<T>(path, (signal) => get<T>(path!, undefined, signal));
}
