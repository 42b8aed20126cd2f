// A definition as text, with the coordinator's own checker beside it: what it says of the text stands in the gutter and below, and it says what can be written next.
import { useEffect, useRef, useState } from 'preact/hooks';
import { freshKey, get, post, put } from '../../api';
import { useCommands } from '../../keys';
import { count, plural } from '../../format';
import type { Problem } from '../../types';
import { Dialog } from '../../ui/dialog';
import { Loading, ProblemBox } from '../../ui/problem';
import { LongText, Text } from '../../ui/text';
import { toast } from '../../ui/toast';
import type { Editor } from './editor_core';
import { definitionPath, type CheckAnswer, type CheckProblem, type Definition, type TestRow } from './types';

const exampleTest = (name: string) => `# Cases of ${name || 'the definition'}: arguments, what tools answer, and what is expected.\n`;

/** CodeMirror in its place; a plain field until it is loaded, or where it cannot be. */
function CodeField({ text, label, changed, made, complete, save }: { text: string; label: string; changed(text: string): void; made(editor: Editor): void; complete?(text: string, line: number, column: number): Promise<CheckAnswer | undefined>; save?(): void }) {
  const place = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState(false);
  const [loading, setLoading] = useState(true);
  const held = useRef({ changed, complete, save });
  held.current = { changed, complete, save };
  useEffect(() => {
    let editor: Editor | undefined;
    let current = true;
    import('./editor_core').then(
      ({ makeEditor }) => {
        if (!current) return;
        setLoading(false);
        editor = makeEditor({
          parent: place.current!,
          label,
          text,
          changed: (next) => held.current.changed(next),
          complete: held.current.complete ? (all, line, column) => held.current.complete!(all, line, column) : undefined,
          save: () => held.current.save?.(),
        });
        made(editor);
      },
      () => current && setFailed(true),
    );
    return () => {
      current = false;
      editor?.destroy();
    };
  }, []);
  if (failed) return <textarea class="mono code-plain" aria-label={label} spellcheck={false} defaultValue={text} onInput={(event) => changed(event.currentTarget.value)} />;
  return (
    <div class="code-frame">
      {loading && <Loading what="the editor" />}
      <div class="code-place" ref={place} />
    </div>
  );
}

function Problems({ problems, checked, goTo }: { problems: readonly CheckProblem[]; checked: boolean; goTo(problem: CheckProblem): void }) {
  const errors = problems.filter((one) => one.severity === 'error').length;
  return (
    <section class="check" aria-label="Problems">
      <p role="status" class="check-head">
        {!checked ? 'Checking…' : problems.length === 0 ? 'The coordinator finds nothing wrong.' : `${plural(errors, 'error')}, ${plural(problems.length - errors, 'warning')}`}
      </p>
      <ol>
        {problems.slice(0, 200).map((one, index) => (
          <li key={index}>
            <button type="button" class="check-line" onClick={() => goTo(one)}>
              <span class={`check-mark check-${one.severity}`} aria-hidden="true" />
              <span class="number dim">
                {one.file !== undefined ? <Text most={60}>{one.file}</Text> : null} {count(one.line)}:{count(one.column)}
              </span>
              <span>
                <span class="sr-only">{one.severity}: </span>
                <Text most={400}>{one.message}</Text>
              </span>
              <code class="code"><Text most={40}>{one.code}</Text></code>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

interface Conflict {
  text: string;
  version: string;
}

export default function DefinitionEditor({ definition, newName, saved }: { definition?: Definition; newName?: string; saved(name: string): void }) {
  const begun = definition?.text ?? '{\n  "description": "",\n  "arguments": [],\n  "responses": [],\n  "instructions": []\n}\n';
  const [name, setName] = useState(definition?.name ?? newName ?? '');
  const [text, setText] = useState(begun);
  const [base, setBase] = useState({ text: begun, version: definition?.version });
  const [check, setCheck] = useState<CheckAnswer | undefined>(undefined);
  const [checked, setChecked] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const [conflict, setConflict] = useState<Conflict | undefined>(undefined);
  const [testing, setTesting] = useState(false);
  const editor = useRef<Editor | undefined>(undefined);
  const fileName = `${(name || 'definition').replace(/[^\w./-]/g, '_')}.${/^\s*[{[]/.test(text) ? 'tool' : 'yaml'}`;
  const dirty = text !== base.text;

  useEffect(() => {
    setChecked(false);
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      const answer = await post<CheckAnswer>('/v1/definitions:check', { file_name: fileName, text }, { signal: abort.signal });
      if (abort.signal.aborted) return;
      setChecked(true);
      if (answer.ok) {
        setCheck(answer.value);
        setProblem(undefined);
        editor.current?.show(answer.value.problems);
      } else {
        setProblem(answer.problem);
      }
    }, 250);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text, fileName]);
  useEffect(() => {
    if (!dirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [dirty]);

  const complete = async (all: string, lineNumber: number, column: number) => {
    const answer = await post<CheckAnswer>('/v1/definitions:check', { file_name: fileName, text: all, at: { line: lineNumber, column } });
    return answer.ok ? answer.value : undefined;
  };

  const save = async (over?: string) => {
    if (busy || name.trim() === '') return;
    setBusy(true);
    setProblem(undefined);
    const version = over ?? base.version;
    const condition = version === undefined ? { ifNoneMatch: '*' as const } : { ifMatch: `"${version}"` };
    const sent = text;
    const answer = await put<Definition>(definitionPath(name.trim()), { text: sent }, { key: freshKey(), ...condition });
    setBusy(false);
    if (answer.ok) {
      setConflict(undefined);
      setBase({ text: sent, version: answer.value.version });
      toast(`Saved ${name.trim()} ${answer.value.version}.`);
      saved(name.trim());
      return;
    }
    if (answer.problem.status === 412) {
      const now = await get<Definition>(definitionPath(name.trim()));
      if (now.ok) {
        setConflict({ text: now.value.text ?? '', version: now.value.version });
        return;
      }
    }
    setProblem(answer.problem);
  };

  useCommands(
    [
      { keys: ['Mod+s'], title: 'Save the definition', group: 'Editor', inFields: true, run: () => void save() },
      { title: 'Run tests of the definition', group: 'Editor', run: () => setTesting(true) },
    ],
  );

  const problems = check?.problems ?? [];
  return (
    <div class="editor">
      <div class="editor-bar" role="toolbar" aria-label="Editor">
        {definition ? (
          <span class="dim">{base.version}{dirty && ', changed'}</span>
        ) : (
          <input type="text" aria-label="Name of the definition" placeholder="Name, such as team/report" value={name} spellcheck={false} autocomplete="off" onInput={(event) => setName(event.currentTarget.value)} />
        )}
        <span class="items-tools">
          <button type="button" class="button button-small" aria-pressed={testing} onClick={() => setTesting(!testing)}>
            Tests
          </button>
          <button type="button" class="button button-small button-primary" disabled={busy || !dirty || name.trim() === '' || (check && !check.valid)} onClick={() => void save()}>
            {busy ? 'Saving…' : 'Save'}
          </button>
        </span>
      </div>
      {problem && <ProblemBox problem={problem} />}
      <CodeField
        text={begun}
        label="Definition"
        changed={setText}
        complete={complete}
        save={() => void save()}
        made={(one) => {
          editor.current = one;
          one.show(problems);
        }}
      />
      <Problems problems={problems} checked={checked} goTo={(one) => one.file === undefined && editor.current?.goTo(one.line, one.column)} />
      {testing && <Tests name={name} definition={{ file_name: fileName, text }} />}
      {conflict && (
        <Dialog
          title="Somebody else has saved this definition"
          wide
          close={() => setConflict(undefined)}
          footer={
            <>
              <button type="button" class="button" onClick={() => setConflict(undefined)}>
                Go on editing
              </button>
              <button
                type="button"
                class="button"
                onClick={() => {
                  setBase(conflict);
                  editor.current?.setText(conflict.text);
                  setConflict(undefined);
                }}
              >
                Take theirs
              </button>
              <button type="button" class="button button-danger" disabled={busy} onClick={() => void save(conflict.version)}>
                Save mine over {conflict.version}
              </button>
            </>
          }
        >
          <p>
            The coordinator has {conflict.version}; yours began at {base.version ?? 'nothing'}. Nothing was changed.
          </p>
          <div class="versions-beside">
            <section>
              <h3>Theirs, {conflict.version}</h3>
              <LongText label="Theirs">{conflict.text}</LongText>
            </section>
            <section>
              <h3>Mine</h3>
              <LongText label="Mine">{text}</LongText>
            </section>
          </div>
        </Dialog>
      )}
    </div>
  );
}

function Tests({ name, definition }: { name: string; definition: { file_name: string; text: string } }) {
  const [text, setText] = useState(exampleTest(name));
  const [rows, setRows] = useState<TestRow[] | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    setProblem(undefined);
    const answer = await post<{ tests: TestRow[] }>('/v1/definitions:test', { definition, test: { file_name: 'page.test.yaml', text } });
    setBusy(false);
    if (answer.ok) setRows(answer.value.tests);
    else setProblem(answer.problem);
  };
  return (
    <section class="tests" aria-label="Tests">
      <div class="editor-bar">
        <strong>Tests</strong>
        <span class="dim">A file of `catena test`, run against the text above</span>
        <span class="items-tools">
          <button type="button" class="button button-small" disabled={busy} onClick={() => void run()}>
            {busy ? 'Running…' : 'Run the tests'}
          </button>
        </span>
      </div>
      <CodeField text={text} label="Test file" changed={setText} made={() => undefined} />
      {problem && <ProblemBox problem={problem} />}
      {rows && (
        <p class="check-head" role="status">
          {count(rows.filter((row) => row.passed).length)} of {plural(rows.length, 'test')} passed
        </p>
      )}
      {rows && (
        <ul class="test-rows">
          {rows.slice(0, 500).map((row, index) => (
            <li key={index} class={row.passed ? 'tone-ok' : 'tone-bad'}>
              <strong>{row.passed ? 'passed' : 'failed'}</strong> <Text most={200}>{row.test}</Text>
              {row.line !== undefined && <span class="dim"> line {count(row.line)}</span>}
              {!row.passed && (
                <LongText label="Why it failed">
                  {[...(row.problems ?? []), ...(row.differences ?? []).map((one) => `${one.path}: expected ${JSON.stringify(one.expected)}, got ${JSON.stringify(one.got)}`)].join('\n')}
                </LongText>
              )}
            </li>
          ))}
          {rows.length === 0 && <li class="dim">The file has no tests.</li>}
        </ul>
      )}
    </section>
  );
}
