// What GET /v1/approvals answers, as docs/api.md has it.
import type { Json } from '../../types';

export interface Approval {
  chain_id: string;
  step: string;
  name?: string;
  who?: string;
  since: string;
  until?: string;
  on_timeout?: 'fail' | 'approve' | 'reject';
  allow_edit?: boolean;
  /** Of what may be edited. */
  schema?: Json;
  /** Of a fan-out, the first that wait. */
  items?: string;
  waiting: number;
  arguments?: Json;
  /** Of arguments that are large. */
  arguments_begin?: string;
  arguments_bytes?: number;
}

export interface ApprovalPage {
  approvals: Approval[];
  cursor?: string;
}

export const thenWords: Record<string, string> = { fail: 'then it fails', approve: 'then it is approved', reject: 'then it is rejected' };
