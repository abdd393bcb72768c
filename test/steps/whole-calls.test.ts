/** Verbs with several parties on simulated lines: real runs, real media rules, virtual time. */
import { describe, it } from 'vitest';
import { succeeds } from '../scenarios/rehearse.ts';

const flow = (steps: string, head = ''): string => `
flow: test
${head}
start: first
defaults: { exits: { error: broken } }
steps:
${steps}
  sorry: { play: Nobody is there, next: bye }
  broken: { hangup: failure }
  bye: { hangup: normal }
`;

const bridge = (args: string, more = '') =>
  flow(`  first: { bridge: ${args}, exits: { completed: bye, failed: sorry${more} } }`);

describe('bridge', () => {
  it('connects two parties, and continues when one leaves', async () => {
    await succeeds(
      bridge('"+441"'),
      `
mocks: { bridge: { "+441": { ring_after: 500ms, answer_after: 4s, talk: 30s } } }
expect:
  outcomes: { first: completed }
  talked_with: ["+441"]
  bridged_with: ["+441"]
  ended: { reason: completed, cause: 16 }
  parties: { "+441": { talked_with: [caller] } }
`,
    );
  });

  it.each(['busy', 'no_answer', 'declined', 'unreachable'])('continues if the party is %s', async (what) => {
    await succeeds(
      bridge('{ to: "+441", ring_timeout: 10s }'),
      `
mocks: { bridge: { "+441": ${what} } }
script: [{ hear: Nobody }]
expect: { outcomes: { first: failed.${what} } }
`,
    );
  });

  it('plays the announcement of a party that does not answer', async () => {
    await succeeds(
      flow(`
  first: { answer: {}, next: call }
  call: { bridge: { to: "+441", ring_timeout: 8s }, exits: { completed: bye, failed: sorry } }`),
      `
mocks: { bridge: { "+441": { early_media: 1s, no_answer: true } } }
script: [{ hear: ringing }, { talks_with: "+441" }, { hear: Nobody }]
expect: { outcomes: { call: failed.no_answer }, talked_with: ["+441"] }
`,
    );
  });

  it('connects humans, not machines', async () => {
    await succeeds(
      bridge('{ to: [["+441", "+442"]], detect_machine: true }', ', machine: sorry'),
      `
mocks:
  bridge:
    "+441": { answer_after: 1s, is: machine, greeting: 10s }
    "+442": { answer_after: 3s, talk: 20s }
expect: { outcomes: { first: completed }, talked_with: ["+442"] }
`,
    );
  });

  it('hangs up all ringing parties when the caller hangs up', async () => {
    await succeeds(
      bridge('[["+441", "+442"]]'),
      `
mocks: { bridge: { "+441": no_answer, "+442": no_answer } }
script: [{ wait: 3s }, hang_up]
expect: { path: [first], ended: hangup, parties: { "+441": { ended: 16 }, "+442": { ended: 16 } } }
`,
    );
  });

  it('plays music while the other side holds', async () => {
    await succeeds(
      bridge('{ to: "+441", hold_music: "Please hold the line" }'),
      `
mocks: { bridge: { "+441": { talk: 60s } } }
script:
  - talks_with: "+441"
  - party: { "+441": [{ wait: 2s }, { hold: true }] }
  - hear: Please hold
  - party: { "+441": [{ wait: 2s }, { hold: false }] }
  - talks_with: "+441"
  - hang_up
expect: { ended: hangup }
`,
    );
  });
});

describe('transfer', () => {
  it('connects the caller with the new party, by a phone', async () => {
    await succeeds(
      bridge('"+441"'),
      `
mocks:
  bridge:
    "+441": { refers_to: "+442" }
    "+442": { answer_after: 3s, talk: 20s }
script: [{ talks_with: "+441" }, { hear: hold_music }, { talks_with: "+442" }]
expect: { outcomes: { first: completed }, talked_with: ["+441", "+442"] }
`,
    );
  });

  it('returns the caller from a busy party, by a phone', async () => {
    await succeeds(
      bridge('"+441"'),
      `
mocks:
  bridge:
    "+441": { talk: 60s }
    "+442": { busy_after: 2s }
script:
  - talks_with: "+441"
  - party: { "+441": [{ wait: 1s }, { refer: { to: "+442", stays: true } }] }
  - hear: hold_music
  - wait: 10s
  - talks_with: "+441"
  - hang_up
expect: { dialled: ["+441", "+442"], talked_with: ["+441"], ended: hangup, duration: { min: 10s } }
`,
    );
  });

  it('is attended or blind by REST', async () => {
    await succeeds(
      bridge('"+441"'),
      `
mocks:
  bridge: { "+441": { talk: 600s } }
  transfer:
    "+442": { answer_after: 2s, talk: 600s }
    "+443": { answer_after: 2s, talk: 10s }
script:
  - talks_with: "+441"
  - command: { transfer: { to: "+442" } }
  - hear: hold_music
  - talks_with: "+442"
  - command: { transfer: { to: "+443", mode: blind } }
  - hear: ringing
  - talks_with: "+443"
expect:
  outcomes: { first: completed }
  parties: { "+441": { heard: [ringing], ended: 16 }, "+442": { ended: 16 } }
`,
    );
  });

  it('connects the caller with another party after an interrupt', async () => {
    await succeeds(
      flow(
        `
  first: { bridge: "+441", exits: { completed: bye, failed: sorry } }
  move: { transfer: { to: "+442", music: "One moment please" }, exits: { transferred: bye, returned: bye, failed: sorry } }`,
        'events: { event.move: move }',
      ),
      `
mocks:
  bridge: { "+441": { talk: 60s } }
  transfer: { "+442": { answer_after: 3s, talk: 20s } }
script:
  - talks_with: "+441"
  - command: { event: { name: move } }
  - hear: One moment
  - talks_with: "+442"
expect: { outcomes: { first: $event.move, move: transferred }, bridged_with: ["+441", "+442"] }
`,
    );
  });

  it('ends the call if the phone of the caller does it', async () => {
    await succeeds(
      flow(
        '  first: { transfer: { to: "+442", mode: refer }, exits: { transferred: bye, returned: bye, failed: sorry } }',
      ),
      `
call: { on_refer: accept }
expect: { outcomes: { first: transferred } }
`,
    );
  });

  it('fails if the phone of the caller refuses', async () => {
    await succeeds(
      flow(
        '  first: { transfer: { to: "+442", mode: refer }, exits: { transferred: bye, returned: bye, failed: sorry } }',
      ),
      `
call: { on_refer: 486 }
script: [{ hear: Nobody }]
expect: { outcomes: { first: failed.busy } }
`,
    );
  });
});

describe('hold and resume', () => {
  it('interrupts a conversation and continues it', async () => {
    await succeeds(
      flow(
        `
  first: { bridge: "+441", exits: { completed: bye, failed: sorry } }
  look: { play: We are looking it up, next: back }
  back: { resume: {}, next: bye }`,
        'events: { event.look: look }',
      ),
      `
mocks: { bridge: { "+441": { talk: 60s } } }
script:
  - talks_with: "+441"
  - command: { event: { name: look } }
  - hear: We are looking
  - talks_with: "+441"
expect:
  path: [first, look, back, bye]
  talked_with: ["+441"]
  outcomes: { back: done }
  parties: { "+441": { heard: [hold_music] } }
`,
    );
  });

  it('holds the caller with music', async () => {
    await succeeds(
      flow('  first: { hold: {}, next: wait }\n  wait: { pause: 10s, next: back }\n  back: { resume: {}, next: bye }'),
      `
script: [{ hear: hold_music }]
expect: { path: [first, wait, back, bye] }
`,
    );
  });
});

describe('speech', () => {
  const menu = flow(`
  first:
    menu:
      prompt: { text: What can I do for you today my friend }
      choices: { sales: { dtmf: "1", say: [sales] }, help: { say: [help me] } }
      attempts: 2
      start_timeout: 3s
      no_match: [{ text: Pardon }]
      no_input: [{ text: Hello }]
    exits: { sales: bye, help: bye, exhausted: sorry }`);

  it('stops the prompt and chooses', async () => {
    await succeeds(
      menu,
      `
script: [{ hear: What can I }, { say: { text: help me, at: 500ms } }]
expect: { outcomes: { first: help }, duration: { max: 5s } }
`,
    );
  });

  it('is asked for again when it is not understood, then is exhausted by silence', async () => {
    await succeeds(
      menu,
      `
script: [{ hear: What can I }, { say: bananas }, { hear: Pardon }, silence, { hear: Nobody }]
expect: { outcomes: { first: exhausted.no_input } }
`,
    );
  });

  it('does not prevent keys', async () => {
    await succeeds(
      menu,
      `
script: [{ hear: What can I }, { press: { digits: "1", at: 300ms } }]
expect: { outcomes: { first: sales } }
`,
    );
  });
});

describe('detect_machine', () => {
  it.each([
    ['human', 'human'],
    ['{ is: machine, greeting: 6s, beep_after: 1s }', 'beep'],
    ['{ is: machine, greeting: 6s }', 'machine'],
    ['fax', 'fax'],
    ['silent', 'unknown'],
  ])('finds for a callee %s the outcome %s', async (callee, outcome) => {
    await succeeds(
      flow(
        '  first: { detect_machine: { await_beep: 10s }, exits: { human: bye, machine: bye, beep: bye, fax: bye, unknown: bye } }',
      ),
      `
call: { direction: outbound, callee: ${callee} }
expect: { outcomes: { first: ${outcome} } }
`,
    );
  });
});

describe('beside the steps', () => {
  it('keeps a recording of two sides active through a bridge', async () => {
    await succeeds(
      flow(`
  first: { recording: { action: start, name: order-7 }, exits: { started: talk, failed: broken } }
  talk: { bridge: "+441", exits: { completed: stop, failed: sorry } }
  stop: { recording: stop, exits: { done: bye, failed: broken } }`),
      `
mocks: { bridge: { "+441": { talk: 10s } } }
expect: { recordings: [{ name: order-7, state: completed }] }
`,
    );
  });

  it('sends a stream until it is stopped', async () => {
    await succeeds(
      flow(`
  first: { stream: { action: start, url: "wss://a.example/x" }, exits: { started: talk, failed: broken } }
  talk: { play: Good morning to you, next: stop }
  stop: { stream: stop, exits: { done: bye, failed: broken } }`),
      `
expect: { path: [first, talk, stop, bye], streams: [{ state: stream_stopped, frames: { min: 50 } }] }
`,
    );
  });

  it('leaves a call with the receiver of a stream until that closes it', async () => {
    await succeeds(
      flow(`
  first: { stream: { action: start, url: "wss://a.example/x", wait: true }, exits: { done: thanks, failed: broken } }
  thanks: { play: Thank you for calling, next: bye }`),
      `
mocks: { stream: { closes_after: 40s } }
expect: { path: [first, thanks, bye], streams: [{ state: stream_stopped, frames: { min: 4000, max: 4000 } }] }
`,
    );
  });

  it('reports a failed stream when the receiver does not accept it', async () => {
    await succeeds(
      flow('  first: { stream: { action: start, url: "wss://a.example/x" }, exits: { started: broken, failed: bye } }'),
      `
mocks: { stream: refuse }
expect: { outcomes: { first: failed } }
`,
    );
  });

  it('sends a transcript as events, and masks it in the journal', async () => {
    await succeeds(
      flow(`
  first: { answer: {}, next: start }
  start: { transcribe: { action: start }, exits: { started: wait, failed: broken } }
  wait: { pause: 10s, next: bye }`),
      `
script: [{ say: { text: the secret is out, after: 1s } }]
expect: { transcripts: [inbound], never: { trace_contains: secret is out } }
`,
    );
  });
});

describe('flows beside each other', () => {
  it('speaks and works at the same time', async () => {
    const branch = (name: string, steps: string) =>
      `flow: ${name}\nstart: first\ndefaults: { exits: { error: $end } }\nsteps:\n${steps}\n`;
    await succeeds(
      flow('  first: { parallel: { branches: { say: says, wait: waits } }, next: bye }'),
      `
script: [{ hear: Good morning }]
expect: { visits: { out: 1 }, duration: 5s }
`,
      [
        branch('says', '  first: { play: Good morning, next: $end }'),
        branch('waits', '  first: { pause: 5s, next: out }\n  out: { return: found }'),
      ],
    );
  });
});
