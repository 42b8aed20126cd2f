import { useState } from 'preact/hooks';
import { Icon } from './icon';
import { toast } from './toast';

/** Copies; where the page may not use the clipboard (it is not served over TLS), an old way does it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'sr-only';
    (document.querySelector('dialog[open]') ?? document.body).append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

export function CopyButton({ text, label = 'Copy' }: { text: string | (() => string); label?: string }) {
  const [done, setDone] = useState(false);
  const copy = async (event: Event) => {
    event.stopPropagation();
    const target = event.currentTarget as HTMLElement;
    if (await copyText(typeof text === 'string' ? text : text())) {
      target.focus();
      setDone(true);
      setTimeout(() => setDone(false), 1500);
    } else {
      toast('The browser does not let this page use the clipboard.', 'bad');
    }
  };
  return (
    <button type="button" class="button-icon" aria-label={done ? 'Copied' : label} title={label} onClick={copy}>
      <Icon name={done ? 'check' : 'copy'} size={14} />
    </button>
  );
}
