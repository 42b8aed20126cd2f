// What the routes of definitions answer.
import type { ChainError, Finding, Json } from '../../types';

export interface ListedDefinition {
  name: string;
  version: string;
  dialect?: string;
  description?: string;
  bytes: number;
  stored_at: string;
  stored_by?: string;
  sha256: string;
}

export interface DefinitionPage {
  definitions: ListedDefinition[];
  cursor?: string;
}

export interface Parameter {
  name: string;
  type_name: string;
  required?: boolean;
  description?: string;
  default_value?: Json;
  /** What it is as long as the field is not touched, where that is no default. */
  current?: Json;
  enum?: Json[];
}

export interface Definition extends ListedDefinition {
  text?: string;
  valid?: boolean;
  problems?: (Finding | ChainError)[];
  package?: string;
  arguments?: Parameter[];
  responses?: Parameter[];
  warnings?: ChainError[];
  versions?: { version: string; bytes: number; stored_at: string; stored_by?: string; sha256: string }[];
  more_versions?: boolean;
}

export interface CheckProblem {
  severity: 'error' | 'warning';
  code: string;
  message: string;
  file?: string;
  line: number;
  column: number;
  end_column?: number;
  suggestion?: string;
  notes?: string[];
}

export interface CheckAnswer {
  valid: boolean;
  problems: CheckProblem[];
  completions: { label: string; kind: string; detail?: string; insert: string }[];
  completes_from?: { line: number; column: number };
}

/** As `catena test -o json` has it. */
export interface TestRow {
  file?: string;
  line?: number;
  test: string;
  passed: boolean;
  problems?: string[];
  differences?: { path: string; expected: Json; got: Json }[];
  executions?: number;
  elapsed_ms?: number;
}

export const definitionPath = (name: string, rest = '') => `/v1/definitions/${encodeURIComponent(name)}${rest}`;
