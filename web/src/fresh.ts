// Lists that no feed tells of wholly: asked for again now and then while somebody looks, and soon behind an event that may change them.
import { useEffect, useRef } from 'preact/hooks';
import { onEvents } from './live/live';
import type { Resource } from './resource';
import type { FeedEvent } from './types';

const refreshEvery = 5000;
const refreshSoon = 400;

export function useFresh(resource: Resource<unknown>, mayChange: (event: FeedEvent) => boolean) {
  const latest = useRef(mayChange);
  latest.current = mayChange;
  useEffect(() => {
    let soon: ReturnType<typeof setTimeout> | undefined;
    const look = () => document.visibilityState === 'visible' && resource.refresh();
    const timer = setInterval(look, refreshEvery);
    const stop = onEvents((events) => {
      if (soon !== undefined || !events.some((event) => latest.current(event))) return;
      soon = setTimeout(() => {
        soon = undefined;
        look();
      }, refreshSoon);
    });
    return () => {
      stop();
      clearInterval(timer);
      clearTimeout(soon);
    };
  }, [resource]);
}
