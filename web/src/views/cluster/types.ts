// What the routes of the cluster answer, beside what types.ts has.
export interface AuditEntry {
  number: number;
  time: string;
  by: { id?: string; name?: string; via: string };
  act: string;
  subject?: string;
  detail?: string;
  reason?: string;
}

export interface AuditPage {
  entries: AuditEntry[];
  next: number;
  more: boolean;
}

export interface Delivery {
  id: string;
  state: 'pending' | 'delivered' | 'given_up';
  chain_id: string;
  event: string;
  url: string;
  time: string;
  tries: number;
  status?: number;
  error?: string;
  next_try?: string;
}

export interface WebhookPage {
  deliveries: Delivery[];
  cursor?: string;
}

export interface CallerLimits {
  requests?: { per_second: number; burst: number; remaining: number; full_after_seconds: number };
  open_requests?: { now: number; most: number };
}
