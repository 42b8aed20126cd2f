// Every key that does something, in one list: `?` shows it, the palette offers it, and views add to it for as long as they are on screen.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { signal } from '@preact/signals';

export interface Command {
  /** `j`, `?`, `g c` (one after the other), `Mod+k` (Ctrl, or Cmd on a Mac), `Shift+ArrowDown`. */
  keys?: string[];
  /** In the words of the list: "Open the chain". */
  title: string;
  group: string;
  run(): void;
  /** Not now: neither run nor offered. */
  disabled?: boolean;
  /** Shown in the list, and left out of the palette: moves of a cursor. */
  quiet?: boolean;
  /** Also while a text field has the focus. */
  inFields?: boolean;
}

/** What a component adds: the newest list that it has rendered, so that a key that follows another at once meets what that one did. */
interface Scope {
  list: Command[];
}

const scopes = signal<Scope[]>([]);

export function commands(): Command[] {
  return scopes.value.flatMap((scope) => scope.list).filter((command) => !command.disabled);
}

/** Adds commands while the component is on screen. The newest scope goes first, where two have the same key. */
export function useCommands(list: Command[]) {
  const scope = useRef<Scope>({ list }).current;
  scope.list = list;
  useLayoutEffect(() => {
    scopes.value = [scope, ...scopes.peek()];
    return () => {
      scopes.value = scopes.peek().filter((one) => one !== scope);
    };
  }, []);
}

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

function nameOf(event: KeyboardEvent): string {
  let name = '';
  if (isMac ? event.metaKey : event.ctrlKey) name += 'Mod+';
  if (event.altKey) name += 'Alt+';
  const key = event.key === ' ' ? 'Space' : event.key;
  // what Shift made of a character stands in the character
  if (event.shiftKey && (key.length > 1 || /[a-z]/i.test(key))) name += 'Shift+';
  return name + (key.length === 1 ? key.toLowerCase() : key);
}

const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type)));

let first: string | undefined;
let firstTimer: ReturnType<typeof setTimeout> | undefined;

function press(event: KeyboardEvent) {
  if (event.defaultPrevented || event.isComposing || ['Shift', 'Control', 'Meta', 'Alt'].includes(event.key)) return;
  const dialog = document.querySelector('dialog[open]');
  // the editor stands in a shadow root, whose host is all that the event's target names
  const field = isField(event.composedPath()[0] ?? null);
  const name = nameOf(event);
  const sequence = first === undefined ? undefined : `${first} ${name}`;
  clearTimeout(firstTimer);
  first = undefined;
  const able = commands().filter((command) => command.keys && (command.inFields || !(field || dialog)));
  // `g a` goes before an `a` that the view has
  const found = able.find((command) => sequence !== undefined && command.keys!.includes(sequence)) ?? able.find((command) => command.keys!.includes(name));
  if (found) {
    // a control that has the focus does its own thing with these
    if (['Enter', 'Space'].includes(name) && event.target instanceof HTMLElement && event.target.closest('button, a, summary, input, [role=tab]')) return;
    event.preventDefault();
    found.run();
    return;
  }
  if (!field && !dialog && commands().some((command) => command.keys?.some((key) => key.startsWith(`${name} `)))) {
    first = name;
    firstTimer = setTimeout(() => (first = undefined), 1500);
  }
}

export function listenToKeys() {
  document.addEventListener('keydown', press);
}

/** How keys are shown: `Mod+k` as ⌘K or Ctrl K. */
export function shownKeys(key: string): string[] {
  return key.split(' ').flatMap((part) =>
    part.split('+').map((name) => ({ Mod: isMac ? '⌘' : 'Ctrl', ArrowDown: '↓', ArrowUp: '↑', ArrowLeft: '←', ArrowRight: '→', Escape: 'Esc' })[name] ?? (name.length === 1 ? name.toUpperCase() : name)));
}
