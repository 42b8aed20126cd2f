// A button that opens a list of actions. Arrow keys move, Escape closes, a click elsewhere too.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

export interface MenuItem {
  id: string;
  label: ComponentChildren;
  run?(): void;
  href?: string;
  danger?: boolean;
  disabled?: boolean;
}

export function Menu({ label, items, children, className = 'button', align = 'end' }: { label: string; items: readonly MenuItem[]; children: ComponentChildren; className?: string; align?: 'start' | 'end' }) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    if (!open) return;
    root.current?.querySelector<HTMLElement>('[role=menuitem]:not([aria-disabled=true])')?.focus();
    const away = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', away);
    document.addEventListener('focusin', away);
    return () => {
      document.removeEventListener('pointerdown', away);
      document.removeEventListener('focusin', away);
    };
  }, [open]);
  const closeAndFocus = () => {
    setOpen(false);
    root.current?.querySelector<HTMLElement>('button')?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) {
      if (event.key === 'ArrowDown') {
        event.preventDefault();
        setOpen(true);
      }
      return;
    }
    const all = [...(root.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    if (event.key === 'Escape') closeAndFocus();
    else if (event.key === 'ArrowDown') all[(at + 1) % all.length]?.focus();
    else if (event.key === 'ArrowUp') all[(at - 1 + all.length) % all.length]?.focus();
    else if (event.key === 'Home') all[0]?.focus();
    else if (event.key === 'End') all.at(-1)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="menu" ref={root} onKeyDown={onKeyDown}>
      <button type="button" class={className} aria-haspopup="menu" aria-expanded={open} aria-controls={open ? id : undefined} aria-label={label} title={label} onClick={() => setOpen(!open)}>
        {children}
      </button>
      {open && (
        <div class={`menu-list menu-${align}`} role="menu" id={id} aria-label={label}>
          {items.map((item) =>
            item.href !== undefined ? (
              <a key={item.id} role="menuitem" tabIndex={-1} href={item.href} onClick={() => setOpen(false)}>
                <span>{item.label}</span>
              </a>
            ) : (
              <button
                key={item.id}
                type="button"
                role="menuitem"
                tabIndex={-1}
                class={item.danger ? 'danger' : undefined}
                aria-disabled={item.disabled ? 'true' : undefined}
                onClick={() => {
                  if (item.disabled) return;
                  closeAndFocus();
                  item.run?.();
                }}
              >
                <span>{item.label}</span>
              </button>
            ),
          )}
        </div>
      )}
    </div>
  );
}
