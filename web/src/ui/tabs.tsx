// Tabs that are links: each has an address, and the arrow keys move between them.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface Tab {
  id: string;
  label: string;
  href: string;
  count?: ComponentChildren;
}

export function Tabs({ label, tabs, current, panelId }: { label: string; tabs: readonly Tab[]; current: string; panelId: string }) {
  const list = useRef<HTMLDivElement>(null);
  // the address changes first, then the tab
  const takeFocus = useRef(false);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = tabs.findIndex((tab) => tab.id === current);
    const next = tabs[(at + step + tabs.length) % tabs.length]!;
    takeFocus.current = true;
    location.hash = next.href;
  };
  useLayoutEffect(() => {
    if (!takeFocus.current) return;
    takeFocus.current = false;
    list.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus();
  }, [current]);
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
      {tabs.map((tab) => (
        <a key={tab.id} id={`tab-${tab.id}`} role="tab" href={tab.href} aria-selected={tab.id === current} aria-controls={tab.id === current ? panelId : undefined} tabIndex={tab.id === current ? 0 : -1}>
          {tab.label}
          {tab.count !== undefined && <span class="tab-count">{tab.count}</span>}
        </a>
      ))}
    </div>
  );
}
