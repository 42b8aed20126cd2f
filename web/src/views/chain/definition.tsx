// The definitions as the chain has pinned them: editing a file changes nothing here.
import { useMemo } from 'preact/hooks';
import { chainPath } from '../../api';
import { useAnswer } from '../../resource';
import { route, setQuery } from '../../router';
import type { PinnedDefinitions } from '../../types';
import { CopyButton } from '../../ui/copy';
import { Loading, Nothing, ProblemBox } from '../../ui/problem';
import { Table, type Column } from '../../ui/table';
import { Text } from '../../ui/text';
import type { TabProps } from './tabs';

interface SourceLine {
  number: number;
  text: string;
}

const columns: readonly Column<SourceLine>[] = [
  { id: 'number', label: 'Line', width: '44px', align: 'end', render: (line) => <span class="dim">{line.number}</span> },
  { id: 'text', label: 'Text', width: 'minmax(200px, 1fr)', render: (line) => <span class="source-line"><Text most={1000}>{line.text}</Text></span> },
];

export default function Definition({ store }: TabProps) {
  const answer = useAnswer<PinnedDefinitions>(chainPath(store.id, '/definition'));
  const pinned = answer.value.value;
  const problem = answer.problem.value;
  const wanted = route.value.query.get('definition');
  const all = pinned?.definitions ?? [];
  const shown = all.find((one) => one.hash === wanted) ?? all.find((one) => one.root === true) ?? all[0];
  const lines = useMemo(() => (shown?.text ?? '').split('\n').map((text, index) => ({ number: index + 1, text })), [shown]);
  if (problem) return problem.status === 404 ? <Nothing title="The definition cannot be shown">{problem.detail}</Nothing> : <ProblemBox problem={problem} retry={() => answer.refresh()} />;
  if (!pinned || !shown) return <Loading what="the definition" />;
  return (
    <div class="source">
      <nav class="source-list" aria-label="Pinned definitions">
        <ul>
          {all.map((one) => (
            <li key={one.hash + one.name}>
              <button type="button" aria-current={one === shown ? 'true' : undefined} onClick={() => setQuery({ definition: one.hash })}>
                <Text most={60}>{one.name}</Text>
                <span class="dim">{one.dialect ?? ''}</span>
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <div class="source-text">
        <div class="filters filters-tab">
          <span class="dim">
            {shown.path !== undefined && <Text most={120}>{shown.path}</Text>} <code class="code">{shown.hash.slice(0, 12)}</code>
          </span>
          <CopyButton text={shown.text} label="Copy the definition" />
          {shown.cut && <span class="hint">Cut: it is too long to be shown whole.</span>}
        </div>
        <Table label="Text of the definition" rows={lines} columns={columns} rowHeight={19} keyOf={(line) => String(line.number)} />
      </div>
    </div>
  );
}
