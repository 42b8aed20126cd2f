// The SharedWorker: one stream for all tabs that show the same token. A tab that is closed or left says so; one that crashed costs a message now and then.
import { FeedStream } from './stream';
import type { FromReader, ToReader } from './protocol';

declare const self: { onconnect: ((event: MessageEvent) => void) | null };

interface Shared {
  stream: FeedStream;
  /** With the number of the joining of each. */
  ports: Map<MessagePort, number>;
}

const streams = new Map<string, Shared>();
const keyOf = (token: string | undefined) => token ?? '';

function sharedFor(token: string | undefined): Shared {
  const key = keyOf(token);
  const found = streams.get(key);
  if (found) return found;
  const ports: Shared['ports'] = new Map();
  const tell = (message: FromReader) => {
    for (const [port, join] of ports) port.postMessage({ ...message, join });
  };
  const shared: Shared = {
    ports,
    stream: new FeedStream(token, {
      state: (state, begun, retryAt) => tell({ what: 'state', state, begun, retryAt }),
      events: (events) => tell({ what: 'events', events }),
    }),
  };
  streams.set(key, shared);
  return shared;
}

function leave(port: MessagePort) {
  for (const [key, shared] of streams) {
    if (!shared.ports.delete(port) || shared.ports.size > 0) continue;
    shared.stream.stop();
    streams.delete(key);
  }
}

self.onconnect = (event) => {
  const port = event.ports[0]!;
  port.onmessage = ({ data }: MessageEvent<ToReader>) => {
    if (data.what === 'leave') {
      leave(port);
      return;
    }
    if (data.what === 'hurry') {
      for (const shared of streams.values()) if (shared.ports.has(port)) shared.stream.hurry();
      return;
    }
    leave(port);
    const answer = (message: FromReader) => port.postMessage({ ...message, join: data.join });
    if (data.token === undefined && data.ask) {
      for (const [key, shared] of streams) {
        if (key === '' || shared.stream.state !== 'live') continue;
        answer({ what: 'token', token: key }); // the tab joins again with it
        return;
      }
    }
    let shared = sharedFor(data.token);
    if (shared.stream.state === 'unauthorized') {
      // it was refused once; whoever asks again gets another try
      const { ports } = shared;
      streams.delete(keyOf(data.token));
      shared = sharedFor(data.token);
      for (const [other, join] of ports) shared.ports.set(other, join);
    }
    shared.ports.set(port, data.join);
    answer({ what: 'state', state: shared.stream.state, begun: shared.stream.opened, retryAt: shared.stream.retryAt });
  };
  port.start();
};
