// One step in full, beside whatever tab is shown: its state, its arguments and response, its failed items, its attempts, and what it printed.
import { useEffect, useState } from 'preact/hooks';
import { mayAct, mayAmend } from '../../actions';
import { chainPath, pathOf, stepPath } from '../../api';
import { count, plural } from '../../format';
import { useAnswer } from '../../resource';
import { href, setQuery } from '../../router';
import type { Explanation, HistoryEvent, HistoryPage, Item, ItemPage, Json, Step, Timeline, TimelineRow } from '../../types';
import { Icon } from '../../ui/icon';
import { JsonView } from '../../ui/json';
import { ErrorBox, Loading, ProblemBox } from '../../ui/problem';
import { Mark, Status } from '../../ui/status';
import { Text } from '../../ui/text';
import { Clock, Took } from '../../ui/time';
import { CountsBar } from './counts';
import { waitOf } from './waits';
import type { DialogName } from './dialogs';
import { LogList } from './log_list';
import { Reasons } from './reasons';
import type { ChainStore } from './store';
import { chainTabs } from './tabs';

const settled = (step: Step) => ['completed', 'failed', 'skipped', 'cancelled'].includes(step.status);
const unsettled = (step: Step | undefined) => step !== undefined && !settled(step);

function Part({ title, children, tools }: { title: string; children: preact.ComponentChildren; tools?: preact.ComponentChildren }) {
  return (
    <section class="part">
      <h3>
        {title}
        {tools}
      </h3>
      {children}
    </section>
  );
}

/** Values that the step was given. The event of its visit has them. */
function Arguments({ store, step }: { store: ChainStore; step: string }) {
  const page = useAnswer<HistoryPage>(pathOf(chainPath(store.id, '/history'), { step, limit: 50 }));
  useEffect(() => page.refresh(), [store.byId.value.get(step)?.visit]);
  const events = page.value.value?.events ?? [];
  const entered = [...events].reverse().find((event: HistoryEvent) => event.event === 'VisitEntered');
  if (entered?.arguments === undefined) return null;
  return (
    <Part title="Arguments">
      <JsonView value={entered.arguments as Json} label="the arguments" openTo={1} />
    </Part>
  );
}

function Response({ store, step }: { store: ChainStore; step: string }) {
  const answer = useAnswer<Json>(stepPath(store.id, step, '/response'));
  const visit = store.byId.value.get(step);
  useEffect(() => answer.refresh(), [visit?.settled_at]);
  if (answer.value.value !== undefined) {
    return (
      <Part title="Response">
        <JsonView value={answer.value.value} label="the response" openTo={1} />
      </Part>
    );
  }
  return answer.problem.value ? <Part title="Response"><ProblemBox problem={answer.problem.value} /></Part> : null;
}

function FailedItems({ store, step }: { store: ChainStore; step: Step }) {
  const failed = step.items?.failed ?? 0;
  const answer = useAnswer<ItemPage>(failed > 0 && !__REPORT__ ? pathOf(stepPath(store.id, step.id, '/items'), { status: 'failed', limit: 20, values: true }) : undefined);
  useEffect(() => {
    if (failed > 0) answer.refresh();
  }, [failed]);
  if (failed === 0) return null;
  return (
    <Part title={`${plural(failed, 'failed item')}`}>
      <ul class="failed-items">
        {(answer.value.value?.items ?? []).map((item: Item) => (
          <li key={item.item}>
            <span class="number">#{count(item.item)}</span>
            <span class="dim"><Text most={80}>{item.value_begins ?? (item.value === undefined ? '' : JSON.stringify(item.value))}</Text></span>
            {item.error && <span class="tone-bad about-error"><Text most={300}>{`${item.error.code}: ${item.error.message}`}</Text></span>}
          </li>
        ))}
      </ul>
      {failed > 20 && <p class="hint">The first 20 of {count(failed)}.</p>}
    </Part>
  );
}

const barWords: Record<string, string> = { queued: 'queued', running: 'ran', backoff: 'backed off', waiting: 'waited', lost: 'was lost' };

function Attempts({ store, step }: { store: ChainStore; step: string }) {
  const answer = useAnswer<Timeline>(__REPORT__ ? chainPath(store.id, '/timeline') : pathOf(chainPath(store.id, '/timeline'), { step, limit: 50 }));
  useEffect(() => answer.refresh(), [store.version.value]);
  const rows = (answer.value.value?.rows ?? []).filter((row: TimelineRow) => row.step === step);
  const bars = rows.flatMap((row) => row.bars.map((bar) => ({ row, bar })));
  if (bars.length === 0) return null;
  return (
    <Part title="Attempts">
      <ol class="attempts">
        {bars.slice(0, 100).map(({ row, bar }, index) => (
          <li key={index}>
            <Mark status={bar.kind === 'running' ? (bar.outcome === 'succeeded' ? 'succeeded' : bar.outcome === undefined ? 'running' : bar.outcome === 'lost' ? 'lost' : bar.outcome === 'cancelled' ? 'cancelled' : 'failed') : bar.kind} size={14} />
            <span>
              {row.item !== undefined && <span class="number">#{count(row.item)} </span>}
              {bar.attempt !== undefined && `attempt ${bar.attempt} `}
              {barWords[bar.kind] ?? bar.kind}
              {bar.outcome !== undefined && bar.kind === 'running' && `: ${bar.outcome.replaceAll('_', ' ')}`}
              {bar.worker !== undefined && <span class="dim"> on <Text most={40}>{bar.worker}</Text></span>}
            </span>
            <span class="dim"><Clock at={bar.from} ms /></span>
            <Took from={bar.from} to={bar.to} />
          </li>
        ))}
      </ol>
    </Part>
  );
}

function Why({ store, step }: { store: ChainStore; step: string }) {
  const answer = useAnswer<Explanation>(pathOf(chainPath(store.id, '/explain'), { step }));
  useEffect(() => answer.refresh(), [store.version.value]);
  if (answer.value.value === undefined || answer.value.value.reasons.length === 0) return null;
  return (
    <Part title="Why it does not move">
      <Reasons store={store} reasons={answer.value.value.reasons} />
    </Part>
  );
}

export function StepPanel({ store, step: id, open }: { store: ChainStore; step: string; open(name: DialogName): void }) {
  const step = store.byId.value.get(id);
  const [logs, setLogs] = useState(false);
  const hasItems = chainTabs.some((tab) => tab.id === 'items');
  return (
    <aside class="side-panel" aria-label={`Step ${id.slice(0, 80)}`}>
      <header>
        <h2><Text most={120}>{id}</Text></h2>
        {step && <Status status={step.status} />}
        <button type="button" class="button-icon" aria-label="Close the step" title="Close (Esc)" onClick={() => setQuery({ step: undefined })}>
          <Icon name="cross" />
        </button>
      </header>
      <div class="side-body">
        {!step ? (
          store.chain.value ? <p class="hint">This step belongs to a block: each round of it is a chain of its own, which the tab Children lists.</p> : <Loading what="the step" />
        ) : (
          <>
            <dl class="facts facts-panel">
              <div>
                <dt>Visit</dt>
                <dd>{step.visit === 0 ? 'never entered' : step.visit}</dd>
              </div>
              {step.entered_at !== undefined && (
                <div>
                  <dt>Began</dt>
                  <dd><Clock at={step.entered_at} /></dd>
                </div>
              )}
              {step.entered_at !== undefined && (
                <div>
                  <dt>{settled(step) ? 'Took' : 'Runs for'}</dt>
                  <dd><Took from={step.entered_at} to={step.settled_at} /></dd>
                </div>
              )}
              {waitOf(step) !== undefined && (
                <div>
                  <dt>Waits for</dt>
                  <dd><Text most={120}>{waitOf(step)!}</Text></dd>
                </div>
              )}
              {step.amended && (
                <div>
                  <dt>Amended</dt>
                  <dd><Text most={200}>{Object.entries(step.amended).map(([term, value]) => `${term.replaceAll('_', ' ')} ${value}`).join(', ')}</Text></dd>
                </div>
              )}
            </dl>
            {step.items && (
              <p class="panel-counts">
                <CountsBar items={step.items} width={160} />
                {hasItems && <a href={href(['chains', store.id, 'items'], { step: id })}>All items</a>}
              </p>
            )}
            {!__REPORT__ && (
              <div class="panel-actions">
                {step.waits_for_approval !== undefined && !store.ended.value && (
                  <>
                    <button type="button" class="button button-small button-primary" onClick={() => open('approve')}>
                      Approve
                    </button>
                    <button type="button" class="button button-small" onClick={() => open('reject')}>
                      Reject
                    </button>
                  </>
                )}
                {step.waits_for_signal !== undefined && !store.ended.value && (
                  <button type="button" class="button button-small button-primary" onClick={() => open('signal')}>
                    Send signal
                  </button>
                )}
                <button type="button" class="button button-small" onClick={() => open('retry')} disabled={!mayAct('retry', store.chain.value?.status ?? '')}>
                  Retry from here
                </button>
                <button type="button" class="button button-small" onClick={() => open('skip')}>
                  Skip
                </button>
                <button type="button" class="button button-small" onClick={() => open('resolve')} disabled={store.ended.value}>
                  Resolve
                </button>
                <button type="button" class="button button-small" onClick={() => open('amend')} disabled={!mayAmend(store.chain.value?.status ?? '')}>
                  Amend
                </button>
              </div>
            )}
            {step.error && <ErrorBox error={step.error} label="Why the step failed" />}
            {unsettled(step) && !store.ended.value && <Why store={store} step={id} />}
            <FailedItems store={store} step={step} />
            {step.visit > 0 && <Arguments store={store} step={id} />}
            {step.status === 'completed' && !step.items && <Response store={store} step={id} />}
            {step.visit > 0 && <Attempts store={store} step={id} />}
            {step.visit > 0 && (
              <Part
                title="Logs"
                tools={
                  <button type="button" class="link" aria-expanded={logs} onClick={() => setLogs(!logs)}>
                    {logs ? 'Hide' : 'Show'}
                  </button>
                }
              >
                {logs && <div class="panel-logs"><LogList store={store} step={id} /></div>}
              </Part>
            )}
            <p class="panel-links">
              <a href={href(['chains', store.id, 'events'], { step: id })}>Its events</a>
              <a href={href(['chains', store.id, 'logs'], { step: id })}>Its logs</a>
            </p>
          </>
        )}
      </div>
    </aside>
  );
}
