// What the page has seen of the cluster since it was opened, a point every few seconds: enough for a line, and nobody has to run a database for it.
import { computed, signal } from '@preact/signals';
import { get } from '../../api';
import type { WorkerNode } from '../../types';
import type { Problem } from '../../types';

export interface Sample {
  time: number;
  used: number;
  total: number;
  queued: number;
  rate: number;
}

const mostSamples = 240;
const sampleEvery = 2500;

export const nodes = signal<readonly WorkerNode[] | undefined>(undefined);
export const nodesProblem = signal<Problem | undefined>(undefined);
export const samples = signal<readonly Sample[]>([]);
export const latest = computed(() => samples.value.at(-1));

export async function sampleNow(abort?: AbortSignal) {
  const answer = await get<{ nodes: WorkerNode[] }>('/v1/nodes', undefined, abort);
  if (abort?.aborted) return;
  if (!answer.ok) {
    nodesProblem.value = answer.problem;
    return;
  }
  nodesProblem.value = undefined;
  nodes.value = answer.value.nodes;
  const sum = (of: (node: WorkerNode) => number | undefined) => answer.value.nodes.reduce((all, node) => all + (of(node) ?? 0), 0);
  samples.value = [...samples.peek().slice(1 - mostSamples), { time: Date.now(), used: sum((node) => node.slots.used), total: sum((node) => node.slots.total), queued: sum((node) => node.queued), rate: sum((node) => node.rate) }];
}

/** Samples while somebody looks; returns what ends that. */
export function follow(): () => void {
  const abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const again = async () => {
    if (document.visibilityState === 'visible') await sampleNow(abort.signal);
    if (!abort.signal.aborted) timer = setTimeout(again, sampleEvery);
  };
  void again();
  return () => {
    abort.abort();
    clearTimeout(timer);
  };
}
