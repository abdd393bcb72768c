/** Changes of a text before its editor is loaded. */
import { describe, expect, test } from 'vitest';
import { applyEdits } from '../../../src/language/flow/text/edits.ts';
import { EarlyText } from '../../../src/pages/studio/web/text/early-text.ts';
import type { TextHandle } from '../../../src/pages/studio/web/text/text-handle.ts';

function editorOf(first: string) {
  const editor = {
    text: first,
    at: 0,
    done: [] as unknown[],
    change(changes: Parameters<TextHandle['change']>[0], title: string, joins?: boolean): void {
      editor.text = applyEdits(editor.text, changes);
      editor.done.push(joins ? `${title}, joined` : title);
    },
    mark: (ranges: unknown) => editor.done.push({ marked: ranges }),
    goTo: (range: unknown) => editor.done.push({ at: range }),
    focus: () => editor.done.push('focus'),
    show: () => undefined,
  };
  return editor;
}

describe('text before its editor', () => {
  test('applies changes at once, and repeats them in the editor in their order', () => {
    const texts: string[] = [];
    const early = new EarlyText('a b', (text) => texts.push(text));
    early.change([{ from: 0, to: 1, insert: 'one' }], 'first');
    early.change([{ from: 4, to: 5, insert: 'two' }], 'second');
    early.change([{ from: 7, to: 7, insert: '!' }], 'second', true);
    expect(texts).toEqual(['one b', 'one two', 'one two!']);
    expect(early.text).toBe('one two!');
    const editor = editorOf(early.first);
    early.handOver(editor);
    expect(editor.text).toBe('one two!');
    expect(editor.done.slice(0, 3)).toEqual(['first', 'second', 'second, joined']);
  });

  test('hands over the marked steps and the last place', () => {
    const early = new EarlyText('a b', () => undefined);
    early.mark([{ from: 0, to: 1 }]);
    early.focus();
    early.goTo({ from: 1, to: 1 });
    early.goTo({ from: 2, to: 3 });
    const editor = editorOf(early.first);
    early.handOver(editor);
    expect(editor.done).toEqual([{ marked: [{ from: 0, to: 1 }] }, { at: { from: 2, to: 3 } }]);
  });
});
