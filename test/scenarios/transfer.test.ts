/** Each outcome of `transfer`, `hold` and `resume`, by the verb, by REST and by phones. */
import { describe, it } from 'vitest';
import { succeeds } from './rehearse.ts';

const ALICE = '"user:alice"';
const BOB = '"+33144550000"';

/** A key, pressed during the conversation, leads to a step that moves the caller on. */
const flow = (transfer: string): string => `
flow: test
start: connect
events: { dtmf.9: move }
steps:
  connect: { bridge: { to: ${ALICE} }, exits: { completed: talked, failed: failed, error: failed } }
  move: ${transfer}
  talked: { hangup: normal }
  transferred: { hangup: normal }
  returned: { hangup: normal }
  failed: { hangup: failure }
`;
const EXITS = 'exits: { transferred: transferred, returned: returned, failed: failed, error: failed }';
const attended = flow(`{ transfer: { to: ${BOB}, ring_timeout: 10s }, ${EXITS} }`);
const blind = attended.replace('ring_timeout: 10s', 'ring_timeout: 10s, mode: blind');
const refer = attended.replace('ring_timeout: 10s', 'mode: refer');

const talkThenMove = `[{ talks_with: ${ALICE} }, { wait: 5s }, { press: "9" }`;

describe('transfer by the verb', () => {
  it('attended: plays music to the caller, connects the new party, and releases the old one', async () => {
    await succeeds(
      attended,
      `
mocks: { bridge: { ${ALICE}: answer }, transfer: { ${BOB}: { answer_after: 4s, talk: 10s } } }
script: ${talkThenMove}, { hear: hold_music }, { talks_with: ${BOB} }]
expect:
  outcomes: { move: transferred }
  talked_with: [${ALICE}, ${BOB}]
  parties: { ${ALICE}: { ended: 16, talked_with: [caller] }, ${BOB}: { talked_with: [caller] } }
`,
    );
  });

  it.each(['busy', 'no_answer', 'declined', 'unreachable'])(
    'attended, the new party is %s: returns the caller to the old one',
    async (how) => {
      await succeeds(
        attended,
        `
mocks: { bridge: { ${ALICE}: { talk: 60s } }, transfer: { ${BOB}: ${how} } }
script: ${talkThenMove}, { talks_with: ${ALICE} }]
expect: { outcomes: { move: returned }, talked_with: [${ALICE}], path: [connect, move, returned] }
`,
      );
    },
  );

  it('blind: releases the old party at once, the caller hears it ring', async () => {
    await succeeds(
      blind,
      `
mocks: { bridge: { ${ALICE}: answer }, transfer: { ${BOB}: { answer_after: 4s, talk: 10s } } }
script: ${talkThenMove}, { hear: ringing }, { talks_with: ${BOB} }]
expect: { outcomes: { move: transferred }, talked_with: [${ALICE}, ${BOB}] }
`,
    );
  });

  it.each(['busy', 'no_answer', 'declined', 'unreachable'])(
    'blind: routes the outcome of a party that is %s',
    async (how) => {
      await succeeds(
        blind,
        `
mocks: { bridge: { ${ALICE}: answer }, transfer: { ${BOB}: ${how} } }
script: ${talkThenMove}]
expect: { outcomes: { move: failed.${how} }, path: [connect, move, failed] }
`,
      );
    },
  );

  it("refer: makes the caller's own phone call the target", async () => {
    await succeeds(
      refer,
      `
mocks: { bridge: { ${ALICE}: answer } }
script: ${talkThenMove}]
expect: { outcomes: { move: transferred }, dialled: [${ALICE}], parties: { ${ALICE}: { ended: 16 } } }
`,
    );
  });

  it('refer: keeps the two together if the phone refuses', async () => {
    await succeeds(
      refer,
      `
call: { on_refer: 603 }
mocks: { bridge: { ${ALICE}: { talk: 60s } } }
script: ${talkThenMove}, { talks_with: ${ALICE} }]
expect: { outcomes: { move: returned } }
`,
    );
  });

  it('refer: handles a phone that hangs up instead', async () => {
    await succeeds(
      refer,
      `
call: { on_refer: hang_up }
mocks: { bridge: { ${ALICE}: answer } }
script: ${talkThenMove}]
expect: { outcomes: { move: hangup }, ended: hangup }
`,
    );
  });

  it('dials like a bridge if no party is connected', async () => {
    const alone = `
flow: test
start: move
steps:
  move: { transfer: { to: ${BOB} }, ${EXITS} }
  transferred: { hangup: normal }
  returned: { hangup: normal }
  failed: { hangup: failure }
`;
    await succeeds(
      alone,
      `
mocks: { transfer: { ${BOB}: { answer_after: 2s, talk: 3s } } }
expect: { outcomes: { move: transferred }, duration: 5s }
`,
    );
    await succeeds(alone, `mocks: { transfer: { ${BOB}: busy } }\nexpect: { outcomes: { move: failed.busy } }`);
  });
});

describe('transfer by REST', () => {
  const mocks = (bob: string) => `mocks: { bridge: { ${ALICE}: { talk: 60s } }, transfer: { ${BOB}: ${bob} } }`;

  it('connects the caller with another party within the bridge', async () => {
    await succeeds(
      attended,
      `
${mocks('{ answer_after: 2s, talk: 10s }')}
script: [{ talks_with: ${ALICE} }, { wait: 5s }, { command: { transfer: { to: ${BOB} } } }, { talks_with: ${BOB} }]
expect: { outcomes: { connect: completed }, bridged_with: [${ALICE}, ${BOB}], talked_with: [${ALICE}, ${BOB}] }
`,
    );
  });

  it('returns the call if the new party is busy', async () => {
    await succeeds(
      attended,
      `
${mocks('busy')}
script: [{ talks_with: ${ALICE} }, { command: { transfer: { to: ${BOB} } } }, { wait: 1s }, { talks_with: ${ALICE} }]
expect: { outcomes: { connect: completed }, talked_with: [${ALICE}], duration: 60s }
`,
    );
  });

  it('is refused without a bridge', async () => {
    await succeeds(
      attended,
      `
mocks: { bridge: { ${ALICE}: no_answer } }
script: [{ wait: 2s }, { command: { transfer: { to: ${BOB} }, refused: not_bridged } }]
expect: { outcomes: { connect: failed.no_answer } }
`,
    );
  });
});

describe('transfer by phones', () => {
  it('blind, by the party: connects the caller with the party that answers', async () => {
    await succeeds(
      attended,
      `
mocks: { bridge: { ${ALICE}: { answer_after: 1s, refers_to: ${BOB}, refers_after: 10s }, ${BOB}: { answer_after: 2s, talk: 20s } } }
expect: { outcomes: { connect: completed }, talked_with: [${ALICE}, ${BOB}], duration: 33s }
`,
    );
  });

  it('to a busy number, by the party: continues the conversation', async () => {
    await succeeds(
      attended,
      `
mocks: { bridge: { ${ALICE}: { talk: 30s }, ${BOB}: busy } }
script: [{ talks_with: ${ALICE} }, { party: { ${ALICE}: [{ refer: ${BOB} }, { wait: 1s }, { talks_with: caller }] } }]
expect: { outcomes: { connect: completed }, talked_with: [${ALICE}], duration: 30s }
`,
    );
  });

  it('attended, by the party: connects the other call of the party with this caller', async () => {
    const consultation = `
flow: consultation
start: connect
steps:
  connect: { bridge: { to: ${BOB} }, exits: { completed: bye, failed: bye, error: bye } }
  bye: { hangup: normal }
`;
    await succeeds(
      attended,
      `
callers: { consulting: { from: "user:alice", to: ${BOB}, flow: consultation } }
mocks: { bridge: { ${ALICE}: answer, ${BOB}: { answer_after: 2s } } }
script:
  - talks_with: ${ALICE}
  - wait: 3s
  - party: { ${ALICE}: { hold: true } }
  - hear: hold_music
  - call: consulting
  - party: { consulting: { talks_with: ${BOB} } }
  - wait: 5s
  - party: { ${ALICE}: { refer: { to: ${BOB}, replaces: consulting } } }
  - talks_with: ${BOB}
  - party: { ${BOB}: { talks_with: caller } }
  - wait: 10s
  - party: { ${BOB}: hang_up }
expect:
  outcomes: { connect: completed }
  talked_with: [${ALICE}, ${BOB}]
  parties: { ${ALICE}: { ended: 16 }, consulting: { ended: 16 }, ${BOB}: { talked_with: [consulting, caller] } }
`,
      [consultation],
    );
  });

  it('makes the phone of the party call, and ends the caller, if the caller asks for it', async () => {
    await succeeds(
      attended,
      `
mocks: { bridge: { ${ALICE}: answer } }
script: [{ talks_with: ${ALICE} }, { refer: ${BOB} }]
expect: { parties: { ${ALICE}: { ended: 16 } }, dialled: [${ALICE}] }
`,
    );
  });
});

describe('hold', () => {
  it('plays music to the caller by REST, then restores the conversation', async () => {
    await succeeds(
      attended,
      `
mocks: { bridge: { ${ALICE}: { talk: 60s } } }
script:
  - talks_with: ${ALICE}
  - wait: 2s
  - command: { hold: true }
  - hear: hold_music
  - wait: 5s
  - command: { hold: false }
  - talks_with: ${ALICE}
expect: { outcomes: { connect: completed }, duration: 60s, dead_air: { max: 4s } }
`,
    );
  });

  it('holds and resumes the party by the verbs', async () => {
    await succeeds(
      `
flow: test
start: hold_on
steps:
  hold_on: { hold: { music: { tone: 440, duration: 1s } }, next: wait }
  wait: { pause: 5s, next: back }
  back: { resume: {}, next: bye }
  bye: { hangup: normal }
`,
      'expect: { path: [hold_on, wait, back, bye], duration: 5s, dead_air: { max: 0s } }',
    );
  });

  it('leaves the party on hold on an interrupt, and resume reconnects it', async () => {
    await succeeds(
      attended
        .replace('dtmf.9: move', 'dtmf.9: tell')
        .replace(
          '  talked:',
          '  tell: { play: { prompt: { text: One moment } }, exits: { done: back, error: failed } }\n  back: { resume: {}, next: talked }\n  talked:',
        ),
      `
mocks: { bridge: { ${ALICE}: { talk: 30s } } }
script:
  - talks_with: ${ALICE}
  - press: "9"
  - hear: One moment
  - party: { ${ALICE}: [{ hear: hold_music }, { talks_with: caller }] }
  - talks_with: ${ALICE}
expect: { outcomes: { back: done }, talked_with: [${ALICE}], duration: 30s }
`,
    );
  });
});
