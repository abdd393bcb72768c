import { describe, expect, it } from 'vitest';
import { applyEdits, type Edits } from '../../../src/language/flow/text/edits.ts';
import { addStep, insertStep, removeStep, retarget, setArgument } from '../../../src/pages/studio/web/text/edit.ts';
import { diffTexts } from '../../../src/pages/studio/web/versions/version-diff.ts';
import { language, textOf } from '../graph/flows.ts';

const text = textOf('flows/order-status.flow.yaml');
const made = (before: string, edits: Edits): string => applyEdits(before, edits as never);

describe('diff of two texts of a flow', () => {
  it('is empty for equal texts', () => {
    expect(diffTexts(text, `# A remark.\n${text}`, language)).toMatchObject({
      steps: [],
      heads: [],
      words: 'No difference',
    });
  });

  it('contains added, removed and changed steps, and moved exits', () => {
    const step = { play: 'Please hold.' };
    let after = made(text, insertStep(text, { name: 'hold', step, after: 'unknown', outcome: 'done', language }));
    after = made(after, removeStep(after, 'no_answer'));
    const diff = diffTexts(text, after, language);
    expect(diff.steps).toEqual([
      { name: 'unknown', change: 'changed' },
      { name: 'hold', change: 'added' },
      { name: 'no_answer', change: 'removed' },
    ]);
    expect(diff.words).toBe('1 step added, 1 removed, 1 changed, 1 way changed');
    expect(diff.graph.steps.map(({ name }) => name)).toContain('no_answer');
    const ways = diff.graph.steps.find(({ name }) => name === 'unknown')!.exits;
    expect(ways.map(({ target }) => target)).toEqual(expect.arrayContaining(['hold', 'ask_order']));
  });

  it('contains changes that no card shows', () => {
    const after = text.replace('no_match: [[sorry, ask_order]]', 'no_match: [sorry]');
    expect(diffTexts(text, after, language)).toMatchObject({
      steps: [{ name: 'ask_order', change: 'changed' }],
      words: '1 step changed',
    });
  });

  it('contains changes of flow-wide settings', () => {
    const after = made(text, setArgument(text, { step: 'bye', path: ['label'], value: 'end' })).replace(
      'attempts: 3',
      'attempts: 2',
    );
    expect(diffTexts(text, after, language).heads).toEqual(['defaults']);
  });

  it('accepts incomplete texts while an author is typing', () => {
    expect(() => diffTexts(text, `${text}  x: { play: [`, language)).not.toThrow();
    expect(diffTexts('', text, language).steps.every(({ change }) => change === 'added')).toBe(true);
  });

  it('lists one exit once', () => {
    const after = made(text, retarget(text, { step: 'look_up', outcome: 'error', target: 'bye', language }));
    const other = made(text, addStep(text, { name: 'x', step: { hangup: 'normal' }, language }));
    expect(diffTexts(text, after, language).words).toBe('1 step changed, 1 way changed');
    expect(diffTexts(text, other, language).words).toBe('1 step added');
  });
});
