/** A route back to an earlier step: the loop gets a bound, unless it has one. */
import { describe, expect, it } from 'vitest';
import { compileFlow } from '../../../src/language/flow/compile.ts';
import { applyEdits, inverseOf, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { type Rerouted, reroute } from '../../../src/pages/studio/web/text/close-loop.ts';
import { verbs } from '../../../src/verbs/steps.ts';
import { documentIn, language } from '../graph/flows.ts';
import { manners } from './manners.ts';

const FLOW = `flow: t
defaults: { exits: { error: bye } }
start: hello
steps:
  hello: { play: Welcome to us., next: ask }
  ask:
    menu: { prompt: For hours press 1., choices: { hours: { dtmf: "1" } } }
    exits: { hours: hours, exhausted: bye }
  hours: { play: We are open., next: bye }
  bye: { hangup: normal }
`;

function rerouted(text: string, way: { step: string; outcome: string; target: string }): Rerouted & { text: string } {
  const made = reroute(text, { ...way, language });
  if (isRefusal(made)) throw new Error(made.refused);
  expect(applyEdits(applyEdits(text, made.edits), inverseOf(text, made.edits))).toBe(text);
  return { ...made, text: applyEdits(text, made.edits) };
}
const stepOf = (text: string, step: string) => (documentIn(text) as { steps: Record<string, object> }).steps[step];

describe('a route that closes a loop', () => {
  it('bounds the question of the loop, and leads its limit to where the flow leads failures', () => {
    const made = rerouted(FLOW, { step: 'hours', outcome: 'done', target: 'hello' });
    expect(made.bound).toEqual({ step: 'ask', visits: 5, limit: 'bye' });
    expect(stepOf(made.text, 'ask')).toMatchObject({ max_visits: 5, exits: { limit: 'bye', hours: 'hours' } });
    expect(stepOf(made.text, 'hours')).toMatchObject({ next: 'hello' });
    const errors = compileFlow(made.text, '/flows/t.flow.yaml', verbs).diagnostics;
    expect(errors.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('bounds the target if no step of the loop asks', () => {
    const silent = FLOW.replace('next: ask }', 'next: hours }');
    const made = rerouted(silent, { step: 'hours', outcome: 'done', target: 'hello' });
    expect(made.bound).toMatchObject({ step: 'hello' });
  });

  it('adds nothing to a loop that is bounded already, nor to a way ahead', () => {
    const bounded = FLOW.replace('exhausted: bye }', 'exhausted: bye, limit: bye }\n    max_visits: 3');
    expect(rerouted(bounded, { step: 'hours', outcome: 'done', target: 'hello' }).bound).toBeUndefined();
    expect(rerouted(FLOW, { step: 'ask', outcome: 'hours', target: 'bye' }).bound).toBeUndefined();
  });

  it('writes one map of exits for a step that leads to itself', () => {
    const made = rerouted(FLOW, { step: 'hello', outcome: 'error', target: 'hello' });
    expect(stepOf(made.text, 'hello')).toMatchObject({ max_visits: 5, exits: { error: 'hello', limit: 'bye' } });
  });

  it.each(manners)('is written in every manner: $name', ({ text }) => {
    const made = rerouted(text, { step: 'first', outcome: 'done', target: 'ask' });
    expect(made.bound).toEqual({ step: 'ask', visits: 5, limit: 'sorry' });
  });
});
