/** Search for the outcomes of a flow: which it reaches, and that each written test passes. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { compileFlow } from '../../src/language/flow/compile.ts';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import type { ExploreOptions } from '../../src/proof/explore/exploration.ts';
import { exploreFlow } from '../../src/proof/explore/explore-flow.ts';
import { playScenario } from '../../src/proof/testkit/scenario.ts';
import { scenarioFrom } from '../../src/proof/testkit/scenario-file.ts';
import { verbs } from '../../src/verbs/steps.ts';

const library = new FlowLibrary(verbs).load('flows').loadBuiltIn();
const flows = (wanted: string | JsonObject) => library.find(wanted);
const exploreShipped = (name: string) => exploreFlow(library.get(name)!, { flows });

describe('outcomes of a flow', () => {
  test.each([
    ['welcome-menu', ['apologise: done']],
    ['order-status', ['look_up: failed.invalid']],
    ['pin-entry', ['check_pin: failed.invalid', 'apologise: done']],
    ['business-hours', ['apologise: done']],
    ['survey', []],
  ])('are reached in %s, except those that only an internal fault causes', async (name, missing) => {
    const found = await exploreShipped(name);
    expect(found.missing.map(({ step, outcome }) => `${step}: ${outcome}`)).toEqual(missing);
    expect(found.bounded).toEqual([]);
  });

  test('has for each outcome a test that passes and reaches it', async () => {
    const flow = library.get('order-status')!;
    const { outcomes } = await exploreShipped('order-status');
    expect(outcomes.length).toBeGreaterThan(10);
    for (const { step, outcome, form } of outcomes) {
      const { scenario } = scenarioFrom(form as unknown as JsonObject, 'generated.test.yaml');
      const { failures, journal } = await playScenario(scenario!, flow, { flow: flows });
      expect(failures).toEqual([]);
      expect(journal).toContainEqual(expect.objectContaining({ kind: 'left', step, outcome }));
    }
  });

  test('are the same in each search', async () => {
    const [one, other] = [await exploreShipped('order-status'), await exploreShipped('order-status')];
    expect(one).toEqual(other);
  });

  test('are reported as cut off if the limits prevent them', async () => {
    const found = await exploreFlow(library.get('survey')!, { flows, bounds: { runs: 5 } });
    expect(found).toMatchObject({ runs: expect.any(Number), bounded: ['runs'] });
    expect(found.missing.length).toBeGreaterThan(5);
  });
});

describe('actions of callers and external systems', () => {
  const HEAD = `defaults: { input: { start_timeout: 3s, no_input: [ask], no_match: [ask] }, exits: { error: bye } }
prompts: { ask: Please choose., thanks: Thank you. }
`;
  const OFFER = `flow: offer
start: offer
steps:
  offer:
    menu: { prompt: For a message press one., choices: { message: { dtmf: "1" } }, attempts: 1, start_timeout: 5s }
    exits: { message: out, exhausted: rest, error: rest }
  rest: { pause: 4s, next: again }
  out: { return: message }
  again: { return: done }
`;
  const BYE = '  thanks: { play: thanks, next: bye }\n  bye: { hangup: normal }\n';
  test.each([
    [
      'the items of a menu that is made of a list, and none',
      `vars: { teams: { type: array, items: { type: object, properties: { name: { type: string } } }, default: [] } }
${HEAD}start: load
steps:
  load:
    request:
      get: "https://shop.example/teams"
      returns: { type: array, items: { type: object, required: [name], properties: { name: { type: string } } } }
    set: { teams: "\${ [result.body] }" }
    exits: { ok: pick, failed: bye }
  pick:
    menu: { prompt: ask, each: "\${ vars.teams }", say: "For \${ item.name } press \${ key }." }
    exits: { chosen: thanks, empty: bye, exhausted: bye }
`,
      ['pick: chosen', 'pick: empty', 'pick: exhausted.no_input', 'pick: exhausted.no_match'],
    ],
    [
      'a message that is sent, and one that is refused',
      `${HEAD}start: tell
steps:
  tell: { message: { to: "+33612345678", text: Your table is booked. }, exits: { sent: thanks, refused: bye } }
`,
      ['tell: sent', 'tell: refused'],
    ],
    [
      'an event of an application, as soon as the call has begun',
      `${HEAD}start: wait
steps:
  wait: { wait_for: { events: [paid], timeout: 1m, meanwhile: ask }, exits: { paid: thanks, timeout: bye } }
`,
      ['wait: paid', 'wait: timeout'],
    ],
    [
      'a spoken answer that is confirmed, denied, or not',
      `${HEAD}start: ask
steps:
  ask:
    collect:
      prompt: ask
      speech: { hints: [my parcel] }
      confirm: { prompt: "You said \${ result.speech }." }
    exits: { collected: thanks, exhausted: bye }
`,
      ['ask: collected', 'ask: exhausted.no_input', 'ask: exhausted.no_match'],
    ],
    [
      'a moderator who does not admit the caller to a room',
      `${HEAD}start: join
steps:
  join: { join_room: { room_id: team }, exits: { left: bye, ended: bye, denied: why } }
  why: { branch: [{ when: "steps.join.reason = 'by_moderator'", next: refused }, { else: bye }] }
  refused: { play: ask, exits: { done: thanks } }
`,
      ['join: left', 'join: ended', 'join: denied', 'refused: done'],
    ],
    [
      'a moderator who does not admit the caller to a room that is found by its PIN',
      `${HEAD}start: join
steps:
  join: { join_room: { pin: "1234" }, exits: { left: bye, ended: bye, denied: why } }
  why: { branch: [{ when: "steps.join.reason = 'by_moderator'", next: refused }, { else: bye }] }
  refused: { play: ask, exits: { done: thanks } }
`,
      ['join: denied', 'refused: done'],
    ],
    [
      'a queue whose agents never answer, while the caller is asked again and again',
      `${HEAD}start: wait
steps:
  wait:
    queue: { name: support, agents: [user:carla, user:dan], waiting: offer, outcomes: [message], timeout: 20m }
    exits: { dequeued: thanks, full: bye, timeout: bye, message: bye }
`,
      ['wait: dequeued', 'wait: timeout', 'wait: message'],
    ],
    [
      'an agent who pauses, continues and leaves',
      `${HEAD}start: work
steps:
  work: { serve: { queue: support }, exits: { left: thanks } }
`,
      ['work: left'],
    ],
  ])('includes the actions for %s', async (_name, steps, wanted) => {
    const { flow, diagnostics } = compileFlow(`flow: shop\n${steps}${BYE}`, 'shop.flow.yaml', verbs);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const { flow: offer } = compileFlow(OFFER, 'offer.flow.yaml', verbs);
    const { outcomes, findings, bounded } = await exploreFlow(flow!, {
      flows: (name) => (name === 'offer' ? offer : flow),
      bounds: { runs: 300 },
    });
    expect(bounded).toEqual([]);
    expect(outcomes.map(({ step, outcome }) => `${step}: ${outcome}`)).toEqual(expect.arrayContaining(wanted));
    expect(findings).toEqual([]);
  });
});

describe('exclusions from the findings', () => {
  const LOADS = `flow: load
vars: { state: { enum: [new, sent] } }
defaults: { exits: { error: bye } }
start: load
steps:
  load: { request: { get: "https://shop.example/order", timeout: 2s }, set: { state: "\${ result.body.state }" }, exits: { ok: bye, failed: bye } }
  bye: { hangup: normal }
`;
  const ASKS = `flow: ask
limits: { max_duration: 5m }
defaults: { input: { start_timeout: 3s }, exits: { error: bye } }
start: ask
steps:
  ask: { menu: { prompt: "Press 1.", choices: { one: { dtmf: "1" } }, no_input: ["Press 1."], no_match: ["Press 1."] }, exits: { one: bye, exhausted: ask } }
  bye: { hangup: normal }
`;
  const findingsOf = async (text: string, more: Partial<ExploreOptions> = {}) => {
    const { flow } = compileFlow(text, 'some.flow.yaml', verbs);
    const { findings } = await exploreFlow(flow!, { flows: () => flow, ...more });
    return findings.map(({ kind, step }) => `${kind} ${step}`);
  };

  test('covers a fault in the step of a tested answer, but not in later steps', async () => {
    const tested = { load: [{ state: 'eaten' }] };
    expect(await findingsOf(LOADS, { tested })).toEqual([]);
    const later = LOADS.replace(
      'set: { state: "${ result.body.state }" }, exits: { ok: bye',
      'exits: { ok: keep',
    ).replace('  bye:', '  keep: { set: { state: "${ steps.load.body.state }" }, next: bye }\n  bye:');
    expect(await findingsOf(later, { tested })).toEqual(['fault keep']);
  });

  test('covers a loop that the flow itself ends soon by max_duration', async () => {
    expect(await findingsOf(ASKS)).toEqual([]);
    expect(await findingsOf(ASKS.replace('5m', '1h'))).toContain('endless ask');
  });
});
