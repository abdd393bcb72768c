/** Coverage, dead air and the estimates of how long prompts last. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wavBytes } from '../../src/media/speech/wav.ts';
import { coverageOf } from '../../src/proof/testkit/coverage.ts';
import { longestDeadAir } from '../../src/proof/testkit/dead-air.ts';
import { silentAudio } from '../../src/proof/testkit/silent-audio.ts';
import { flowOf, rehearse, succeeds } from '../scenarios/rehearse.ts';

const menu = `
flow: menu
events: { dtmf.9: help }
start: ask
steps:
  ask:
    menu: { prompt: { text: "One or two" }, choices: { one: { dtmf: "1" }, two: { dtmf: "2" } }, attempts: 1, start_timeout: 5s }
    exits: { one: first, two: second, exhausted: bye, error: bye }
  first: { play: { text: "The first" }, exits: { done: bye, error: bye } }
  second: { play: { text: "The second" }, exits: { done: bye, error: bye } }
  help: { play: { text: "Some help" }, exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;

describe('coverage', () => {
  const flow = flowOf(menu);
  const play = async (script: string) => (await succeeds(menu, `script: ${script}`)).journal;

  it('names steps that no test visited, with their line', async () => {
    const one = await play('[{ hear: One }, { press: "1" }]');
    const coverage = coverageOf(flow, [one]);
    expect(coverage).toMatchObject({
      flow: 'menu',
      steps: { total: 5, covered: 3 },
      interrupts: { total: 1, covered: 0 },
    });
    expect(coverage.missing.map((gap) => Object.values(gap).slice(0, 3))).toEqual([
      ['outcome', 'ask', 'two'],
      ['outcome', 'ask', 'exhausted.no_input'],
      ['outcome', 'ask', 'exhausted.no_match'],
      ['step', 'second', expect.objectContaining({ line: 10 })],
      ['step', 'help', expect.objectContaining({ line: 11 })],
      ['interrupt', 'dtmf.9'],
    ]);
  });

  it('adds up over calls, until nothing is missing', async () => {
    const journals = [
      await play('[{ hear: One }, { press: "1" }]'),
      await play('[{ hear: One }, { press: "2" }]'),
      await play('[{ hear: One }, silence]'),
      await play('[{ hear: One }, { press: "7" }]'),
      await play('[{ hear: One }, { press: "2" }, { hear: The second }, { press: { digits: "9", at: 1ms } }]'),
    ];
    expect(coverageOf(flow, journals)).toMatchObject({ missing: [], interrupts: { total: 1, covered: 1 } });
    expect(coverageOf(flow, [])).toMatchObject({ steps: { total: 5, covered: 0 } });
  });

  it('counts no calls of other flows', async () => {
    const other = await succeeds(menu.replace('flow: menu', 'flow: other'), 'script: [{ hear: One }, silence]');
    expect(coverageOf(flow, [other.journal]).steps.covered).toBe(0);
  });
});

describe('dead air', () => {
  const flow = (steps: string): string => `flow: quiet\nstart: a\nsteps:\n${steps}\n  bye: { hangup: normal }\n`;
  const airOf = async (text: string, scenario: string) => {
    const { journal } = await rehearse(text, scenario);
    return longestDeadAir({ journal, heard: [] });
  };

  it('is time without audio and without a question', async () => {
    const paused = flow('  a: { answer: {}, next: b }\n  b: { pause: 3s, next: bye }');
    expect(await airOf(paused, '')).toMatchObject({ durationMs: 3_000, fromMs: 0, step: 'b' });
  });

  it('is none before the answer, nor while a step listens', async () => {
    expect(await airOf(flow('  a: { pause: 3s, next: bye }'), '')).toMatchObject({ durationMs: 0 });
    expect(await airOf(menu, 'script: [silence]')).toMatchObject({ durationMs: 0 });
  });

  it('is also what a silent prompt fills', async () => {
    const report = await rehearse(
      flow(
        '  a: { play: [{ text: "Hello you" }, { silence: 4s }, { text: "Good bye" }], exits: { done: bye, error: bye } }',
      ),
      'expect: { dead_air: { max: 1s } }',
    );
    expect(report.failures).toMatchObject([{ what: 'dead air', actual: expect.stringContaining('4s of nothing') }]);
  });
});

describe('the time without audio', () => {
  const timed = menu
    .replace('choices:', 'barge_in: true, no_input: [{ text: Well }], choices:')
    .replace('attempts: 1', 'attempts: 2');

  it.each(['One or two', 'One of many words that are longer'])('is the same in the words %j', async (words) => {
    const spoken = timed.replace('One or two', words);
    await succeeds(spoken, 'script: [silence, silence]\nexpect: { quiet: 10s, interrupted: [] }');
  });

  it('reports another time, and other interrupted prompts', async () => {
    const { failures } = await rehearse(
      timed,
      'script: [{ press: { digits: "1", at: 200ms } }]\nexpect: { quiet: 1s, interrupted: [] }',
    );
    expect(failures).toMatchObject([
      { what: 'the time without audio', expected: '1s', actual: '0ms' },
      { what: 'the prompts that were interrupted', expected: 'nothing', actual: 'One or two' },
    ]);
  });
});

describe('how long a prompt lasts', () => {
  const audio = silentAudio({ durationsMs: { welcome: 1_234 } });
  const speech = (text: string, more = {}) =>
    audio.durationMs({ type: 'speech', text, language: 'en-US', voice: 'female', ...more });

  it('is measured by name, by text, by length', async () => {
    expect(speech('whatever', { name: 'welcome' })).toBe(1_234);
    expect(speech('fourteen chars')).toBe(1_000);
    expect(speech('fourteen chars', { rate: 2 })).toBe(500);
    expect(audio.durationMs({ type: 'silence', durationMs: 70 })).toBe(70);
    expect(audio.durationMs({ type: 'file', file: '/nowhere.wav' })).toBe(2_000);
    const signal = new AbortController().signal;
    expect(await audio.load({ type: 'silence', durationMs: 70 }, signal)).toHaveLength(560);
  });

  it('is measured from audio files, and unknown where no call could play them', () => {
    const directory = mkdtempSync(join(tmpdir(), 'callweave-audio-'));
    const durationOf = (name: string, bytes: Uint8Array) => {
      writeFileSync(join(directory, name), bytes);
      return audio.durationMs({ type: 'file', file: join(directory, name) });
    };
    const sound = wavBytes(new Int16Array(12_000), 8_000);
    expect(durationOf('whole.wav', sound)).toBe(1_500);
    expect(durationOf('raw.ulaw', new Uint8Array(4_000))).toBe(500);
    expect(durationOf('truncated.wav', sound.subarray(0, 1_044))).toBe(63);
    expect(durationOf('empty.wav', sound.subarray(0, 44))).toBe(2_000);
    rmSync(directory, { recursive: true });
  });
});
