// Definitions that the coordinator keeps: which there are, what one takes and answers, its versions, a form to run it, and an editor.
import { useMemo, useRef, useState } from 'preact/hooks';
import { freshKey, get, remove } from '../api';
import { useCommands } from '../keys';
import { bytes, plain } from '../format';
import { useAnswer, useLoaded } from '../resource';
import { go, href, route, setQuery } from '../router';
import { usePageTitle } from '../shell';
import type { Problem } from '../types';
import { Dialog } from '../ui/dialog';
import { Icon } from '../ui/icon';
import { Lazy } from '../ui/lazy';
import { Loading, Nothing, ProblemBox } from '../ui/problem';
import { Table, type Column } from '../ui/table';
import { Tabs } from '../ui/tabs';
import { LongText, Text } from '../ui/text';
import { Age } from '../ui/time';
import { toast } from '../ui/toast';
import type { ViewProps } from '../views';
import { Parameters } from './definitions/arguments';
import { Picture } from './definitions/picture';
import { Run } from './definitions/run';
import { definitionPath, type Definition, type DefinitionPage, type ListedDefinition } from './definitions/types';

const loadEditor = () => import('./definitions/editor');

const columns: readonly Column<ListedDefinition>[] = [
  {
    id: 'name',
    label: 'Name',
    width: 'minmax(150px, 1fr)',
    render: (row) => (
      <a href={href(['definitions', row.name])} tabIndex={-1}>
        <Text most={120}>{row.name}</Text>
      </a>
    ),
  },
  { id: 'about', label: 'What it does', width: 'minmax(120px, 2fr)', narrow: 2, render: (row) => <Text most={160}>{row.description ?? ''}</Text> },
  { id: 'dialect', label: 'Dialect', width: '100px', narrow: 1, render: (row) => <Text most={30}>{row.dialect ?? ''}</Text> },
  { id: 'version', label: 'Version', width: '76px', render: (row) => <Text most={20}>{row.version}</Text> },
  { id: 'stored', label: 'Stored', width: '90px', render: (row) => <Age at={row.stored_at} /> },
  { id: 'by', label: 'By', width: '110px', narrow: 1, render: (row) => <Text most={40}>{row.stored_by ?? ''}</Text> },
  { id: 'size', label: 'Size', width: '84px', align: 'end', narrow: 2, render: (row) => bytes(row.bytes) },
];

function List() {
  const name = route.value.query.get('name') ?? '';
  const [text, setText] = useState(name);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const field = useRef<HTMLInputElement>(null);
  // a word without a pattern is looked for anywhere in the name
  const pattern = name === '' ? undefined : /[*?]/.test(name) ? name : `*${name}*`;
  const first = useLoaded<DefinitionPage>(`definitions/${pattern ?? ''}`, (signal) => get<DefinitionPage>('/v1/definitions', { name: pattern, limit: 100 }, signal));
  const [more, setMore] = useState<{ of: DefinitionPage; rows: ListedDefinition[]; cursor?: string } | undefined>(undefined);
  const page = first.value.value;
  const held = more && more.of === page ? more : undefined;
  const rows = useMemo(() => [...(page?.definitions ?? []), ...(held?.rows ?? [])], [page, held]);
  const cursor = held ? held.cursor : page?.cursor;
  const asking = useRef(false);
  const readMore = async () => {
    if (asking.current || cursor === undefined || !page) return;
    asking.current = true;
    const answer = await get<DefinitionPage>('/v1/definitions', { name: pattern, limit: 100, cursor });
    asking.current = false;
    if (answer.ok) setMore({ of: page, rows: [...(held?.rows ?? []), ...answer.value.definitions], cursor: answer.value.cursor });
  };
  useCommands(
    [
      { keys: ['/'], title: 'Look for a definition', group: 'Definitions', run: () => field.current?.focus() },
      { keys: ['Shift+n'], title: 'New definition', group: 'Definitions', run: () => setQuery({ new: 1 }) },
    ],
  );
  const problem = first.problem.value;
  return (
    <>
      <div class="view-head">
        <h1>Definitions</h1>
        <input
          ref={field}
          type="search"
          aria-label="Name, or a pattern of it"
          placeholder="Name"
          value={text}
          spellcheck={false}
          onInput={(event) => {
            const next = event.currentTarget.value;
            setText(next);
            clearTimeout(timer.current);
            timer.current = setTimeout(() => setQuery({ name: next.trim() }), 250);
          }}
        />
        <div class="view-actions">
          <button type="button" class="button" onClick={() => setQuery({ new: 1 })}>
            <Icon name="plus" size={14} /> New definition
          </button>
        </div>
      </div>
      {problem && <ProblemBox problem={problem} retry={() => first.refresh()} />}
      <Table
        label="Definitions"
        rows={rows}
        columns={columns}
        keyOf={(row) => row.name}
        open={(row) => go(href(['definitions', row.name]))}
        hasMore={cursor !== undefined}
        more={() => void readMore()}
        empty={
          first.loading.value || (!page && !problem) ? (
            <Nothing title="Loading definitions…" />
          ) : pattern ? (
            <Nothing title="No definition has such a name" />
          ) : (
            <Nothing title="No definitions are stored">Write one here, or store a file with the command line.</Nothing>
          )
        }
      />
    </>
  );
}

function RemoveDialog({ definition, close }: { definition: Definition; close(done: boolean): void }) {
  const [reason, setReason] = useState('');
  const [key] = useState(freshKey);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const submit = async () => {
    if (busy) return;
    setBusy(true);
    const answer = await remove(definitionPath(definition.name), { key, ifMatch: `"${definition.version}"`, query: { reason: reason.trim() } });
    setBusy(false);
    if (answer.ok) {
      toast(`Removed ${definition.name}.`);
      close(true);
    } else setProblem(answer.problem);
  };
  return (
    <Dialog
      title="Remove this definition"
      close={() => close(false)}
      submit={() => void submit()}
      footer={
        <>
          <button type="button" class="button" onClick={() => close(false)}>
            Close
          </button>
          <button type="submit" class="button button-danger" disabled={busy}>
            Remove
          </button>
        </>
      }
    >
      <p>Chains that run keep the definition that they began with. New ones cannot be started of it.</p>
      <label class="field">
        <span>Reason, for the audit log</span>
        <input type="text" maxLength={500} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
      {problem && <ProblemBox problem={problem} />}
    </Dialog>
  );
}

function About({ definition, version }: { definition: Definition; version?: string }) {
  const fileName = `${definition.name.replace(/[^\w./-]/g, '_')}.${/^\s*[{[]/.test(definition.text ?? '') ? 'tool' : 'yaml'}`;
  return (
    <div class="definition-about-grid">
      <div>
        {definition.valid === false && (
          <div class="problem" role="note">
            <Icon name="cross" />
            <div>
              <strong>The coordinator would not run this as it is now.</strong>
              <ul>
                {(definition.problems ?? []).slice(0, 20).map((one, index) => (
                  <li key={index}><Text most={400}>{'detail' in one && typeof one.detail === 'string' ? one.detail : 'message' in one ? one.message : ''}</Text></li>
                ))}
              </ul>
            </div>
          </div>
        )}
        {definition.description && <p class="definition-text"><Text most={1000}>{definition.description}</Text></p>}
        {definition.text !== undefined && definition.valid !== false && <Picture fileName={fileName} text={definition.text} />}
        <Parameters label="Arguments" parameters={definition.arguments ?? []} />
        <Parameters label="Responses" parameters={definition.responses ?? []} />
        {definition.text !== undefined && (
          <section class="definition-part">
            <h2>Text</h2>
            <LongText label="Text of the definition" most={6000}>{definition.text}</LongText>
          </section>
        )}
      </div>
      <aside class="definition-side" aria-label="Versions">
        <h2>Versions</h2>
        <ol class="version-list">
          {(definition.versions ?? []).map((one, index) => (
            <li key={one.version}>
              <button type="button" aria-current={(version ?? definition.version) === one.version ? 'true' : undefined} onClick={() => setQuery({ version: index === 0 ? undefined : one.version })}>
                <strong>{plain(one.version, 20)}</strong>
                <Age at={one.stored_at} />
                <span class="dim"><Text most={40}>{one.stored_by ?? ''}</Text></span>
                <span class="dim number">{bytes(one.bytes)}</span>
              </button>
            </li>
          ))}
        </ol>
        {definition.more_versions && <p class="hint">Older ones are kept, and not listed.</p>}
        <h2>Hash</h2>
        <p class="mono definition-hash">{plain(definition.sha256, 80)}</p>
      </aside>
    </div>
  );
}

function One({ name }: { name: string }) {
  const query = route.value.query;
  const version = query.get('version') ?? undefined;
  const answer = useAnswer<Definition>(definitionPath(name, version === undefined ? '' : `?version=${encodeURIComponent(version)}`));
  const [removing, setRemoving] = useState(false);
  usePageTitle(name.slice(0, 80));
  const definition = answer.value.value;
  const tab = ['about', 'run', 'edit'].includes(query.get('tab') ?? '') ? query.get('tab')! : 'about';
  const to = (id: string) => href(['definitions', name], { tab: id === 'about' ? undefined : id, version });
  useCommands(
    [
      { keys: ['1'], title: 'Show what it is', group: 'Definition', run: () => go(to('about')) },
      { keys: ['2'], title: 'Run it', group: 'Definition', run: () => go(to('run')) },
      { keys: ['3'], title: 'Edit it', group: 'Definition', run: () => go(to('edit')) },
      { keys: ['u'], title: 'Back to all definitions', group: 'Definition', run: () => go('#/definitions') },
      { keys: ['Delete'], title: 'Remove this definition', group: 'Definition', disabled: !definition, run: () => setRemoving(true) },
    ],
  );
  if (!definition) return answer.problem.value ? <ProblemBox problem={answer.problem.value} retry={() => answer.refresh()} /> : <Loading what="the definition" />;
  return (
    <>
      <div class="view-head">
        <nav class="crumbs" aria-label="Where this is">
          <a href="#/definitions">Definitions</a>
        </nav>
        <h1><Text most={160}>{name}</Text></h1>
        <span class="dim">
          {plain(definition.version, 20)}
          {definition.dialect && `, ${plain(definition.dialect, 30)}`}
        </span>
        <div class="view-actions">
          {tab !== 'run' && (
            <a class="button button-primary" href={to('run')}>
              <Icon name="play" size={14} /> Run
            </a>
          )}
          <button type="button" class="button" onClick={() => setRemoving(true)}>
            <Icon name="trash" size={14} /> Remove
          </button>
        </div>
      </div>
      <Tabs
        label="Of this definition"
        current={tab}
        panelId="definition-panel"
        tabs={[
          { id: 'about', label: 'About', href: to('about') },
          { id: 'run', label: 'Run', href: to('run') },
          { id: 'edit', label: 'Edit', href: to('edit') },
        ]}
      />
      <section class={tab === 'edit' ? 'panel' : 'panel scroll'} id="definition-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={-1}>
        {tab === 'run' ? <Run definition={definition} /> : tab === 'edit' ? <Lazy key={definition.sha256 + name} load={loadEditor} what="the editor" definition={definition} saved={() => undefined} /> : <About definition={definition} version={version} />}
      </section>
      {removing && (
        <RemoveDialog
          definition={definition}
          close={(done) => {
            setRemoving(false);
            if (done) go('#/definitions');
          }}
        />
      )}
    </>
  );
}

export default function Definitions({ parameters }: ViewProps) {
  const isNew = route.value.query.has('new');
  if (parameters.name !== undefined) return <One key={parameters.name} name={parameters.name} />;
  if (!isNew) return <List />;
  return (
    <>
      <div class="view-head">
        <nav class="crumbs" aria-label="Where this is">
          <a href="#/definitions">Definitions</a>
        </nav>
        <h1>New definition</h1>
      </div>
      <section class="panel">
        <Lazy load={loadEditor} what="the editor" saved={(name: string) => go(href(['definitions', name]))} />
      </section>
    </>
  );
}
