/** Outcomes that are not known before the call, because arguments are templates: `check` asks for routes of all of them. */
import { describe, expect, it } from 'vitest';
import { graphOf } from '../../src/language/flow/graph.ts';
import { graphLanguageOf } from '../../src/language/flow/graph-language.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { around, check } from './check-flow.ts';

const INPUT = 'input: { x: { type: string }, y: { type: object }, z: { type: boolean } }\n';
const ROUTES = 'dequeued: bye, full: bye';

const unrouted = (step: string): string[] =>
  check(around(`  first: ${step}`, INPUT)).diagnostics.flatMap(({ code, message }) =>
    code === 'unrouted-outcome' ? [message.replace(/^nothing routes the outcomes? /, '')] : [],
  );

describe('check of a step with templates', () => {
  it('asks for no_agents where wait_for_agents is known on the call only', () => {
    const step = (waits: string) => `{ queue: { name: q, wait_for_agents: ${waits} }, exits: { ${ROUTES} } }`;
    expect(unrouted(step('"${ input.z }"'))).toEqual(['`no_agents`']);
    expect(unrouted(step('false'))).toEqual(['`no_agents`']);
    expect(unrouted(step('true'))).toEqual([]);
  });

  it('asks for all that the arguments may have where they are one template', () => {
    expect(unrouted(`{ queue: "\${ input.y }", exits: { ${ROUTES} } }`)).toEqual([
      '`timeout`, `no_agents`, `abandoned`, `callback`, `no_callback`',
    ]);
    expect(unrouted('{ serve: "${ input.x }", exits: { left: bye } }')).toEqual(['`served`, `timeout`']);
    expect(unrouted('{ bridge: "${ input.x }", exits: { completed: bye, failed: bye } }')).toEqual(['`machine`']);
  });

  it('does not ask a text with a template in it for what only a map can have', () => {
    expect(unrouted('{ bridge: "+33${ input.x }", exits: { completed: bye, failed: bye } }')).toEqual([]);
  });

  it('does not ask for what only a key without templates can give', () => {
    expect(
      unrouted(
        '{ pay: "${ input.y }", exits: { paid: bye, declined: bye, cancelled: bye, exhausted: bye, failed: bye } }',
      ),
    ).toEqual([]);
  });

  it.each([
    ['wait_for: "${ input.x }"', 'events'],
    ['webhook: "${ input.y }"', 'outcomes'],
    ['split: "${ input.y }"', 'arms'],
    ['menu: "${ input.y }"', 'choices'],
  ])('refuses %s, since nothing could route the outcomes', (written, key) => {
    const found = check(around(`  first: { ${written} }`, INPUT)).diagnostics;
    expect(found.map(({ code, hint }) => [code, hint])).toContainEqual(['template-here', `write out ${key}: …`]);
    expect(found.map(({ code }) => code)).not.toContain('unrouted-outcome');
  });
});

describe('graph of a step with templates', () => {
  const exits = (step: object): string =>
    graphOf({ flow: 'f', start: 's', steps: { s: step } }, { verbs: graphLanguageOf(verbs) })
      .steps[0]!.exits.flatMap(({ covers }) => covers)
      .join(' ');

  it.each([
    [{ stream: { action: 'start', url: 'wss://x', wait: true } }, 'done failed'],
    [{ stream: { action: 'start', url: 'wss://x' } }, 'started failed'],
    [{ recording: '${ vars.x }' }, 'started done failed'],
    [{ transcribe: { action: '${ vars.x }' } }, 'started done failed'],
    [{ todo: { what: 'later', outcomes: ['a', 'b'] } }, 'a b'],
    [{ queue: { name: 'q', wait_for_agents: '${ vars.x }' } }, 'dequeued full no_agents error'],
  ])('has the outcomes that the step can have: %j', (step, outcomes) => {
    expect(exits(step)).toBe(outcomes);
  });

  it('takes no key that stands beside any verb for the verb', () => {
    const [step] = graphOf({ steps: { s: { voice: 'Amy', check: 'x' } } }, { verbs: graphLanguageOf(verbs) }).steps;
    expect(step!.verb).toBe('');
  });
});
