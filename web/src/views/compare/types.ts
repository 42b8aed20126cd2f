// What GET /v1/chains/{id}/diff answers, as docs/api.md has it.
import type { ChainError } from '../../types';

/** `first` and `second` are JSON text; absent: that one has no such member. */
export interface Change {
  path: string;
  first?: string;
  second?: string;
}

export interface ValueDiff {
  same: boolean;
  /** False: too large to tell how they differ. */
  in_full?: boolean;
  changes?: Change[];
  more_changes?: number;
}

export interface ComparedChain {
  chain_id: string;
  name: string;
  status: string;
  started_at: string;
  finished_at?: string;
  duration_ms?: number;
  package: string;
  error?: ChainError;
}

export interface DefinitionDiff extends Omit<ValueDiff, 'same'> {
  path: string;
  in: 'first' | 'second' | 'both';
}

export interface ComparedVisit {
  status: string;
  visit: number;
  took_ms?: number;
  items?: number;
  ok?: number;
  failed?: number;
  error?: ChainError;
}

export interface ItemSet {
  count: number;
  /** `3,7-9` */
  items: string;
  more_items?: boolean;
}

export interface StepDiff {
  id: string;
  /** In anything but its times. */
  differs: boolean;
  first?: ComparedVisit;
  second?: ComparedVisit;
  response?: ValueDiff;
  failed_in_first_only?: ItemSet;
  failed_in_second_only?: ItemSet;
  responses_differ?: ItemSet;
  responses_compared?: number;
}

export interface ChainDiff {
  first: ComparedChain;
  second: ComparedChain;
  definitions: DefinitionDiff[];
  more_definitions?: number;
  arguments: ValueDiff;
  context: ValueDiff;
  response: ValueDiff;
  steps: StepDiff[];
  next?: number;
}
