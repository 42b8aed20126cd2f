// Where the page is: `#/path?query`. Views read `route`; links are ordinary links, so that the browser's own history, new tabs and bookmarks work.
import { computed, signal } from '@preact/signals';
import type { Query } from './api';

export interface Route {
  path: string;
  query: URLSearchParams;
}

function parse(hash: string): Route {
  const text = hash.replace(/^#/, '') || '/';
  const mark = text.indexOf('?');
  return { path: mark < 0 ? text : text.slice(0, mark), query: new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1)) };
}

export const route = signal<Route>(parse(location.hash));
export const path = computed(() => route.value.path);

addEventListener('hashchange', () => {
  route.value = parse(location.hash);
});

/** The address of a view, for `href`. Parts of the path are encoded: ids have slashes. */
export function href(parts: (string | undefined)[], query: Query = {}): string {
  const text = `#/${parts.filter((part) => part !== undefined).map((part) => encodeURIComponent(part!)).join('/')}`;
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return pairs.length === 0 ? text : `${text}?${new URLSearchParams(pairs.map(([key, value]) => [key, String(value)])).toString()}`;
}

export function go(address: string, options: { replace?: boolean } = {}) {
  if (options.replace) {
    history.replaceState(history.state, '', address);
    route.value = parse(location.hash);
  } else {
    location.hash = address;
  }
}

/** Changes parameters of this address; filters replace the entry of the history, so that Back leaves the view. */
export function setQuery(changes: Query, options: { replace?: boolean } = { replace: true }) {
  const query = new URLSearchParams(route.peek().query);
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined || value === null || value === '' || value === false) query.delete(key);
    else query.set(key, String(value));
  }
  const text = query.toString();
  go(`#${route.peek().path}${text === '' ? '' : `?${text}`}`, options);
}

/** What `pattern` (`/chains/:id/:tab?`) finds in a path, decoded; undefined where it does not fit. */
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/').filter(Boolean);
  const given = path.split('/').filter(Boolean);
  if (given.length > wanted.length) return undefined;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index];
    if (!part.startsWith(':')) {
      if (value !== part) return undefined;
      continue;
    }
    const name = part.replace(/^:|\?$/g, '');
    if (value === undefined) {
      if (!part.endsWith('?')) return undefined;
      continue;
    }
    try {
      found[name] = decodeURIComponent(value);
    } catch {
      return undefined;
    }
  }
  return found;
}
