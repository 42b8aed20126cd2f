// What can be done to chains, in one place: who may be acted on, and how the coordinator is asked. Each act has one key, however often it is sent.
import { chainPath, post, remove, type Answer } from './api';
import type { Chain, Json, Preview, RetryPreview } from './types';

export interface Act {
  id: 'cancel' | 'kill' | 'pause' | 'unpause' | 'retry' | 'resume' | 'remove';
  label: string;
  /** "Cancelled 3 chains." */
  done: string;
  key?: string;
  may(status: string): boolean;
  danger?: boolean;
  send(chain: string, reason: string, key: string): Promise<Answer<unknown>>;
  /** What would happen, without doing it. */
  check(chain: string): Promise<Answer<Preview>>;
}

const withReason = (reason: string) => (reason.trim() === '' ? {} : { reason: reason.trim() });
const onlyCheck = { validate_only: true };

const act = (id: Act['id'], label: string, done: string, statuses: string[], others: Partial<Act> = {}): Act => ({
  id,
  label,
  done,
  may: (status) => statuses.includes(status),
  send: (chain, reason, key) => post(chainPath(chain, `:${id}`), withReason(reason), { key }),
  check: (chain) => post<Preview>(chainPath(chain, `:${id}`), {}, { query: onlyCheck }),
  ...others,
});

const live = ['pending', 'running', 'paused', 'quarantined'];
export const acts: readonly Act[] = [
  act('cancel', 'Cancel', 'Cancelled', live, { danger: true, key: 'c' }),
  act('kill', 'Kill', 'Killed', live, { danger: true, key: 'Shift+c' }),
  act('pause', 'Pause', 'Paused', ['pending', 'running'], { key: 'Shift+p' }),
  act('unpause', 'Unpause', 'Unpaused', ['paused'], { key: 'Shift+u' }),
  act('retry', 'Retry', 'Retried', ['failed', 'cancelled'], { key: 'r' }),
  act('resume', 'Resume', 'Resumed', ['quarantined']),
  act('remove', 'Remove', 'Removed', ['succeeded', 'failed', 'cancelled'], {
    danger: true,
    key: 'Delete',
    send: (chain, reason, key) => remove(chainPath(chain), { query: { reason: reason.trim() }, key }),
    check: (chain) => remove<Preview>(chainPath(chain), { query: onlyCheck }),
  }),
];

export const mayAct = (id: Act['id'], status: string) => acts.find((one) => one.id === id)!.may(status);

/** Other terms for a chain, or for one of its steps; what is left out stays as it is. */
export interface Terms {
  step?: string;
  max_concurrency?: number;
  tolerate?: string;
  timeout?: string;
  retry_attempts?: number;
  priority?: number;
}

export const mayAmend = (status: string) => ['pending', 'running', 'paused'].includes(status);

export const amendChain = (chain: string, terms: Terms, reason: string, key: string) => post<Chain>(chainPath(chain, ':amend'), { ...terms, ...withReason(reason) }, { key });

export const checkAmend = (chain: string, terms: Terms) => post<Preview>(chainPath(chain, ':amend'), terms, { query: onlyCheck });

export interface RetryChoice {
  failed?: boolean;
  from?: string[];
  items?: Record<string, string>;
}

const retryBody = (choice: RetryChoice) => ({
  ...(choice.failed ? { failed: true } : {}),
  ...(choice.from && choice.from.length > 0 ? { from: choice.from } : {}),
  ...(choice.items && Object.keys(choice.items).length > 0 ? { items: choice.items } : {}),
});

export const previewRetry = (chain: string, choice: RetryChoice) => post<RetryPreview>(chainPath(chain, ':retry'), { ...retryBody(choice), dry_run: true });

export const retryChain = (chain: string, choice: RetryChoice, reason: string, key: string) =>
  post<Chain>(chainPath(chain, ':retry'), { ...retryBody(choice), ...withReason(reason) }, { key });

export const skipStep = (chain: string, skip: { step: string; items?: string; response: Json }, reason: string, key: string) => post<Chain>(chainPath(chain, ':skip'), { ...skip, ...withReason(reason) }, { key });

export interface Resolution {
  step: string;
  items?: string;
  again?: true;
  failed?: string;
  response?: Json;
}

export const resolveStep = (chain: string, resolution: Resolution, reason: string, key: string) => post<Chain>(chainPath(chain, ':resolve'), { ...resolution, ...withReason(reason) }, { key });
