// Light, dark, or as the system says. The style sheet does the rest (`color-scheme` and `light-dark()`).
import { effect } from '@preact/signals';
import { oneOf, remembered } from './storage';

export type Theme = 'system' | 'light' | 'dark';
export const theme = remembered<Theme>('theme', 'system', oneOf('system', 'light', 'dark'));

export function applyTheme() {
  effect(() => {
    if (theme.value === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
  });
}

export function nextTheme() {
  theme.value = theme.value === 'system' ? 'light' : theme.value === 'light' ? 'dark' : 'system';
}

export const isDark = () => theme.peek() === 'dark' || (theme.peek() === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
