// A JSON value as a tree: large ones open little by little, long texts are cut, and no text can break out of its line.
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { count } from '../format';
import type { Json } from '../types';
import { CopyButton } from './copy';
import { safeParts } from './text';

const stepOfChildren = 100;
const stepOfText = 400;

function Leaf({ value }: { value: Exclude<Json, Json[] | { [key: string]: Json }> }) {
  const [most, setMost] = useState(stepOfText);
  if (typeof value !== 'string') return <span class={`json-${value === null ? 'null' : typeof value}`}>{String(value)}</span>;
  const cut = value.length > most;
  return (
    <span class="json-string">
      "<bdi>{safeParts(cut ? value.slice(0, most) : value).map((part, index) => <Fragment key={index}>{part}</Fragment>)}</bdi>"
      {cut && (
        <button type="button" class="link" onClick={() => setMost(most * 10)}>
          … {count(value.length - most)} more
        </button>
      )}
    </span>
  );
}

const isTree = (value: Json): value is Json[] | { [key: string]: Json } => typeof value === 'object' && value !== null;

function Node({ name, value, depth, openTo }: { name?: string | number; value: Json; depth: number; openTo: number }) {
  const [open, setOpen] = useState(depth < openTo);
  const [most, setMost] = useState(stepOfChildren);
  const label = name === undefined ? null : typeof name === 'number' ? <span class="json-index">{name}: </span> : <span class="json-key"><bdi>{safeParts(name.length > 200 ? `${name.slice(0, 200)}…` : name)}</bdi>: </span>;
  if (!isTree(value)) {
    return (
      <li class="json-leaf">
        {label}
        <Leaf value={value} />
      </li>
    );
  }
  const array = Array.isArray(value);
  const keys = array ? undefined : Object.keys(value);
  const size = array ? value.length : keys!.length;
  const size_text = array ? `[${count(size)}]` : `{${count(size)}}`;
  if (size === 0) {
    return (
      <li class="json-leaf">
        {label}
        <span class="json-null">{array ? '[]' : '{}'}</span>
      </li>
    );
  }
  const shown = Math.min(size, most);
  return (
    <li class="json-branch">
      <button type="button" class="json-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class="json-arrow" aria-hidden="true" />
        {label}
        <span class="json-size">{size_text}</span>
      </button>
      {open && (
        <ul>
          {Array.from({ length: shown }, (_, index) => {
            const key = keys ? keys[index]! : index;
            return <Node key={key} name={key} value={array ? value[index]! : value[key as string]!} depth={depth + 1} openTo={openTo} />;
          })}
          {size > shown && (
            <li>
              <button type="button" class="link" onClick={() => setMost(most * 5)}>
                Show more ({count(shown)} of {count(size)})
              </button>
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

export function JsonView({ value, label, openTo = 2 }: { value: Json; label: string; openTo?: number }) {
  return (
    <div class="json" role="group" aria-label={label}>
      <div class="json-tools">
        <CopyButton text={() => JSON.stringify(value, null, 2)} label={`Copy ${label} as JSON`} />
      </div>
      <ul>
        <Node value={value} depth={0} openTo={openTo} />
      </ul>
    </div>
  );
}
