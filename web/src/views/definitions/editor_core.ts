// CodeMirror with what this page needs of it, and no more: a part of its own, loaded when somebody first edits. It stands in a shadow root, where its styles are sheets of the document
// model; the page's policy allows no style elements.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { EditorState, RangeSetBuilder } from '@codemirror/state';
import { Decoration, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers, ViewPlugin, type DecorationSet, type ViewUpdate } from '@codemirror/view';
import type { CheckAnswer, CheckProblem } from './types';

export interface EditorOptions {
  parent: HTMLElement;
  label: string;
  text: string;
  readOnly?: boolean;
  changed(text: string): void;
  /** Asks what can be written at a place; undefined: nothing is known now. */
  complete?(text: string, line: number, column: number): Promise<CheckAnswer | undefined>;
  save?(): void;
}

export interface Editor {
  text(): string;
  setText(text: string): void;
  show(problems: readonly CheckProblem[]): void;
  goTo(line: number, column: number): void;
  focus(): void;
  destroy(): void;
}

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '12.5px', backgroundColor: 'var(--ground)', color: 'var(--text)' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--ground-soft)', color: 'var(--text-soft)', border: 'none', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--ground-hover) 55%, transparent)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': { backgroundColor: 'light-dark(#c9d1ff, #3b478f)' },
  '.cm-tooltip': { backgroundColor: 'var(--ground-raised)', border: '1px solid var(--line)', borderRadius: '6px', boxShadow: 'var(--shadow)', overflow: 'hidden' },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '220px' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--ground-chosen)', color: 'var(--text)' },
  '.cm-completionDetail': { color: 'var(--text-soft)', fontStyle: 'normal', marginLeft: '12px' },
  '.cm-completionIcon': { display: 'none' },
  '.cm-diagnostic': { padding: '6px 10px', borderLeft: '3px solid var(--bad-fill)', fontFamily: 'var(--font)', maxWidth: '520px', overflowWrap: 'anywhere' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn-fill)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad-fill)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--warn-fill)' },
  '.tok-key': { color: 'var(--busy)' },
  '.tok-string': { color: 'var(--ok)' },
  '.tok-reference': { color: 'var(--accent)' },
  '.tok-value': { color: 'var(--wait)' },
  '.tok-comment': { color: 'var(--text-soft)', fontStyle: 'italic' },
  '.cm-lint-marker': { content: '""', width: '10px', height: '10px', marginTop: '4px', borderRadius: '50%', backgroundColor: 'var(--warn-fill)' },
  '.cm-lint-marker-error': { content: '""', borderRadius: '1px', transform: 'rotate(45deg)', backgroundColor: 'var(--bad-fill)' },
  '.cm-lint-marker-warning': { content: '""' },
});

// Words of JSON and YAML, line by line, in what is in sight. The coordinator says what is right; colours need no grammar.
const words = /("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(\s*:)?|^(\s*(?:- +)*)([\w.$/-]+)(?=\s*:(?:\s|$))|\b(true|false|null)\b|(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b|(?:^|\s)(#.*)$/g;
const marks = Object.fromEntries(['key', 'string', 'value', 'comment', 'reference'].map((name) => [name, Decoration.mark({ class: `tok-${name}` })])) as Record<string, Decoration>;
const longestLine = 2000;

function decorate(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at);
      const text = line.text.slice(0, longestLine);
      for (const found of text.matchAll(words)) {
        const begin = line.from + found.index;
        if (found[1] !== undefined) builder.add(begin, begin + found[1].length, found[2] !== undefined ? marks.key! : /^["']REF:/.test(found[1]) ? marks.reference! : marks.string!);
        else if (found[4] !== undefined) builder.add(begin + found[3]!.length, begin + found[3]!.length + found[4].length, marks.key!);
        else if (found[6] !== undefined) builder.add(begin + found[0].length - found[6].length, begin + found[0].length, marks.comment!);
        else builder.add(begin, begin + found[0].length, marks.value!);
      }
      at = line.to + 1;
    }
  }
  return builder.finish();
}

const highlight = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = decorate(view);
    }
    update(update: ViewUpdate) {
      if (update.docChanged || update.viewportChanged) this.decorations = decorate(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

export function makeEditor(options: EditorOptions): Editor {
  const root = options.parent.attachShadow({ mode: 'open' });
  const place = document.createElement('div');
  place.style.height = '100%';
  root.append(place);

  const positionOf = (state: EditorState, line: number, column: number) => {
    const at = state.doc.line(Math.max(1, Math.min(state.doc.lines, line)));
    return Math.min(at.from + Math.max(0, column - 1), at.to);
  };
  const completions = async (context: CompletionContext): Promise<CompletionResult | null> => {
    if (!context.explicit && !context.matchBefore(/[\w.:/"'$-]$/)) return null;
    const line = context.state.doc.lineAt(context.pos);
    const answer = await options.complete?.(context.state.doc.toString(), line.number, context.pos - line.from + 1);
    if (!answer || context.aborted || answer.completions.length === 0) return null;
    const begins = answer.completes_from;
    const from = begins ? Math.min(positionOf(context.state, begins.line, begins.column), context.pos) : (context.matchBefore(/[\w.:/-]*/)?.from ?? context.pos);
    return { from, options: answer.completions.slice(0, 500).map((one) => ({ label: one.label, apply: one.insert, detail: one.detail ?? one.kind })), validFor: /^[\w.:/-]*$/ };
  };

  const view = new EditorView({
    root,
    parent: place,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        lineNumbers(),
        highlightActiveLineGutter(),
        lintGutter(),
        history(),
        drawSelection(),
        closeBrackets(),
        highlightActiveLine(),
        highlight,
        autocompletion({ override: options.complete ? [completions] : [], activateOnTyping: true, icons: false }),
        keymap.of([
          { key: 'Mod-s', run: () => (options.save?.(), true), preventDefault: true },
          // Tab moves the focus, as everywhere
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...historyKeymap,
          ...standardKeymap,
        ]),
        theme,
        EditorState.readOnly.of(options.readOnly === true),
        EditorView.contentAttributes.of({ 'aria-label': options.label, tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          options.changed(update.state.doc.toString());
        }),
      ],
    }),
  });

  return {
    text: () => view.state.doc.toString(),
    setText: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    show: (problems) => {
      const { state } = view;
      const shown = problems.filter((one) => one.file === undefined).slice(0, 500).map((one): Diagnostic => {
        const from = positionOf(state, one.line, one.column);
        const line = state.doc.lineAt(from);
        const word = /^[\w.:/"'-]+/.exec(line.text.slice(from - line.from));
        const to = one.end_column !== undefined ? positionOf(state, one.line, one.end_column) : from + (word?.[0].length ?? 1);
        return { from, to: Math.max(from, Math.min(to, state.doc.length)), severity: one.severity, message: one.message, source: one.code };
      });
      view.dispatch(setDiagnostics(state, shown));
    },
    goTo: (line, column) => {
      const at = positionOf(view.state, line, column);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
      view.focus();
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
