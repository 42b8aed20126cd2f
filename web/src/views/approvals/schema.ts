// A JSON Schema as the fields of a form, and what the coordinator says of a value at the fields that it is about.
import type { Json, Problem } from '../../types';
import type { Parameter } from '../definitions/types';

export type Members = { [key: string]: Json };

export const membersOf = (value: Json | undefined): Members | undefined => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined);

const typeNames: Record<string, string> = { string: 'string', number: 'number', integer: 'integer', boolean: 'boolean', array: 'list', object: 'object' };
const typeOf = (value: Json): string => (value === null ? 'any' : Array.isArray(value) ? 'list' : (typeNames[typeof value] ?? 'any'));
const own = (value: Members | undefined, name: string): Json | undefined => (value !== undefined && Object.hasOwn(value, name) ? value[name] : undefined);
const text = (value: Json | undefined) => (typeof value === 'string' ? value : undefined);

const fieldsMost = 200;

/** The properties of the schema; without any, what `current` has, each of the type that it is of. */
export function fieldsOf(schema: Json | undefined, current: Json | undefined): Parameter[] {
  const whole = membersOf(schema);
  const properties = membersOf(own(whole, 'properties'));
  const values = membersOf(current);
  const declared = properties !== undefined && Object.keys(properties).length > 0;
  const wanted = own(whole, 'required');
  const required = new Set(Array.isArray(wanted) ? wanted : []);
  return Object.keys((declared ? properties : values) ?? {})
    .slice(0, fieldsMost)
    .map((name) => {
      const of = membersOf(own(properties, name));
      const value = own(values, name);
      const choices = own(of, 'enum');
      const fixed = own(of, 'const');
      return {
        name,
        type_name: choices !== undefined || fixed !== undefined ? 'choice' : declared ? (typeNames[text(own(of, 'type')) ?? ''] ?? 'any') : typeOf(value ?? null),
        required: required.has(name),
        description: text(own(of, 'description')) ?? text(own(of, 'title')),
        current: value,
        enum: Array.isArray(choices) ? choices : fixed === undefined ? undefined : [fixed],
      };
    });
}

const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');

/** By the name of the field. Findings have a JSON Pointer below `at`; a message names places in quotes, `'tags.0': …`, or arguments. */
export function fieldErrors(problem: Problem | undefined, at: string, fields: readonly Parameter[]): Record<string, string> {
  const found: Record<string, string> = Object.create(null);
  if (!problem) return found;
  const names = new Set(fields.map((field) => field.name));
  const put = (name: string, within: string, what: string) => {
    if (names.has(name)) found[name] ??= within === '' ? what : `${within}: ${what}`;
  };
  for (const finding of problem.errors ?? []) {
    if (!finding.pointer?.startsWith(`${at}/`)) continue;
    const [first = '', ...rest] = finding.pointer.slice(at.length + 1).split('/').map(unescaped);
    put(first, rest.join('.'), finding.detail);
  }
  for (const [, place, what] of problem.detail.replace(/^[^]*? schema: /, '').matchAll(/'([^']+)': ([^]+?)(?=; '|$)/g)) {
    const name = names.has(place!) ? place! : place!.split('.', 1)[0]!;
    put(name, place!.slice(name.length + 1), what!);
  }
  const about = problem.detail.match(/\barguments? ('[^]+)$/)?.[1] ?? '';
  for (const [, name] of about.matchAll(/'([^']+)'/g)) if (names.has(name!)) found[name!] ??= about;
  return found;
}
