// The tabs of a chain, in their order. Each is a file of its own, loaded when it is first shown.
import type { ComponentType } from 'preact';
import type { ChainStore } from './store';

export interface TabProps {
  store: ChainStore;
}

export interface ChainTab {
  id: string;
  label: string;
  keys: string;
  load: () => Promise<{ default: ComponentType<TabProps> }>;
  /** Left out where this says so. */
  shown?(store: ChainStore): boolean;
}

export const chainTabs: readonly ChainTab[] = [
  { id: 'graph', label: 'Graph', keys: '1', load: () => import('./graph') },
  { id: 'timeline', label: 'Timeline', keys: '2', load: () => import('./timeline') },
  { id: 'items', label: 'Items', keys: 'i', load: () => import('./items'), shown: (store) => store.steps.value.some((step) => step.items !== undefined) },
  { id: 'steps', label: 'Steps', keys: '3', load: () => import('./steps') },
  { id: 'why', label: 'Why', keys: '4', load: () => import('./why') },
  { id: 'events', label: 'Events', keys: '5', load: () => import('./events') },
  { id: 'logs', label: 'Logs', keys: '6', load: () => import('./logs') },
  { id: 'data', label: 'Data', keys: '7', load: () => import('./data') },
  { id: 'children', label: 'Children', keys: '8', load: () => import('./children') },
  { id: 'definition', label: 'Definition', keys: '9', load: () => import('./definition') },
];
