// One chain as it is now. The feed says that something became of it, and then it is asked for again; while a fan-out runs, whose items are no events of the feed, its
// counts are asked for twice a second, as long as somebody looks.
import { batch, computed, effect, signal } from '@preact/signals';
import { chainPath, get, isAborted } from '../../api';
import { epoch, onEvents } from '../../live/live';
import { endedStatuses, type Chain, type FeedEvent, type Problem, type Step, type StepPage } from '../../types';

const refreshEvery = 300;
const countsEvery = 500;
/** What a step waits for is no event of the feed: a chain that runs is looked at again by itself, less and less often. */
const lookAgainFirst = 1000;
const lookAgainMost = 30_000;
const lookAgainWhileWaiting = 5000;
const stepsMost = 5000;

export type ChainStore = ReturnType<typeof chainStore>;

export function chainStore(id: string) {
  const chain = signal<Chain | undefined>(undefined);
  const steps = signal<readonly Step[]>([]);
  const problem = signal<Problem | undefined>(undefined);
  const removed = signal(false);
  /** Grows with each change of the chain: views that read more of it read anew. */
  const version = signal(0);
  /** Grows when something became of a descendant. */
  const familyVersion = signal(0);

  const byId = computed(() => new Map(steps.value.map((step) => [step.id, step])));
  const ended = computed(() => endedStatuses.has(chain.value?.status ?? ''));
  const runningFanOut = computed(() => !ended.value && steps.value.some((step) => step.status === 'running' && step.items !== undefined));

  let abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reading = false;
  let again = false;
  let lastRead = 0;
  let failures = 0;
  let lookAgain = lookAgainFirst;

  async function read() {
    if (reading) {
      again = true;
      return;
    }
    reading = true;
    lastRead = Date.now();
    const answer = await get<Chain>(chainPath(id), undefined, abort.signal);
    let failed: Problem | undefined = answer.ok ? undefined : answer.problem;
    if (answer.ok) {
      let all = answer.value.steps ?? [];
      let next = answer.value.steps_next;
      while (next !== undefined && all.length < stepsMost) {
        const page = await get<StepPage>(chainPath(id, '/steps'), { from: next }, abort.signal);
        if (!page.ok) {
          failed = page.problem;
          break;
        }
        all = all.concat(page.value.steps);
        next = page.value.next;
      }
      if (!failed) {
        failures = 0;
        batch(() => {
          problem.value = undefined;
          chain.value = answer.value;
          steps.value = all;
          version.value++;
        });
      }
    }
    reading = false;
    if (failed && !isAborted(failed)) {
      if (failed.code === 'chain_not_found' && chain.peek()) removed.value = true;
      problem.value = failed;
      if (failed.retryable) later(Math.min(10_000, 500 * 2 ** failures++));
    }
    if (again) {
      again = false;
      later(refreshEvery);
    } else if (runningFanOut.peek()) {
      later(countsEvery);
    } else if (!__REPORT__ && !failed && !ended.peek() && steps.peek().some((step) => step.status === 'running')) {
      const waits = steps.peek().some((step) => step.waits_for_signal !== undefined || step.waits_for_approval);
      later(waits ? Math.min(lookAgain, lookAgainWhileWaiting) : lookAgain);
      lookAgain = Math.min(lookAgain * 2, lookAgainMost);
    }
  }

  function later(delay: number) {
    if (timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      if (document.visibilityState === 'visible') void read();
      else later(countsEvery);
    }, delay);
  }

  /** Soon: what comes in between is one answer with it. */
  function refresh() {
    lookAgain = lookAgainFirst;
    clearTimeout(timer);
    timer = undefined;
    later(Math.max(0, refreshEvery - (Date.now() - lastRead)));
  }

  const family = `${id}/`;
  function hear(events: FeedEvent[]) {
    let own = false;
    let descendants = false;
    for (const event of events) {
      if (event.chain_id === id) own = true;
      else if (event.chain_id.startsWith(family)) descendants = true;
    }
    if (own) refresh();
    if (descendants) familyVersion.value++;
  }

  return {
    id,
    chain,
    steps,
    byId,
    problem,
    removed,
    ended,
    version,
    familyVersion,
    refresh,
    open() {
      const stopEvents = __REPORT__ ? () => undefined : onEvents(hear);
      const stopEpoch = effect(() => {
        epoch.value;
        abort.abort();
        abort = new AbortController();
        reading = false;
        void read();
      });
      return () => {
        stopEvents();
        stopEpoch();
        clearTimeout(timer);
        abort.abort();
      };
    },
  };
}
