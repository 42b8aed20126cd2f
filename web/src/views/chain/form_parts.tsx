// What dialogs of a chain have in common: the choice of a step, and what a retry or a fork would run.
import { count } from '../../format';
import type { Json, RetryPreview, Step } from '../../types';
import { Text } from '../../ui/text';

const actionWords = { stays: 'stays', runs: 'runs', compared: 'runs if its arguments changed', anew: 'runs anew', waits: 'waits for others' };
const runs = (action: RetryPreview['steps'][number]['action']) => action === 'runs' || action === 'anew';

/** What a retry or a fork would run. */
export function StepsPreview({ steps, changed, none = 'Nothing runs', verb = 'run again' }: { steps: RetryPreview['steps']; changed?: boolean; none?: string; verb?: string }) {
  const again = steps.filter((step) => runs(step.action)).length;
  const waiting = steps.filter((step) => step.action === 'waits').length;
  return (
    <>
      <p role="status">
        <strong>{again === 0 ? none : `${count(again)} of ${count(steps.length)} steps ${verb}`}</strong>
        {waiting > 0 && `, ${count(waiting)} more once they have ended`}
        {changed && ', with the changes of their definition'}
      </p>
      <div class="preview" role="region" aria-label="What would run" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col">What happens</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {steps.slice(0, 500).map((step) => (
              <tr key={step.id} class={runs(step.action) ? 'preview-runs' : undefined}>
                <td><Text most={60}>{step.id}</Text></td>
                <td>
                  {actionWords[step.action] ?? step.action}
                  {step.items?.run !== undefined && step.items.of !== undefined && ` (${count(step.items.run)} of ${count(step.items.of)} items)`}
                </td>
                <td class="dim">
                  {step.cause !== undefined && <Text most={120}>{step.cause.replaceAll('_', ' ')}</Text>}
                  {step.behind !== undefined && <> behind <Text most={60}>{step.behind}</Text></>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

export function StepChoice({ steps, value, change, none = 'Choose a step' }: { steps: readonly Step[]; value: string; change(step: string): void; none?: string }) {
  return (
    <label class="field">
      <span>Step</span>
      <select value={value} onChange={(event) => change(event.currentTarget.value)}>
        <option value="">{none}</option>
        {steps.slice(0, 2000).map((one) => (
          <option key={one.id} value={one.id}>
            {one.id} ({one.status})
          </option>
        ))}
      </select>
    </label>
  );
}

/** JSON that somebody writes; `what` it is. */
export function parsed(text: string, what: string): { value?: Json; error?: string } {
  if (text.trim() === '') return { error: `The ${what} is missing.` };
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    return { error: `The ${what} is no JSON: ${(error as Error).message.slice(0, 100)}` };
  }
}
