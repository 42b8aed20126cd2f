// What this browser remembers of how its user likes the page. Storage that is full or forbidden is no reason to fail.
import { signal, type Signal } from '@preact/signals';

export function remembered<T>(key: string, initial: T, isValid: (value: unknown) => value is T): Signal<T> {
  const name = `catena:${key}`;
  let value = initial;
  try {
    const text = localStorage.getItem(name);
    if (text !== null) {
      const read: unknown = JSON.parse(text);
      if (isValid(read)) value = read;
    }
  } catch {
    // as if nothing were remembered
  }
  const held = signal(value);
  let before = true;
  held.subscribe((next) => {
    if (before) {
      before = false;
      return;
    }
    try {
      localStorage.setItem(name, JSON.stringify(next));
    } catch {
      // kept for this page only
    }
  });
  return held;
}

export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
export const oneOf = <T extends string>(...values: T[]) => (value: unknown): value is T => values.includes(value as T);
