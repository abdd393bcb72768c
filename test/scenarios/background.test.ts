/** Background activities next to the steps: recordings, streams, transcripts, and detection on the line. */
import { describe, expect, it } from 'vitest';
import { succeeds } from './rehearse.ts';

const ALICE = '"user:alice"';

const flow = (steps: string): string => `
flow: test
start: first
defaults: { exits: { error: broken } }
steps:
${steps}
  bye: { hangup: normal }
  broken: { hangup: failure }
`;
const bridged = flow(`  first: { bridge: { to: ${ALICE} }, exits: { completed: bye, failed: broken } }`);
const bridgedMocks = `mocks: { bridge: { ${ALICE}: { talk: 60s } } }`;

describe('recording', () => {
  it('is started, paused, resumed and stopped by the verb', async () => {
    await succeeds(
      flow(`  first: { answer: {}, next: start }
  start: { recording: { action: start, name: talk }, exits: { started: a, failed: broken } }
  a: { pause: 10s, next: hide }
  hide: { recording: pause, exits: { done: b, failed: broken } }
  b: { pause: 20s, next: show }
  show: { recording: resume, exits: { done: c, failed: broken } }
  c: { pause: 5s, next: stop }
  stop: { recording: stop, exits: { done: bye, failed: broken } }`),
      'expect: { recordings: [{ name: talk, state: completed, duration: 15s }], ended: completed }',
    );
  });

  it('fails without one to stop, and while one is active', async () => {
    await succeeds(
      flow(`  first: { recording: stop, exits: { done: broken, failed: start } }
  start: { recording: start, exits: { started: again, failed: broken } }
  again: { recording: start, exits: { started: broken, failed: bye } }`),
      'expect: { outcomes: { first: failed, again: failed }, path: [first, start, again, bye] }',
    );
  });

  it('lasts until the end of a bridged call, by REST', async () => {
    await succeeds(
      bridged,
      `
${bridgedMocks}
script:
  - talks_with: ${ALICE}
  - wait: 10s
  - command: { recording: { action: start, name: complaint } }
  - command: { recording: start, refused: already_recording }
  - command: { recording: pause }
  - wait: 5s
  - command: { recording: resume }
expect: { recordings: [{ name: complaint, state: completed, duration: 45s }] }
`,
    );
  });

  it('lasts until the end of the bridge, and not longer, by REST', async () => {
    const { journal } = await succeeds(
      bridged
        .replace('completed: bye', 'completed: after')
        .replace('  bye:', '  after: { pause: 10s, next: bye }\n  bye:'),
      `
mocks: { bridge: { ${ALICE}: { talk: 20s } } }
script:
  - talks_with: ${ALICE}
  - wait: 5s
  - command: { recording: start }
  - wait: 20s
  - command: { recording: stop, refused: not_recording }
expect: { recordings: [{ state: completed, duration: 15s }], duration: 30s }
`,
    );
    const told = journal.flatMap((entry) => ('state' in entry ? [entry.state] : []));
    expect(told.slice(-3)).toEqual(['bridge_disconnected', 'completed', 'disconnected']);
  });

  it('is refused by REST on a call that is not bridged, unless the project allows it', async () => {
    const waiting = flow('  first: { play: { prompt: { silence: 10s } }, next: bye }');
    const script = (refused: string) => `script: [{ wait: 1s }, { command: { recording: start${refused} } }]`;
    await succeeds(waiting, `${script(', refused: not_bridged')}\nexpect: { recordings: [] }`);
    await succeeds(
      waiting,
      `strict_bridge_state: false\n${script('')}\nexpect: { recordings: [{ state: completed, duration: 9s }] }`,
    );
  });

  it('refuses what does not fit', async () => {
    await succeeds(
      bridged,
      `
${bridgedMocks}
script:
  - talks_with: ${ALICE}
  - command: { recording: stop, refused: not_recording }
  - command: { stream: stop, refused: not_streaming }
  - command: { play: { prompt: { text: Hello } }, refused: bridged }
`,
    );
  });
});

describe('stream', () => {
  const streaming = flow(`  first: { answer: {}, next: start }
  start: { stream: { action: start, url: "wss://listener.test/" }, exits: { started: talk, failed: refused } }
  talk: { pause: 10s, next: stop }
  stop: { stream: stop, exits: { done: bye, failed: broken } }
  refused: { pause: 1s, next: bye }`);

  it('sends frames until the verb stops it', async () => {
    await succeeds(
      streaming,
      'expect: { streams: [{ state: stream_stopped, url: "wss://listener.test/", frames: { min: 490, max: 1000 } }] }',
    );
  });

  it('is reported as failed if its receiver refuses it', async () => {
    const { journal } = await succeeds(streaming, 'mocks: { stream: refuse }');
    expect(journal.filter(({ kind }) => kind === 'stream').at(-1)).toMatchObject({ state: 'stream_failed' });
  });

  it('ends when its receiver closes it', async () => {
    const { journal } = await succeeds(streaming, 'mocks: { stream: { closes_after: 4s } }');
    const ended = journal.filter((entry) => entry.kind === 'stream').at(-1);
    expect(ended!.atMs - journal[0]!.atMs).toBe(4_000);
  });

  it('is started by REST on a bridged call', async () => {
    await succeeds(
      bridged,
      `
${bridgedMocks}
script:
  - talks_with: ${ALICE}
  - command: { stream: { url: "wss://listener.test/", tracks: [inbound, outbound] } }
  - command: { stream: { url: "wss://listener.test/" }, refused: already_streaming }
  - wait: 2s
  - command: { stream: stop }
expect: { streams: [{ state: stream_stopped, frames: { min: 200, max: 200 } }] }
`,
    );
  });
});

describe('transcribe', () => {
  it('tells what both sides say, and keeps the words out of the book', async () => {
    await succeeds(
      flow(`  first: { transcribe: { action: start, language: en-US, tracks: [inbound, outbound] }, exits: { started: talk, failed: broken } }
  talk: { bridge: { to: ${ALICE} }, exits: { completed: bye, failed: broken } }`),
      `
mocks: { bridge: { ${ALICE}: { talk: 30s, says: [how may I help you] } } }
script: [{ talks_with: ${ALICE} }, { wait: 6s }, { say: my password is swordfish }]
expect: { transcripts: [outbound, inbound], never: { trace_contains: [swordfish, help you] } }
`,
    );
  });
});

describe('detect_machine', () => {
  const detecting = flow(`  first:
    detect_machine: { timeout: 5s, await_beep: 10s }
    exits: { human: human, machine: machine, beep: beep, fax: fax, unknown: unknown }
  human: { hangup: normal }
  machine: { hangup: normal }
  beep: { hangup: normal }
  fax: { hangup: normal }
  unknown: { hangup: normal }`);

  it.each([
    ['human', 'human'],
    ['machine', '{ is: machine, greeting: 5s }'],
    ['beep', '{ is: machine, greeting: 5s, beep_after: 1s }'],
    ['fax', 'fax'],
    ['unknown', 'silent'],
  ])('detects on the line: %s', async (outcome, callee) => {
    await succeeds(
      detecting,
      `call: { direction: outbound, callee: ${callee} }\nexpect: { outcomes: { first: ${outcome} } }`,
    );
  });
});
