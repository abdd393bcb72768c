import { describe, expect, it } from 'vitest';
import type { CanaryData, CanarySide } from '../../../src/pages/studio/web/versions/canary-api.ts';
import {
  comparedMarks,
  endTitle,
  endWords,
  exitsThatDiffer,
  limitOf,
  percentWords,
  pointWords,
  rateOf,
} from '../../../src/pages/studio/web/versions/canary-figures.ts';
import { diffTexts } from '../../../src/pages/studio/web/versions/version-diff.ts';
import { language, textOf } from '../graph/flows.ts';

const side = (version: string, more: Partial<CanarySide> = {}): CanarySide => ({
  ...{ version, calls: 0, errors: 0, abandoned: 0, exits: {} },
  ...more,
});

const canaryOf = (
  inForce: Partial<CanarySide>,
  canary: Partial<CanarySide>,
  more: Partial<CanaryData> = {},
): CanaryData => ({
  ...{ version: 'new', percent: 20, since: '2026-01-01T10:00:00Z', state: 'on' },
  back_when: { errors_worse_by: 5, abandoned_worse_by: 10, after_calls: 20 },
  compared: { in_force: side('old', inForce), canary: side('new', canary) },
  ...more,
});

describe('metrics of a canary', () => {
  it('are rates of the ended calls, and absent without calls', () => {
    const { compared } = canaryOf({}, { calls: 40, errors: 1 });
    expect(rateOf(compared.canary, 'errors')).toBe(0.025);
    expect(rateOf(compared.in_force, 'errors')).toBeUndefined();
    expect([percentWords(0.025), percentWords(undefined)]).toEqual(['2.5 %', '–']);
  });

  it('has its limit one margin above the version in force', () => {
    const canary = canaryOf({ calls: 100, errors: 2, abandoned: 30 }, {});
    expect(limitOf(canary, 'errors')).toBeCloseTo(0.07);
    expect(limitOf(canary, 'abandoned')).toBeCloseTo(0.4);
    expect(limitOf(canaryOf({}, {}), 'errors')).toBeUndefined();
  });

  it('shows points with their sign, and zero without one', () => {
    expect([3.21, -3.21, 0.04, -0.04].map(pointWords)).toEqual(['+3.2', '−3.2', '0.0', '0.0']);
  });
});

describe('exits that differ between versions', () => {
  const inForce = { 'menu hours': 300, 'menu goodbye': 100, 'hours done': 300, 'gone done': 5 };
  const canary = { 'menu hours': 50, 'menu goodbye': 50, 'hours done': 50, 'more done': 50 };

  it('are compared among the calls that left the step', () => {
    const found = exitsThatDiffer(canaryOf({ exits: inForce }, { exits: canary }).compared);
    expect(found.map(({ step, outcome, points }) => [step, outcome, points])).toEqual([
      ['menu', 'hours', -25],
      ['menu', 'goodbye', 25],
    ]);
    expect(found[0]).toMatchObject({ inForce: { count: 300, share: 0.75 }, canary: { count: 50, share: 0.5 } });
    expect(found.every(({ isClear }) => isClear)).toBe(true);
  });

  it('are listed later if few calls may differ by chance', () => {
    const found = exitsThatDiffer(
      canaryOf(
        { exits: { 'a x': 500, 'a y': 500, 'b x': 2, 'b y': 2 } },
        { exits: { 'a x': 300, 'a y': 700, 'b x': 1, 'b y': 0 } },
      ).compared,
    );
    expect(found.map(({ step, isClear }) => `${step} ${isClear}`)).toEqual(['a true', 'a true', 'b false', 'b false']);
  });

  it('are absent without calls, or when all calls take the same exits', () => {
    expect(exitsThatDiffer(canaryOf({ exits: { 'a x': 3 } }, { exits: {} }).compared)).toEqual([]);
    expect(exitsThatDiffer(canaryOf({ exits: { 'a x': 3 } }, { exits: { 'a x': 9 } }).compared)).toEqual([]);
  });
});

describe('counts in the drawing of both versions', () => {
  const before = textOf('flows/welcome-menu.flow.yaml');
  const after = before.replace('goodbye: goodbye, exhausted', 'goodbye: bye, exhausted');
  const { graph } = diffTexts(before, after, language);
  const exits = { 'menu goodbye': 7, 'menu hours': 3, 'menu failed.busy': 1 };

  it('are at the exit of each version', () => {
    const { compared } = canaryOf({ exits }, { exits: { 'menu goodbye': 2 } });
    const overlays = comparedMarks(compared, graph);
    expect(overlays.before.exits.get('menu goodbye (before)')).toBe(7);
    expect(overlays.before.exits.has('menu goodbye')).toBe(false);
    expect(overlays.after.exits.get('menu goodbye')).toBe(2);
    expect([overlays.before.steps.get('menu'), overlays.after.steps.get('menu')]).toEqual([11, 2]);
  });
});

describe('end of a canary', () => {
  const at = '2026-01-01T12:00:00Z';
  const figures = [
    { calls: 100, errors: 1 },
    { calls: 50, errors: 6, abandoned: 20 },
  ] as const;
  const ended = (why: string, by = 'callweave'): CanaryData =>
    canaryOf(...figures, { state: why === 'errors' ? 'returned' : 'stopped', ended: { at, why, by } });
  const words = (canary: CanaryData): string => endWords(canary, () => 'at noon');

  it('reports by how much it was worse if it was automatic', () => {
    expect(words(ended('errors'))).toBe(
      'Rolled back automatically, at noon: errors ended 12.0 % of the canary’s calls, against 1.0 % of those in force; 5 points more were allowed.',
    );
    expect(words(ended('abandoned'))).toContain('callers hung up in 40.0 % of the canary’s calls, against 0.0 %');
    expect(endTitle(ended('errors'))).toBe('rolled back: too many errors');
  });

  it('names the person who ended it', () => {
    expect(words(ended('stopped', 'token 127.0.0.1'))).toBe(
      'Ended by token 127.0.0.1, at noon: all new calls take the live version.',
    );
    expect(words(ended('published', 'me'))).toContain('the version is in force');
  });

  it('reports an unknown reason as it is', () => {
    expect(words(ended('moon'))).toBe('Ended by callweave, at noon: moon.');
    expect(words(canaryOf({}, {}))).toBe('');
  });
});
