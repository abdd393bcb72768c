/** Voices by name: where flows set them, and the journal entry for a missing one. */
import { describe, expect, it } from 'vitest';
import type { AudioItem } from '../../src/base/core/leg.ts';
import { replayJournal } from '../../src/proof/testkit/replay.ts';
import { flowOf } from '../runtime/test-call.ts';
import { flowText, startSteps } from './scripted-call.ts';

/** Only Joanna is available by name. */
const voiceFallback = (item: AudioItem): string | undefined => {
  const names = 'voices' in item ? (item.voices ?? []) : [];
  return names.includes('Joanna') ? undefined : `${names[0]} is not there`;
};

const LATER = '  later: { pause: 1h, next: bye }';
const spoken = async (steps: string, head = '') => {
  const call = await startSteps(`${steps}\n${LATER}`, { head, ports: { voiceFallback } });
  const voices = call.commands.flatMap((command) =>
    command.type === 'play'
      ? command.audio.flatMap((item) =>
          item.type === 'speech' || item.type === 'ssml' ? [[item.voices ?? [], item.voice]] : [],
        )
      : [],
  );
  const notes = call.journal().flatMap((entry) => (entry.kind === 'diagnostic' ? [[entry.code, entry.message]] : []));
  return { call, voices, notes };
};
const DEFAULTS = (voice: string) => `defaults: { voice: ${voice}, exits: { error: broken } }`;

describe('a voice by name', () => {
  it.each<[string, string, string, unknown]>([
    ['of a step', '  first: { play: Hello there, voice: Joanna, next: later }', '', [[['Joanna'], 'female']]],
    ['of the flow', '  first: { play: Hello there, next: later }', DEFAULTS('Joanna'), [[['Joanna'], 'female']]],
    [
      'that is followed by another, and by a kind',
      '  first: { play: Hello there, next: later }',
      DEFAULTS('[en-GB-Sonia, Joanna, male, Amy]'),
      [[['en-GB-Sonia', 'Joanna'], 'male']],
    ],
    [
      'of a prompt',
      '  first: { play: [{ text: Hi, voice: Joanna }, { text: Ho }], next: later }',
      '',
      [
        [['Joanna'], 'female'],
        [[], 'female'],
      ],
    ],
    [
      'of a document',
      '  first: { play: { ssml: "<speak>Hi</speak>", voice: [Joanna, male] }, next: later }',
      '',
      [[['Joanna'], 'male']],
    ],
    [
      'beside a prompt',
      '  first: { play: { text: Hello there, voice: Joanna }, next: later }',
      '',
      [[['Joanna'], 'female']],
    ],
    [
      'of the flow, in place of which a step has a kind',
      '  first: { play: { prompt: Hello there, voice: male }, next: later }',
      DEFAULTS('Joanna'),
      [[[], 'male']],
    ],
    [
      'that is set for the rest of the call',
      "  first: { set: { call.voice: \"${ ['Joanna', 'male'] }\" }, next: second }\n  second: { play: Hello there, next: later }",
      '',
      [[['Joanna'], 'male']],
    ],
    [
      'that a template gives',
      "  first: { play: Hello there, voice: \"${ call.from = '1' ? 'Amy' : 'Joanna' }\", next: later }",
      '',
      [[['Joanna'], 'female']],
    ],
  ])('speaks the prompts: a voice %s', async (_what, steps, head, expected) => {
    const { voices, notes } = await spoken(steps, head);
    expect([voices, notes]).toEqual([expected, []]);
  });

  it('is journaled once if it is missing, also in a replay', async () => {
    const steps =
      '  first: { play: Hello there, voice: Amy, next: second }\n  second: { play: Hello again, voice: Amy, next: later }';
    const { call } = await spoken(steps);
    await call.finishPlay();
    const notes = call.journal().filter(({ kind }) => kind === 'diagnostic');
    expect(notes).toMatchObject([{ code: 'voice_fallback', message: 'Amy is not there' }]);
    const flow = flowOf(flowText(`${steps}\n${LATER}`));
    expect(await replayJournal(call.journal(), () => flow)).toMatchObject({ ok: true });
  });
});
