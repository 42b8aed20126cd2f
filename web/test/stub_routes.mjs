// Made-up answers for the stub: a chain with a fan-out of any width, a shelf of definitions that can be written to, a cluster of three workers.
import { runsOf } from './stub.mjs';

export const problem = (status, code, detail, more = {}) => [status, { type: `/v1/errors/${code}`, title: code.replaceAll('_', ' '), status, detail, code, source: 'request', retryable: false, safe_to_resend: true, ...more }];

const cluster = (kind, code, message, items) => ({
  kind,
  count: items.length,
  first: items[0],
  error: { code, message, retryable: true },
  sample: items.slice(0, 5),
  items: items.slice(0, 500).map((item) => [item, 1]),
  more_items: items.length > 500,
});

/** A chain `wide` whose step `score` goes over `width` items, of which `failed` have failed. */
export function fanOutRoutes({ width, failed, chain = 'wide', hostile }) {
  const isFailed = new Set(failed);
  const steps = [
    { id: 'list', status: 'completed', visit: 1 },
    { id: 'score', status: failed.length > 0 ? 'failed' : 'completed', visit: 1, items: { total: width, ok: width - failed.length, failed: failed.length } },
  ];
  const one = { chain_id: chain, status: 'failed', started_at: '2026-11-25T01:00:00Z', finished_at: '2026-11-25T01:31:00Z', steps, name: 'score-all' };
  const message = hostile ?? 'the tool did not answer within 30 s';
  const third = Math.ceil(failed.length / 3);
  return {
    'GET /v1/chains': () => [200, { chains: [] }],
    'GET /v1/chains/*': () => [200, one],
    'GET /v1/chains/*/steps/*/items:states': () => [200, { visit: 1, width, runs: runsOf(width, failed) }],
    'GET /v1/chains/*/steps/*/clusters': () => [
      200,
      { clusters: [cluster('a', hostile ?? 'timeout', message, failed.slice(0, 2 * third)), cluster('b', 'tool_failed', hostile ?? 'exit code 3: Connection reset by peer', failed.slice(2 * third))].filter((group) => group.count > 0), others: 0 },
    ],
    'GET /v1/chains/*/steps/*/items:slowest': () => [
      200,
      { complete: true, items: failed.slice(0, 20).map((index, at) => ({ index, status: 'failed', attempts: 3, took_ms: 30000 / (1 + at), worker: hostile ?? `worker-${at % 3}` })) },
    ],
    'GET /v1/chains/*/steps/*/items:workers': () => [200, { complete: true, workers: [0, 1, 2].map((at) => ({ worker: hostile ?? `worker-${at}`, items: Math.floor(width / 3), failed: at, took_ms_total: width * 4 })) }],
    'GET /v1/chains/*/steps/*/items': ({ query }) => {
      const item = Number(query.get('from'));
      const bad = isFailed.has(item);
      return [
        200,
        { visit: 1, width, items: [{ item, status: bad ? 'failed' : 'succeeded', failed_attempts: bad ? 3 : 0, value: { path: hostile ?? `/data/${item}.txt` }, ...(bad ? { error: { code: 'timeout', message, retryable: true } } : { response: { score: 0.5 } }) }] },
      ];
    },
    'GET /v1/chains/*/history': ({ query }) => [200, { events: [{ seq: 7, time: '2026-11-25T01:03:00Z', text: hostile ?? `item ${query.get('item')} began on worker-1` }] }],
    'GET /v1/chains/*/logs': () => [200, { rows: [{ number: 1, step: 'score', visit: 1, attempt: 1, stream: 'stderr', time: '2026-11-25T01:03:00Z', offset: 0, text: hostile ?? 'connecting\n' }], next: 2, more: false, dropped_bytes: 0 }],
    'POST /v1/chains/*:retry': ({ body }) =>
      body.dry_run
        ? [200, { chain_id: chain, steps: [{ id: 'list', action: 'stays' }, { id: 'score', action: 'runs', items: { of: width, run: itemsOf(body.items.score).length } }] }]
        : [202, one],
    'POST /v1/chains/*:skip': ({ body, query }) => (query.get('validate_only') === 'true' ? [200, { validate_only: true, would: 'skip', step: body.step, items: body.items }] : [202, one]),
    'POST /v1/chains/*:resolve': ({ query }) => (query.get('validate_only') === 'true' ? problem(409, 'not_in_doubt', 'none of these items is in doubt') : [202, one]),
  };
}

/** `3,7-9` as numbers. */
export const itemsOf = (text) =>
  text.split(',').flatMap((part) => {
    const [first, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });

export const reportText = `{
  "name": "report",
  "description": "Counts the words of a folder and writes a report",
  "arguments": [
    {"name": "directory", "type_name": "string", "required": true},
    {"name": "show", "type_name": "integer", "default_value": 5}
  ],
  "responses": [{"name": "words", "type_name": "integer", "required": true}],
  "instructions": [
    {"execution_id": "list", "tool_definition_path": "/tools/list_files.tool",
     "arguments": {"directory": "REF:arguments.directory"}},
    {"execution_id": "count", "tool_definition_path": "/tools/word_count.tool",
     "parallel_execution": {"iterate_over": "REF:list.files", "child_argument_name": "path"}},
    {"execution_id": "total", "tool_definition_path": "/tools/sum.tool",
     "arguments": {"values": "REF:count.response", "key": "words"}}
  ],
  "response_reference_map": {"words": "REF:total.sum"}
}
`;

/** A shelf with one definition in some versions. `BROKEN` in a text is an error at its place. */
export function definitionRoutes({ hostile } = {}) {
  const about = hostile ?? 'Counts the words of a folder and writes a report';
  const shelf = new Map([
    ['team/report', [1, 2, 3].map((number) => ({ version: `v${number}`, text: reportText, stored_at: `2026-11-2${number + 1}T09:00:00Z`, stored_by: hostile ?? 'maria' }))],
    ['team/score', [{ version: 'v1', text: reportText, stored_at: '2026-11-24T09:00:00Z', stored_by: hostile ?? 'jo' }]],
    ['nightly/index', [{ version: 'v1', text: reportText, stored_at: '2026-11-20T09:00:00Z', stored_by: 'ci' }]],
  ]);
  const rowOf = (name, one) => ({ name, version: one.version, dialect: 'tool', description: about, bytes: one.text.length, stored_at: one.stored_at, stored_by: one.stored_by, sha256: '0f4e'.repeat(16) });
  const parameters = [
    { name: 'directory', type_name: 'string', required: true, description: hostile ?? 'whose files are read' },
    { name: 'show', type_name: 'integer', default_value: 5, description: 'how many of the longest are shown' },
    { name: 'threshold', type_name: 'number', default_value: 0.5 },
    { name: 'deep', type_name: 'boolean', default_value: false, description: 'also folders within it' },
    { name: 'order', type_name: 'string', enum: ['longest', 'newest', hostile ?? 'by name'], default_value: 'longest' },
    { name: 'skip', type_name: 'list', default_value: [] },
    { name: 'options', type_name: 'object' },
    { name: 'template', type_name: 'file' },
    { name: 'extra', type_name: 'any' },
  ];
  const find = (text) => {
    const lines = text.split('\n');
    const line = lines.findIndex((one) => one.includes('BROKEN'));
    return line < 0 ? undefined : { line: line + 1, column: lines[line].indexOf('BROKEN') + 1 };
  };
  return {
    shelf,
    routes: {
      'GET /v1/definitions': ({ query }) => {
        const pattern = (query.get('name') ?? '*').replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
        return [200, { definitions: [...shelf].filter(([name]) => new RegExp(`^${pattern}$`).test(name)).map(([name, versions]) => rowOf(name, versions.at(-1))) }];
      },
      'GET /v1/definitions/*': ({ parts, query }) => {
        const versions = shelf.get(parts[0]);
        if (!versions) return problem(404, 'definition_unknown', `no definition is called ${parts[0]}`);
        const one = versions.find((each) => each.version === query.get('version')) ?? versions.at(-1);
        const value = { ...rowOf(parts[0], one), text: one.text, valid: true, arguments: parameters, responses: [{ name: 'words', type_name: 'integer', required: true }], warnings: [], versions: [...versions].reverse().map((each) => rowOf(parts[0], each)) };
        return [200, value, { etag: `"${one.version}"` }];
      },
      'PUT /v1/definitions/*': ({ parts, body, headers }) => {
        const versions = shelf.get(parts[0]) ?? [];
        const now = versions.at(-1)?.version;
        if (headers['if-match'] !== undefined ? headers['if-match'] !== `"${now}"` : now !== undefined) return problem(412, 'version_conflict', `the definition is at ${now}`);
        const one = { version: `v${versions.length + 1}`, text: body.text, stored_at: '2026-11-25T09:00:00Z', stored_by: 'page' };
        shelf.set(parts[0], [...versions, one]);
        return [200, { ...rowOf(parts[0], one), package: 'p', warnings: [] }];
      },
      'DELETE /v1/definitions/*': ({ parts }) => {
        shelf.delete(parts[0]);
        return [200, { name: parts[0] }];
      },
      'POST /v1/definitions:check': ({ body }) => {
        const at = find(body.text);
        const problems = at ? [{ severity: 'error', code: 'reference_unknown', message: hostile ?? 'there is no step BROKEN', suggestion: 'list', ...at }] : [];
        const word = body.at ? (body.text.split('\n')[body.at.line - 1] ?? '').slice(0, body.at.column - 1).match(/[\w.:]*$/)[0] : '';
        return [
          200,
          {
            valid: !at,
            problems,
            completions: body.at ? ['REF:arguments.directory', 'REF:list.files', hostile ?? 'REF:total.sum'].map((label) => ({ label, kind: 'reference', insert: label })) : [],
            ...(body.at ? { completes_from: { line: body.at.line, column: body.at.column - word.length } } : {}),
          },
        ];
      },
      'POST /v1/definitions:graph': () => [
        200,
        {
          nodes: [{ id: 'list', label: hostile ?? 'list', kind: 'step', calls: 'list_files' }, { id: 'count', label: 'count', kind: 'fan_out', calls: 'word_count' }, { id: 'total', label: 'total', kind: 'step', calls: 'sum' }],
          edges: [{ from: 'list', to: 'count', kind: 'after' }, { from: 'count', to: 'total', kind: 'after' }],
        },
      ],
      'POST /v1/definitions:test': () => [200, { tests: [{ file: 'page.test.yaml', line: 2, test: hostile ?? 'counts words', passed: true, problems: [], differences: [], executions: 3, elapsed_ms: 4 }, { file: 'page.test.yaml', line: 9, test: 'an empty folder', passed: false, problems: [], differences: [{ path: '/words', expected: 0, got: 1 }], executions: 3, elapsed_ms: 2 }] }],
      'POST /v1/chains': ({ body, query }) => {
        if (!body.arguments?.directory) return problem(422, 'definition_invalid', 'an argument is missing', { errors: [{ code: 'argument_missing', detail: 'directory is required', pointer: '/arguments/directory' }] });
        return query.get('validate_only') === 'true' ? [200, { validate_only: true, would: 'submit' }] : [202, { chain_id: body.id ?? 'made', status: 'running' }];
      },
    },
  };
}

export function clusterRoutes({ hostile } = {}) {
  const nodes = [
    { id: 'coordinator', state: 'open', slots: { used: 2, total: 4 }, running: 2, queued: 1, rate: 3.5, labels: [], kinds: ['builtin', 'exec'], incarnation: 1, heartbeat_age_ms: 120, version: '0.1.0' },
    { id: hostile ?? 'worker-eu-1', state: 'open', slots: { used: 31, total: 32 }, running: 31, queued: 8, rate: 412, labels: [hostile ?? 'eu', 'gpu'], kinds: ['exec', 'serve'], address: '10.0.0.7:7420', incarnation: 3, heartbeat_age_ms: 340, version: '0.1.0' },
    { id: 'worker-us-1', state: 'cordoned', slots: { used: 4, total: 32 }, running: 4, queued: 0, rate: 20.2, labels: ['us'], kinds: ['exec'], address: '10.0.0.9:7420', incarnation: 1, heartbeat_age_ms: 800, version: '0.1.0' },
  ];
  const act = (state) => ({ parts }) => {
    const node = nodes.find((one) => one.id === parts[0]);
    if (!node) return problem(404, 'node_unknown', 'no worker of that name has registered');
    node.state = state;
    return [200, { status: state }];
  };
  return {
    nodes,
    routes: {
      'GET /v1/nodes': () => [200, { nodes }],
      'GET /v1/store': () => [200, { format: 1, epoch: 4, commit: 81233, durable_commit: 81230, bytes: 4.1e9, disk: { free: 61e9, total: 250e9 } }],
      'GET /v1/limits': () => [200, { requests: { per_second: 200, burst: 400, remaining: 380, full_after_seconds: 1 } }],
      'GET /v1/explain': () => [200, { status: 'waiting', reasons: [{ code: 'no_slot', message: hostile ?? '4 tasks want a worker with the label gpu, and all of its slots are taken', chain: 'nightly/score', step: 'score' }] }],
      'GET /v1/audit': () => [
        200,
        {
          next: 4,
          more: false,
          entries: [
            { number: 1, time: '2026-11-25T08:00:00Z', by: { name: hostile ?? 'maria', via: 'http' }, act: 'retry', subject: 'nightly/score', reason: hostile ?? 'the shard is back' },
            { number: 2, time: '2026-11-25T08:10:00Z', by: { name: 'jo', via: 'cluster' }, act: 'cordon', subject: 'worker-us-1', reason: 'new kernel' },
            { number: 3, time: '2026-11-25T08:12:00Z', by: { id: '10.0.0.4', via: 'http' }, act: 'cancel', subject: 'import/77' },
          ],
        },
      ],
      'GET /v1/webhooks': () => [200, { deliveries: [{ id: 'w1', state: 'given_up', chain_id: 'nightly/score', event: 'failed', url: hostile ?? 'https://ops.example/hook', time: '2026-11-25T08:00:00Z', tries: 9, status: 503, error: hostile ?? 'the answer was 503' }] }],
      'POST /v1/webhooks/*:replay': () => [200, { status: 'pending' }],
      'POST /v1/nodes/*:cordon': act('cordoned'),
      'POST /v1/nodes/*:uncordon': act('open'),
      'POST /v1/nodes/*:drain': act('draining'),
    },
  };
}

/** `waiting` steps that wait for approval, the longest waiting first, in pages; every third is of anna. What is answered waits no more. */
export function approvalRoutes({ waiting = 3, hostile } = {}) {
  const schema = {
    type: 'object',
    required: ['amount'],
    properties: {
      amount: { type: 'number', maximum: 100, description: hostile ?? 'in euros' },
      urgent: { type: 'boolean' },
      account: { enum: ['main', hostile ?? 'travel'] },
      tags: { type: 'array' },
      [hostile ? '__proto__' : 'note/a']: { type: 'string' },
    },
  };
  const rows = Array.from({ length: waiting }, (_, at) => ({
    chain_id: `pay-${at}`,
    step: hostile ?? (at === 1 ? 'each' : 'pay'),
    name: 'bill',
    who: hostile ?? (at % 3 === 0 ? 'anna' : 'accounting'),
    since: new Date(Date.UTC(2026, 10, 25, 8, 0, at)).toISOString(),
    ...(at % 2 === 0 ? { until: '2099-11-27T08:00:00.000Z', on_timeout: 'reject' } : {}),
    allow_edit: at !== 1,
    ...(at === 0 || hostile ? { schema } : {}),
    ...(at === 1 ? { items: '0-2,5', waiting: 4 } : { waiting: 1 }),
    ...(at === 2 ? { arguments_begin: hostile ?? '{"text": "a long', arguments_bytes: 70000 } : { arguments: { amount: 500, urgent: false, account: 'main', ...(hostile ? { [hostile]: hostile } : {}) } }),
  }));
  const answer = ({ parts, body, query }) => {
    const row = rows.find((one) => one.chain_id === parts[0]);
    if (!row) return problem(409, 'chain_state', `step '${body.step}' does not wait for approval any more`);
    if (body.edit?.amount > 100) return problem(422, 'argument_schema', `what is edited of step 'pay': the arguments do not fit the schema: 'amount': ${hostile ?? 'it is more than 100'}; 'tags.0': Value type not permitted`, { errors: [{ code: 'argument_schema', detail: 'it is none of these', pointer: '/edit/note~1a' }] });
    if (query.get('validate_only') === 'true') return [200, { validate_only: true, would: 'approve', chain_id: row.chain_id, step: body.step, ...(body.items ? { items: body.items } : {}) }];
    rows.splice(rows.indexOf(row), 1);
    return [202, { chain_id: row.chain_id, status: 'running' }];
  };
  return {
    'GET /v1/approvals': ({ query }) => {
      const wanted = rows.filter((row) => !query.get('who') || row.who === query.get('who'));
      const from = query.get('cursor') ? wanted.findIndex((row) => row.chain_id === query.get('cursor')) : 0;
      const end = from + Number(query.get('limit') ?? 100);
      return [200, { approvals: wanted.slice(from, end), ...(end < wanted.length ? { cursor: wanted[end].chain_id } : {}) }];
    },
    'POST /v1/chains/*:approve': answer,
    'POST /v1/chains/*:reject': answer,
    'GET /v1/chains/*': ({ parts }) => [200, { chain_id: parts[0], status: 'running', steps: [] }],
    'GET /v1/chains': () => [200, { chains: [] }],
  };
}

/** Two chains that differ in everything that can differ; the steps come in two pages. */
export function compareRoutes({ hostile } = {}) {
  const text = (plain) => (hostile === undefined ? plain : JSON.stringify(hostile));
  const change = (path, first, second) => ({ path: hostile ?? path, ...(first === undefined ? {} : { first: text(first) }), ...(second === undefined ? {} : { second: text(second) }) });
  const differs = (...changes) => ({ same: false, in_full: true, changes });
  const error = { code: 'tool_timeout', message: hostile ?? 'no answer within 2 m', retryable: true };
  const side = (chain_id, status, more) => ({ chain_id, name: hostile ?? 'score', status, started_at: '2026-11-25T01:00:00Z', finished_at: '2026-11-25T01:31:00Z', duration_ms: 1_860_000, package: '0f4e', ...more });
  const head = {
    first: side('night-1', 'failed', { error }),
    second: side('night-2', 'succeeded'),
    definitions: [{ path: hostile ?? '/tools/score.tool', in: 'both', in_full: true, changes: [change('/timeout', '"2m"', '"5m"')], more_changes: 3 }, { path: '/tools/old.tool', in: 'first', in_full: true, changes: [] }],
    arguments: differs(change('/directory', '"/data/a"', '"/data/b"'), change('/deep', undefined, 'true')),
    context: { same: true },
    response: { same: false, in_full: false },
  };
  const came = (status, more = {}) => ({ status, visit: 1, took_ms: 1500, ...more });
  const pages = [
    [
      { id: 'list', differs: false, first: came('completed'), second: came('completed', { took_ms: 900 }), response: { same: true } },
      { id: 'score', differs: true, first: came('failed', { items: 1000, ok: 990, failed: 10, error }), second: came('completed', { items: 1000, ok: 999, failed: 1 }), response: { same: true }, failed_in_first_only: { count: 9, items: '3,7-14' }, failed_in_second_only: { count: 1, items: '500' }, responses_differ: { count: 2, items: '20,21', more_items: true }, responses_compared: 989 },
    ],
    [
      { id: 'report', differs: true, first: came('completed'), second: came('completed'), response: differs(change('/words', '12', '13')) },
      { id: hostile ?? 'mail', differs: true, second: came('completed') },
    ],
  ];
  return {
    'GET /v1/chains/*/diff': ({ parts, query }) => {
      if (query.get('with') === 'nobody') return problem(404, 'chain_not_found', `no chain has the id 'nobody'`);
      const page = query.get('from') === null ? 0 : 1;
      const turned = parts[0] === 'night-2';
      const steps = pages[page].map((step) => (turned ? { ...step, first: step.second, second: step.first } : step));
      return [200, { ...head, ...(turned ? { first: head.second, second: head.first } : {}), ...(page === 1 ? { definitions: [], arguments: { same: true }, response: { same: true } } : {}), steps, ...(page === 0 ? { next: 2 } : {}) }];
    },
    'GET /v1/chains/*': ({ parts }) => [200, { chain_id: parts[0], name: 'score', status: 'failed', started_at: '2026-11-25T01:00:00Z', finished_at: '2026-11-25T01:31:00Z', steps: [] }],
    'GET /v1/chains/*/graph': () => [200, { nodes: [], edges: [] }],
    'GET /v1/chains': () => [200, { chains: ['night-2', 'night-1'].map((chain_id) => ({ chain_id, name: 'score', status: 'failed', started_at: '2026-11-25T01:00:00Z', finished_at: '2026-11-25T01:31:00Z', duration_ms: 1, steps: { settled: 1, total: 1 } })) }],
  };
}
