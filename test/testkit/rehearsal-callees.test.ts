import { describe, expect, test } from 'vitest';
import { type Callees, drawDigits, drawMs } from '../../src/proof/testkit/rehearsal/callees.ts';
import { defaultCalleesText, defaultProfiles, loadCallees } from '../../src/proof/testkit/rehearsal/callees-file.ts';

const phones = (count: number): string[] => Array.from({ length: count }, (_, at) => `+9990000${at}`);

function calleesOf(text: string): Callees {
  const { profiles, diagnostics } = loadCallees(text, 'callees.yaml');
  expect(diagnostics).toEqual([]);
  return profiles!.callees;
}

function shares(callees: Callees, { seed = 1, attempt = 1, count = 2000 } = {}): Record<string, number> {
  const met: Record<string, number> = {};
  for (const phone of phones(count)) {
    const { group } = callees.draw(seed, phone, attempt);
    met[group] = (met[group] ?? 0) + 1;
  }
  return met;
}

describe('draws of callees', () => {
  const MIX = `
groups:
  - { name: people, share: 60 }
  - { name: busy, share: 30, does: busy }
  - { name: gone, share: 10, does: fail, sip_status: 404, sticks: true }
`;

  test('is drawn by shares, the same for the same seed', () => {
    const callees = calleesOf(MIX);
    expect(shares(callees)).toEqual({ people: 1204, busy: 597, gone: 199 });
    expect(shares(callees)).toEqual(shares(callees));
    expect(shares(callees, { seed: 2 })).not.toEqual(shares(callees));
    expect(shares(callees, { attempt: 2 }).people).toBeGreaterThan(1100);
  });

  test('depends on nothing but seed, number and attempt', () => {
    const callees = calleesOf(MIX);
    const met = (list: string[]) =>
      new Map(list.map((phone) => [phone, JSON.stringify(callees.draw(7, phone, 2))] as const));
    const [forwards, backwards] = [met(phones(50)), met(phones(50).reverse())];
    for (const [phone, encounter] of forwards) expect(backwards.get(phone)).toBe(encounter);
  });

  test('is fixed for sticky groups, and drawn again for the others', () => {
    const callees = calleesOf(MIX);
    const lives = phones(300).map((phone) => [1, 2, 3, 4].map((attempt) => callees.draw(1, phone, attempt).group));
    for (const [first, ...others] of lives) {
      if (first === 'gone') expect(others).toEqual(['gone', 'gone', 'gone']);
      else expect(others).not.toContain('gone');
    }
    const changed = lives.filter(([first, second]) => first === 'busy' && second === 'people').length;
    expect(changed).toBeGreaterThan(30);
  });

  test('follows what is said for later attempts, the last again and again', () => {
    const callees = calleesOf(`
groups:
  - { does: busy, then: [{ does: no_answer }, { is: machine, greeting: 5s }] }
`);
    const does = [1, 2, 3, 4].map((attempt) => callees.draw(1, '1', attempt).plan);
    expect(does.map((plan) => plan.does)).toEqual(['busy', 'no_answer', 'answer', 'answer']);
    expect(does[3]).toMatchObject({ who: { is: 'machine', greetingMs: 5000 } });
  });

  test('is the group that names the number, before any other', () => {
    const callees = calleesOf(`
groups:
  - { name: everybody else }
  - { name: french, numbers: "+33 1", share: 3, does: busy }
  - { name: also french, numbers: { prefix: ["331", "44"] }, share: 1, does: declined }
  - { name: listed, numbers: { list: ["+33 (1) 99", sip:Ada@phones.example] }, share: 0.001, does: no_answer }
  - { name: odd, numbers: { pattern: "[13579]$" }, share: 1000000, does: unreachable }
`);
    const met = (phone: string) => new Set(Array.from({ length: 60 }, (_, seed) => callees.draw(seed, phone, 1).group));
    expect(met('49300')).toEqual(new Set(['everybody else']));
    expect(met('+33-100')).toEqual(new Set(['french', 'also french']));
    expect(met('4400')).toEqual(new Set(['also french']));
    expect(met('sip:ada@phones.example')).toEqual(new Set(['listed']));
    expect(met('49301')).toEqual(new Set(['odd']));
  });

  test('takes as long as it is said to', () => {
    const callees = calleesOf(`
groups:
  - after: { from: 2s, to: 4s }
    ring_after: 10s
    talk: { mean: 20s, deviation: 2s }
    is: human
`);
    const plans = phones(500).map((phone) => callees.draw(1, phone, 1).plan);
    const answers = plans.map((plan) => (plan.does === 'answer' ? plan : undefined)!);
    const after = answers.map(({ afterMs }) => afterMs!);
    expect([Math.min(...after) >= 2000, Math.max(...after) <= 4000]).toEqual([true, true]);
    // No callee rings after the answer.
    expect(answers.every(({ ringsAfterMs, afterMs }) => ringsAfterMs === afterMs)).toBe(true);
    const talks = answers.map(({ talkMs }) => talkMs!);
    const mean = talks.reduce((sum, one) => sum + one, 0) / talks.length;
    expect(Math.abs(mean - 20_000)).toBeLessThan(300);
    const near = talks.filter((one) => Math.abs(one - 20_000) <= 2000).length / talks.length;
    expect(near).toBeGreaterThan(0.62);
    expect(near).toBeLessThan(0.75);
  });

  test('draws no amounts below zero', () => {
    const draws = [0, 0.1, 0.5, 0.9, 0.999999];
    for (const one of draws) {
      for (const other of draws) {
        const random = [one, other].values();
        expect(drawMs({ meanMs: 10, deviationMs: 1000 }, () => random.next().value!)).toBeGreaterThanOrEqual(0);
      }
    }
  });

  test('presses what is drawn by weight', () => {
    const [press] = calleesOf('groups: [{ presses: { "1": 70, "2": 20, none: 10 } }]').draw(1, '1', 1).presses;
    const at = (share: number) => drawDigits(press!.choices, () => share);
    expect([at(0), at(0.69), at(0.71), at(0.89), at(0.91), at(0.9999)]).toEqual(['1', '1', '2', '2', '', '']);
  });
});

test('loads the usual callees like any file, and most of them answer', () => {
  expect(loadCallees(defaultCalleesText(), 'usual-callees.yaml').diagnostics).toEqual([]);
  const met = shares(defaultProfiles().callees);
  expect(Object.keys(met)).toHaveLength(10);
  expect(met['voicemail']).toBe(439);
});

describe('a file that is wrong', () => {
  test.each([
    ['nothing', '', '1:1 empty'],
    ['no groups', 'doc: nobody', '1:1 missing-key'],
    [
      'a key that is not there',
      'groups:\n  - { shares: 3 }',
      '2:7 unknown-key: unknown key `shares` (did you mean share?)',
    ],
    [
      'a duration without a unit',
      'groups:\n  - after: 4',
      '2:12 duration: a duration carries its unit (write 4s or 4ms)',
    ],
    [
      'digits without quotes',
      'groups:\n  - presses: 1',
      '2:14 wrong-type: must be a list or text or a map (write it in quotes)',
    ],
    [
      'keys that no telephone has',
      'groups:\n  - presses: [{ x: 1 }]',
      '2:17 digit: x is not a telephone key (0-9, *, #, A-D, or none)',
    ],
    [
      'a word for what it does not do',
      'groups:\n  - does: bussy',
      '2:11 wrong-value: must be one of answer, busy, no_answer, declined, unreachable, fail (did you mean busy?)',
    ],
    [
      'a failure without its status',
      'groups:\n  - does: fail',
      '2:11 wrong-value: `does: fail` needs `sip_status` (add `sip_status`, such as 404 or 503)',
    ],
    [
      'a status without a failure',
      'groups:\n  - sip_status: 404',
      '2:5 wrong-value: `sip_status` needs `does: fail` (write `does: fail`)',
    ],
    [
      'who is busy and talks',
      'groups:\n  - does: busy\n    talk: 3s',
      '3:5 wrong-value: talk needs `does: answer`, and this callee has `busy`',
    ],
    [
      'a greeting of a person',
      'groups:\n  - greeting: 3s',
      '2:5 wrong-value: greeting needs `is: machine` (add `is: machine`)',
    ],
    [
      'who never answers after a while',
      'groups:\n  - does: no_answer\n    after: 3s',
      '3:5 wrong-value: a callee with `does: no_answer` rings until we give up',
    ],
    [
      'half a range',
      'groups:\n  - talk: { from: 3s }',
      '2:11 wrong-keys: an amount is a duration, a range or a distribution ({ from: 2s, to: 8s }, or { mean: 6s, deviation: 2s })',
    ],
    ['a range and a distribution', 'groups:\n  - talk: { to: 3s, mean: 4s }', '2:11 wrong-keys'],
    [
      'a range that is upside down',
      'groups:\n  - talk: { from: 3s, to: 2s }',
      '2:27 wrong-value: the range ends before it begins',
    ],
    [
      'weights beside digits',
      'groups:\n  - presses: { digits: "1", "2": 5 }',
      '2:29 wrong-keys: weights must be below `digits`',
    ],
    ['a time without digits', 'groups:\n  - presses: { at: 3s }', '2:16 wrong-keys: `digits` is missing'],
    [
      'two times',
      'groups:\n  - presses: { digits: "1", at: 3s, after: 2s }',
      '2:29 wrong-keys: write `after` or `at`, not both',
    ],
    ['weights that are nothing', 'groups:\n  - presses: { "1": 0, none: 0 }', '2:14 wrong-value: all weights are 0'],
    [
      'shares that are nothing',
      'groups:\n  - { share: 0 }\n  - { numbers: "33" }',
      '2:3 wrong-value: all shares are 0',
    ],
    ['nobody for the others', 'groups:\n  - { numbers: "33" }', '2:3 wrong-value: every group has `numbers`'],
    ['a pattern that is none', 'groups:\n  - {}\n  - numbers: { pattern: "(" }', '3:25 bad-pattern'],
    [
      'what comes then, and does not stick',
      'groups:\n  - sticks: false\n    then: [{}]',
      '2:5 wrong-value: a number always stays in a group with `then`',
    ],
    [
      'a mistake in what comes then',
      'groups:\n  - then: [{ does: busy, is: fax }]',
      '2:26 wrong-value: is needs `does: answer`',
    ],
    ['a mistake in the parties', 'groups: [{}]\nparties:\n  - does: fail', '3:11 wrong-value'],
    ['a sequence without an end', 'groups: [', '1:10 yaml-syntax'],
  ])('reports the fault: %s', (_, text, expected) => {
    const { profiles, diagnostics } = loadCallees(text, 'callees.yaml');
    expect(profiles).toBeUndefined();
    const [first] = diagnostics;
    const { file, line, column, code, message, hint } = first!;
    expect(file).toBe('callees.yaml');
    const told = `${line}:${column} ${code}: ${message}${hint === undefined ? '' : ` (${hint})`}`;
    expect(told.slice(0, expected.length)).toBe(expected);
  });
});
