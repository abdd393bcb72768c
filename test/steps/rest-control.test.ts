/** Calls without a flow of their own: the built-in flow that REST commands control. */
import { readFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { succeeds } from '../scenarios/rehearse.ts';

const CONTROL = readFileSync(new URL('../../flows/builtin/rest-control.flow.yaml', import.meta.url), 'utf8');

describe('a call under REST control', () => {
  it.each([
    ['play', '{ play: { prompt: Good morning } }', 'script: [{ hear: Good morning }, { wait: 5s }]', 'first_play'],
    [
      'collect',
      '{ collect: { prompt: Your number please, digits: { length: 1 }, attempts: 1 } }',
      'script: [{ hear: Your number }, { press: "5" }]',
      'first_collect',
    ],
    [
      'bridge',
      '{ bridge: { to: "+441", bridge_id: b1 } }',
      'mocks: { bridge: { "+441": { talk: 5s } } }\nscript: [{ talks_with: "+441" }, { wait: 6s }]',
      'first_bridge',
    ],
    ['conference', '{ conference: { name: weekly } }', 'script: [{ hear: hold_music }]', 'first_conference'],
    ['join_room', '{ join_room: { room_id: r1 } }', 'rooms: [{ room_id: r1 }]\nscript: [{ wait: 5s }]', 'first_room'],
  ])('begins with the verb %s', async (verb, input, story, step) => {
    const leads = verb === 'conference' || verb === 'join_room' ? '' : ', ready';
    await succeeds(
      CONTROL,
      `
call: { direction: outbound }
input: ${input}
${story.replace(/\]$/, ', hang_up]')}
expect: { path: [first, ${step}${leads}], ended: hangup }
`,
    );
  });

  it('is bridged, transferred, and then under control again', async () => {
    await succeeds(
      CONTROL,
      `
call: { direction: outbound }
mocks:
  bridge: { "+441": { talk: 600s } }
  transfer: { "+442": { talk: 10s } }
script:
  - wait: 1s
  - command: { transfer: { to: "+442" }, refused: not_bridged }
  - command: { bridge: { to: "+441" } }
  - talks_with: "+441"
  - command: { play: { prompt: Not now please }, refused: bridged }
  - command: { recording: start }
  - command: { transfer: { to: "+442" } }
  - talks_with: "+442"
  - wait: 12s
  - command: { play: { prompt: Good morning } }
  - hear: Good morning
  - hang_up
expect:
  path: [first, ready, bridge, ready, play]
  dialled: ["+441", "+442"]
  recordings: [{ state: completed }]
`,
    );
  });

  it.each([
    ['busy', 'busy'],
    ['unreachable', 'unreachable'],
    ['no_answer', 'no_answer'],
  ])('waits for the next command when a bridge fails (%s)', async (what, word) => {
    await succeeds(
      CONTROL,
      `
call: { direction: outbound }
mocks: { bridge: { "+441": ${what} } }
script: [{ wait: 1s }, { command: { bridge: { to: "+441", ring_timeout: 5s } } }, { wait: 10s }, hang_up]
expect: { path: [first, ready, bridge, ready], outcomes: { bridge: failed.${word} } }
`,
    );
  });

  it('joins a conference and leaves it', async () => {
    await succeeds(
      CONTROL,
      `
call: { direction: outbound }
rooms: [{ room_id: r1, pin: "4711" }]
script:
  - wait: 1s
  - command: { conference: { name: weekly, leave_key: "#" } }
  - hear: hold_music
  - press: { digits: "#", at: 1s }
  - wait: 1s
  - command: { join_room: { room_id: r1, pin: "1" } }
  - wait: 1s
  - hang_up
expect: { path: [first, ready, conference, ready, room, ready], outcomes: { conference: left, room: denied } }
`,
    );
  });

  it('ends a prompt, a conference or a room for the next command', async () => {
    await succeeds(
      CONTROL,
      `
call: { direction: outbound }
input: { collect: { prompt: Your number please, digits: { length: 9 }, attempts: 1 } }
mocks: { bridge: { "+441": { talk: 5s } } }
rooms: [{ room_id: r1 }]
script:
  - hear: Your number
  - command: { conference: { name: weekly } }
  - hear: hold_music
  - command: { play: { prompt: Not here }, refused: in_conference }
  - press: { digits: "55", at: 1s }
  - wait: 2s
  - command: { join_room: { room_id: r1 } }
  - wait: 1s
  - command: { bridge: { to: "+441" } }
  - talks_with: "+441"
  - wait: 6s
  - command: { play: { prompt: Good morning to all of you } }
  - hear: Good morning
  - command: { bridge: { to: "+441" } }
  - talks_with: "+441"
  - wait: 6s
  - command: { play: { prompt: Good morning again } }
  - hear: Good morning again
  - command: stop_play
  - command: { stop_play: {}, refused: not_playing }
  - hang_up
expect:
  path: [first, first_collect, ready, conference, ready, room, ready, bridge, ready, play, ready, bridge, ready, play, ready]
  outcomes: { first_collect: error, conference: left, room: left }
`,
    );
  });

  it.each([
    ['at once', '0ms', '0s', 'first, first_play, ready, bye'],
    ['for as long as it is told', '10s', '10s', 'first, first_play, ready, bye'],
  ])('waits for the next command %s, and then ends', async (_, timeout, wait, path) => {
    await succeeds(
      CONTROL,
      `
call: { direction: outbound }
input: { play: { prompt: Good morning }, idle_timeout: ${timeout} }
script: [{ hear: Good morning }, { wait: ${wait} }]
expect: { path: [${path}], ended: completed }
`,
    );
  });

  it('waits again after each command', async () => {
    await succeeds(
      CONTROL,
      `
call: { direction: outbound }
input: { idle_timeout: 5s }
script:
  - wait: 4s
  - command: { play: { prompt: Good morning } }
  - hear: Good morning
  - wait: 4s
  - command: { play: { prompt: Good evening } }
  - hear: Good evening
expect: { path: [first, ready, play, ready, play, ready, bye], ended: completed }
`,
    );
  });

  it.each([
    ['hangs up', ', hang_up', 'hangup'],
    ['stays', '', 'completed'],
  ])('has the answer to the first question as output, when the caller %s', async (_, act, ended) => {
    await succeeds(
      CONTROL,
      `
call: { direction: outbound }
input: { collect: { prompt: Press one, digits: { length: 1 }, attempts: 1 }, idle_timeout: 20s }
script: [{ hear: Press one }, { press: "1" }, { wait: 2s }${act}]
expect: { output: { digits: "1" }, ended: ${ended} }
`,
    );
  });
});
