import { layOut, type LayoutRequest } from './layout';

declare const self: { onmessage: ((event: MessageEvent<{ id: number; request: LayoutRequest }>) => void) | null; postMessage(message: unknown): void };

self.onmessage = ({ data }) => {
  try {
    self.postMessage({ id: data.id, layout: layOut(data.request) });
  } catch (error) {
    self.postMessage({ id: data.id, error: String(error) });
  }
};
