// One item: its value, what it answered or why it failed, its attempts, and what they printed.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { chainPath, get, stepPath } from '../../api';
import { count, plural } from '../../format';
import { useLoaded, useAnswer } from '../../resource';
import type { HistoryPage, Item, ItemPage, Json, LogPage } from '../../types';
import { Icon } from '../../ui/icon';
import { JsonView } from '../../ui/json';
import { ErrorBox, Loading, ProblemBox } from '../../ui/problem';
import { Status } from '../../ui/status';
import { LongText, Text } from '../../ui/text';
import { Clock } from '../../ui/time';

export interface ItemPanelProps {
  chain: string;
  step: string;
  item: number;
  status?: string;
  version: number;
  close(): void;
  to(direction: 1 | -1): void;
  act?(what: 'retry' | 'skip' | 'resolve'): void;
}

const itemPath = (chain: string, step: string, item: number) => `${stepPath(chain, step, '/items')}?from=${item}&limit=1&values=true`;

/** One item, with its value; undefined where the coordinator has none. */
export async function readItem(chain: string, step: string, item: number): Promise<Item | undefined> {
  const answer = await get<ItemPage>(itemPath(chain, step, item));
  const found = answer.ok ? answer.value.items[0] : undefined;
  return found?.item === item ? found : undefined;
}

function Response({ item }: { item: Item }) {
  const large = useAnswer<Json>(item.response_at);
  if (item.response !== undefined) return <JsonView value={item.response} label="response" openTo={1} />;
  if (item.response_at === undefined) return null;
  if (large.problem.value) return <ProblemBox problem={large.problem.value} />;
  return large.value.value === undefined ? <Loading what="the response" /> : <JsonView value={large.value.value} label="response" openTo={1} />;
}

export function ItemPanel({ chain, step, item: number, status, version, close, to, act }: ItemPanelProps) {
  // who goes through many items with a key held down does not ask for each
  const [asked, setAsked] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(true), 60);
    return () => clearTimeout(timer);
  }, []);
  const page = useAnswer<ItemPage>(asked ? itemPath(chain, step, number) : undefined);
  const events = useAnswer<HistoryPage>(asked ? `${chainPath(chain, '/history')}?step=${encodeURIComponent(step)}&item=${number}&limit=200` : undefined);
  const logs = useLoaded<LogPage>(asked ? `${chain}/${step}/${number}` : undefined, (signal) => get<LogPage>(chainPath(chain, '/logs'), { step, item: number }, signal));
  useEffect(() => {
    if (version === 0 || !asked) return;
    page.refresh();
    events.refresh();
    logs.refresh();
  }, [status]);
  const found = page.value.value?.items[0];
  const item = found?.item === number ? found : undefined;
  const shown = status ?? item?.status;
  const printed = useMemo(() => {
    const attempts = new Map<string, { attempt: number; stream: string; text: string }>();
    for (const row of logs.value.value?.rows ?? []) {
      const key = `${row.visit}/${row.attempt}/${row.stream}`;
      const held = attempts.get(key) ?? { attempt: row.attempt, stream: row.stream, text: '' };
      held.text += row.text;
      attempts.set(key, held);
    }
    return [...attempts.values()];
  }, [logs.value.value]);
  return (
    <section class="item-panel" aria-label={`Item ${number}`}>
      <header>
        <h2>Item {count(number)}</h2>
        {shown !== undefined && <Status status={shown} />}
        <span class="item-tools">
          <button type="button" class="button-icon" aria-label="Item before" onClick={() => to(-1)}>
            <Icon name="left" />
          </button>
          <button type="button" class="button-icon" aria-label="Next item" onClick={() => to(1)}>
            <Icon name="right" />
          </button>
          <button type="button" class="button-icon" aria-label="Close the item" onClick={close}>
            <Icon name="cross" />
          </button>
        </span>
      </header>
      <div class="item-body">
        {act && (
          <div class="item-acts">
            <button type="button" class="button button-small" onClick={() => act('retry')}>
              <Icon name="retry" size={14} /> Retry
            </button>
            <button type="button" class="button button-small" onClick={() => act('skip')}>
              <Icon name="skip" size={14} /> Skip
            </button>
            {shown === 'in_doubt' && (
              <button type="button" class="button button-small" onClick={() => act('resolve')}>
                <Icon name="question" size={14} /> Resolve
              </button>
            )}
          </div>
        )}
        {page.problem.value && <ProblemBox problem={page.problem.value} />}
        {!page.problem.value && !item && <Loading what="the item" />}
        {item?.error && <ErrorBox error={item.error} label="Why the item failed" />}
        {item && (item.failed_attempts ?? 0) > 0 && <p class="dim">{plural(item.failed_attempts!, 'failed attempt')}</p>}
        {item?.value !== undefined && (
          <>
            <h3>Value</h3>
            <JsonView value={item.value} label="value" openTo={1} />
          </>
        )}
        {item?.value_begins !== undefined && (
          <>
            <h3>Value, its beginning</h3>
            <LongText label="Value, its beginning">{item.value_begins}</LongText>
          </>
        )}
        {item && (item.response !== undefined || item.response_at !== undefined) && (
          <>
            <h3>Response</h3>
            <Response item={item} />
          </>
        )}
        {(events.value.value?.events.length ?? 0) > 0 && (
          <>
            <h3>What happened</h3>
            <ol class="item-events">
              {events.value.value!.events.map((event) => (
                <li key={event.seq}>
                  <Clock at={event.time} ms />
                  <Text most={300}>{event.text}</Text>
                </li>
              ))}
            </ol>
          </>
        )}
        {printed.map((one) => (
          <div key={`${one.attempt}/${one.stream}`}>
            <h3>
              Printed, {one.stream}, attempt {one.attempt}
            </h3>
            <div class="item-log">
              <LongText label={`Printed by attempt ${one.attempt}`}>{one.text}</LongText>
            </div>
          </div>
        ))}
        {__REPORT__ && !item && <p class="hint">The report holds the status of each item, and no more of it.</p>}
      </div>
    </section>
  );
}
