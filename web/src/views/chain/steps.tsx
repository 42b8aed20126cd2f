// All steps as a table: the twin of the graph for those who read rather than look.
import { useMemo } from 'preact/hooks';
import { route, setQuery } from '../../router';
import type { Step } from '../../types';
import { Nothing } from '../../ui/problem';
import { lookOf, Mark, Status } from '../../ui/status';
import { Table, type Column } from '../../ui/table';
import { Text } from '../../ui/text';
import { Age, Took } from '../../ui/time';
import { CountsBar } from './counts';
import type { TabProps } from './tabs';
import { waitOf } from './waits';

const columns: readonly Column<Step>[] = [
  { id: 'status', label: 'Status', width: '110px', render: (step) => <Status status={step.status} /> },
  { id: 'id', label: 'Step', width: 'minmax(120px, 1.4fr)', render: (step) => <strong class="name"><Text most={120}>{step.id}</Text></strong> },
  { id: 'items', label: 'Items', width: '220px', narrow: 2, render: (step) => step.items && <CountsBar items={step.items} /> },
  { id: 'visit', label: 'Visit', width: '48px', align: 'end', narrow: 2, render: (step) => (step.visit > 0 ? step.visit : '–') },
  { id: 'entered', label: 'Began', width: '84px', narrow: 2, render: (step) => <Age at={step.entered_at} /> },
  { id: 'took', label: 'Took', width: '84px', align: 'end', render: (step) => <Took from={step.entered_at} to={step.settled_at} /> },
  { id: 'error', label: 'Error', width: 'minmax(100px, 2fr)', narrow: 1, render: (step) => (waitOf(step) !== undefined ? <span class="tone-wait about-error"><Text most={120}>{`waits for ${waitOf(step)}`}</Text></span> : step.error && <span class="tone-bad about-error"><Text most={160}>{`${step.error.code}: ${step.error.message}`}</Text></span>) },
];

export default function Steps({ store }: TabProps) {
  const only = route.value.query.get('only') ?? '';
  const steps = store.steps.value;
  const statuses = useMemo(() => [...new Set(steps.map((step) => step.status))].sort(), [steps]);
  const shown = useMemo(() => (only === '' ? steps : steps.filter((step) => step.status === only)), [steps, only]);
  return (
    <>
      {statuses.length > 1 && (
        <div class="filters filters-tab chips" role="group" aria-label="Only steps with this status">
          {statuses.map((status) => (
            <button type="button" key={status} class="chip" aria-pressed={only === status} onClick={() => setQuery({ only: only === status ? '' : status })}>
              <Mark status={status} size={14} />
              {lookOf(status).word} <span class="dim number">{steps.filter((step) => step.status === status).length}</span>
            </button>
          ))}
        </div>
      )}
      <Table
        label="Steps"
        rows={shown}
        columns={columns}
        keyOf={(step) => step.id}
        open={(step) => setQuery({ step: step.id })}
        current={route.value.query.get('step') ?? undefined}
        empty={<Nothing title="No steps" />}
      />
    </>
  );
}
