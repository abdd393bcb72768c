/** CallVenues where several calls meet: conferences, queues, rooms; and flows that go on side by side. */
import { describe, it } from 'vitest';
import { succeeds } from './rehearse.ts';

const flow = (steps: string): string => `
flow: test
start: first
defaults: { exits: { error: broken } }
steps:
${steps}
  bye: { hangup: normal }
  broken: { hangup: failure }
`;

describe('a conference', () => {
  const meeting = (args = ''): string =>
    flow(`  first: { conference: { name: team${args} }, exits: { left: bye, ended: over, full: full } }
  over: { hangup: normal }
  full: { hangup: busy }`);
  const callers = 'callers: { ann: { from: "+33611111111" }, ben: { from: "+33622222222" } }';

  it('lets all who are in it hear each other', async () => {
    await succeeds(
      meeting(),
      `
${callers}
script:
  - wait: 1s
  - call: ann
  - talks_with: ann
  - call: ben
  - talks_with: [ann, ben]
  - party: { ann: [{ talks_with: [caller, ben] }, { wait: 5s }, hang_up] }
  - wait: 1s
  - talks_with: ben
  - hang_up
expect: { talked_with: [ann, ben], parties: { ben: { talked_with: [caller, ann] } }, outcomes: { first: hangup } }
`,
    );
  });

  it('is full', async () => {
    await succeeds(
      meeting(', max_members: 1'),
      `
${callers}
script: [{ wait: 1s }, { call: ann }, { wait: 2s }, hang_up]
expect: { talked_with: [], parties: { ann: { ended: 17, talked_with: [] } } }
`,
    );
  });

  it('is left by a key', async () => {
    await succeeds(
      meeting(', leave_key: "*"'),
      `
${callers}
script: [{ wait: 1s }, { call: ann }, { talks_with: ann }, { wait: 1s }, { press: "*" }]
expect: { outcomes: { first: left }, path: [first, bye] }
`,
    );
  });

  it('ends when who is to end it leaves', async () => {
    const owner = flow(
      `  first: { conference: { name: team, end_on_exit: true }, exits: { left: bye, ended: bye, full: bye } }`,
    ).replace('flow: test', 'flow: owner');
    await succeeds(
      meeting(),
      `
callers: { ann: { from: "+33611111111", flow: owner } }
script: [{ wait: 1s }, { call: ann }, { talks_with: ann }, { wait: 1s }, { party: { ann: hang_up } }]
expect: { outcomes: { first: ended }, path: [first, over] }
`,
      [owner],
    );
  });

  it('waits for its moderator, with music', async () => {
    const moderator = flow(
      `  first: { conference: { name: team, moderator: true }, exits: { left: bye, ended: bye, full: bye } }`,
    ).replace('flow: test', 'flow: moderator');
    await succeeds(
      meeting(', wait_for_moderator: true'),
      `
callers: { ann: { from: "+33611111111" }, mod: { from: "+33633333333", flow: moderator } }
script:
  - hear: hold_music
  - call: ann
  - wait: 5s
  - call: mod
  - talks_with: [ann, mod]
  - wait: 1s
  - hang_up
expect: { parties: { ann: { talked_with: [mod, caller] } } }
`,
      [moderator],
    );
  });

  it('has members who only listen', async () => {
    await succeeds(
      meeting(', muted: true'),
      `
${callers}
script: [{ wait: 1s }, { call: ann }, { wait: 2s }, hang_up]
expect: { talked_with: [], parties: { ann: { talked_with: [] } } }
`,
    );
  });
});

describe('a queue', () => {
  const AGENT = '"user:agent"';
  const queue = (args = ''): string =>
    flow(`  first:
    queue: { name: support, agents: [${AGENT}], ring_timeout: 10s, timeout: 1m${args} }
    exits: { dequeued: bye, timeout: waited, full: full${args.includes('leave_key') ? ', abandoned: gone' : ''} }
  waited: { hangup: normal }
  full: { hangup: busy }${args.includes('leave_key') ? '\n  gone: { hangup: normal }' : ''}`);

  it('connects the caller with an agent', async () => {
    await succeeds(
      queue(),
      `
mocks: { queue: { ${AGENT}: { answer_after: 3s, talk: 20s } } }
script: [{ hear: hold_music }, { talks_with: ${AGENT} }]
expect: { outcomes: { first: dequeued }, talked_with: [${AGENT}], dead_air: { max: 0s } }
`,
    );
  });

  it('serves one after the other, and says who is next', async () => {
    await succeeds(
      queue(', position: { text: "You are number ${ result.position }" }'),
      `
callers: { ann: { from: "+33611111111" } }
mocks: { queue: { ${AGENT}: [{ answer_after: 2s, talk: 20s }, { answer_after: 2s, talk: 5s }] } }
script:
  - wait: 1s
  - call: ann
  - talks_with: ${AGENT}
  - party: { ann: { hear: You are number } }
expect: { outcomes: { first: dequeued } }
`,
    );
  });

  it('rings again when the agent did not answer, until its time is over', async () => {
    await succeeds(
      queue(),
      `
mocks: { queue: { ${AGENT}: no_answer } }
expect: { outcomes: { first: timeout }, duration: { min: 60s, max: 61s } }
`,
    );
  });

  it('is full', async () => {
    await succeeds(
      queue(', max_size: 1'),
      `
callers: { ann: { from: "+33611111111" } }
mocks: { queue: { ${AGENT}: no_answer } }
script: [{ wait: 1s }, { call: ann }, { wait: 2s }, hang_up]
expect: { outcomes: { first: hangup }, parties: { ann: { ended: 17 } } }
`,
    );
  });

  it('is left by a key', async () => {
    await succeeds(
      queue(', leave_key: "*"'),
      `
mocks: { queue: { ${AGENT}: no_answer } }
script: [{ wait: 3s }, { press: "*" }]
expect: { outcomes: { first: abandoned } }
`,
    );
  });
});

describe('a room', () => {
  const room = (args: string): string =>
    flow(`  first: { join_room: { ${args} }, exits: { left: bye, ended: bye, denied: denied } }
  denied: { hangup: normal }`);
  const rooms = 'rooms: [{ room_id: blue, pin: "4711" }]';

  it('lets those in who have its PIN', async () => {
    await succeeds(
      room('room_id: blue, pin: "4711"'),
      `
${rooms}
callers: { ann: { from: "+33611111111" } }
script: [{ wait: 1s }, { call: ann }, { talks_with: ann }, hang_up]
expect: { outcomes: { first: hangup }, never: { trace_contains: "4711" } }
`,
    );
  });

  it('denies those who do not', async () => {
    await succeeds(room('room_id: blue, pin: "1234"'), `${rooms}\nexpect: { outcomes: { first: denied } }`);
    await succeeds(room('room_id: red'), `${rooms}\nexpect: { outcomes: { first: denied } }`);
  });
});

describe('a split', () => {
  const split = flow(`  first: { split: { arms: { a: 50, b: 50 } }, exits: { a: to_a, b: to_b } }
  to_a: { hangup: normal }
  to_b: { hangup: normal }`);

  it('sends the same caller the same way', async () => {
    const first = await succeeds(split, 'call: { from: "+33600000001" }');
    const path = first.journal.flatMap((entry) => (entry.kind === 'entered' ? [entry.step] : []));
    for (const seed of [2, 3, 4]) {
      await succeeds(split, `seed: ${seed}\ncall: { from: "+33600000001" }\nexpect: { path: [${path.join(', ')}] }`);
    }
  });
});

describe('flows side by side', () => {
  const wait = (name: string, ms: string): string => `
flow: ${name}
start: wait
steps:
  wait: { pause: ${ms}, next: done }
  done: { return: done }
`;
  const parallel = (args: string, exits: string): string =>
    flow(`  first: { parallel: { branches: { a: { flow: quick }, b: { flow: slow } }${args} }, exits: { ${exits} } }`);
  const others = [wait('quick', '2s'), wait('slow', '5s')];

  it('are all waited for', async () => {
    await succeeds(parallel('', 'done: bye'), 'expect: { outcomes: { first: done }, duration: 5s }', others);
  });

  it('are waited for no longer than said', async () => {
    await succeeds(
      parallel(', timeout: 3s', 'done: bye, timeout: bye'),
      'expect: { outcomes: { first: timeout }, duration: 3s }',
      others,
    );
  });

  it('end with the first', async () => {
    await succeeds(
      parallel(', until: first', 'done: bye'),
      'expect: { outcomes: { first: done }, duration: 2s }',
      others,
    );
  });
});
