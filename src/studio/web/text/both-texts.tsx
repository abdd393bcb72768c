/** Two texts side by side, with what is different between them; what is the same is folded. */
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
  }, []);
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
    editorLook,
  ],
});
