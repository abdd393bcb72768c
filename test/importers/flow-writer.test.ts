/** Additions of the writer of imported flows to the steps that it is given. */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { compileFlow } from '../../src/language/flow/compile.ts';
import { FlowWriter } from '../../src/language/importers/flow-writer.ts';
import { verbs } from '../../src/verbs/steps.ts';

describe('writer of imported flows', () => {
  it.each([
    ['record', { record: { prompt: 'Speak.' } }, 'recorded', { silence: 'again', error: 'again' }],
    ['collect', { collect: { prompt: 'q', digits: 4 } }, 'collected', { exhausted: 'again' }],
    ['pause', { pause: '1s' }, 'done', {}],
  ])('bounds a circle by the success of %s, and keeps that outcome', (_, step, success, exits) => {
    const writer = new FlowWriter('round');
    writer.step('again', { ...step, exits, next: 'again' });
    writer.begin('again');
    const text = writer.text();
    expect((parse(text) as { steps: object }).steps).toMatchObject({
      again: { max_visits: 50, exits: { ...exits, [success]: 'again', limit: '$end' } },
    });
    const { diagnostics } = compileFlow(text, 'round.flow.yaml', verbs);
    expect(diagnostics.filter(({ code }) => code === 'unknown-outcome')).toEqual([]);
  });
});
