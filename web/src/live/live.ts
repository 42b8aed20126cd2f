// What becomes of chains, as it is written: one stream of the coordinator for all tabs of a browser. A SharedWorker reads it; where there is none, the tab that holds a
// lock reads it and tells the others over a channel; where there are no locks either, each tab has a stream of its own.
import { effect, signal } from '@preact/signals';
import { token, tokenWanted, useToken } from '../api';
import { workerUrl } from '../worker_url';
import type { FeedEvent } from '../types';
import { channelName, type FromReader, type LiveState, type ToReader } from './protocol';
import { FeedStream } from './stream';

export const liveState = signal<LiveState>('connecting');
export const retryAt = signal<number | undefined>(undefined);
/** Grows when the stream was opened anew: what was read before may be stale, and is read again. */
export const epoch = signal(0);

const listeners = new Set<(events: FeedEvent[]) => void>();

/** Calls `listener` with each batch of events; returns what ends that. */
export function onEvents(listener: (events: FeedEvent[]) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let begunKnown: number | undefined;

function hear(message: FromReader) {
  if (message.what === 'token') {
    if (token.peek() === undefined) useToken(message.token);
    return;
  }
  if (message.what === 'events') {
    for (const listener of [...listeners]) listener(message.events);
    return;
  }
  liveState.value = message.state;
  retryAt.value = message.retryAt;
  if (message.state === 'unauthorized') tokenWanted.value = token.peek() === undefined ? 'none' : 'refused';
  if (message.state === 'live' && message.begun !== begunKnown) {
    // what the page has read before the stream was there may have changed in between
    begunKnown = message.begun;
    epoch.value++;
  }
}

/** Somebody who reads the stream for this tab. */
interface Reader {
  join(token: string | undefined): void;
  hurry(): void;
}

function sharedReader(): Reader {
  const worker = new SharedWorker(workerUrl(__LIVE_WORKER__), { name: channelName });
  const say = (message: ToReader) => worker.port.postMessage(message);
  let join = 0;
  worker.port.onmessage = ({ data }: MessageEvent<FromReader>) => {
    if (data.join === join) hear(data);
  };
  worker.port.start();
  let joined: string | undefined;
  addEventListener('pagehide', () => say({ what: 'leave' }));
  addEventListener('pageshow', (event: PageTransitionEvent) => {
    if (event.persisted) say({ what: 'join', join: ++join, token: joined, ask: false });
  });
  return {
    join(value) {
      joined = value;
      begunKnown = undefined;
      say({ what: 'join', join: ++join, token: value, ask: join === 1 });
    },
    hurry: () => say({ what: 'hurry' }),
  };
}

function ownReader(tell: (message: FromReader) => void = hear): Reader & { stop(): void; repeat(): void } {
  let stream: FeedStream | undefined;
  return {
    join(value) {
      stream?.stop();
      stream = new FeedStream(value, {
        state: (state, begun, at) => tell({ what: 'state', state, begun, retryAt: at }),
        events: (events) => tell({ what: 'events', events }),
      });
    },
    hurry: () => stream?.hurry(),
    stop: () => stream?.stop(),
    repeat: () => stream && tell({ what: 'state', state: stream.state, begun: stream.opened, retryAt: stream.retryAt }),
  };
}

/** Without SharedWorker: whoever gets the lock reads for all tabs that show the same token. */
function leaderReader(): Reader {
  let end: (() => void) | undefined;
  return {
    join(value) {
      end?.();
      begunKnown = undefined;
      const name = `${channelName}:${value ?? ''}`;
      const channel = new BroadcastChannel(name);
      let leader: ReturnType<typeof ownReader> | undefined;
      channel.onmessage = ({ data }: MessageEvent<FromReader | { what: 'hello' }>) => {
        if (data.what === 'hello') leader?.repeat();
        else hear(data);
      };
      channel.postMessage({ what: 'hello' });
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const abort = new AbortController();
      navigator.locks
        .request(name, { signal: abort.signal }, () => {
          leader = ownReader((message) => {
            hear(message);
            channel.postMessage(message);
          });
          leader.join(value);
          return held;
        })
        .catch(() => undefined);
      end = () => {
        leader?.stop();
        release();
        abort.abort();
        channel.close();
      };
    },
    hurry: () => undefined,
  };
}

/** Begins to follow. */
export function follow() {
  if (__REPORT__) return;
  const canLead = 'locks' in navigator && 'BroadcastChannel' in window;
  const reader = 'SharedWorker' in window ? sharedReader() : canLead ? leaderReader() : ownReader();
  effect(() => reader.join(token.value));
  addEventListener('online', () => reader.hurry());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && liveState.peek() === 'offline') reader.hurry();
  });
}
