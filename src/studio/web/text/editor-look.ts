/** How the text looks: our colours by custom properties, so that light and dark need nothing else. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--ask)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--say)' },
  { tag: tags.comment, color: 'var(--faint)', fontStyle: 'italic' },
  { tag: [tags.number, tags.bool, tags.keyword, tags.labelName, tags.typeName], color: 'var(--out)' },
  { tag: [tags.separator, tags.brace, tags.squareBracket, tags.punctuation], color: 'var(--faint)' },
  { tag: tags.content, color: 'var(--text)' },
]);

const HOUSE = EditorView.theme({
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
  '.cm-foldPlaceholder': { backgroundColor: 'var(--soft)', border: '0', color: 'var(--muted)', padding: '0 6px' },
  '.cm-tooltip': {
    backgroundColor: 'var(--panel)',
    border: '1px solid var(--line)',
    borderRadius: '9px',
    boxShadow: '0 10px 34px rgb(0 0 0 / 0.18)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 10px', lineHeight: '1.4' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-soft)',
    color: 'var(--text)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--accent)', fontWeight: '600' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal', marginLeft: '12px' },
  '.cm-tooltip.cm-completionInfo': { padding: '8px 12px', maxWidth: '320px', fontFamily: 'inherit' },
  '.cm-panels': { backgroundColor: 'var(--panel)', color: 'var(--text)', borderColor: 'var(--line)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--warn)' },
  '.cm-diagnostic': { padding: '6px 12px', borderLeft: '0' },
  '.cm-diagnosticAction': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
    borderRadius: '6px',
    padding: '3px 9px',
    font: 'inherit',
  },
  '.cm-lint-marker': { width: '0.8em' },
  '.cm-collapsedLines': { background: 'var(--soft)', color: 'var(--muted)', padding: '3px 10px' },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"⋯"' },
  '.cm-step': { backgroundColor: 'color-mix(in oklab, var(--accent-soft) 70%, transparent)' },
  '.cm-hover': { padding: '8px 12px', maxWidth: '380px', fontFamily: 'Inter, system-ui, sans-serif' },
});

export const editorLook: Extension = [HOUSE, syntaxHighlighting(COLOURS)];
