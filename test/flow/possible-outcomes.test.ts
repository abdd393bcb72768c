/** Outcomes of steps by the data in the schemas of verbs: with plain arguments, with templates, and half-typed. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/base/core/json.ts';
import { verbSchemas } from '../../src/base/schema/schema-forms.ts';
import { holds } from '../../src/language/flow/outcome-conditions.ts';
import { meaningOf } from '../../src/language/flow/outcome-words.ts';
import {
  findOutcomes,
  type OutcomeTable,
  possibleOutcomes,
  targetOf,
} from '../../src/language/flow/possible-outcomes.ts';
import { describedOutcomes, outcomesOfSchema, verbOutcomes } from '../../src/language/flow/verb-outcomes.ts';

const names = (verb: string, args: Json): string => possibleOutcomes(verbOutcomes(verb)!, args).join(' ');
const FAILURES = 'failed.no_answer failed.busy failed.declined failed.unreachable';

describe('possible outcomes of a step', () => {
  it.each<[verb: string, args: Json, outcomes: string]>([
    ['play', 'welcome', 'done error'],
    ['play', { prompt: 'welcome', barge_in: true }, 'done interrupted error'],
    [
      'menu',
      { prompt: 'q', choices: { sales: {}, help: {} } },
      'sales help exhausted.no_input exhausted.no_match error',
    ],
    ['menu', { each: 'x', choices: { a: {} } }, 'a chosen empty exhausted.no_input exhausted.no_match error'],
    ['collect', { digits: 4 }, 'collected exhausted.no_input exhausted.no_match error'],
    ['collect', { digits: 4, speech: {} }, 'collected exhausted.no_input exhausted.no_match error digits speech'],
    ['queue', { name: 'q' }, 'dequeued full no_agents error'],
    ['queue', { name: 'q', agents: [], timeout: '1m' }, 'dequeued timeout full error'],
    ['queue', { name: 'q', wait_for_agents: true, outcomes: ['x'] }, 'dequeued full error'],
    ['queue', { agents: [], waiting: 'w', outcomes: ['x', 'full'] }, 'dequeued full x error'],
    ['bridge', 'user:bob', `completed ${FAILURES} error`],
    ['bridge', { to: 'user:bob', detect_machine: {} }, `completed ${FAILURES} machine error`],
    ['serve', { queue: 'q', once: true, timeout: '5s' }, 'left served timeout error'],
    ['parallel', { branches: {}, outcomes: ['x'] }, 'done error'],
    ['parallel', { branches: {}, outcomes: ['x'], until: 'first' }, 'done x error'],
    ['wait_for', 'paid', 'paid'],
    ['wait_for', ['paid', 'called'], 'paid called'],
    ['wait_for', { events: 'paid', timeout: '5s' }, 'paid timeout'],
    ['webhook', { outcomes: ['a', 'b'], may: ['goto', 'flow'] }, 'a b done timeout error'],
    ['recording', 'start', 'started failed'],
    ['recording', { action: 'pause' }, 'done failed'],
    ['stream', { action: 'start', wait: true }, 'done failed'],
    ['subflow', 'other', 'done error'],
    ['split', { arms: { a: 1, b: 2 } }, 'a b'],
    ['branch', [{ when: '1' }, { when: '2', name: 'two' }, { else: 'x' }], 'case.1 two else'],
    ['todo', 'later', 'done'],
    ['todo', { what: 'later', outcomes: ['a'] }, 'a'],
    ['hangup', null, ''],
  ])('for %s with %j: are %j', (verb, args, outcomes) => {
    expect(names(verb, args)).toBe(outcomes);
  });

  it.each<[verb: string, args: Json, outcomes: string]>([
    ['queue', { name: 'q', wait_for_agents: '${ vars.x }' }, 'dequeued full no_agents error'],
    ['queue', { name: 'q', wait_for_agents: 'a ${ vars.x }' }, 'dequeued full no_agents error'],
    ['queue', '${ vars.x }', 'dequeued timeout full no_agents abandoned callback no_callback error'],
    ['bridge', '${ vars.x }', `completed ${FAILURES} failed.screened machine error`],
    ['bridge', '+33${ vars.x }', `completed ${FAILURES} error`],
    ['bridge', { to: 'x', detect_machine: '${ vars.x }' }, `completed ${FAILURES} machine error`],
    ['bridge', { to: 'x', detect_machine: '$${ x }' }, `completed ${FAILURES} machine error`],
    ['recording', '${ vars.x }', 'started done failed'],
    ['recording', 's${ vars.x }', 'started done failed'],
    ['stream', { action: '${ vars.x }', wait: true }, 'done failed'],
    ['pay', '${ vars.x }', names('pay', {})],
    ['webhook', '${ vars.x }', 'timeout error'],
    ['wait_for', '${ vars.x }', 'timeout'],
    ['serve', '${ vars.x }', 'left served timeout error'],
  ])('for %s with the template %j: are %j', (verb, args, outcomes) => {
    expect(names(verb, args)).toBe(outcomes);
  });

  it('takes the outcomes of the flow that a step runs, unless the step names its own', () => {
    const returnsOf = (flow: string) =>
      flow === 'ask' ? ['won', 'lost'] : flow === 'ends' ? ['done', 'won'] : undefined;
    const found = (args: Json) =>
      findOutcomes(verbOutcomes('subflow')!, args, returnsOf).map(
        ({ name, isOptional }) => name + (isOptional ? '?' : ''),
      );
    expect(found('ask')).toEqual(['done?', 'won', 'lost', 'error']);
    expect(found({ flow: 'ends' })).toEqual(['done', 'won', 'error']);
    expect(found({ flow: 'ask', outcomes: ['won'] })).toEqual(['done', 'won', 'error']);
    expect(found('${ vars.flow }')).toEqual(['done', 'error']);
    expect(found('unknown')).toEqual(['done', 'error']);
  });

  it('finds the routes inside the arguments', () => {
    const targets = (verb: string, args: Json) =>
      findOutcomes(verbOutcomes(verb)!, args).map((found) => [found.name, targetOf(found)?.pointer]);
    expect(targets('branch', [{ when: '1', next: 'a' }, { when: '2' }, { else: 'b' }])).toEqual([
      ['case.1', '/0/next'],
      ['case.2', undefined],
      ['else', '/2/else'],
    ]);
    expect(targets('repeat', { do: 'a', times: 2 })).toEqual([
      ['done', '/do'],
      ['limit', undefined],
    ]);
  });

  it('fills in defaults before it evaluates a condition', () => {
    const verb = outcomesOfSchema({
      outcomes: { a: { text: 'A.', when: { required: ['x'] } }, b: { text: 'B.', when: { required: ['y'] } } },
      properties: { x: { default: 1 }, y: {}, z: { default: 2 } },
    });
    expect(verb.outcomeDefaults).toEqual({ x: 1 });
    expect(possibleOutcomes(verb, null)).toEqual(['a']);
    expect(possibleOutcomes(verb, { y: 0 })).toEqual(['a', 'b']);
  });

  it.each([...verbSchemas.keys()])('gives each name of %s once, whatever the arguments are', (verb) => {
    fc.assert(
      fc.property(fc.jsonValue(), (args) => {
        const found = possibleOutcomes(verbOutcomes(verb)!, args as Json);
        expect(new Set(found).size).toBe(found.length);
      }),
      { numRuns: 30, seed: 1 },
    );
  });
});

describe('a condition of an outcome', () => {
  const conditions = [...verbSchemas.values()].flatMap((schema) =>
    Object.values(schema['outcomes'] as unknown as OutcomeTable).flatMap(({ when }): JsonObject[] =>
      when ? [when] : [],
    ),
  );
  const ajv = new Ajv2020({ strict: false });

  it.each(conditions.map((condition) => [JSON.stringify(condition), condition] as const))(
    'means what JSON Schema says where no template stands: %s',
    (_, condition) => {
      const validate = ajv.compile(condition);
      const value = fc.constantFrom<Json>(true, false, 'start', 'stop', 'first', 'flow', null, 1);
      const keys = [...JSON.stringify(condition).matchAll(/\w+/g)].map(([word]) => word);
      const args = fc.dictionary(fc.constantFrom(...keys), fc.oneof(value, fc.array(value)));
      fc.assert(
        fc.property(args, (given) => {
          expect(holds(condition, given as JsonObject)).toBe(validate(given));
        }),
        { numRuns: 100, seed: 1 },
      );
    },
  );

  it('is said in words', () => {
    const words = (verb: string, outcome: string) => meaningOf(describedOutcomes(verb)[outcome]!);
    expect(words('queue', 'timeout')).toBe('With `timeout`: no agent took the caller in time.');
    expect(words('queue', 'no_agents')).toMatch(/^Without `agents` and without `wait_for_agents`: no agent/);
    expect(words('play', 'interrupted')).toBe('With `barge_in`: a key interrupted the prompt.');
    expect(words('collect', 'digits')).toMatch(
      /^With `speech` and with `digits`, `date`, `time`, `amount` or `code`: the caller/,
    );
    expect(words('stream', 'started')).toMatch(/^With `action: start` and without `wait`: the receiver/);
    expect(words('recording', 'done')).toMatch(/^With `action: stop`, `pause` or `resume`: the recording/);
    expect(words('serve', 'left')).toBe('The agent pressed the `leave_key`.');
  });
});
