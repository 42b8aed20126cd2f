// What tabs and the worker that reads the feed for them say to each other.
import type { FeedEvent } from '../types';

export type LiveState = 'connecting' | 'live' | 'offline' | 'unauthorized';

/** From a tab. `join` counts what it has joined: answers to an earlier one, with another token, are none. `ask`: a new tab takes the token of the others. */
export type ToReader = { what: 'join'; join: number; token?: string; ask: boolean } | { what: 'leave' } | { what: 'hurry' };

/** To a tab. `begun` counts how often the stream was opened: with a new number what was read before may be stale. */
export type FromReader =
  | { what: 'state'; state: LiveState; begun: number; retryAt?: number; join?: number }
  | { what: 'events'; events: FeedEvent[]; join?: number }
  | { what: 'token'; token: string; join?: number };

export const channelName = 'catena-live';
