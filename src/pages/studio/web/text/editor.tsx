/**
 * Text editor for a flow, based on CodeMirror. Its history is the only one: graph edits are transactions of it.
 * `completion.ts`, `names.ts` and `problems.ts` interpret the text; this file connects them to CodeMirror.
 *
 * Invariant: positions in the document are positions in the text. The document therefore only has LF line ends;
 * `line-ends.ts` restores those of the file.
 */
import './editor.css';
import { type ChangeSpec, EditorState } from '@codemirror/state';
import {
  closeHoverTooltips,
  drawSelection,
  EditorView,
  hasHoverTooltips,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { useEffect, useRef } from 'preact/hooks';
import { type CompletionContext, complete, type Help, helpAt } from '../../../../language/flow/text/completion.ts';
import type { TextRepair } from '../../../../language/flow/text/problems.ts';
import { editorBrackets } from './editor-brackets.ts';
import { editorColours } from './editor-colours.ts';
import { editorFolds, foldKeys } from './editor-folds.ts';
import { EditHistory } from './editor-history.ts';
import { editorKeys } from './editor-keys.ts';
import { indentBrackets } from './editor-language.ts';
import { editorLook, editorNonce, proposalsLook } from './editor-look.ts';
import { editorMarks, FLASH_MS, flash, markSteps } from './editor-marks.ts';
import { editorProblems, showProblems } from './editor-problems.ts';
import { editorProposals, type Proposals } from './editor-proposals.ts';
import { editorSearch, searchKeys } from './editor-search.ts';
import { changedRanges, changesOf, entryOf, joinedEntry, keepsChanges } from './kept-changes.ts';
import type { TextHandle } from './text-handle.ts';

interface TextEditorProps {
  text: string;
  label: string;
  isLocked?: boolean;
  /** History for the owner's undo and redo. */
  history?: EditHistory;
  /** Read on demand, because it changes with every key. */
  context(): CompletionContext | undefined;
  onText(text: string): void;
  onCursor(at: number): void;
  onReady(handle: TextHandle): void;
}

export function TextEditor(props: TextEditorProps) {
  const { text, label, isLocked = false, history, context, onText, onCursor, onReady } = props;
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef({ context, onText, onCursor });
  latest.current = { context, onText, onCursor };
  useEffect(() => {
    const edits = history ?? new EditHistory();
    const view = new EditorView({
      parent: box.current!,
      state: EditorState.create({
        doc: text,
        extensions: [
          editorNonce,
          EditorState.lineSeparator.of('\n'),
          EditorState.readOnly.of(isLocked),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorState.tabSize.of(2),
          EditorState.allowMultipleSelections.of(true),
          lineNumbers(),
          editorFolds,
          keepsChanges(edits),
          drawSelection(),
          indentBrackets,
          editorBrackets,
          highlightActiveLine(),
          highlightActiveLineGutter(),
          editorSearch,
          EditorState.languageData.of(() => [{ commentTokens: { line: '#' } }]),
          editorProblems,
          EditorView.lineWrapping,
          editorColours,
          editorLook,
          proposalsLook,
          editorMarks,
          editorProposals((state, isAsked) => proposalsFor(state, isAsked, latest.current.context())),
          hoverTooltip((_view, at) => hoverAt(at, latest.current.context()), HOVER),
          closeHoverOnScroll,
          keymap.of([...editorKeys, ...searchKeys, ...foldKeys]),
          EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
            if (docChanged) latest.current.onText(textOf(state));
            if (docChanged || selectionSet) latest.current.onCursor(state.selection.main.head);
          }),
        ],
      }),
    });
    edits.attach(changesOf(view));
    onReady(handleOf(view));
    return () => view.destroy();
  }, []);
  return <div class="text-editor" ref={box} />;
}

const textOf = (state: EditorState): string => state.sliceDoc();

function handleOf(view: EditorView): TextHandle {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    get text() {
      return textOf(view.state);
    },
    get at() {
      return view.state.selection.main.head;
    },
    change(changes, title, joins = false) {
      const specs: ChangeSpec[] = changes.map(({ from, to, insert }) => ({ from, to, insert }));
      const transaction = view.state.update({ changes: specs, annotations: joins ? joinedEntry : entryOf(title) });
      const touched = changedRanges(transaction);
      view.dispatch(transaction);
      view.dispatch({
        effects: [
          flash.of(touched),
          ...(touched[0] ? [EditorView.scrollIntoView(touched[0].from, { y: 'nearest' })] : []),
        ],
      });
      clearTimeout(timer);
      timer = setTimeout(() => view.dispatch({ effects: flash.of([]) }), FLASH_MS);
    },
    goTo({ from, to }) {
      const end = view.state.doc.length;
      const range = { anchor: Math.min(from, end), head: Math.min(to, end) };
      view.dispatch({ selection: range, effects: EditorView.scrollIntoView(range.anchor, { y: 'center' }) });
      view.focus();
    },
    mark(ranges) {
      const [first] = ranges;
      view.dispatch({
        effects: [
          markSteps.of(ranges),
          ...(first && !view.hasFocus
            ? [EditorView.scrollIntoView(Math.min(first.from, view.state.doc.length), { y: 'center' })]
            : []),
        ],
      });
    },
    show(problems) {
      const end = view.state.doc.length;
      const shown = problems.map((problem) => ({
        ...problem,
        from: Math.min(problem.from, end),
        to: Math.min(Math.max(problem.to, problem.from), end),
        apply: (repair: TextRepair) => this.change([repair], 'repair'),
      }));
      view.dispatch({ effects: showProblems.of(shown) });
    },
    focus: () => view.focus(),
  };
}

function proposalsFor(
  state: EditorState,
  isAsked: boolean,
  context: CompletionContext | undefined,
): Proposals | undefined {
  const at = state.selection.main.head;
  const found = context && complete(state.sliceDoc(0, at), at, context);
  if (found === undefined || !(isAsked || found.from < at || isAfterOpening(state, at))) return undefined;
  const hasColon = /^\w*:/.test(state.sliceDoc(at, state.doc.lineAt(at).to));
  return hasColon ? { ...found, options: found.options.map(({ insert: _, ...option }) => option) } : found;
}

/** Completion opens automatically after a colon, a bracket or a dot. */
const isAfterOpening = (state: EditorState, at: number): boolean =>
  /(?:[:,{[] |\b(?:vars|input|steps)\.)$/.test(state.sliceDoc(Math.max(0, at - 8), at));

/** The box must not cover what is typed. */
const HOVER = { hideOnChange: true, hoverTime: 500 };
const closeHoverOnScroll = EditorView.domEventHandlers({
  scroll(_event, view) {
    if (hasHoverTooltips(view.state)) view.dispatch({ effects: closeHoverTooltips });
  },
});

function hoverAt(at: number, context: CompletionContext | undefined) {
  const help = context && helpAt(context, at);
  if (context === undefined || help === undefined) return null;
  return { pos: at, above: true, create: () => ({ dom: hoverBox(help, context) }) };
}

function hoverBox({ title, verb, key, meaning }: Help, context: CompletionContext): HTMLElement {
  const box = document.createElement('div');
  box.className = 'cm-hover';
  const heading = document.createElement('strong');
  heading.textContent = title;
  const words = document.createElement('p');
  words.append(
    ...withCode(
      meaning ?? key?.description ?? (verb === undefined ? '' : (context.language.verbs[verb]?.summary ?? '')),
    ),
  );
  box.append(heading, words);
  return box;
}

/** Text in which the words between backticks are code. */
const withCode = (text: string): (string | HTMLElement)[] =>
  text.split('`').map((part, index) => {
    if (index % 2 === 0) return part;
    const code = document.createElement('code');
    code.textContent = part;
    return code;
  });
