// The one table of views. A view is a file under views/ with a default export; it is loaded when it is first shown. A row with `nav` stands in the side bar.
import type { ComponentType } from 'preact';
import type { IconName } from './ui/icon';

export interface ViewProps {
  /** Of the path: `/chains/:id` gives `id`, decoded. */
  parameters: Record<string, string>;
}

export interface View {
  id: string;
  /** `:name` is a part of the path, `:name?` one that may be absent. The first row that fits is shown. */
  path: string;
  /** Of the window, and of the entry in the side bar. */
  title: string;
  load: () => Promise<{ default: ComponentType<ViewProps> }>;
  nav?: { icon: IconName; keys: string; group: 'work' | 'system' };
}

export const views: readonly View[] = [
  // a report holds one chain
  ...(__REPORT__ ? [] : ([{ id: 'chains', path: '/chains', title: 'Chains', load: () => import('./views/chains'), nav: { icon: 'list', keys: 'g c', group: 'work' } }] satisfies View[])),
  { id: 'chain', path: '/chains/:id/:tab?', title: 'Chain', load: () => import('./views/chain') },
  ...(__REPORT__
    ? []
    : ([
        { id: 'compare', path: '/compare/:id/:other', title: 'Compare', load: () => import('./views/compare') },
        { id: 'approvals', path: '/approvals', title: 'Approvals', load: () => import('./views/approvals'), nav: { icon: 'person', keys: 'g a', group: 'work' } },
        { id: 'definitions', path: '/definitions/:name?', title: 'Definitions', load: () => import('./views/definitions'), nav: { icon: 'book', keys: 'g d', group: 'work' } },
        { id: 'schedules', path: '/schedules/:name?', title: 'Schedules', load: () => import('./views/schedules'), nav: { icon: 'calendar', keys: 'g s', group: 'work' } },
        { id: 'cluster', path: '/cluster/:tab?', title: 'Cluster', load: () => import('./views/cluster'), nav: { icon: 'server', keys: 'g w', group: 'system' } },
      ] satisfies View[])),
];

/** Where `/` leads. */
export const homePath = '/chains';
