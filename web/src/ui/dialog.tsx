// A modal dialog: the browser's own, which keeps the focus within and gives it back.
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon';

export interface DialogProps {
  title: string;
  close(): void;
  children: ComponentChildren;
  /** Buttons at its end. */
  footer?: ComponentChildren;
  wide?: boolean;
  /** Enter in a field of one line, or the button of type submit. */
  submit?(): void;
}

export function Dialog({ title, close, children, footer, wide, submit }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // at once, so that what is typed next arrives there
  useLayoutEffect(() => {
    const dialog = element.current!;
    const before = document.activeElement;
    dialog.showModal();
    (dialog.querySelector<HTMLElement>('[data-autofocus]') ?? dialog.querySelector<HTMLElement>('.dialog-body input, .dialog-body textarea, .dialog-body select, footer button'))?.focus();
    return () => {
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onMouseDown={(event) => {
        if (event.target === element.current) close();
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit?.();
        }}
      >
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" class="button-icon" aria-label="Close" onClick={close}>
            <Icon name="cross" />
          </button>
        </header>
        <div class="dialog-body">{children}</div>
        {footer && <footer>{footer}</footer>}
      </form>
    </dialog>
  );
}
