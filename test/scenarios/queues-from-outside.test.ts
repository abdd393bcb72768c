/**
 * Queues seen from outside: figures before a caller enters, agents who take a single caller, and prompts before the
 * conversation.
 */
import { describe, it } from 'vitest';
import { succeeds } from './rehearse.ts';

const flow = (name: string, steps: string): string => `
flow: ${name}
start: first
defaults: { exits: { error: broken } }
steps:
${steps}
  bye: { hangup: normal }
  broken: { hangup: failure }
`;

const waiting = flow(
  'waiting',
  `  first:
    queue: { name: support, timeout: 5m, wait_for_agents: true, caller_whisper: { text: Here is your agent } }
    exits: { dequeued: bye, timeout: bye, full: bye }`,
);
const callers =
  'callers: { ann: { from: "+33611111111", flow: waiting }, bob: { from: "+33622222222", flow: waiting } }';

describe('a look at a queue', () => {
  const looks = (args: string, exits: string): string =>
    flow(
      'test',
      `  first: { pause: 10s, next: look }
  look: { check_queue: ${args}, exits: { ${exits} } }
  free: { play: { text: "Free ${'${ $string(steps.look.free) }'}" }, next: bye }
  busy: { play: { text: "${'${ $string(steps.look.waiting) } wait, ${ $string(steps.look.longest_wait) } seconds'}" }, next: bye }
  nobody: { play: { text: Nobody }, next: bye }`,
    );
  const served = 'free: free, busy: busy, no_agents: nobody';

  it('finds no agents, although callers are waiting', async () => {
    await succeeds(
      looks('support', served),
      `
${callers}
script: [{ wait: 1s }, { call: ann }, { wait: 4s }, { call: bob }, { hear: Nobody }]
expect: { outcomes: { look: no_agents } }
`,
      [waiting],
    );
  });

  it('finds an agent that is free, and one that is in a call', async () => {
    const agent = flow('agent', '  first: { serve: { queue: support }, exits: { left: bye } }');
    for (const [who, outcome, heard] of [
      ['desk', 'free', 'Free 1'],
      ['desk, ann, bob', 'busy', '1 wait, 7 seconds'],
    ] as const) {
      const calls = who.split(', ').map((name) => `{ call: ${name} }`);
      await succeeds(
        looks('support', served),
        `
callers:
  desk: { from: "+33655555555", flow: agent }
  ann: { from: "+33611111111", flow: waiting }
  bob: { from: "+33622222222", flow: waiting }
script: [{ wait: 3s }, ${calls.join(', ')}, { hear: "${heard}" }]
expect: { outcomes: { look: ${outcome} } }
`,
        [waiting, agent],
      );
    }
  });

  it('counts named agents as free as long as they do not ring', async () => {
    const rings = waiting.replace('wait_for_agents: true', 'agents: ["user:a"]');
    for (const [calls, outcome] of [
      ['', 'free'],
      ['{ call: ann }, ', 'busy'],
    ]) {
      await succeeds(
        looks('{ name: support, agents: ["user:a"] }', 'free: free, busy: busy'),
        `
${callers}
mocks: { queue: { "user:a": { talk: 1m } } }
script: [{ wait: 3s }, ${calls} { wait: 9s }]
expect: { outcomes: { look: ${outcome} } }
`,
        [rings],
      );
    }
  });

  it('sees what the test says, one thing after the other', async () => {
    const again = looks('{ name: support, agents: ["user:a"] }', 'free: free, busy: busy').replace(
      'seconds" }, next: bye',
      'seconds" }, next: look',
    );
    await succeeds(
      again,
      `
mocks: { check_queue: { support: [{ waiting: 7, longest_wait: 90 }, { free: 1 }] } }
script: [{ hear: "7 wait, 90 seconds" }, { hear: Free 1 }]
expect: { outcomes: { look: [busy, free] } }
`,
    );
  });
});

describe('an agent who takes one caller', () => {
  const once = flow(
    'test',
    `  first: { serve: { queue: support, once: true, timeout: 30s }, exits: { served: note, timeout: late, left: bye } }
  note: { play: { text: "Done after ${'${ $string(steps.first.talked) }'}" }, next: bye }
  late: { play: { text: Nobody came }, next: bye }`,
  );

  it('serves the first caller, and continues; the other one waits', async () => {
    await succeeds(
      once
        .replace('first: { serve', 'first: { pause: 2s, next: take }\n  take: { serve')
        .replace('steps.first', 'steps.take'),
      `
${callers}
script:
  - call: ann
  - wait: 1s
  - call: bob
  - talks_with: ann
  - wait: 5s
  - party: { ann: hang_up }
  - hear: Done after 6
expect: { outcomes: { take: served }, talked_with: [ann], parties: { ann: { heard: [hold_music, Here is your agent] }, bob: { talked_with: [] } } }
`,
      [waiting],
    );
  });

  it('waits for one, but not for ever', async () => {
    await succeeds(once, 'script: [{ hear: Nobody came }]\nexpect: { outcomes: { first: timeout } }');
    await succeeds(
      once,
      `
${callers}
script: [{ wait: 29s }, { call: ann }, { talks_with: ann }, { wait: 3s }, { party: { ann: hang_up } }]
expect: { outcomes: { first: served } }
`,
      [waiting],
    );
  });

  it('waits on for the next when the caller hangs up before the two talk', async () => {
    await succeeds(
      once.replace('once: true', 'once: true, whisper: { text: "A caller who has been waiting for a long time" }'),
      `
${callers}
script: [{ wait: 1s }, { call: ann }, { wait: 300ms }, { party: { ann: hang_up } }, { wait: 10s }, { call: bob }, { talks_with: bob }, { wait: 2s }, { party: { bob: hang_up } }]
expect: { outcomes: { first: served }, talked_with: [bob] }
`,
      [waiting],
    );
  });
});

describe('a caller who wants to be called back', () => {
  const AGENT = '"user:a"';
  const back = flow(
    'back',
    '  first: { queue: { name: support, agents: ["user:a"] }, exits: { dequeued: bye, full: bye } }',
  );
  const queue = (more: string): string =>
    flow(
      'test',
      `  first:
    queue: { name: support, agents: [${AGENT}], callback: { flow: back${more} }
    exits: { dequeued: bye, full: bye, callback: promised, no_callback: refused }
  promised: { play: { text: "We call ${'${ steps.first.to }'}, you are number ${'${ $string(steps.first.position) }'}" }, next: bye }
  refused: { play: { text: "No, ${'${ steps.first.reason }'}" }, next: bye }`,
    );
  const asks = `
flow: asks
start: say
defaults: { exits: { error: out } }
vars: { number: { type: string, default: "" } }
steps:
  say: { play: { text: "\${ queue.callback ? 'You may be called' : 'Your number is hidden' }" }, next: ask }
  ask:
    collect: { prompt: { text: Your number please }, digits: { min: 4, max: 12 }, start_timeout: 20s, attempts: 1 }
    set: { number: "${'${ result.digits }'}" }
    exits: { collected: out, exhausted: again }
  out: { return: { outcome: callback, output: { to: "${'${ vars.number }'}" } } }
  again: { return: done }
`;

  it.each([
    ['while it waits', '{ wait: 25s }, { call: ann }', 1],
    ['while the agent’s phone rings', '{ wait: 2s }', 1],
  ])('presses a key %s', async (_when, first, position) => {
    await succeeds(
      queue(', key: "2" }'),
      `
callers: { ann: { from: "+33611111111", flow: back } }
mocks: { queue: { ${AGENT}: no_answer } }
script: [${first}, { press: "2" }, { hear: "We call +33612345678, you are number ${position}" }]
expect: { outcomes: { first: callback }, bridged_with: [] }
`,
      [back],
    );
  });

  it('enters another number in the waiting flow, which knows that the number is hidden', async () => {
    await succeeds(
      queue(' }, waiting: asks'),
      `
call: { from: anonymous }
mocks: { queue: { ${AGENT}: no_answer } }
script: [{ hear: Your number is hidden }, { hear: Your number please }, { press: "0611#" }, { hear: "We call 0611, you are number 1" }]
expect: { outcomes: { first: callback } }
`,
      [back, asks],
    );
    await succeeds(
      queue(' }, waiting: asks'),
      `
mocks: { queue: { ${AGENT}: no_answer } }
script: [{ hear: You may be called }, hang_up]
`,
      [back, asks],
    );
  });

  it('has no number to be called by', async () => {
    await succeeds(
      queue(', key: "2" }'),
      `
call: { from: anonymous }
mocks: { queue: { ${AGENT}: no_answer } }
script: [{ wait: 1s }, { press: "2" }, { hear: "No, no_number" }]
expect: { outcomes: { first: no_callback } }
`,
      [back],
    );
  });
});

describe('the words for the caller', () => {
  const queue = flow(
    'test',
    `  first:
    queue: { name: support, agents: ["user:a"], caller_whisper: { text: Here is somebody for you now }, whisper: { text: A caller } }
    exits: { dequeued: bye, full: bye }`,
  );

  it('precedes the conversation, after those for the agent', async () => {
    await succeeds(
      queue,
      `
mocks: { queue: { "user:a": { talk: 9s } } }
script: [{ hear: hold_music }, { hear: Here is somebody }, { talks_with: "user:a" }]
expect: { heard: [hold_music, Here is somebody for you now], parties: { "user:a": { heard: [A caller] } } }
`,
    );
  });

  it('does not hold a caller whose agent has gone meanwhile', async () => {
    await succeeds(
      queue,
      `
mocks: { queue: { "user:a": [{ talk: 1500ms }, { talk: 9s }] } }
script: [{ hear: Here is somebody }, { hear: hold_music }, { hear: Here is somebody }, { talks_with: "user:a" }]
expect: { outcomes: { first: dequeued } }
`,
    );
  });
});
