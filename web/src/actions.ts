// What can be done to chains, in one place: who may be acted on, and how the coordinator is asked. Each act has one key, however often it is sent.
import { chainPath, post, remove, type Answer } from './api';
import type { Chain, Json, Preview, RetryPreview, Step } from './types';

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
  deadline?: string;
}

export const mayAmend = (status: string) => ['pending', 'running', 'paused'].includes(status);

/** What one does to a step, or to the chain with a form of its own. */
export interface FormAct {
  id: 'amend' | 'signal' | 'approve' | 'reject' | 'skip' | 'resolve' | 'fork' | 'compare';
  title: string;
  /** In the menu of the chain. */
  label: string;
  key?: string;
  may(status: string, steps: readonly Step[]): boolean;
}

const waits = (status: string, steps: readonly Step[]) => mayAmend(status) && steps.some((step) => step.waits_for_approval);
export const formActs: readonly FormAct[] = [
  { id: 'amend', title: 'Amend this chain', label: 'Amend…', key: 'a', may: mayAmend },
  { id: 'signal', title: 'Send this chain a signal', label: 'Send a signal…', key: 's', may: mayAmend },
  { id: 'approve', title: 'Approve a step that waits', label: 'Approve a step…', key: 'Shift+y', may: waits },
  { id: 'reject', title: 'Reject a step that waits', label: 'Reject a step…', key: 'Shift+n', may: waits },
  { id: 'skip', title: 'Skip a step of this chain', label: 'Skip a step…', may: () => true },
  { id: 'resolve', title: 'Resolve an attempt in doubt', label: 'Resolve an attempt in doubt…', may: () => true },
  { id: 'fork', title: 'Fork this chain', label: 'Fork…', key: 'Shift+f', may: () => true },
  { id: 'compare', title: 'Compare this chain with another', label: 'Compare with…', may: () => true },
];

export const amendChain = (chain: string, terms: Terms, reason: string, key: string) => post<Chain>(chainPath(chain, ':amend'), { ...terms, ...withReason(reason) }, { key });

export const checkAmend = (chain: string, terms: Terms) => post<Preview>(chainPath(chain, ':amend'), terms, { query: onlyCheck });

/** Where a fork begins (a step or an event), and what it has in place of what its source has. */
export interface Fork {
  at?: string;
  seq?: number;
  arguments?: Json;
  id?: string;
}

export const forkChain = (chain: string, fork: Fork, reason: string, key: string) => post<Chain>(chainPath(chain, ':fork'), { ...fork, ...withReason(reason) }, { key });

export const checkFork = (chain: string, fork: Fork) => post<Preview>(chainPath(chain, ':fork'), fork, { query: onlyCheck });

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

type Members = Readonly<Record<string, Json>>;

/** What a person says to a step that waits for approval; `items` of a fan-out, `edit` where the step lets its arguments be set. */
export interface Reply {
  step: string;
  items?: string;
  edit?: Members;
}

const replyPath = (chain: string, approved: boolean) => chainPath(chain, approved ? ':approve' : ':reject');
export const sendReply = (chain: string, approved: boolean, reply: Reply, reason: string, key: string) => post<Chain>(replyPath(chain, approved), { ...reply, ...withReason(reason) }, { key });
export const checkReply = (chain: string, approved: boolean, reply: Reply) => post<Preview>(replyPath(chain, approved), reply, { query: onlyCheck });

export interface SignalSent {
  name: string;
  data?: Members;
}

export const sendSignal = (chain: string, signal: SignalSent, reason: string, key: string) => post<Chain>(chainPath(chain, ':signal'), { ...signal, ...withReason(reason) }, { key });
export const checkSignal = (chain: string, signal: SignalSent) => post<Preview>(chainPath(chain, ':signal'), signal, { query: onlyCheck });
