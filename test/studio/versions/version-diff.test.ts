import { describe, expect, it } from 'vitest';
import { applyEdits, type Edits } from '../../../src/language/flow/text/edits.ts';
import { changedWords } from '../../../src/pages/studio/web/graph/changed-words.ts';
import { retarget } from '../../../src/pages/studio/web/text/edit.ts';
import { byTime, pairWith } from '../../../src/pages/studio/web/versions/pair.ts';
import type { Version } from '../../../src/pages/studio/web/versions/version-api.ts';
import { diffTexts } from '../../../src/pages/studio/web/versions/version-diff.ts';
import { language, textOf } from '../graph/flows.ts';
import { addStep, insertStep, removeStep, setArgument } from '../text/plain-edits.ts';

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

  it('contains the changed words of a card, earlier and later', () => {
    const { overlays, graph } = diffTexts(
      text,
      text.replace('I cannot find that order.', 'I did not find your order.'),
      language,
    );
    expect(overlays.texts).toEqual(
      new Map([['unknown', { head: 'I', before: 'cannot find that', after: 'did not find your', tail: 'order.' }]]),
    );
    expect(graph.steps.find(({ name }) => name === 'unknown')!.about).toBe(
      'I cannot find that order. → I did not find your order.',
    );
    expect(changedWords('a b c d e', 'a b c d x e')).toEqual({ head: '… c d', before: '', after: 'x', tail: 'e' });
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

describe('pair of versions to compare', () => {
  const version = (hash: string, first_seen: string): Version => ({ hash, first_seen }) as Version;
  const versions = [
    version('b', '2026-03-01T10:10:00Z'),
    version('c', '2026-03-01T10:38:00Z'),
    version('a', '2026-03-01T10:09:00Z'),
  ];

  it('lists the newest version first', () => {
    expect(byTime(versions).map(({ hash }) => hash)).toEqual(['c', 'b', 'a']);
  });

  it('begins with the earlier version, whichever is chosen first', () => {
    const [b, c] = versions;
    expect(pairWith(b!, c!)).toEqual({ before: b, after: c });
    expect(pairWith(c!, b!)).toEqual({ before: b, after: c });
  });
});
