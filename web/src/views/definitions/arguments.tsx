// A form made from what a definition says of its arguments: a field for each, of its type. What a field holds is a text until it is asked for.
import { useId } from 'preact/hooks';
import { plain } from '../../format';
import type { Json } from '../../types';
import { LongText, Text } from '../../ui/text';
import type { Parameter } from './types';

/** What stands in the fields, by the name of the argument; absent: untouched. */
export type Drafts = Readonly<Record<string, string>>;

/** Names are what others wrote: `__proto__` is none that every object has. */
export const isTouched = (drafts: Drafts, name: string) => Object.hasOwn(drafts, name);
const textOf = (texts: Drafts, name: string): string | undefined => (Object.hasOwn(texts, name) ? texts[name] : undefined);

const isJsonType = (type: string) => ['object', 'list', 'any', 'file'].includes(type);

/** The value of a field, or what is wrong with it; neither: it is left out, and the default is taken. */
export function valueOf(parameter: Parameter, text: string | undefined): { value?: Json; error?: string } {
  if (text === undefined || (text.trim() === '' && parameter.type_name !== 'string')) return parameter.required && parameter.default_value === undefined ? { error: 'This argument is required.' } : {};
  if (parameter.enum && parameter.enum.length > 0) {
    const chosen = parameter.enum[Number(text)];
    return chosen === undefined ? {} : { value: chosen };
  }
  switch (parameter.type_name) {
    case 'string':
      return { value: text };
    case 'integer':
      return /^[-+]?\d{1,18}$/.test(text.trim()) ? { value: Number(text) } : { error: 'A whole number is wanted, such as 42.' };
    case 'number':
      return Number.isFinite(Number(text)) ? { value: Number(text) } : { error: 'A number is wanted, such as 0.5.' };
    case 'boolean':
      return { value: text === 'true' };
    default: {
      let value: Json;
      try {
        value = JSON.parse(text) as Json;
      } catch (error) {
        // a path is a text that need not be written as JSON
        if (parameter.type_name === 'file' && !/^\s*[[{"]/.test(text)) return { value: text.trim() };
        return { error: `This is no JSON: ${(error as Error).message.slice(0, 120)}` };
      }
      if (parameter.type_name === 'list' && !Array.isArray(value)) return { error: 'A list is wanted, such as [1, 2].' };
      if (parameter.type_name === 'object' && (typeof value !== 'object' || value === null || Array.isArray(value))) return { error: 'An object is wanted, such as {"a": 1}.' };
      return { value };
    }
  }
}

/** All values, and what is wrong by name. */
export function argumentsOf(parameters: readonly Parameter[], drafts: Drafts): { values: Record<string, Json>; errors: Record<string, string> } {
  const values: Record<string, Json> = Object.create(null);
  const errors: Record<string, string> = Object.create(null);
  for (const parameter of parameters) {
    const { value, error } = valueOf(parameter, textOf(drafts, parameter.name));
    if (error !== undefined) errors[parameter.name] = error;
    else if (value !== undefined) values[parameter.name] = value;
  }
  return { values, errors };
}

const shown = (value: Json | undefined) => (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value));

function Field({ parameter, text, error, change }: { parameter: Parameter; text?: string; error?: string; change(text: string | undefined): void }) {
  const id = useId();
  const { type_name: type, default_value: initial = parameter.current } = parameter;
  const untouched = initial === undefined ? (parameter.required ? 'Choose' : 'None') : `${parameter.default_value === undefined ? 'As it is' : 'Default'}: ${plain(shown(initial), 60)}`;
  const described = `${id}-about`;
  const common = { id, 'aria-describedby': described, 'aria-invalid': error !== undefined ? true : undefined, 'aria-required': parameter.required ? true : undefined };
  let input;
  if (parameter.enum && parameter.enum.length > 0) {
    input = (
      <select {...common} value={text ?? ''} onChange={(event) => change(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}>
        <option value="">{untouched}</option>
        {parameter.enum.slice(0, 500).map((value, index) => (
          <option key={index} value={String(index)}>
            {plain(shown(value), 100)}
          </option>
        ))}
      </select>
    );
  } else if (type === 'boolean') {
    input = (
      <select {...common} value={text ?? ''} onChange={(event) => change(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}>
        <option value="">{untouched}</option>
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    );
  } else if (isJsonType(type)) {
    const example = { object: '{}', list: '[]', file: '/path/of/a/file', any: 'null' }[type] ?? '';
    input = (
      <textarea
        {...common}
        class="mono"
        rows={type === 'file' ? 1 : 3}
        spellcheck={false}
        placeholder={initial === undefined ? example : plain(shown(initial), 200)}
        value={text ?? ''}
        onInput={(event) => change(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
      />
    );
  } else {
    input = (
      <input
        {...common}
        type="text"
        inputMode={type === 'integer' ? 'numeric' : type === 'number' ? 'decimal' : undefined}
        spellcheck={false}
        autocomplete="off"
        placeholder={initial === undefined ? '' : plain(shown(initial), 120)}
        value={text ?? ''}
        onInput={(event) => change(event.currentTarget.value === '' && type !== 'string' ? undefined : event.currentTarget.value)}
      />
    );
  }
  return (
    <div class="argument">
      <label for={id}>
        <Text most={80}>{parameter.name}</Text> <span class="dim">{plain(type, 30)}</span>
        {parameter.required && parameter.default_value === undefined && <span class="argument-required"> required</span>}
      </label>
      {input}
      {text !== undefined && (
        <button type="button" class="link argument-reset" onClick={() => change(undefined)} aria-label={`Reset ${plain(parameter.name, 60)}`}>
          Reset
        </button>
      )}
      <div class="hint" id={described}>
        {error !== undefined && <p class="tone-bad bad-text">{error}</p>}
        {parameter.description && <Text most={300}>{parameter.description}</Text>}
      </div>
    </div>
  );
}

export function ArgumentsForm({ parameters, drafts, errors, change }: { parameters: readonly Parameter[]; drafts: Drafts; errors: Readonly<Record<string, string>>; change(drafts: Drafts): void }) {
  if (parameters.length === 0) return <p class="dim">It takes no arguments.</p>;
  return (
    <div class="arguments">
      {parameters.slice(0, 500).map((parameter) => (
        <Field
          key={parameter.name}
          parameter={parameter}
          text={textOf(drafts, parameter.name)}
          error={textOf(errors, parameter.name)}
          change={(text) => {
            const next: Record<string, string> = Object.assign(Object.create(null), drafts);
            if (text === undefined) delete next[parameter.name];
            else next[parameter.name] = text;
            change(next);
          }}
        />
      ))}
    </div>
  );
}

/** Arguments or responses as they are declared. */
export function Parameters({ label, parameters }: { label: string; parameters: readonly Parameter[] }) {
  if (parameters.length === 0) return null;
  return (
    <section class="definition-part">
      <h2>{label}</h2>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            <th scope="col">Default</th>
            <th scope="col">What it is</th>
          </tr>
        </thead>
        <tbody>
          {parameters.slice(0, 500).map((one) => (
            <tr key={one.name}>
              <td><code><Text most={80}>{one.name}</Text></code></td>
              <td>
                {plain(one.type_name, 30)}
                {one.required && <span class="dim"> required</span>}
              </td>
              <td class="mono"><Text most={80}>{shown(one.default_value)}</Text></td>
              <td>{one.description && (one.description.length > 300 ? <LongText label="What it is" most={300}>{one.description}</LongText> : <Text most={300}>{one.description}</Text>)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
