/** No folder has more sentences that break a rule of plain English than its budget allows. */
import { describe, expect, it } from 'vitest';
import { excessesOf, folderOf, lowered, readBudget } from './budget.ts';
import { type Finding, findAll, findingText } from './findings.ts';
import { RULES } from './rules.ts';

const SHOWN = 30;

describe('prose of the repository', () => {
  it('stays within the budget of each folder', () => {
    const texts = excessesOf(findAll(), readBudget()).flatMap(({ folder, genre, budget, findings }) => [
      `${folder} has ${findings.length} in ${genre}s, ${budget} are allowed: npm run prose -- --list --file ${folder} --genre ${genre}`,
      ...findings.slice(0, SHOWN).map(findingText),
    ]);
    expect(texts).toEqual([]);
  });
});

describe('budget of findings', () => {
  const finding = (file: string): Finding => ({
    file,
    line: 1,
    genre: 'comment',
    rule: RULES[0]!,
    sentence: 'Who asks',
  });
  const calls = [finding('src/service/calls/a.ts'), finding('src/service/calls/b/c.ts')];

  it('counts by folder, pages alone, and the studio by its rooms', () => {
    const files = [
      'README.md',
      'docs/rooms.md',
      'src/app.ts',
      'src/service/calls/b/c.ts',
      'src/pages/studio/web/calls/a.tsx',
    ];
    expect(files.map(folderOf)).toEqual([
      'README.md',
      'docs/rooms.md',
      'src',
      'src/service/calls',
      'src/pages/studio/web/calls',
    ]);
  });

  it('is exceeded by one sentence more than the number of its folder', () => {
    expect(excessesOf(calls, { 'src/service/calls': { comment: 2 } })).toEqual([]);
    expect(excessesOf(calls, { 'src/service/calls': { comment: 1, message: 5 } })).toEqual([
      { folder: 'src/service/calls', genre: 'comment', budget: 1, findings: calls },
    ]);
    expect(excessesOf(calls, {})).toHaveLength(1);
  });

  it('lowers numbers to what is there, and raises none', () => {
    expect(
      lowered(calls, { 'src/service/calls': { comment: 5, message: 1 }, 'src/service/api': { comment: 1 } }),
    ).toEqual({
      'src/service/calls': { comment: 2 },
    });
    expect(lowered(calls, { 'src/service/calls': { comment: 1 }, 'src/service/api': { comment: 9 } })).toEqual({
      'src/service/calls': { comment: 1 },
    });
  });

  it('gives a new folder its number when the sum does not rise', () => {
    expect(lowered(calls, { 'src/old': { comment: 2 } })).toEqual({ 'src/service/calls': { comment: 2 } });
    expect(lowered(calls, { 'src/old': { comment: 1 } })).toEqual({});
  });
});
