// A program in the types that are made from the document: it compiles where the document says what the program relies on.
import type { components, paths } from './types';

type Submit = paths['/v1/chains']['post'];
export type Submission = Submit['requestBody']['content']['application/json'];
export type Chain = components['schemas']['Chain'];

export const submission: Submission = { name: 'math', arguments: { operation: 'add', a: 1, b: 2 }, labels: { team: 'a' } };

export function ended(chain: Chain): boolean {
  return chain.status !== 'running';
}

export function nextOf(page: paths['/v1/chains']['get']['responses']['200']['content']['application/json']): string | undefined {
  return page.cursor ?? undefined;
}

type Problem = Submit['responses']['422']['content']['application/problem+json'];
export const whose = (problem: Problem): string => `${problem.source}: ${problem.code}`;
