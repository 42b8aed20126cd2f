// Text that others wrote. It is isolated from the direction of what is around it, strange characters are shown by their numbers, and it is cut where it is long.
import { Fragment, type VNode } from 'preact';
import { useState } from 'preact/hooks';
import { count, plain, shownStrange, strange } from '../format';

/** Parts of `text`: what is harmless as it is, and each strange character as a mark. */
export function safeParts(text: string): (string | VNode)[] {
  const parts: (string | VNode)[] = [];
  let last = 0;
  for (const found of text.matchAll(strange)) {
    if (found.index > last) parts.push(text.slice(last, found.index));
    parts.push(<span class="strange" title="a character that cannot be seen">{shownStrange(found[0])}</span>);
    last = found.index + found[0].length;
    if (parts.length > 2000) {
      parts.push('…');
      return parts;
    }
  }
  if (last < text.length) parts.push(text.slice(last));
  return parts;
}

/** One line, cut at `most` characters; the title has more of it. */
export function Text({ children, most = 200, mono }: { children: string; most?: number; mono?: boolean }) {
  const shown = children.length > most ? `${children.slice(0, most)}…` : children;
  return (
    <bdi class={mono ? 'text mono' : 'text'} title={plain(children, 1000)}>
      {safeParts(shown).map((part, index) => <Fragment key={index}>{part}</Fragment>)}
    </bdi>
  );
}

/** Lines of any length, the first of them at first. */
export function LongText({ children, most = 4000, label }: { children: string; most?: number; label: string }) {
  const [shown, setShown] = useState(most);
  const cut = children.length > shown;
  return (
    <div class="long-text">
      <pre tabIndex={0} role="region" aria-label={label}>
        <bdi>{safeParts(cut ? children.slice(0, shown) : children).map((part, index) => <Fragment key={index}>{part}</Fragment>)}</bdi>
      </pre>
      {cut && (
        <button type="button" class="link" onClick={() => setShown(shown * 8)}>
          Show more ({count(shown)} of {count(children.length)} characters)
        </button>
      )}
    </div>
  );
}
