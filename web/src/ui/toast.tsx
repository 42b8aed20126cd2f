// Short messages about what was done, said to screen readers too. Those of failures stay until they are closed.
import { signal } from '@preact/signals';
import type { Problem } from '../types';
import { plain } from '../format';
import { Icon } from './icon';

interface Toast {
  id: number;
  text: string;
  tone: 'ok' | 'bad';
  action?: { label: string; href: string };
}

const toasts = signal<Toast[]>([]);
let nextId = 1;

const close = (id: number) => {
  toasts.value = toasts.peek().filter((one) => one.id !== id);
};

export function toast(text: string, tone: 'ok' | 'bad' = 'ok', action?: Toast['action']) {
  const id = nextId++;
  toasts.value = [...toasts.peek().slice(-3), { id, text: plain(text, 400), tone, action }];
  if (tone === 'ok') setTimeout(() => close(id), 6000);
}

export const toastProblem = (problem: Problem) => toast(problem.detail || problem.title, 'bad');

export function Toasts() {
  return (
    <div class="toasts" role="region" aria-label="Messages">
      <div role="status" aria-live="polite">
        {toasts.value.map((one) => (
          <div class={`toast toast-${one.tone}`} key={one.id}>
            <Icon name={one.tone === 'ok' ? 'check' : 'cross'} />
            <span class="toast-text">{one.text}</span>
            {one.action && <a href={one.action.href}>{one.action.label}</a>}
            <button type="button" class="button-icon" aria-label="Close the message" onClick={() => close(one.id)}>
              <Icon name="cross" size={12} />
            </button>
          </div>
        ))}
      </div>
    </div>
  );
}
