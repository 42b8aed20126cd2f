import type { ComponentChildren } from 'preact';
import { acts, formActs, type Act } from '../../actions';
import { type Query } from '../../api';
import { now } from '../../clock';
import { clock, duration } from '../../format';
import { href } from '../../router';
import type { Pause } from '../../types';
import { CopyButton } from '../../ui/copy';
import { Icon } from '../../ui/icon';
import { Menu } from '../../ui/menu';
import { ErrorBox } from '../../ui/problem';
import { Status } from '../../ui/status';
import { Text } from '../../ui/text';
import { Age } from '../../ui/time';
import type { DialogName } from './dialogs';
import type { ChainStore } from './store';

const parentOf = (id: string) => {
  const slash = id.lastIndexOf('/');
  return slash < 0 ? undefined : id.slice(0, slash);
};

const labelsMost = 6;

/** A link to the list with these filters; a report has no list. */
function Listed({ query, title, className, children }: { query: Query; title: string; className?: string; children: ComponentChildren }) {
  if (__REPORT__) return <span class={className}>{children}</span>;
  return (
    <a class={className} href={href(['chains'], query)} title={title}>
      {children}
    </a>
  );
}

/** Since when the chain is paused, by whom, and why; or with which chain it is. */
function PauseNote({ pause, parent }: { pause: Pause; parent?: string }) {
  const own = !pause.with_parent || pause.by !== undefined || pause.reason !== undefined;
  return (
    <p class="pause-note tone-warn" role="note">
      <Icon name="pause" size={14} />
      <span>
        {own && (
          <>
            Paused{pause.by !== undefined && <> by <Text most={80}>{pause.by}</Text></>} <Age at={pause.since} />
            {pause.reason !== undefined && <>: <Text most={500}>{pause.reason}</Text></>}.{' '}
          </>
        )}
        {pause.with_parent && (
          <>
            {own ? 'The chain that started it is paused, too' : 'Paused with the chain that started it'}
            {parent !== undefined && <>, <a href={href(['chains', parent])}><Text most={80}>{parent}</Text></a></>}
            {!own && <> (<Age at={pause.since} />)</>}. {!own && 'It goes on with that one.'}
          </>
        )}
      </span>
    </p>
  );
}

export function ChainHead({ store, open }: { store: ChainStore; open(name: DialogName): void }) {
  const chain = store.chain.value!;
  const parent = chain.parent ?? parentOf(store.id);
  const may = Object.fromEntries(acts.map((act) => [act.id, act.may(chain.status)])) as Record<Act['id'], boolean>;
  const labels = Object.entries(chain.labels ?? {}).sort(([left], [right]) => (left < right ? -1 : 1));
  const took = chain.started_at ? duration((chain.finished_at ? Date.parse(chain.finished_at) : now.value) - Date.parse(chain.started_at)) : undefined;
  return (
    <header class="chain-head">
      <div class="view-head">
        <nav class="crumbs" aria-label="Where this is">
          {!__REPORT__ && <a href="#/chains">Chains</a>}
          {parent !== undefined && (
            <>
              <span aria-hidden="true">/</span>
              <a href={href(['chains', parent])} title="The chain that started this one">
                <Text most={40}>{parent}</Text>
              </a>
            </>
          )}
        </nav>
        <h1>
          <Text most={160}>{parent === undefined ? store.id : store.id.slice(parent.length + 1)}</Text>
          <CopyButton text={store.id} label="Copy the id of the chain" />
        </h1>
        <Status status={chain.status} strong />
        {!__REPORT__ && (
          <div class="view-actions">
            {may.pause && (
              <button type="button" class="button" onClick={() => open('pause')}>
                <Icon name="pause" size={14} /> Pause
              </button>
            )}
            {may.unpause && (
              <button type="button" class="button button-primary" onClick={() => open('unpause')}>
                <Icon name="play" size={14} /> Unpause
              </button>
            )}
            {may.cancel && (
              <button type="button" class="button" onClick={() => open('cancel')}>
                <Icon name="stop" size={14} /> Cancel
              </button>
            )}
            {may.resume && (
              <button type="button" class="button button-primary" onClick={() => open('resume')}>
                <Icon name="play" size={14} /> Resume
              </button>
            )}
            {may.retry && (
              <button type="button" class={`button${chain.status === 'failed' ? ' button-primary' : ''}`} onClick={() => open('retry')}>
                <Icon name="retry" size={14} /> Retry
              </button>
            )}
            <Menu
              label="More actions"
              items={[
                ...formActs.map(({ id, label, may }) => ({ id, label, disabled: !may(chain.status, store.steps.value), run: () => open(id) })),
                { id: 'kill', label: 'Kill…', danger: true, disabled: !may.kill, run: () => open('kill') },
                { id: 'remove', label: 'Remove…', danger: true, disabled: !may.remove, run: () => open('remove') },
              ]}
            >
              <Icon name="down" size={14} />
            </Menu>
          </div>
        )}
      </div>
      <dl class="facts">
        {chain.name !== undefined && (
          <div>
            <dt>Definition</dt>
            <dd>
              <Listed query={{ name: chain.name }} title="Chains of this definition">
                <Text most={80}>{chain.name}</Text>
              </Listed>
            </dd>
          </div>
        )}
        {chain.started_at !== undefined && (
          <div>
            <dt>Started</dt>
            <dd>
              <Age at={chain.started_at} /> <span class="dim">{clock(Date.parse(chain.started_at), { date: true })}</span>
            </dd>
          </div>
        )}
        {took !== undefined && (
          <div>
            <dt>{chain.finished_at ? 'Took' : 'Runs for'}</dt>
            <dd class="number">{took}</dd>
          </div>
        )}
        {chain.deadline !== undefined && (
          <div>
            <dt title="It fails if it has not ended then">Deadline</dt>
            <dd>
              {chain.finished_at === undefined && <Age at={chain.deadline} />} <span class="dim">{clock(Date.parse(chain.deadline), { date: true })}</span>
            </dd>
          </div>
        )}
        {labels.length > 0 && (
          <div>
            <dt>{labels.length === 1 ? 'Label' : 'Labels'}</dt>
            <dd class="labels">
              {labels.slice(0, labelsMost).map(([key, value]) => (
                <Listed key={key} className="label" query={{ label: `${key}=${value}` }} title="Chains with this label">
                  <Text most={30}>{key}</Text>=<Text most={60}>{value}</Text>
                </Listed>
              ))}
              {labels.length > labelsMost && <span class="dim">+{labels.length - labelsMost}</span>}
            </dd>
          </div>
        )}
        {chain.trace_id !== undefined && (
          <div>
            <dt>Trace</dt>
            <dd class="mono">
              {chain.trace_id.slice(0, 8)}… <CopyButton text={chain.trace_id} label="Copy the id of the trace" />
            </dd>
          </div>
        )}
      </dl>
      {chain.paused && <PauseNote pause={chain.paused} parent={parent} />}
      {chain.error && <ErrorBox error={chain.error} label="Why the chain failed" />}
    </header>
  );
}
