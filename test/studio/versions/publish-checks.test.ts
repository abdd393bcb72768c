import { describe, expect, it } from 'vitest';
import { byTime, pairOf } from '../../../src/pages/studio/web/versions/pair.ts';
import { conditionsOf, type Findings } from '../../../src/pages/studio/web/versions/publish-checks.ts';
import type { Version } from '../../../src/pages/studio/web/versions/version-api.ts';

const said = (findings: Findings, hasLooked = false): string[] =>
  conditionsOf(findings, hasLooked).map(({ title, state, words }) => `${title}: ${state}: ${words}`);
const diagnostic = (severity: 'error' | 'warning', message: string) =>
  ({ severity, message, line: 3, column: 1, code: 'x', file: 'a' }) as never;
const report = (ok: boolean, name = 'one') =>
  ({ name, ok, failures: ok ? [] : [{ what: 'heard', expected: 'Yes', actual: 'No' }] }) as never;
const replayed = (same: boolean) => ({ voice_id: 'v', same });

describe('conditions for publishing', () => {
  it('waits for every answer', () => {
    expect(said({})).toEqual([
      'No errors: waits: checking …',
      'Tests pass: waits: running …',
      'Replay looked at: waits: replaying the latest calls …',
    ]);
  });

  it('are met by a valid flow whose tests pass and whose replays are the same', () => {
    const findings: Findings = {
      checked: { diagnostics: [diagnostic('warning', 'odd')] },
      tests: { reports: [report(true), report(true)], coverage: {} as never },
      replayed: [replayed(true)],
    };
    expect(said(findings)).toEqual([
      'No errors: met: 1 warning',
      'Tests pass: met: 2 tests',
      'Replay looked at: met: 1 call, all go the same way',
    ]);
  });

  it('are met without tests and calls, with a note', () => {
    expect(said({ tests: { reports: [], coverage: {} as never }, replayed: [] }).slice(1)).toEqual([
      'Tests pass: met: there are none',
      'Replay looked at: met: no calls to replay yet',
    ]);
  });

  it('contains the errors in their lines', () => {
    const [errors, tests] = conditionsOf(
      {
        checked: { diagnostics: [diagnostic('error', 'no such step')] },
        tests: { reports: [report(true), report(false, 'two')], coverage: {} as never },
      },
      false,
    );
    expect(errors).toMatchObject({ state: 'not met', words: '1 error', lines: ['line 3: no such step'] });
    expect(tests).toMatchObject({
      state: 'not met',
      words: '1 of 2 tests fails',
      lines: ['two: heard: expected Yes, was No'],
    });
  });

  it('names the texts that are still placeholders among the warnings', () => {
    const placeholder = { ...(diagnostic('warning', 'still a placeholder') as object), code: 'placeholder' } as never;
    const lines = (...diagnostics: never[]) => conditionsOf({ checked: { diagnostics } }, false)[0];
    expect(lines(placeholder)).toMatchObject({ state: 'met', lines: ['One text is still a placeholder'] });
    expect(lines(placeholder, placeholder)).toMatchObject({ lines: ['2 texts are still placeholders'] });
  });

  it('are not met if a check failed to run', () => {
    expect(said({ tests: new Error('the service is busy') })[1]).toBe('Tests pass: not met: the service is busy');
  });

  it('requires a look at calls that take another path', () => {
    const calls = [replayed(true), replayed(false), replayed(false)];
    expect(said({ replayed: calls })[2]).toBe('Replay looked at: waits: 2 of 3 calls go another way');
    expect(said({ replayed: calls }, true)[2]).toContain(': met:');
  });
});

describe('tests that only measure other times', () => {
  const report = (what: string) => ({
    ...{ file: 'a.test.yaml', name: 'a', ok: false, duration_ms: 1, path: [] },
    failures: [{ what, expected: '1s', actual: '2s', line: 4 }],
  });
  const findings = (...failures: string[]): Findings => ({
    tests: { reports: failures.map(report), coverage: { steps: {}, exits: {} } },
  });

  it('offers to take over the new times if nothing else differs', () => {
    expect(conditionsOf(findings('the duration', 'the duration'), false)[1]!.onlyTimes).toHaveLength(2);
    expect(conditionsOf(findings('the duration', 'the path'), false)[1]).not.toHaveProperty('onlyTimes');
  });
});

describe('versions in the list', () => {
  it('has the newest version first, whichever is live', () => {
    const version = (hash: string, first_seen: string, in_force = false): Version => ({
      ...{ hash, first_seen, in_force, etag: hash, calls: 0, version_number: 1 },
    });
    const listed = byTime([
      version('live', '2026-03-02T10:10:00Z', true),
      version('candidate', '2026-03-02T10:38:00Z'),
      version('first', '2026-03-02T10:09:00Z'),
    ]);
    expect(listed.map(({ hash }) => hash)).toEqual(['candidate', 'live', 'first']);
  });
});

describe('versions shown first', () => {
  const version = (hash: string, day: number, in_force = false) => ({
    ...{ hash, etag: `bytes of ${hash}`, in_force, calls: 0 },
    version_number: day,
    first_seen: `2026-01-0${day}T00:00:00Z`,
  });
  const chosen = (...args: Parameters<typeof pairOf>): string | undefined => {
    const pair = pairOf(...args);
    return pair && `${pair.before.hash} ${pair.after.hash}`;
  };
  const now = version('now', 3, true);
  const old = version('old', 1);

  it('are the one in force and the one before', () => {
    expect(chosen([now, old], {})).toBe('old now');
    expect(chosen([now], {})).toBeUndefined();
    expect(chosen([], {})).toBeUndefined();
  });

  it('are the one in force and the latest candidate, or the canary', () => {
    const versions = [now, version('first', 4), version('last', 5), old];
    expect(chosen(versions, {})).toBe('now last');
    expect(chosen(versions, {}, { version: 'first', state: 'on' })).toBe('now first');
    expect(chosen(versions, {}, { version: 'first', state: 'stopped' })).toBe('now last');
  });

  it('are those of the URL', () => {
    expect(chosen([now, old], { before: 'now', after: 'old' })).toBe('now old');
    expect(chosen([now, old], { after: 'old' })).toBe('now old');
    expect(chosen([now, old], { before: 'bytes of now', after: 'bytes of old' })).toBe('now old');
  });
});
