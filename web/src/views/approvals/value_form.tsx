// An object that somebody writes: field by field where it is known what it has, or as JSON.
import { useMemo, useState } from 'preact/hooks';
import { plain } from '../../format';
import type { Json, Problem } from '../../types';
import { argumentsOf, ArgumentsForm, isTouched, type Drafts } from '../definitions/arguments';
import { fieldErrors, fieldsOf, membersOf, type Members } from './schema';

export interface WrittenValue {
  /** Only what was touched. */
  value: Members;
  /** Why it is none yet. */
  error?: string;
  /** `problem`: what the coordinator says of it, whose pointers begin with `at`. */
  fields(problem: Problem | undefined, at: string): preact.JSX.Element;
}

export function useValueForm(schema: Json | undefined, current: Json | undefined, label: string): WrittenValue {
  const [drafts, setDrafts] = useState<Drafts>({});
  const [asText, setAsText] = useState<string | undefined>(undefined);
  const known = useMemo(() => fieldsOf(schema, current), [schema, current]);
  const { values, errors } = useMemo(() => argumentsOf(known, drafts), [known, drafts]);
  const inFields = known.length > 0 && asText === undefined;
  let value: Members = values;
  let error = Object.entries(errors).map(([name, what]) => `${plain(name, 60)}: ${what}`)[0];
  if (!inFields) {
    error = undefined;
    value = {};
    if ((asText ?? '').trim() !== '') {
      try {
        const read = membersOf(JSON.parse(asText!) as Json);
        if (read) value = read;
        else error = 'An object is wanted, such as {"a": 1}.';
      } catch (thrown) {
        error = `This is no JSON: ${(thrown as Error).message.slice(0, 100)}`;
      }
    }
  }
  return {
    value,
    error,
    fields: (problem, at) => (
      <fieldset class="value-form">
        <legend>{label}</legend>
        {inFields ? (
          // a field that was not touched is not called wrong
          <ArgumentsForm parameters={known} drafts={drafts} errors={{ ...fieldErrors(problem, at, known), ...Object.fromEntries(Object.entries(errors).filter(([name]) => isTouched(drafts, name))) }} change={setDrafts} />
        ) : (
          <label class="field">
            <span>{label}, as JSON</span>
            <textarea class="mono" rows={5} spellcheck={false} placeholder="{}" aria-invalid={error !== undefined ? true : undefined} value={asText ?? ''} onInput={(event) => setAsText(event.currentTarget.value)} />
          </label>
        )}
        {known.length > 0 && (
          <label class="check">
            <input type="checkbox" checked={!inFields} onChange={() => setAsText(inFields ? JSON.stringify(values, null, 2) : undefined)} /> Write it as JSON
          </label>
        )}
      </fieldset>
    ),
  };
}
