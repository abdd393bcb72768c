/** Each outcome of `bridge`, and the audio of both sides. */
import { describe, expect, it } from 'vitest';
import { rehearse, succeeds } from './rehearse.ts';

const EXITS = [
  'completed: talked',
  'failed.no_answer: rang',
  'failed.busy: busy',
  'failed.declined: declined',
  'failed.unreachable: unreachable',
  'error: broken',
];

const bridge = (args: string, more = ''): string => `
flow: test
start: connect
prompts: { whisper: A call for you, accept: "To take the call, press 1", ringback: { tone: 480, duration: 1s } }
steps:
  connect:
    bridge: { ${args} }
    exits: { ${[...EXITS, ...(more === '' ? [] : [more])].join(', ')} }
  talked: { hangup: normal }
  rang: { hangup: no_answer }
  busy: { hangup: busy }
  declined: { hangup: normal }
  unreachable: { hangup: failure }
  screened: { hangup: normal }
  machine: { hangup: normal }
  broken: { hangup: failure }
`;
const ALICE = '"user:alice"';
const BOB = '"+33144550000"';

describe('a bridge', () => {
  it('rings, connects the parties, and continues when the party has left', async () => {
    const { journal } = await succeeds(
      bridge(`to: ${ALICE}`),
      `
mocks: { bridge: { ${ALICE}: { answer_after: 4s, talk: 90s } } }
script: [{ talks_with: ${ALICE} }]
expect:
  path: [connect, talked]
  outcomes: { connect: completed }
  dialled: [${ALICE}]
  bridged_with: [${ALICE}]
  talked_with: [${ALICE}]
  parties: { ${ALICE}: { talked_with: [caller], heard: [], ended: 16 } }
  dead_air: { max: 0s }
  duration: 94s
`,
    );
    expect(journal.filter(({ kind }) => kind === 'bridge')).toMatchObject([
      { state: 'initiated' },
      { state: 'bridging' },
      { state: 'bridged' },
      { state: 'bridge_disconnected' },
    ]);
    const left = journal.find((entry) => entry.kind === 'left' && entry.step === 'connect');
    expect(left).toMatchObject({ result: { to: 'user:alice', answered: true, duration: 90, cause: 16 } });
  });

  it('rings at a caller who was answered before', async () => {
    await succeeds(
      bridge(`to: ${ALICE}`)
        .replace('start: connect', 'start: greet')
        .replace(
          'steps:',
          'steps:\n  greet: { play: { prompt: { text: Hello }, barge_in: false }, exits: { done: connect, error: broken } }',
        ),
      `
mocks: { bridge: { ${ALICE}: { ring_after: 1s, answer_after: 9s, talk: 3s } } }
script: [{ hear: Hello }, { hear: ringing }]
expect: { heard: [Hello, ringing], talked_with: [${ALICE}], dead_air: { max: 4s } }
`,
    );
  });

  it.each([
    ['no_answer', 'no_answer', 'failed.no_answer', 'rang'],
    ['busy', 'busy', 'failed.busy', 'busy'],
    ['busy, after a while', '{ busy_after: 3s }', 'failed.busy', 'busy'],
    ['declined', 'declined', 'failed.declined', 'declined'],
    ['unreachable', 'unreachable', 'failed.unreachable', 'unreachable'],
    ['refused', '{ sip_status: 404 }', 'failed.unreachable', 'unreachable'],
  ])('fails if the party is %s', async (_how, mock, outcome, step) => {
    await succeeds(
      bridge(`to: ${ALICE}, ring_timeout: 10s`),
      `
mocks: { bridge: { ${ALICE}: ${mock} } }
expect: { outcomes: { connect: ${outcome} }, path: [connect, ${step}], bridged_with: [], talked_with: [] }
`,
    );
  });

  it('rings groups one after the other, their members at once', async () => {
    await succeeds(
      bridge(`to: [[${ALICE}, "user:carol"], ${BOB}], ring_timeout: 20s`),
      `
mocks: { bridge: { ${ALICE}: no_answer, "user:carol": busy, ${BOB}: { answer_after: 4s, talk: 10s } } }
expect:
  outcomes: { connect: completed }
  dialled: [${ALICE}, "user:carol", ${BOB}]
  talked_with: [${BOB}]
  duration: 34s
`,
    );
  });

  it('connects the first party that answers, and releases the others', async () => {
    await succeeds(
      bridge(`to: [[${ALICE}, ${BOB}]]`),
      `
mocks: { bridge: { ${ALICE}: { answer_after: 5s }, ${BOB}: { answer_after: 3s, talk: 5s } } }
expect: { talked_with: [${BOB}], parties: { ${ALICE}: { talked_with: [], heard: [] } }, duration: 8s }
`,
    );
  });

  it('has one of two who answer in the same moment', async () => {
    const { journal } = await succeeds(
      bridge(`to: [[${ALICE}, ${BOB}]]`),
      `
mocks: { bridge: { ${ALICE}: { answer_after: 3s, talk: 5s }, ${BOB}: { answer_after: 3s, talk: 9s } } }
expect: { outcomes: { connect: completed }, duration: 8s }
`,
    );
    const bridged = journal.filter((entry) => entry.kind === 'bridge' && entry.state === 'bridged');
    expect(bridged).toHaveLength(1);
  });

  it('whispers to who answers, while the caller still hears it ring', async () => {
    await succeeds(
      bridge(`to: ${ALICE}, whisper: whisper, ringback: ringback`),
      `
prompts: { whisper: 2s }
mocks: { bridge: { ${ALICE}: { answer_after: 3s, talk: 10s } } }
expect:
  heard: [ringback]
  parties: { ${ALICE}: { heard: [whisper], talked_with: [caller] } }
  dead_air: { max: 0s }
`,
    );
  });

  it.each([
    ['accepts', 'presses: "1"', 'completed'],
    ['presses something else, then accepts', 'presses: ["5", "1"]', 'completed'],
    ['refuses', 'presses: ["5", "5"]', 'failed.screened'],
    ['says nothing', 'answer_after: 0s', 'failed.screened'],
    ['hangs up', 'talk: 1s', 'failed.screened'],
  ])('screens: who answers %s', async (_who, mock, outcome) => {
    await succeeds(
      bridge(
        `to: ${ALICE}, screen: { prompt: accept, accept: "1", timeout: 5s, attempts: 2 }`,
        'failed.screened: screened',
      ),
      `
prompts: { accept: 2s }
mocks: { bridge: { ${ALICE}: { ${mock} } } }
script: [${outcome === 'completed' ? `{ talks_with: ${ALICE} }, { wait: 2s }, hang_up` : ''}]
expect: { outcomes: { connect: ${outcome === 'completed' ? 'hangup' : outcome} } }
`,
    );
  });

  it.each([
    ['a human is connected', 'human', 'completed'],
    ['a machine is not', '{ is: machine, greeting: 5s }', 'machine'],
    ['a fax is not', 'fax', 'machine'],
  ])('tells people from machines: %s', async (_what, mock, outcome) => {
    const talk = outcome === 'completed' ? `[{ talks_with: ${ALICE} }, hang_up]` : '[]';
    await succeeds(
      bridge(`to: ${ALICE}, detect_machine: true`, 'machine: machine'),
      `
mocks: { bridge: { ${ALICE}: ${mock} } }
script: ${talk}
expect: { outcomes: { connect: ${outcome === 'completed' ? 'hangup' : outcome} } }
`,
    );
  });

  it('lets the far end be heard before it answers', async () => {
    await succeeds(
      bridge(`to: ${ALICE}`),
      `
mocks: { bridge: { ${ALICE}: { early_media: 1s, answer_after: 5s, talk: 5s } } }
expect: { heard: [], talked_with: [${ALICE}], duration: 10s, outcomes: { connect: completed } }
`,
    );
  });

  it('answers a call that came in when the party answers', async () => {
    const { journal } = await succeeds(
      bridge(`to: ${ALICE}`),
      `mocks: { bridge: { ${ALICE}: { answer_after: 4s, talk: 6s } } }`,
    );
    const states = journal.filter((entry) => entry.kind === 'state').map(({ state }) => state);
    expect(states).toContain('connected');
    expect(states.at(-1)).toBe('disconnected');
  });

  it('ends the bridge after max_duration', async () => {
    await succeeds(
      bridge(`to: ${ALICE}, max_duration: 1m`),
      `
mocks: { bridge: { ${ALICE}: answer } }
expect: { outcomes: { connect: completed }, duration: 1m, parties: { ${ALICE}: { ended: 16 } } }
`,
    );
  });

  it('records the bridge in two channels', async () => {
    await succeeds(
      bridge(`to: ${ALICE}, record: dual`),
      `
mocks: { bridge: { ${ALICE}: { answer_after: 2s, talk: 30s } } }
expect: { recordings: [{ state: completed, duration: 30s }] }
`,
    );
  });

  it('shows only a number of the project', async () => {
    await succeeds(
      bridge(`to: ${ALICE}, from: "+33199001199"`),
      `
numbers: ["+33199001122"]
mocks: { bridge: {} }
expect: { outcomes: { connect: error }, dialled: [] }
`,
    );
    await succeeds(
      bridge(`to: ${ALICE}, from: "+33199001199"`),
      `
numbers: ["+33199001199"]
mocks: { bridge: { ${ALICE}: { talk: 1s } } }
expect: { outcomes: { connect: completed } }
`,
    );
  });

  it('plays music to the party that the other puts on hold', async () => {
    await succeeds(
      bridge(`to: ${ALICE}`),
      `
mocks: { bridge: { ${ALICE}: answer } }
script:
  - talks_with: ${ALICE}
  - wait: 2s
  - party: { ${ALICE}: { hold: true } }
  - hear: hold_music
  - wait: 3s
  - party: { ${ALICE}: [{ hold: false }, { talks_with: caller }] }
  - talks_with: ${ALICE}
  - hold: true
  - party: { ${ALICE}: { hear: hold_music } }
  - hold: false
  - talks_with: ${ALICE}
  - party: { ${ALICE}: hang_up }
expect: { outcomes: { connect: completed } }
`,
    );
  });

  it('tells a test that does not say what a party does', async () => {
    const report = await rehearse(bridge(`to: ${ALICE}`), 'mocks: { bridge: { "user:alicia": busy } }');
    expect(report.failures).toMatchObject([
      { what: 'the call of user:alice', actual: 'it is missing', place: { file: 'rehearsal.test.yaml', line: 3 } },
    ]);
  });

  it('has one answer for each call, where they are counted', async () => {
    const again = bridge(`to: ${ALICE}`).replace('failed.busy: busy', 'failed.busy: connect');
    await succeeds(
      again,
      `
mocks: { bridge: { ${ALICE}: [busy, busy, { talk: 1s }] } }
expect: { outcomes: { connect: [failed.busy, failed.busy, completed] } }
`,
    );
    const report = await rehearse(again, `mocks: { bridge: { ${ALICE}: [busy] } }`);
    expect(report.failures[0]).toMatchObject({ expected: '1 at most, as there are answers' });
  });
});
