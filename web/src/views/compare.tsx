// How two chains differ: what they were given, what their steps came to and when, and which items failed in one of them alone.
import { useState } from 'preact/hooks';
import { allPages, chainPath } from '../api';
import { count, duration, plural } from '../format';
import { useCommands } from '../keys';
import { useLoaded } from '../resource';
import { go, href, route, setQuery } from '../router';
import { usePageTitle } from '../shell';
import { Icon } from '../ui/icon';
import { ErrorBox, Loading, Nothing, ProblemBox } from '../ui/problem';
import { Status } from '../ui/status';
import { Table, type Column } from '../ui/table';
import { LongText, Text } from '../ui/text';
import { Age } from '../ui/time';
import type { ViewProps } from '../views';
import type { ChainDiff, Change, ComparedChain, ComparedVisit, ItemSet, StepDiff, ValueDiff } from './compare/types';

const stepsMost = 20_000;
const changesShown = 50;

const longest = 60;
const Value = ({ of, label }: { of?: string; label: string }) =>
  of === undefined ? <span class="dim">not there</span> : of.length > longest ? <LongText label={label} most={400}>{of}</LongText> : <Text mono>{of}</Text>;

/** Members that differ, with both values. */
function Changes({ diff, label }: { diff: Omit<ValueDiff, 'same'>; label: string }) {
  const [most, setMost] = useState(changesShown);
  const changes = diff.changes ?? [];
  if (diff.in_full === false) return <p class="dim">They differ. They are too large to tell how.</p>;
  return (
    <div class="changes" role="region" aria-label={label} tabIndex={0}>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col">First</th>
            <th scope="col">Second</th>
          </tr>
        </thead>
        <tbody>
          {changes.slice(0, most).map((change: Change, index) => (
            <tr key={index}>
              <td class="mono">{change.path === '' ? <span class="dim">all of it</span> : <Text most={120}>{change.path}</Text>}</td>
              <td><Value of={change.first} label={`${label} ${index + 1}, first`} /></td>
              <td><Value of={change.second} label={`${label} ${index + 1}, second`} /></td>
            </tr>
          ))}
        </tbody>
      </table>
      {changes.length > most && (
        <button type="button" class="link" onClick={() => setMost(most * 10)}>
          Show more ({count(most)} of {count(changes.length)})
        </button>
      )}
      {diff.more_changes !== undefined && diff.more_changes > 0 && <p class="dim">and {plural(diff.more_changes, 'more change')}</p>}
    </div>
  );
}

function Part({ title, diff }: { title: string; diff: ValueDiff }) {
  return diff.same ? null : (
    <section class="part">
      <h2>{title}</h2>
      <Changes diff={diff} label={title} />
    </section>
  );
}

function Side({ which, of }: { which: string; of: ComparedChain }) {
  return (
    <section class="compared" aria-label={`The ${which} chain`}>
      <h2>
        <a href={href(['chains', of.chain_id])}>
          <Text most={120}>{of.chain_id}</Text>
        </a>
      </h2>
      <p class="reason-links">
        <Status status={of.status} />
        <Text most={80}>{of.name}</Text>
        <span>
          <span class="dim">began</span> <Age at={of.started_at} />
        </span>
        {of.duration_ms !== undefined && (
          <span>
            <span class="dim">{of.finished_at === undefined ? 'runs for' : 'took'}</span> <span class="number">{duration(of.duration_ms)}</span>
          </span>
        )}
      </p>
      {of.error && <ErrorBox error={of.error} label={`Why the ${which} chain failed`} />}
    </section>
  );
}

const tookOf = (visit?: ComparedVisit) => (visit?.took_ms === undefined ? '–' : duration(visit.took_ms));

/** What came of a step in one of them. */
function Came({ visit }: { visit?: ComparedVisit }) {
  if (!visit) return <span class="dim">no such step</span>;
  return (
    <span class="about">
      <Status status={visit.status} />
      {visit.items !== undefined && visit.items > 0 && (
        <span class="dim number">
          {count(visit.ok ?? 0)}/{count(visit.items)}
        </span>
      )}
    </span>
  );
}

/** In a few words, why the step is in the list. */
function differences({ first, second, response, failed_in_first_only: inFirst, failed_in_second_only: inSecond, responses_differ: responses }: StepDiff): string {
  const found: string[] = [];
  if (first && second && first.error?.code !== second.error?.code) found.push(`error ${first.error?.code ?? 'none'} and ${second.error?.code ?? 'none'}`);
  if (inFirst && inFirst.count > 0) found.push(`${plural(inFirst.count, 'item')} failed in the first only`);
  if (inSecond && inSecond.count > 0) found.push(`${plural(inSecond.count, 'item')} failed in the second only`);
  if (responses && responses.count > 0) found.push(`${plural(responses.count, 'item')} with another response`);
  if (response && !response.same) found.push('another response');
  return found.join(', ');
}

const columns: readonly Column<StepDiff>[] = [
  { id: 'step', label: 'Step', width: 'minmax(90px, 1fr)', render: (step) => <strong class="name"><Text most={100}>{step.id}</Text></strong> },
  { id: 'first', label: 'First', width: 'minmax(108px, 1fr)', render: (step) => <Came visit={step.first} /> },
  { id: 'second', label: 'Second', width: 'minmax(108px, 1fr)', render: (step) => <Came visit={step.second} /> },
  { id: 'took', label: 'Took', width: '124px', narrow: 2, render: (step) => <span class="number">{`${tookOf(step.first)}, ${tookOf(step.second)}`}</span> },
  { id: 'about', label: 'What differs', width: 'minmax(120px, 2fr)', narrow: 1, render: (step) => <Text most={200}>{differences(step)}</Text> },
];

function Items({ title, of, chain, step }: { title: string; of?: ItemSet; chain?: string; step: string }) {
  if (!of || of.count === 0) return null;
  return (
    <section class="part">
      <h3>
        {title}: {count(of.count)}
        {chain !== undefined && <a href={href(['chains', chain, 'items'], { step, status: 'failed' })}>Item map</a>}
      </h3>
      <p class="mono"><Text most={400}>{of.items}</Text>{of.more_items && ' …'}</p>
    </section>
  );
}

function StepPanel({ of: step, diff }: { of: StepDiff; diff: ChainDiff }) {
  return (
    <aside class="side-panel" aria-label={`Step ${step.id.slice(0, 80)}`}>
      <header>
        <h2><Text most={120}>{step.id}</Text></h2>
        <button type="button" class="button-icon" aria-label="Close the step" title="Close (Esc)" onClick={() => setQuery({ step: undefined })}>
          <Icon name="cross" />
        </button>
      </header>
      <div class="side-body">
        {([['First', step.first, diff.first.chain_id], ['Second', step.second, diff.second.chain_id]] as const).map(([title, visit, chain]) => (
          <section class="part" key={title}>
            <h3>
              {title}
              {visit && <a href={href(['chains', chain], { step: step.id })}>In its chain</a>}
            </h3>
            <p class="reason-links">
              <Came visit={visit} />
              {visit && <span class="number">{tookOf(visit)}</span>}
              {visit && visit.visit > 1 && <span class="dim">visit {visit.visit}</span>}
            </p>
            {visit?.error && <ErrorBox error={visit.error} label={`Error of the ${title.toLowerCase()}`} />}
          </section>
        ))}
        <Items title="Failed in the first only" of={step.failed_in_first_only} chain={diff.first.chain_id} step={step.id} />
        <Items title="Failed in the second only" of={step.failed_in_second_only} chain={diff.second.chain_id} step={step.id} />
        <Items title="Another response" of={step.responses_differ} step={step.id} />
        {step.response && !step.response.same && (
          <section class="part">
            <h3>Response</h3>
            <Changes diff={step.response} label="Response" />
          </section>
        )}
        {!step.differs && <p class="dim">It came to the same in both.</p>}
      </div>
    </aside>
  );
}

export default function Compare({ parameters }: ViewProps) {
  const [id, other] = [parameters.id!, parameters.other!];
  usePageTitle(`${id.slice(0, 40)} and ${other.slice(0, 40)}`);
  const answer = useLoaded<{ diff: ChainDiff; steps: StepDiff[]; complete: boolean }>(JSON.stringify([id, other]), async (signal) => {
    let first: ChainDiff | undefined;
    const pages = await allPages<ChainDiff, StepDiff>(
      chainPath(id, '/diff'),
      (page) => {
        first ??= page;
        return page.steps;
      },
      { query: { with: other }, most: stepsMost, signal },
    );
    return pages.ok ? { ...pages, value: { diff: first!, steps: pages.value.rows, complete: pages.value.complete } } : pages;
  });
  const all = route.value.query.get('all') === 'true';
  const chosen = route.value.query.get('step') ?? undefined;
  useCommands([
    { keys: ['u'], title: 'Back to the first chain', group: 'Compare', run: () => go(href(['chains', id])) },
    { keys: ['v'], title: 'All steps, or those that differ', group: 'Compare', run: () => setQuery({ all: all ? '' : 'true' }) },
    { title: 'The other way round', group: 'Compare', run: () => go(href(['compare', other, id])) },
    { keys: ['Escape'], title: 'Close the step', group: 'Compare', quiet: true, disabled: chosen === undefined, run: () => setQuery({ step: undefined }) },
  ]);
  const problem = answer.problem.value;
  const value = answer.value.value;
  const head = (
    <div class="view-head">
      <nav class="crumbs" aria-label="Where this is">
        <a href={href(['chains', id])}>
          <Text most={60}>{id}</Text>
        </a>
      </nav>
      <h1>
        Compared with <Text most={100}>{other}</Text>
      </h1>
      <div class="view-actions">
        <a class="button" href={href(['compare', other, id])}>
          The other way round
        </a>
      </div>
    </div>
  );
  if (!value) {
    return (
      <>
        {head}
        {problem ? <ProblemBox problem={problem} retry={() => answer.refresh()} /> : <Loading what="both chains" />}
      </>
    );
  }
  const { diff, steps } = value;
  const differing = steps.filter((step) => step.differs);
  const shown = all ? steps : differing;
  const step = steps.find((one) => one.id === chosen);
  const given = [diff.arguments, diff.context, diff.response].some((one) => !one.same);
  return (
    <>
      {head}
      {problem && <ProblemBox problem={problem} retry={() => answer.refresh()} />}
      <div class={`split${step ? ' split-open' : ''}`}>
        <div class="scroll compare">
          <div class="compared-both">
            <Side which="first" of={diff.first} />
            <Side which="second" of={diff.second} />
          </div>
          {diff.definitions.length > 0 && (
            <section class="part">
              <h2>Definitions</h2>
              {diff.definitions.map((one) => (
                <div class="part" key={one.path}>
                  <h3><Text most={160}>{one.path}</Text></h3>
                  {one.in === 'both' ? <Changes diff={one} label={`Definition ${one.path.slice(0, 100)}`} /> : <p class="dim">Only the {one.in} chain has it.</p>}
                </div>
              ))}
              {diff.more_definitions !== undefined && diff.more_definitions > 0 && <p class="dim">and {plural(diff.more_definitions, 'more definition')}</p>}
            </section>
          )}
          <Part title="Arguments" diff={diff.arguments} />
          <Part title="Context" diff={diff.context} />
          <Part title="Response" diff={diff.response} />
          {diff.definitions.length === 0 && !given && <p class="compare-same">Definitions, arguments, context and response are the same.</p>}
          <section class="part">
            <h2>Steps</h2>
            <div class="reason-links">
              <span role="status">
                {count(differing.length)} of {plural(steps.length, 'step')} differ{value.complete ? '' : ', of those that were looked at'}
              </span>
              <label class="check">
                <input type="checkbox" checked={all} onChange={(event) => setQuery({ all: event.currentTarget.checked ? 'true' : '' })} /> All steps
              </label>
            </div>
            <Table
              label="Steps"
              rows={shown}
              columns={columns}
              keyOf={(one) => one.id}
              fitRows={15}
              open={(one) => setQuery({ step: one.id })}
              current={chosen}
              empty={<Nothing title={steps.length === 0 ? 'No steps' : 'All steps came to the same'} />}
            />
          </section>
        </div>
        {step && <StepPanel key={step.id} of={step} diff={diff} />}
      </div>
    </>
  );
}
