// The command palette: every command that has no cursor to move, and chains by their id.
import { signal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { get } from './api';
import { commands, shownKeys } from './keys';
import { go, href } from './router';
import type { ChainPage, ListedChain } from './types';
import { Icon } from './ui/icon';
import { Mark } from './ui/status';
import { Text } from './ui/text';

export const palette = signal(false);

interface Entry {
  id: string;
  title: string;
  group: string;
  keys?: string[];
  chain?: ListedChain;
  run(): void;
}

/** Letters in their order; better where they begin words and lie together. */
export function score(wanted: string, text: string): number {
  if (wanted === '') return 1;
  const low = text.toLowerCase();
  const whole = low.indexOf(wanted);
  if (whole >= 0) return 100 - Math.min(50, whole) + (whole === 0 || low[whole - 1] === ' ' ? 20 : 0);
  let at = -1;
  let points = 0;
  for (const letter of wanted) {
    const next = low.indexOf(letter, at + 1);
    if (next < 0) return 0;
    points += next === at + 1 ? 3 : next === 0 || /[\s/_-]/.test(low[next - 1]!) ? 2 : 1;
    at = next;
  }
  return points / wanted.length;
}

export function Palette() {
  if (!palette.value) return null;
  return <OpenPalette />;
}

function OpenPalette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [chains, setChains] = useState<ListedChain[]>([]);
  const id = useId();
  const close = () => (palette.value = false);

  // at once, so that what is typed next arrives there
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current!.showModal();
    dialog.current!.querySelector('input')!.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);

  // chains whose definition has a name like it
  useEffect(() => {
    const wanted = text.trim();
    setChains([]);
    if (wanted === '' || __REPORT__ || /[*?\s]/.test(wanted)) return;
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      const named = await get<ChainPage>('/v1/chains', { name: `*${wanted}*`, limit: 6 }, abort.signal);
      if (abort.signal.aborted || !named.ok) return;
      setChains(named.value.chains);
    }, 150);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);

  const wanted = text.trim().toLowerCase();
  const entries: Entry[] = commands()
    .filter((command) => !command.quiet)
    .map((command) => ({ id: `${command.group}/${command.title}`, title: command.title, group: command.group, keys: command.keys, run: command.run, points: score(wanted, `${command.title} ${command.group}`) }))
    .filter((entry) => entry.points > 0)
    .sort((left, right) => right.points - left.points);
  for (const chain of chains) entries.push({ id: `chain/${chain.chain_id}`, title: chain.chain_id, group: 'Chain', chain, run: () => go(href(['chains', chain.chain_id])) });
  if (wanted !== '' && !__REPORT__) entries.push({ id: 'open', title: `Open the chain ${text.trim()}`, group: 'Chain', run: () => go(href(['chains', text.trim()])) });
  const current = Math.min(at, entries.length - 1);

  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    close();
    // behind the dialog's end, so that what the command opens gets the focus
    setTimeout(() => entry.run(), 0);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt((current + 1) % Math.max(1, entries.length));
    else if (event.key === 'ArrowUp') setAt((current - 1 + entries.length) % Math.max(1, entries.length));
    else if (event.key === 'Enter') run(entries[current]);
    else return;
    event.preventDefault();
    requestAnimationFrame(() => dialog.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }));
  };

  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Commands"
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onMouseDown={(event) => event.target === dialog.current && close()}
    >
      <div class="palette-input">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={current >= 0 ? `${id}-${current}` : undefined}
          aria-label="A command, or the id of a chain"
          placeholder="A command, or the id of a chain"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div role="listbox" id={id} class="palette-list" aria-label="What can be done">
        {entries.map((entry, index) => (
          <div key={entry.id} id={`${id}-${index}`} role="option" aria-selected={index === current} onMouseMove={() => index !== current && setAt(index)} onClick={() => run(entry)}>
            {entry.chain ? <Mark status={entry.chain.status} title="" /> : <Icon name="right" />}
            <span class="palette-title"><Text>{entry.title}</Text></span>
            <span class="dim">{entry.chain ? <Text most={60}>{entry.chain.name}</Text> : entry.group}</span>
            <span class="palette-keys">{entry.keys?.[0] !== undefined && shownKeys(entry.keys[0]).map((key, place) => <kbd key={place}>{key}</kbd>)}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 && <p class="palette-none">Nothing is called that.</p>}
    </dialog>
  );
}
