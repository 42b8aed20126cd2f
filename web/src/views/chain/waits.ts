import { plural } from '../../format';
import type { Step } from '../../types';

/** What the step waits for that a person or another program says. */
export const waitOf = (step: Step): string | undefined =>
  step.waits_for_signal !== undefined ? `signal ${step.waits_for_signal}` : !step.waits_for_approval ? undefined : step.items ? `approval of ${plural(step.waits_for_approval, 'item')}` : 'approval';
