// The frame around every view: the side bar, the state of the live feed, the palette, the list of keys, and the form for a token.
import { Component } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { signal } from '@preact/signals';
import { report, token, tokenWanted, useToken } from './api';
import { now } from './clock';
import { commands, shownKeys, useCommands } from './keys';
import { liveState, retryAt } from './live/live';
import { palette, Palette } from './palette';
import { go, href, match, route } from './router';
import { isBoolean, remembered } from './storage';
import { nextTheme, theme } from './theme';
import { Dialog } from './ui/dialog';
import { Icon } from './ui/icon';
import { Lazy } from './ui/lazy';
import { ProblemBox } from './ui/problem';
import { Toasts } from './ui/toast';
import { homePath, views, type View } from './views';
import { useWaiting, waiting } from './waiting';
import { problemOf } from './api';

const folded = remembered('folded', false, isBoolean);
const helpOpen = signal(false);
const navOpen = signal(false);

/** What the view adds to the title of the window: the chain's id. */
export const pageTitle = signal<string | undefined>(undefined);

export function usePageTitle(title: string | undefined) {
  useEffect(() => {
    pageTitle.value = title;
    return () => {
      pageTitle.value = undefined;
    };
  }, [title]);
}

function currentView(): { view: View; parameters: Record<string, string> } | undefined {
  const path = route.value.path === '/' ? homePath : route.value.path;
  for (const view of views) {
    const parameters = match(view.path, path);
    if (parameters) return { view, parameters };
  }
  return undefined;
}

/** A view that fails takes nothing else with it. */
class Guard extends Component<{ of: string; children: preact.ComponentChildren }, { error?: Error; of?: string }> {
  override state: { error?: Error; of?: string } = {};
  static override getDerivedStateFromError(error: Error) {
    return { error };
  }
  override componentDidCatch(error: Error) {
    console.error(error);
  }
  override componentDidUpdate(before: { of: string }) {
    if (before.of !== this.props.of && this.state.error) this.setState({ error: undefined });
  }
  override render() {
    if (!this.state.error) return this.props.children;
    return <ProblemBox problem={problemOf('page', 'This view has failed', `${this.state.error.name}: ${this.state.error.message}`)} retry={() => this.setState({ error: undefined })} />;
  }
}

function LiveMark() {
  const state = liveState.value;
  const seconds = retryAt.value === undefined ? 0 : Math.max(0, Math.ceil((retryAt.value - now.value) / 1000));
  const words = { live: 'Live', connecting: 'Connecting', offline: seconds > 0 ? `Offline, again in ${seconds} s` : 'Offline', unauthorized: 'No token' }[state];
  return (
    <span class={`live live-${state}`} role="status" title={state === 'live' ? 'Changes are shown as they are written' : 'What is shown may be out of date'}>
      <span class="live-dot" aria-hidden="true" />
      <span class="live-word">{words}</span>
    </span>
  );
}

function TokenForm() {
  const wanted = tokenWanted.value;
  const [text, setText] = useState('');
  if (wanted === false) return null;
  const submit = () => {
    if (text.trim() === '') return;
    useToken(text.trim());
    setText('');
  };
  return (
    <Dialog
      title="Access token"
      close={() => (tokenWanted.value = false)}
      submit={submit}
      footer={
        <button type="submit" class="button button-primary">
          Use this token
        </button>
      }
    >
      <p>{wanted === 'refused' ? 'The coordinator refused the token: it is not valid, or not any more.' : 'This coordinator asks for an access token.'}</p>
      <label class="field">
        <span>Token</span>
        <input type="password" autocomplete="off" spellcheck={false} data-autofocus value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <p class="hint">
        An operator makes one with <code>catena token create</code>. The page keeps it until this tab is closed.
      </p>
    </Dialog>
  );
}

function Keys() {
  if (!helpOpen.value) return null;
  const groups = new Map<string, { title: string; keys: string[] }[]>();
  for (const command of commands()) {
    if (!command.keys) continue;
    const list = groups.get(command.group) ?? [];
    if (!list.some((one) => one.title === command.title)) list.push({ title: command.title, keys: command.keys });
    groups.set(command.group, list);
  }
  return (
    <Dialog title="Keys" wide close={() => (helpOpen.value = false)} footer={<button type="button" class="button" onClick={() => (helpOpen.value = false)}>Close</button>}>
      <div class="keys">
        {[...groups].map(([group, list]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {list.map((one) => (
                <div key={one.title}>
                  <dt>{one.title}</dt>
                  <dd>
                    {one.keys.map((keys, index) => (
                      <span key={keys}>
                        {index > 0 && <span class="dim"> or </span>}
                        {shownKeys(keys).map((key, at) => <kbd key={at}>{key}</kbd>)}
                      </span>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

const themeWords = { system: 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark' };
const themeIcons = { system: 'system', light: 'sun', dark: 'moon' } as const;

export function Shell() {
  const found = currentView();
  const main = useRef<HTMLElement>(null);
  const shown = found ? (['chain', 'compare'].includes(found.view.id) ? 'chains' : found.view.id) : undefined;
  const nav = views.filter((view) => view.nav);
  if (!__REPORT__) useWaiting();

  useEffect(() => {
    const title = pageTitle.value ?? found?.view.title;
    document.title = __REPORT__ ? report!.title : title ? `${title} · catena` : 'catena';
  }, [pageTitle.value, found?.view.id]);

  // Another view begins at its top, and the focus goes there with it.
  const before = useRef<string | undefined>(undefined);
  useEffect(() => {
    navOpen.value = false;
    if (before.current !== undefined && before.current !== found?.view.id) main.current?.focus({ preventScroll: true });
    before.current = found?.view.id;
  }, [found?.view.id, found?.parameters.id]);

  useCommands([
    { keys: ['Mod+k'], title: 'Commands', group: 'Everywhere', inFields: true, run: () => (palette.value = true), quiet: true },
    { keys: ['?'], title: 'Keys', group: 'Everywhere', run: () => (helpOpen.value = true) },
    { keys: ['t'], title: 'Change the theme', group: 'Everywhere', run: nextTheme },
    // a report has nowhere else to go, and asks nobody
    ...(__REPORT__
      ? []
      : [
          ...nav.map((view) => ({ keys: [view.nav!.keys], title: `Go to ${view.title.toLowerCase()}`, group: 'Everywhere', run: () => go(`#${view.path.replace(/\/:.*$/, '')}`) })),
          { keys: ['['], title: 'Fold the side bar', group: 'Everywhere', run: () => (folded.value = !folded.value) },
          { title: 'Show another token', group: 'Everywhere', run: () => (tokenWanted.value = 'none') },
          { title: 'Forget the token', group: 'Everywhere', run: () => useToken(undefined), disabled: token.value === undefined },
        ]),
  ]);

  if (__REPORT__) {
    return (
      <div class="shell shell-report">
        <main class="main" id="main" tabIndex={-1} ref={main}>
          <p class="report-note">
            A report of this chain, made at {report!.made_at}
            {report!.version ? ` by catena ${report!.version}` : ''}. It does not change.
          </p>
          <Guard of={route.value.path}>
            {found ? (
              <Lazy key={found.view.id} load={found.view.load} what={found.view.title.toLowerCase()} parameters={found.parameters} />
            ) : (
              <a href={href(['chains', report!.chain_id])}>To the chain of this report</a>
            )}
          </Guard>
        </main>
        <Palette />
        <Keys />
        <Toasts />
      </div>
    );
  }

  return (
    <div class={`shell${folded.value ? ' shell-folded' : ''}${navOpen.value ? ' shell-open' : ''}`}>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to content
      </a>
      <header class="side">
        <div class="side-head">
          <a class="brand" href={href(['chains'])} aria-label="catena: all chains">
            <Icon name="chain" size={18} />
            <span class="side-word">catena</span>
          </a>
          <button type="button" class="button-icon side-menu" aria-label="Menu" aria-expanded={navOpen.value} onClick={() => (navOpen.value = !navOpen.value)}>
            <Icon name="menu" />
          </button>
        </div>
        <button type="button" class="side-search" title="Search and commands" onClick={() => (palette.value = true)}>
          <Icon name="search" />
          <span class="side-word">Search</span>
          <span class="side-word side-keys">{shownKeys('Mod+k').map((key) => <kbd key={key}>{key}</kbd>)}</span>
        </button>
        <nav aria-label="Views">
          {(['work', 'system'] as const).map((group) => (
            <ul key={group}>
              {nav
                .filter((view) => view.nav!.group === group)
                .map((view) => (
                  <li key={view.id}>
                    <a href={`#${view.path.replace(/\/:.*$/, '')}`} aria-current={shown === view.id ? 'page' : undefined} title={folded.value ? view.title : undefined}>
                      <Icon name={view.nav!.icon} />
                      <span class="side-word">{view.title}</span>
                      {view.id === 'approvals' && waiting.value !== undefined && (
                        <span class="tab-count" title="wait for a person">
                          {waiting.value}
                        </span>
                      )}
                    </a>
                  </li>
                ))}
            </ul>
          ))}
        </nav>
        <div class="side-foot">
          <LiveMark />
          <div class="side-tools">
            <button type="button" class="button-icon" aria-label={themeWords[theme.value]} title={`${themeWords[theme.value]} (T)`} onClick={nextTheme}>
              <Icon name={themeIcons[theme.value]} />
            </button>
            <button type="button" class="button-icon" aria-label="Keys" title="Keys (?)" onClick={() => (helpOpen.value = true)}>
              <Icon name="keyboard" />
            </button>
          </div>
        </div>
      </header>
      <main class="main" id="main" tabIndex={-1} ref={main}>
        <Guard of={route.value.path}>
          {found ? (
            <Lazy key={found.view.id} load={found.view.load} what={found.view.title.toLowerCase()} parameters={found.parameters} />
          ) : (
            <ProblemBox problem={problemOf('not_found', 'There is no such view', `The page has nothing at ${route.value.path}.`, 404)} retry={() => go('#/chains')} />
          )}
        </Guard>
      </main>
      <Palette />
      <Keys />
      <TokenForm />
      <Toasts />
    </div>
  );
}
