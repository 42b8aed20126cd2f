// The answers of the coordinator, as docs/api.md has them.

export type ChainStatus = 'pending' | 'running' | 'paused' | 'succeeded' | 'failed' | 'cancelled' | 'quarantined';
export const chainStatuses: readonly ChainStatus[] = ['pending', 'running', 'paused', 'succeeded', 'failed', 'cancelled', 'quarantined'];
export const endedStatuses: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled']);

export type ItemStatus = 'queued' | 'running' | 'waiting' | 'in_doubt' | 'succeeded' | 'failed' | 'not_needed';
export const itemStatuses: readonly ItemStatus[] = ['queued', 'running', 'waiting', 'in_doubt', 'succeeded', 'failed', 'not_needed'];

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface ChainError {
  code: string;
  message: string;
  retryable: boolean;
  details?: Json;
  cause?: ChainError;
}

export interface Finding {
  code: string;
  detail: string;
  pointer?: string;
  parameter?: string;
  file?: string;
  line?: number;
  column?: number;
  suggestion?: string;
  notes?: string[];
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  source: 'request' | 'chain' | 'server';
  retryable: boolean;
  safe_to_resend: boolean;
  errors?: Finding[];
  notes?: string[];
}

export interface Step {
  id: string;
  status: string;
  visit: number;
  entered_at?: string;
  settled_at?: string;
  error?: ChainError;
  items?: { total: number; ok: number; failed: number };
  /** The name of the signal that it waits for. */
  waits_for_signal?: string;
  /** So many items wait for a person; 1 of a plain step. */
  waits_for_approval?: number;
  /** What a person changed of it. */
  amended?: { max_concurrency?: number; tolerate?: string; timeout?: string; retry_attempts?: number };
}

export interface Chain {
  chain_id: string;
  status: ChainStatus;
  started_at?: string;
  finished_at?: string;
  response?: Json;
  response_bytes?: number;
  error?: ChainError;
  steps?: Step[];
  steps_next?: number;
  /** It fails if it has not ended then. */
  deadline?: string;
  trace_id?: string;
  name?: string;
  labels?: Record<string, string>;
  parent?: string;
  paused?: Pause;
}

/** `with_parent`: the chain that started it is paused, too. */
export interface Pause {
  since: string;
  by?: string;
  reason?: string;
  with_parent?: boolean;
}

export interface ListedChain {
  chain_id: string;
  name: string;
  status: ChainStatus;
  started_at: string;
  finished_at?: string;
  duration_ms: number;
  steps: { settled: number; total: number };
  labels?: Record<string, string>;
  parent?: string;
  error?: ChainError;
  context?: Json;
}

export interface ChainPage {
  chains: ListedChain[];
  cursor?: string;
}

export interface StepPage {
  steps: Step[];
  next?: number;
}

export interface Item {
  item: number;
  status: ItemStatus;
  failed_attempts?: number;
  error?: ChainError;
  response?: Json;
  response_at?: string;
  value?: Json;
  value_begins?: string;
}

export interface ItemPage {
  visit: number;
  width: number;
  items: Item[];
  next?: number;
}

/** A run of neighbours: status, first item, number of items. */
export type ItemRun = [ItemStatus, number, number];

export interface ItemStates {
  visit: number;
  width: number;
  runs: ItemRun[];
  next?: number;
}

export interface Cluster {
  kind: string;
  count: number;
  first?: number;
  error: ChainError;
  sample?: number[];
  items?: [number, number][];
  more_items?: boolean;
  step?: string;
}

export interface ClusterPage {
  clusters: Cluster[];
  others: number;
  next?: number;
}

export interface ChainClusterPage {
  clusters: Cluster[];
  others: number;
  next?: { step: number; from: number };
}

export interface HistoryEvent {
  seq: number;
  time: string;
  text: string;
  event?: string;
  step?: string;
  item?: number;
  [member: string]: Json | undefined;
}

export interface HistoryPage {
  events: HistoryEvent[];
  next?: number;
}

export interface LogRow {
  number: number;
  step: string;
  visit: number;
  attempt: number;
  item?: number;
  stream: 'stderr' | 'stdout';
  time: string;
  offset: number;
  text: string;
}

export interface LogPage {
  rows: LogRow[];
  next: number;
  more: boolean;
  dropped_bytes: number;
}

export interface FeedEvent {
  number: number;
  kind: 'started' | 'step_began' | 'step_settled' | 'paused' | 'resumed' | 'cancelling' | 'retried' | 'ended' | 'quarantined';
  chain_id: string;
  name: string;
  status: string;
  time: string;
  seq: number;
  namespace?: string;
  step?: string;
  visit?: number;
  error?: { code: string; message: string };
}

export interface FeedPage {
  events: FeedEvent[];
  next: number;
  more: boolean;
  lost: boolean;
}

export interface RetryPreview {
  chain_id: string;
  takes_up_changes?: boolean;
  steps: { id: string; action: 'stays' | 'runs' | 'compared' | 'anew' | 'waits'; cause?: string; behind?: string; items?: { of?: number; run?: number } }[];
}

export interface Preview {
  validate_only: true;
  would: string;
  chain_id?: string;
  status?: string;
  /** Of a signal. */
  name?: string;
  /** Of a fork. */
  steps?: RetryPreview['steps'];
  step?: string;
  items?: string;
  descendants?: number;
  more_descendants?: boolean;
  terms?: string;
}

export interface WorkerNode {
  id: string;
  state: string;
  slots: { used: number; total: number };
  address?: string;
  capabilities?: string[];
  heartbeat_age_ms?: number;
  incarnation?: number;
  kinds?: string[];
  labels?: string[];
  lost_ms?: number;
  queued?: number;
  rate?: number;
  running?: number;
  tool_roots?: string[];
  version?: string;
}

export interface StoreState {
  format: number;
  epoch: number;
  commit: number;
  durable_commit: number;
  bytes: number;
  disk: { free: number; total: number };
}

export interface GraphNode {
  id: string;
  label: string;
  kind: 'step' | 'fan_out' | 'loop' | 'parallel' | 'child';
  calls?: string;
  dialect?: string;
  /** The node whose block this one is in: a round of a loop, a branch. */
  parent?: string;
  conditional?: boolean;
  finally?: boolean;
}

export interface GraphEdge {
  from: string;
  to: string;
  kind: 'after' | 'success' | 'failure' | 'jump';
  label?: string;
}

export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

export interface TimelineBar {
  kind: 'queued' | 'running' | 'backoff' | 'waiting' | 'lost';
  attempt?: number;
  worker?: string;
  from: string;
  to?: string;
  outcome?: string;
}

export interface TimelineRow {
  step: string;
  visit: number;
  item?: number;
  fan_out?: boolean;
  /** Of the visit, or of all attempts of the item. */
  from: string;
  to?: string;
  bars: TimelineBar[];
  /** So many earlier ones are left out. */
  bars_before?: number;
  items?: number;
  ok?: number;
  failed?: number;
}

export interface Timeline {
  started_at: string;
  now: string;
  finished_at?: string;
  rows: TimelineRow[];
  critical_path?: { step: string; visit: number; from: string; to?: string }[];
  /** False: the chain has more events than were looked at. */
  complete?: boolean;
  next?: number;
}

export interface PinnedDefinitions {
  root: string;
  definitions: { name: string; path?: string; dialect?: string; hash: string; text: string; cut?: boolean; root?: boolean }[];
  next?: number;
}

export interface ExplainReason {
  code: string;
  message: string;
  step?: string;
  item?: number;
  worker?: string;
  chain?: string;
  until?: string;
  since?: string;
  details?: { names?: string[]; count?: number; by?: string; text?: string; error?: ChainError };
}

export interface Explanation {
  status: string;
  reasons: ExplainReason[];
}
