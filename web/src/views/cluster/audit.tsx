// Who asked for what, and why. The newest first; the coordinator lists the oldest first, so that the page reads on to the end.
import { useMemo } from 'preact/hooks';
import { get } from '../../api';
import { useLoaded } from '../../resource';
import { href, route, setQuery } from '../../router';
import { Nothing, ProblemBox } from '../../ui/problem';
import { Table, type Column } from '../../ui/table';
import { Text } from '../../ui/text';
import { Clock } from '../../ui/time';
import type { AuditEntry, AuditPage } from './types';

const mostPages = 20;

const columns: readonly Column<AuditEntry>[] = [
  { id: 'time', label: 'Time', width: '150px', render: (entry) => <Clock at={entry.time} date /> },
  { id: 'by', label: 'Who', width: 'minmax(100px, 1fr)', render: (entry) => <span title={`via ${entry.by.via}`}><Text most={60}>{entry.by.name ?? entry.by.id ?? entry.by.via}</Text></span> },
  { id: 'act', label: 'What', width: '120px', render: (entry) => <Text most={40}>{entry.act.replaceAll('_', ' ')}</Text> },
  {
    id: 'subject',
    label: 'To what',
    width: 'minmax(120px, 1.5fr)',
    narrow: 2,
    render: (entry) => {
      if (entry.subject === undefined) return <Text most={80}>{entry.detail ?? ''}</Text>;
      const isChain = ['cancel', 'retry', 'resume', 'skip', 'resolve', 'remove', 'amend', 'pause'].includes(entry.act);
      return isChain ? <a href={href(['chains', entry.subject])} tabIndex={-1}><Text most={80}>{entry.subject}</Text></a> : <Text most={80}>{entry.subject}</Text>;
    },
  },
  { id: 'reason', label: 'Why', width: 'minmax(100px, 2fr)', narrow: 1, render: (entry) => <Text most={160}>{entry.reason ?? ''}</Text> },
];

export function Audit() {
  const who = route.value.query.get('who') ?? '';
  const act = route.value.query.get('act') ?? '';
  const since = route.value.query.get('since') ?? '24h';
  const answer = useLoaded<{ entries: AuditEntry[]; cut: boolean }>(`audit/${who}/${act}/${since}`, async (signal) => {
    const entries: AuditEntry[] = [];
    let from: number | undefined;
    for (let page = 0; page < mostPages; page++) {
      const read = await get<AuditPage>('/v1/audit', { from, limit: 1000, since: since === 'all' ? undefined : since, who: who === '' ? undefined : `*${who}*`, act }, signal);
      if (!read.ok) return read;
      entries.push(...read.value.entries);
      if (!read.value.more) return { ok: true, status: 200, value: { entries, cut: false } };
      from = read.value.next;
    }
    return { ok: true, status: 200, value: { entries, cut: true } };
  });
  const rows = useMemo(() => [...(answer.value.value?.entries ?? [])].reverse(), [answer.value.value]);
  return (
    <>
      <div class="filters filters-tab" role="search" aria-label="Filters">
        <input type="text" aria-label="Who" placeholder="Who" value={who} spellcheck={false} onChange={(event) => setQuery({ who: event.currentTarget.value.trim() })} />
        <input type="text" aria-label="What was asked" placeholder="What, such as cancel" value={act} spellcheck={false} onChange={(event) => setQuery({ act: event.currentTarget.value.trim() })} />
        <select aria-label="Since" value={since} onChange={(event) => setQuery({ since: event.currentTarget.value })}>
          {[['1h', 'Last hour'], ['24h', 'Last 24 hours'], ['7d', 'Last 7 days'], ['all', 'Any time']].map(([value, label]) => (
            <option key={value} value={value} selected={value === since}>
              {label}
            </option>
          ))}
        </select>
        <button type="button" class="button button-small" onClick={() => answer.refresh()}>
          Read again
        </button>
      </div>
      {answer.problem.value ? (
        <ProblemBox problem={answer.problem.value} retry={() => answer.refresh()} />
      ) : (
        <Table label="Audit log" rows={rows} columns={columns} keyOf={(entry) => String(entry.number)} empty={<Nothing title={answer.loading.value ? 'Reading the audit log…' : 'Nothing was asked in this time'} />} />
      )}
      {answer.value.value?.cut && <p class="table-note">The first {rows.length} entries of this time. Choose a shorter one to see the newest.</p>}
    </>
  );
}
