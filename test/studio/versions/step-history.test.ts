/** Changes of one step over the versions of its flow, and renames that are recognised. */
import { describe, expect, it } from 'vitest';
import { nameBefore, stepHistory } from '../../../src/pages/studio/web/versions/step-history.ts';
import type { Version } from '../../../src/pages/studio/web/versions/version-api.ts';

const flow = (steps: string): string => `flow: shop\nstart: hello\nsteps:\n${steps}`;
const END = '  end: { hangup: normal }\n';
/** Versions of the flow, the newest first. */
const TEXTS = [
  flow(`  welcome: { play: Welcome., next: end }\n${END}  more: { hangup: busy }\n`),
  flow(`  welcome: { play: Welcome., next: end }\n${END}`),
  flow(`  hello: { play: Welcome., next: end }\n${END}`),
  flow(`  hello:\n    play: Hello there. # politely\n    next: end\n${END}`).replaceAll('\n', '\r\n'),
  flow(`${END}`),
];
const VERSIONS = TEXTS.map((_text, index): Version => {
  const number = TEXTS.length - index;
  return { hash: String(index), version_number: number, etag: '', first_seen: '', calls: 0 };
});

/** Each change with the names and the lines before and after. */
async function changesOf(step: string, text = TEXTS[0]!, count = VERSIONS.length) {
  const read: string[] = [];
  const found: unknown[] = [];
  const readText = async (_flow: string, hash: string): Promise<string> => {
    read.push(hash);
    return TEXTS[Number(hash)]!;
  };
  const history = stepHistory({ flow: 'shop', versions: VERSIONS, step, text, read: readText });
  for await (const { version, now, before, isOldest } of history) {
    const shown = (state: typeof now) => state && `${state.name}: ${state.text}`;
    found.push([version.version_number, shown(now), shown(before), isOldest]);
    if (found.length === count) break;
  }
  return { found, read };
}

describe('the history of a step', () => {
  it('lists its changes with old and new lines, follows its rename, and ends where it was added', async () => {
    expect((await changesOf('welcome')).found).toEqual([
      [4, 'welcome: { play: Welcome., next: end }', 'hello: { play: Welcome., next: end }', false],
      [3, 'hello: { play: Welcome., next: end }', 'hello: play: Hello there. # politely\nnext: end', false],
      [2, 'hello: play: Hello there. # politely\nnext: end', undefined, false],
    ]);
  });

  it('reads no more versions than the wanted changes need', async () => {
    expect((await changesOf('welcome', TEXTS[0], 1)).read).toEqual(['0', '1', '2']);
  });

  it('follows a rename that is not saved yet', async () => {
    const renamed = TEXTS[0]!.replace('  welcome:', '  greeting:');
    expect((await changesOf('greeting', renamed)).found).toHaveLength(3);
  });

  it('ends with the oldest version that is kept', async () => {
    expect((await changesOf('end')).found).toEqual([[1, 'end: { hangup: normal }', undefined, true]]);
  });

  it('is empty for a step that no version has', async () => {
    const text = `${TEXTS[0]}  extra: { play: New words., next: end }\n`;
    expect((await changesOf('extra', text)).found).toEqual([]);
  });
});

describe('the name of a step in an older text', () => {
  const older = flow('  a: { play: One., next: b }\n  b: { hangup: normal }\n');

  it.each([
    ['is the same', older, 'a', 'a'],
    ['is that of the step with the same content', older.replace('  a:', '  x:'), 'x', 'a'],
    [
      'is that of the only step that went, of the same verb',
      older.replace('a: { play: One.', 'x: { play: Two.'),
      'x',
      'a',
    ],
    ['is unknown because the verb differs', older.replace('a: { play: One.', 'x: { log: Two.'), 'x', undefined],
    ['is unknown because no step went', `${older}  x: { play: Two. }\n`, 'x', undefined],
  ])('finds a name that %s', (_what, newer, name, found) => {
    expect(nameBefore(newer, name, older)).toBe(found);
  });
});
