// The time of the page: one tick a second for all that shows an age, and none while nobody looks. A report stands still at the time it was made.
import { signal } from '@preact/signals';
import { report } from './api';

export const now = signal(Date.now());

export function tick() {
  if (__REPORT__) {
    now.value = Date.parse(report!.made_at) || Date.now();
    return;
  }
  setInterval(() => {
    if (document.visibilityState === 'visible') now.value = Date.now();
  }, 1000);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') now.value = Date.now();
  });
}
