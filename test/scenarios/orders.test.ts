/** Unlikely orders of events: each has one outcome, and no leg or timer is left. */
import { describe, expect, it } from 'vitest';
import type { ScenarioReport } from '../../src/proof/testkit/scenario-report.ts';
import { succeeds } from './rehearse.ts';

const ALICE = '"user:alice"';
const BOB = '"+33144550000"';

const connect = `
flow: test
start: connect
prompts: { hello: Hello }
steps:
  connect: { bridge: { to: ${ALICE}, ring_timeout: 10s }, exits: { completed: bye, failed: sorry, error: sorry } }
  sorry: { play: { prompt: hello, barge_in: false }, exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;

const legsThat = ({ journal }: ScenarioReport, kind: 'dialled' | 'hangup'): string[] =>
  journal.flatMap((entry) => {
    if (kind === 'dialled') return entry.kind === 'dialled' ? [entry.leg] : [];
    return entry.kind === 'command' && entry.command.type === 'hangup' && entry.leg ? [entry.leg] : [];
  });

/** Expects that every called party has ended. */
function leavesNobody(report: ScenarioReport): void {
  const ended = report.journal.flatMap((entry) =>
    entry.kind === 'in' && entry.input.type === 'leg' && entry.input.leg && entry.input.event.type === 'ended'
      ? [entry.input.leg]
      : [],
  );
  const over = new Set([...ended, ...legsThat(report, 'hangup')]);
  expect(legsThat(report, 'dialled').filter((leg) => !over.has(leg))).toEqual([]);
  expect(report.journal.filter(({ kind }) => kind === 'ended')).toHaveLength(1);
}

describe('the caller hangs up', () => {
  it('stops ringing the party when the caller hangs up', async () => {
    const report = await succeeds(
      connect,
      `
mocks: { bridge: { ${ALICE}: no_answer } }
script: [{ wait: 3s }, hang_up]
expect: { outcomes: { connect: hangup }, ended: hangup, parties: { ${ALICE}: { talked_with: [] } } }
`,
    );
    leavesNobody(report);
  });

  it.each([2_999, 3_000, 3_001])('at %i ms: handles CANCEL and an answer at 3000 that cross', async (atMs) => {
    const report = await succeeds(
      connect,
      `
mocks: { bridge: { ${ALICE}: { answer_after: 3s, talk: 10s } } }
script: [{ wait: ${atMs}ms }, hang_up]
expect: { outcomes: { connect: hangup }, ended: hangup, duration: ${atMs}ms }
`,
    );
    leavesNobody(report);
  });

  it('handles both hang-ups in the same moment', async () => {
    const report = await succeeds(
      connect,
      `
mocks: { bridge: { ${ALICE}: { talk: 5s } } }
script: [{ wait: 5s }, hang_up]
expect: { ended: hangup }
`,
    );
    leavesNobody(report);
  });

  it('ends a ringing transfer when the caller hangs up', async () => {
    const report = await succeeds(
      connect,
      `
mocks: { bridge: { ${ALICE}: answer }, transfer: { ${BOB}: no_answer } }
script: [{ talks_with: ${ALICE} }, { command: { transfer: { to: ${BOB} } } }, { wait: 1s }, hang_up]
expect: { ended: hangup, parties: { ${ALICE}: { ended: 16 } } }
`,
    );
    leavesNobody(report);
  });
});

describe('the party answers', () => {
  it.each([
    [9_999, 'completed'],
    [10_001, 'failed.no_answer'],
  ])('answers %i ms after the call, with a limit of 10000: %s', async (atMs, outcome) => {
    const report = await succeeds(
      connect,
      `
mocks: { bridge: { ${ALICE}: { answer_after: ${atMs}ms, talk: 5s } } }
expect: { outcomes: { connect: ${outcome} } }
`,
    );
    leavesNobody(report);
  });

  it('answers in the tick of its limit, and counts once', async () => {
    const report = await succeeds(
      connect,
      `mocks: { bridge: { ${ALICE}: { answer_after: 10s, talk: 5s } } }\nexpect: { visits: { connect: 1 } }`,
    );
    leavesNobody(report);
  });
});

describe('a digit', () => {
  const ask = `
flow: test
start: ask
prompts: { ask: Please press a key, more: And another }
steps:
  ask: { collect: { prompt: ask, digits: { length: 1 }, start_timeout: 5s, attempts: 1 }, exits: { collected: more, exhausted: bye, error: bye } }
  more: { collect: { prompt: more, digits: { length: 1 }, start_timeout: 5s, attempts: 1 }, exits: { collected: bye, exhausted: bye, error: bye } }
  bye: { hangup: normal }
`;
  it.each([
    ['at the end of the prompt', '{ digits: "5", at: 2s }', 'collected'],
    ['right after the end of the prompt', '{ digits: "5", at: 2001ms }', 'collected'],
    ['just in time', '{ digits: "5", at: 6999ms }', 'collected'],
    ['in the tick of the time-out', '{ digits: "5", at: 7s }', undefined],
  ])('handles a digit %s', async (_when, press, outcome) => {
    const expected = outcome === undefined ? '' : `expect: { outcomes: { ask: ${outcome} } }`;
    const script = `script: [{ hear: ask }, { press: ${press} }]`;
    const report = await succeeds(ask, `prompts: { ask: 2s }\n${script}\n${expected}`);
    expect(report.journal.filter((entry) => entry.kind === 'left' && entry.step === 'ask')).toHaveLength(1);
  });
});

describe('REST', () => {
  it('plays while the call is bridged: refused, also in the moment in which it begins', async () => {
    await succeeds(
      connect,
      `
mocks: { bridge: { ${ALICE}: { answer_after: 3s, talk: 10s } } }
script:
  - talks_with: ${ALICE}
  - command: { play: { prompt: { text: An advertisement } }, refused: bridged }
  - wait: 1s
  - command: { play: { prompt: { text: An advertisement } }, refused: bridged }
  - command: { bridge: { to: ${BOB} }, refused: bridged }
expect: { never: { heard: advertisement }, outcomes: { connect: completed } }
`,
    );
  });

  it('plays a second time while something is heard: refused', async () => {
    await succeeds(
      `
flow: test
start: tell
steps:
  tell: { play: { prompt: { text: A long announcement } }, exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`,
      `
script: [{ hear: A long }, { command: { play: { prompt: { text: Another } }, refused: play_pending } }]
expect: { never: { heard: Another } }
`,
    );
  });

  it('hangs up while it rings at the party', async () => {
    const report = await succeeds(
      connect,
      `
mocks: { bridge: { ${ALICE}: no_answer } }
script: [{ wait: 3s }, { command: hangup }]
expect: { ended: hangup }
`,
    );
    leavesNobody(report);
  });

  it('hangs up in the tick in which the party answers', async () => {
    const report = await succeeds(
      connect,
      `
mocks: { bridge: { ${ALICE}: { answer_after: 3s } } }
script: [{ wait: 3s }, { command: hangup }]
expect: { ended: hangup }
`,
    );
    leavesNobody(report);
  });

  it.each([1_999, 2_000, 2_001])('hangs up at %i ms, when the answer of a webhook arrives at 2000', async (atMs) => {
    const report = await succeeds(
      `
flow: test
start: ask
steps:
  ask: { webhook: { outcomes: [good, bad], timeout: 5s }, exits: { good: sorry, bad: bye, timeout: bye, error: bye } }
  sorry: { play: { prompt: { text: Good news } }, exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`,
      `
mocks: { ask: { after: 2s, body: { outcome: good } } }
script: [{ wait: 10ms }, { wait: ${atMs - 10}ms }, { command: hangup }]
expect: { ended: hangup }
`,
    );
    expect(report.journal.filter(({ kind }) => kind === 'ended')).toHaveLength(1);
  });

  it('holds twice, takes back twice', async () => {
    await succeeds(
      connect,
      `
mocks: { bridge: { ${ALICE}: { talk: 30s } } }
script:
  - talks_with: ${ALICE}
  - wait: 1s
  - command: { hold: true }
  - command: { hold: true }
  - wait: 1s
  - command: { hold: false }
  - command: { hold: false }
  - talks_with: ${ALICE}
expect: { outcomes: { connect: completed }, duration: 30s }
`,
    );
  });

  it('transfers twice: the second while the first rings', async () => {
    const report = await succeeds(
      connect,
      `
mocks: { bridge: { ${ALICE}: { talk: 60s } }, transfer: { ${BOB}: { answer_after: 5s, talk: 5s }, "user:carol": { talk: 5s } } }
script:
  - talks_with: ${ALICE}
  - wait: 1s
  - command: { transfer: { to: ${BOB} } }
  - wait: 1s
  - command: { transfer: { to: "user:carol" }, refused: transferring }
  - talks_with: ${BOB}
expect: { talked_with: [${ALICE}, ${BOB}], dialled: [${ALICE}, ${BOB}] }
`,
    );
    leavesNobody(report);
  });

  it('returns the call after a transfer to a busy party', async () => {
    const report = await succeeds(
      connect,
      `
mocks: { bridge: { ${ALICE}: { talk: 20s } }, transfer: { ${BOB}: { busy_after: 2s } } }
script:
  - talks_with: ${ALICE}
  - wait: 1s
  - command: { transfer: { to: ${BOB} } }
  - hear: hold_music
  - wait: 3s
  - talks_with: ${ALICE}
expect: { outcomes: { connect: completed }, talked_with: [${ALICE}], duration: 20s }
`,
    );
    leavesNobody(report);
  });

  it('transfers while the old party hangs up: the party that answers talks with the caller', async () => {
    const report = await succeeds(
      connect,
      `
mocks: { bridge: { ${ALICE}: { talk: 5s } }, transfer: { ${BOB}: { answer_after: 8s, talk: 5s } } }
script: [{ talks_with: ${ALICE} }, { wait: 4s }, { command: { transfer: { to: ${BOB} } } }, { talks_with: ${BOB} }]
expect: { talked_with: [${ALICE}, ${BOB}] }
`,
    );
    leavesNobody(report);
  });

  it('asks for anything after the end: refused', async () => {
    await succeeds(
      connect,
      `
mocks: { bridge: { ${ALICE}: busy } }
script: [{ hear: hello }, hang_up, { wait: 1ms }, { command: { hold: true, refused: ended } }]
`,
    );
  });
});

describe('parties', () => {
  it('handles members that decline, are busy and answer in one tick', async () => {
    const report = await succeeds(
      connect.replace(`to: ${ALICE}`, `to: [[${ALICE}, ${BOB}, "user:carol"]]`),
      `
mocks: { bridge: { ${ALICE}: { declined_after: 2s }, ${BOB}: { busy_after: 2s }, "user:carol": { answer_after: 2s, talk: 3s } } }
expect: { outcomes: { connect: completed }, talked_with: ["user:carol"] }
`,
    );
    leavesNobody(report);
  });

  it('handles an answer and a hang-up in one tick', async () => {
    const report = await succeeds(
      connect,
      `mocks: { bridge: { ${ALICE}: { answer_after: 2s, talk: 0s } } }\nexpect: { visits: { connect: 1 } }`,
    );
    leavesNobody(report);
  });

  it('stops transfers in a circle', async () => {
    const report = await succeeds(
      connect,
      `
mocks:
  bridge:
    ${ALICE}: { refers_to: ${BOB}, refers_after: 1s, talk: 60s }
    ${BOB}: { refers_to: ${ALICE}, refers_after: 1s, talk: 60s }
expect: { ended: completed, duration: { max: 5m } }
`,
    );
    leavesNobody(report);
  });
});
