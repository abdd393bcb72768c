/** Theme of the text editor. Colours are custom properties, which cover light and dark mode. */
import { EditorView } from '@codemirror/view';

export const editorLook = EditorView.theme({
  '&': { height: '100%', fontSize: '12.5px', backgroundColor: 'var(--panel)', color: 'var(--text)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', border: '0', color: 'var(--faint)' },
  '.cm-content': { caretColor: 'var(--accent)', paddingBottom: '30vh' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in oklab, var(--soft) 60%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--soft)', color: 'var(--text)' },
  '&.cm-focused': { outline: 'none' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in oklab, var(--accent) 26%, transparent)',
  },
  '.cm-key': { color: 'var(--ask)' },
  '.cm-string': { color: 'var(--say)' },
  '.cm-remark': { color: 'var(--faint)', fontStyle: 'italic' },
  '.cm-name': { color: 'var(--out)' },
  '.cm-sign': { color: 'var(--faint)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'color-mix(in oklab, var(--good) 32%, transparent)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'color-mix(in oklab, var(--bad) 32%, transparent)' },
  '.cm-foldGutter span': { padding: '0 1px', cursor: 'pointer' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--soft)',
    borderRadius: '3px',
    color: 'var(--muted)',
    cursor: 'pointer',
    margin: '0 1px',
    padding: '0 6px',
  },
  '.cm-panels': { backgroundColor: 'var(--panel)', color: 'var(--text)', borderColor: 'var(--line)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch-selected': { outlineWidth: '2px' },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in oklab, var(--good) 24%, transparent)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--warn)' },
  '.cm-tooltip-lint': { listStyle: 'none', margin: '0', maxWidth: 'min(520px, 90vw)', padding: '0' },
  '.cm-diagnostic': { padding: '6px 12px', whiteSpace: 'pre-wrap' },
  '.cm-diagnosticAction': {
    backgroundColor: 'var(--accent)',
    border: '0',
    color: 'var(--on-accent)',
    cursor: 'pointer',
    marginLeft: '8px',
    borderRadius: '6px',
    padding: '3px 9px',
    font: 'inherit',
  },
  '.cm-gutter-lint': { width: '1.4em' },
  '.cm-gutter-lint .cm-gutterElement': { cursor: 'pointer', textAlign: 'center' },
  '.cm-lint-marker': { fontWeight: '700' },
  '.cm-lint-marker-error': { color: 'var(--bad)' },
  '.cm-lint-marker-warning': { color: 'var(--warn)' },
  '.cm-step': { backgroundColor: 'color-mix(in oklab, var(--accent-soft) 70%, transparent)' },
  '.cm-hover': { padding: '8px 12px', maxWidth: '380px', fontFamily: 'Inter, system-ui, sans-serif' },
});

/** Look of the list of proposals (`editor-proposals.ts`). */
export const proposalsLook = EditorView.theme({
  '.cm-tooltip': {
    backgroundColor: 'var(--panel)',
    border: '1px solid var(--line)',
    borderRadius: '9px',
    boxShadow: '0 10px 34px rgb(0 0 0 / 0.18)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mono)',
    listStyle: 'none',
    margin: '0',
    maxHeight: '16em',
    maxWidth: 'min(520px, 90vw)',
    minWidth: '220px',
    overflow: 'hidden auto',
    padding: '0',
    whiteSpace: 'nowrap',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    cursor: 'pointer',
    lineHeight: '1.4',
    overflow: 'hidden',
    padding: '4px 10px',
    textOverflow: 'ellipsis',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-soft)',
    color: 'var(--text)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--accent)', fontWeight: '600' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal', marginLeft: '12px' },
  '.cm-completionInfo': { borderTop: '1px solid var(--line)', padding: '8px 12px', maxWidth: 'min(520px, 90vw)' },
});

/** Nonce for styles that CodeMirror adds at run time. */
export const editorNonce = EditorView.cspNonce.of(
  globalThis.document?.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '',
);
