// Reads /v1/events as a stream, for as long as somebody listens, and comes back after each interruption with the number of the last event. EventSource cannot send a
// token, so this is fetch and the few lines of the format that the coordinator writes.
import type { FeedEvent, FeedPage } from '../types';
import type { LiveState } from './protocol';

export interface Listener {
  state(state: LiveState, begun: number, retryAt?: number): void;
  events(events: FeedEvent[]): void;
}

/** Silence for longer than two heartbeats: the connection is dead, whatever the system says. */
const silenceMost = 40_000;
const batchEvery = 50;
const batchMost = 2000;

export class FeedStream {
  private lastId: number | undefined;
  /** Grows, and differs from that of a stream that another tab had before. */
  private begun = Date.now();
  private failures = 0;
  private stopped = false;
  private abort = new AbortController();
  private wake: (() => void) | undefined;
  private held: FeedEvent[] = [];
  private flushTimer: ReturnType<typeof setTimeout> | undefined;
  state: LiveState = 'connecting';
  retryAt: number | undefined;

  constructor(private readonly token: string | undefined, private readonly listener: Listener) {
    void this.run();
  }

  get opened(): number {
    return this.begun;
  }

  stop() {
    this.stopped = true;
    this.abort.abort();
    clearTimeout(this.flushTimer);
    this.wake?.();
  }

  /** Tries again now: the machine is back on the network, or a tab came to the front. */
  hurry() {
    this.wake?.();
  }

  private say(state: LiveState, retryAt?: number) {
    if (this.stopped) return;
    this.state = state;
    this.retryAt = retryAt;
    this.listener.state(state, this.begun, retryAt);
  }

  private async run() {
    while (!this.stopped) {
      const outcome = await this.readOnce();
      if (this.stopped) return;
      this.flush();
      if (outcome === 'unauthorized') {
        this.say('unauthorized');
        return; // another token is another stream
      }
      if (outcome === 'closed') this.failures = 0;
      // 0.25, 0.5, 1, ... 8 s, each a little earlier or later, so that many browsers do not come back at once
      const delay = Math.min(8000, 250 * 2 ** this.failures++) * (0.75 + Math.random() / 2);
      this.say('offline', Date.now() + delay);
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        setTimeout(resolve, delay);
      });
      this.wake = undefined;
    }
  }

  private headers(accept: string): Record<string, string> {
    const headers: Record<string, string> = { accept };
    if (this.token !== undefined) headers.authorization = `Bearer ${this.token}`;
    return headers;
  }

  /** Another store has other numbers: with one that begins anew, nothing would ever come behind the number that is known. */
  private async forgetsForeignNumber(): Promise<void> {
    const answer = await fetch('/v1/events?from_now=true', { headers: this.headers('application/json'), cache: 'no-store', signal: this.abort.signal });
    if (!answer.ok) return;
    const page = (await answer.json()) as FeedPage;
    if (this.lastId !== undefined && page.next <= this.lastId) this.lastId = undefined;
  }

  private async readOnce(): Promise<'failed' | 'closed' | 'unauthorized'> {
    this.abort = new AbortController();
    let silence: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => this.abort.abort(), silenceMost);
    };
    try {
      heard();
      if (this.lastId !== undefined) await this.forgetsForeignNumber();
      const headers = this.headers('text/event-stream');
      if (this.lastId !== undefined) headers['last-event-id'] = String(this.lastId);
      const response = await fetch('/v1/events?all=true', { headers, cache: 'no-store', signal: this.abort.signal });
      if (response.status === 401 || response.status === 403) return 'unauthorized';
      if (!response.ok || !response.body) return 'failed';
      heard();
      this.failures = 0;
      this.begun++;
      this.say('live');
      const reader = response.body.getReader();
      const decoder = new TextDecoder();
      let rest = '';
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return 'closed';
        heard();
        rest += decoder.decode(value, { stream: true });
        let end = rest.indexOf('\n\n');
        let start = 0;
        while (end >= 0) {
          this.block(rest.slice(start, end));
          start = end + 2;
          end = rest.indexOf('\n\n', start);
        }
        rest = rest.slice(start);
      }
    } catch {
      return 'failed';
    } finally {
      clearTimeout(silence);
      this.abort.abort();
    }
  }

  private block(text: string) {
    let event = '';
    let data = '';
    let id: string | undefined;
    for (const line of text.split('\n')) {
      if (line.startsWith(':')) continue;
      const colon = line.indexOf(':');
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
      if (field === 'event') event = value;
      else if (field === 'data') data = data === '' ? value : `${data}\n${value}`;
      else if (field === 'id') id = value;
    }
    if (id !== undefined && /^\d+$/.test(id)) this.lastId = Number(id);
    if (data === '') return;
    if (event === 'reset') {
      // what came before is not kept any more: everybody reads their lists anew
      this.begun++;
      this.say('live');
      return;
    }
    if (event === 'closed' || event === 'error') return; // the stream ends by itself behind it
    this.held.push(JSON.parse(data) as FeedEvent);
    if (this.held.length >= batchMost) this.flush();
    else this.flushTimer ??= setTimeout(() => this.flush(), batchEvery);
  }

  private flush() {
    clearTimeout(this.flushTimer);
    this.flushTimer = undefined;
    if (this.held.length === 0 || this.stopped) return;
    const events = this.held;
    this.held = [];
    this.listener.events(events);
  }
}
