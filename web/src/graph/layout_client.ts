// Asks the worker for a layout, so that the page goes on meanwhile. A report has no worker, and lays out by itself.
import { workerUrl } from '../worker_url';
import type { Layout, LayoutRequest } from './layout';

let worker: Worker | undefined;
let nextId = 1;
const waiting = new Map<number, { done(layout: Layout): void; failed(error: Error): void }>();

function start(): Worker {
  const made = new Worker(workerUrl(__LAYOUT_WORKER__));
  made.onmessage = ({ data }: MessageEvent<{ id: number; layout?: Layout; error?: string }>) => {
    const one = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.layout) one?.done(data.layout);
    else one?.failed(new Error(data.error));
  };
  made.onerror = () => {
    for (const one of waiting.values()) one.failed(new Error('the layout worker cannot be loaded'));
    waiting.clear();
    worker = undefined;
  };
  return made;
}

export async function requestLayout(request: LayoutRequest): Promise<Layout> {
  if (__REPORT__) return (await import('./layout')).layOut(request);
  worker ??= start();
  const id = nextId++;
  return new Promise((done, failed) => {
    waiting.set(id, { done, failed });
    worker!.postMessage({ id, request });
  });
}
