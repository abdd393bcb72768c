/** Venues where several calls meet: conferences, queues, rooms; and flows that run at the same time. */
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

  it('is full with outcome full', async () => {
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

  it('ends when a member with `end_on_exit` leaves', async () => {
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

  it('serves one caller after the other, and announces the next position', async () => {
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

  it('is full with outcome full', async () => {
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

describe('a queue with a waiting flow', () => {
  const AGENT = '"user:agent"';
  const waitingFlow = (steps: string): string => `
flow: waiting
start: say
defaults: { exits: { error: out } }
prompts: { offer: { text: "To leave a message press 1" }, more: { text: "Thank you for waiting" } }
steps:
${steps}
  out: { return: message }
`;
  const OFFERS = waitingFlow(
    `  say: { play: { text: "You are number ${'${ queue.position } of ${ queue.waiting }'}" }, next: offer }
  offer: { menu: { prompt: offer, choices: { message: { dtmf: "1" } }, attempts: 1, start_timeout: 3s }, exits: { message: out, exhausted: rest } }
  rest: { pause: 10s, next: again }
  again: { return: done }`,
  );
  const queue = flow(`  first:
    queue: { name: support, agents: [${AGENT}], waiting: waiting, outcomes: [message], timeout: 5m }
    exits: { dequeued: bye, timeout: waited, full: waited, message: left }
  waited: { hangup: normal }
  left: { hangup: normal }`);

  it('says the figures, begins again, and ends when the agent answers', async () => {
    await succeeds(
      queue,
      `
mocks: { queue: { ${AGENT}: { answer_after: 19s, talk: 20s } } }
script:
  - hear: You are number 1 of 1
  - hear: To leave a message
  - hear: You are number 1 of 1
  - talks_with: ${AGENT}
expect: { outcomes: { first: dequeued }, bridged_with: [${AGENT}] }
`,
      [OFFERS],
    );
  });

  it.each([
    ['while it waits', 'no_answer', '{ wait: 25s }'],
    ['while the agent’s phone rings', '{ answer_after: 19s }', '{ wait: 1s }'],
  ])('is left by a key of that flow %s', async (_when, agent, first) => {
    await succeeds(
      queue,
      `
mocks: { queue: { ${AGENT}: ${agent} } }
script: [${first}, { hear: To leave a message }, { press: "1" }]
expect: { outcomes: { first: message }, bridged_with: [] }
`,
      [OFFERS],
    );
  });

  it('is left in each of its steps when the caller hangs up', async () => {
    for (const ms of [100, 1500, 4000, 9000, 14_000, 18_999]) {
      await succeeds(
        queue,
        `
mocks: { queue: { ${AGENT}: { answer_after: 19s, talk: 1s } } }
script: [{ wait: ${ms}ms }, hang_up]
expect: { outcomes: { first: hangup }, bridged_with: [] }
`,
        [OFFERS],
      );
    }
  });

  it.each([
    ['takes no time', 'defaults: { exits: { error: bye } }', '"1"'],
    ['breaks', '', `"\${ $error('no') }"`],
  ])('continues with music when the flow %s', async (_how, defaults, value) => {
    const other = `flow: waiting
${defaults}
vars: { x: { type: string } }
start: say
steps:
  say: { set: { x: ${value} }, next: bye }
  bye: { return: done }
`;
    await succeeds(
      queue,
      `
mocks: { queue: { ${AGENT}: { answer_after: 10s, talk: 5s } } }
script: [{ hear: hold_music }, { talks_with: ${AGENT} }]
expect: { outcomes: { first: dequeued } }
`,
      [other],
    );
  });

  it('is served by priority', async () => {
    const gold = flow(`  first:
    queue: { name: support, agents: [${AGENT}], priority: 9 }
    exits: { dequeued: bye, full: bye }`).replace('flow: test', 'flow: gold');
    const plain = flow(`  first:
    queue: { name: support, agents: [${AGENT}], priority: "${'${ 1 + 1 }'}" }
    exits: { dequeued: bye, full: bye }`);
    await succeeds(
      plain,
      `
callers: { ann: { from: "+33611111111", flow: gold }, bob: { from: "+33622222222", flow: gold } }
mocks: { queue: { ${AGENT}: [no_answer, { talk: 5s }, { talk: 7s }, { talk: 9s }] } }
script:
  - wait: 1s
  - call: ann
  - call: bob
  - party: { ann: { talks_with: ${AGENT} } }
  - party: { bob: { talks_with: ${AGENT} } }
  - talks_with: ${AGENT}
expect: { outcomes: { first: dequeued } }
`,
      [gold],
    );
  });
});

describe('agents who call in', () => {
  const serving = flow(`  first:
    serve: { queue: support, whisper: { text: "From \${ result.from }" }, wrap_up: 10s, ready: { text: "You are ready" }, paused: { text: "You pause now" }, end_key: "0" }
    exits: { left: bye }`);
  const waiting = flow(`  first:
    queue: { name: support, timeout: 5m }
    exits: { dequeued: bye, timeout: bye, full: bye, no_agents: sorry }
  sorry: { play: { text: "Nobody is there" }, next: bye }`).replace('flow: test', 'flow: waiting');
  const callers = `callers: { ann: { from: "+33611111111", flow: waiting }, bob: { from: "+33622222222", flow: waiting } }`;

  it('serves callers one after the other, with wrap-up time in between, and leave by a key', async () => {
    await succeeds(
      serving,
      `
${callers}
script:
  - hear: You are ready
  - call: ann
  - call: bob
  - hear: From +33611111111
  - talks_with: ann
  - party: { bob: { hear: hold_music } }
  - wait: 5s
  - party: { ann: hang_up }
  - wait: 9s
  - hear: [You are ready, From +33622222222]
  - talks_with: bob
  - wait: 3s
  - press: "0"
  - wait: 1s
  - press: "#"
expect:
  outcomes: { first: left }
  talked_with: [ann, bob]
  duration: { min: 20s, max: 40s }
`,
      [waiting],
    );
  });

  it('pauses by a key, after the current conversation', async () => {
    await succeeds(
      serving,
      `
${callers}
script:
  - hear: You are ready
  - press: "*"
  - hear: You pause now
  - call: ann
  - party: { ann: { hear: hold_music } }
  - wait: 5s
  - press: "*"
  - hear: [You are ready, From +33611111111]
  - talks_with: ann
  - press: "*"
  - call: bob
  - party: { ann: hang_up }
  - hear: You pause now
  - wait: 30s
  - hang_up
expect: { outcomes: { first: hangup }, talked_with: [ann] }
`,
      [waiting],
    );
  });

  it('serves a waiting caller, as often as callers come and go; without any it continues at once', async () => {
    const agent = serving.replace('flow: test', 'flow: agent');
    await succeeds(
      waiting.replace('flow: waiting', 'flow: test'),
      `
callers: { desk: { from: "+33655555555", flow: agent }, other: { from: "+33644444444", flow: agent } }
script: [{ hear: Nobody is there }]
expect: { outcomes: { first: no_agents } }
`,
      [agent],
    );
    const called = waiting
      .replace('flow: waiting', 'flow: test')
      .replace('timeout: 5m', 'timeout: 5m, agents: ["user:a"]');
    await succeeds(
      called.replace(', no_agents: sorry', '').replace(/ {2}sorry.*\n/, ''),
      `
callers: { desk: { from: "+33655555555", flow: agent }, other: { from: "+33644444444", flow: agent } }
mocks: { queue: { "user:a": no_answer } }
script:
  - wait: 1s
  - wait: 25s
  - call: desk
  - wait: 500ms
  - party: { desk: hang_up }
  - call: other
  - party: { other: { hear: From +336 } }
  - talks_with: other
  - wait: 5s
  - party: { other: hang_up }
expect: { outcomes: { first: dequeued }, talked_with: [other] }
`,
      [agent],
    );
  });
});

describe('a room', () => {
  const room = (args: string): string =>
    flow(`  first: { join_room: { ${args} }, exits: { left: bye, ended: bye, denied: denied } }
  denied: { hangup: normal }`);
  const rooms = 'rooms: [{ room_id: blue, pin: "4711" }]';

  it('admits callers with its PIN', async () => {
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

  it('denies callers with a wrong PIN, and calls to an unknown room', async () => {
    await succeeds(room('room_id: blue, pin: "1234"'), `${rooms}\nexpect: { outcomes: { first: denied } }`);
    await succeeds(room('room_id: red'), `${rooms}\nexpect: { outcomes: { first: denied } }`);
  });

  it.each([
    ['of its name', 'room_id: blue, pin: "4711"', 'blue'],
    ['found by its PIN', 'pin: "4711"', '"*"'],
  ])(
    'denies a caller whom a moderator does not admit, after the announcement of the wait: %s',
    async (_name, args, by) => {
      const asked = flow(`  first: { join_room: { ${args} }, exits: { left: bye, ended: bye, denied: why } }
  why: { branch: [{ when: "steps.first.reason = 'by_moderator'", next: refused }, { else: bye }] }
  refused: { hangup: busy }`);
      await succeeds(
        asked,
        `
${rooms}
others: { rooms: { ${by}: { denies_after: 20s } } }
expect: { path: [first, why, refused] }
`,
      );
    },
  );
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

  it('ends with the first', async () => {
    await succeeds(
      parallel(', until: first', 'done: bye'),
      'expect: { outcomes: { first: done }, duration: 2s }',
      others,
    );
  });
});
