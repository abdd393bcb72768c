/** Two texts side by side, with what is different between them; what is the same is folded. */
import { yaml } from '@codemirror/lang-yaml';
import { MergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'preact/hooks';
import { styleNonce } from './editor.tsx';
import { editorLook } from './editor-look.ts';

interface Side {
  text: string;
  /** For readers. */
  label: string;
}

export function BothTexts({ left, right }: { left: Side; right: Side }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const view = new MergeView({
      parent: box.current!,
      a: stateOf(left),
      b: stateOf(right),
      collapseUnchanged: { margin: 3, minSize: 6 },
    });
    return () => view.destroy();
  }, [left.text, right.text]);
  return <div class="both" ref={box} />;
}

const stateOf = ({ text, label }: Side) => ({
  doc: text,
  extensions: [
    EditorView.cspNonce.of(styleNonce()),
    EditorState.readOnly.of(true),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    lineNumbers(),
    EditorView.lineWrapping,
    yaml(),
    editorLook,
    look,
  ],
});

const look = EditorView.theme({
  '.cm-content': { paddingBottom: '0' },
  '.cm-collapsedLines': {
    backgroundColor: 'var(--soft)',
    backgroundImage: 'none',
    color: 'var(--muted)',
    padding: '4px 10px',
  },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"⋯"' },
  '&.cm-merge-a .cm-changedLine': { backgroundColor: 'var(--bad-soft)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--good-soft)' },
  '&.cm-merge-a .cm-changedText': { background: 'none', boxShadow: 'inset 0 -2px var(--bad)' },
  '&.cm-merge-b .cm-changedText': { background: 'none', boxShadow: 'inset 0 -2px var(--good)' },
});
