// What the routes of schedules answer, and how they are asked.
import { post, put, remove } from '../../api';
import type { Json, Preview } from '../../types';

export interface ScheduledRun {
  chain_id: string;
  at: string;
  kind: 'due' | 'trigger' | 'backfill';
  status: string;
  error?: string;
  ended_at?: string;
}

export interface Schedule {
  name: string;
  version: string;
  definition: string;
  follow: boolean;
  cron?: string;
  every?: string;
  timezone?: string;
  overlap: string;
  catchup: string;
  /** Of each run, from its beginning on. */
  deadline?: string;
  labels: Record<string, string>;
  priority: number;
  arguments?: Json;
  context?: Json;
  created_at?: string;
  changed_at?: string;
  changed_by?: string;
  paused: boolean;
  paused_at?: string;
  paused_by?: string;
  pause_reason?: string;
  runs: { begun: number; skipped: number; missed: number; refused: number };
  last_missed?: string;
  last_skipped?: string;
  waiting: number;
  running: ScheduledRun[];
  /** The newest first. */
  last: ScheduledRun[];
  next: string[];
}

export interface SchedulePage {
  schedules: Schedule[];
  cursor?: string;
}

/** What PUT takes; what is undefined is left out. */
export interface Wish {
  name: string;
  cron?: string;
  every?: string;
  timezone?: string;
  overlap: string;
  catchup?: string;
  /** Of each run, from its beginning on. */
  deadline?: string;
  follow?: true;
  arguments?: Json;
  labels?: Record<string, string>;
}

export type Would = Preview & { next?: string[] };

export const schedulePath = (name: string, rest = '') => `/v1/schedules/${encodeURIComponent(name)}${rest}`;

export const stateOf = (schedule: Schedule) => (schedule.paused ? 'paused' : 'active');
export const whenOf = ({ cron, every, timezone }: Schedule) => (cron === undefined ? `every ${every ?? ''}` : timezone ? `${cron} (${timezone})` : cron);
/** The run that goes on, or else the one before. */
export const lastRun = (schedule: Schedule): ScheduledRun | undefined => schedule.running.at(-1) ?? schedule.last[0];

const why = (reason: string) => (reason.trim() === '' ? {} : { reason: reason.trim() });
const check = { validate_only: true };

export type Order = 'pause' | 'resume' | 'trigger' | 'backfill';
export const order = (name: string, verb: Order, said: object, reason: string, key: string) => post(schedulePath(name, `:${verb}`), { ...said, ...why(reason) }, { key });
export const checkOrder = (name: string, verb: Order, said: object) => post<Would>(schedulePath(name, `:${verb}`), said, { query: check });

export const removeSchedule = ({ name, version }: Schedule, reason: string, key: string) => remove(schedulePath(name), { key, ifMatch: `"${version}"`, query: { reason: reason.trim() } });
export const checkRemove = ({ name, version }: Schedule) => remove<Would>(schedulePath(name), { ifMatch: `"${version}"`, query: check });

export const createSchedule = (name: string, wish: Wish, key: string) => put(schedulePath(name), wish, { key, ifNoneMatch: '*' });
export const checkCreate = (name: string, wish: Wish) => put<Would>(schedulePath(name), wish, { ifNoneMatch: '*', query: check });
