/** The files through which a digit passes to the next prompt, measured in the started service (`npm run walks`). */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Walk, walkOfDigit } from '../walks/walk.ts';

/** The files in order, from the packet of the digit to the first packet of the prompt. */
const PATH = [
  // The media thread finds the key press.
  'media/telephony/media/system-datagrams.ts',
  'media/telephony/media/leg-sockets.ts',
  'media/telephony/media/worker.ts',
  'media/telephony/media/leg-media.ts',
  // The engine reports it to the host.
  'media/telephony/media/thread-events.ts',
  'media/telephony/media/media-thread.ts',
  'media/telephony/media/media-leg.ts',
  'media/telephony/sip/leg-audio.ts',
  'media/telephony/sip/sip-legs.ts',
  // The run of the call decides.
  'service/runtime/supervisor.ts',
  'service/runtime/call-run.ts',
  'service/runtime/input-handler.ts',
  'service/runtime/flow-executions.ts',
  'service/runtime/flow-execution.ts',
  'verbs/menu/step.ts',
  'verbs/menu/choice.ts',
  'language/steps/ask.ts',
  'service/runtime/step-leg.ts',
  'service/runtime/legs.ts',
  // The decision is written.
  'service/runtime/call-transaction.ts',
  'service/store/write-buffer.ts',
  'service/store/sqlite/call-store.ts',
  'service/store/sqlite/group-commit.ts',
  'service/store/sqlite/transaction.ts',
  // The command reaches the media thread, which sends the prompt.
  'media/telephony/sip/call-leg.ts',
  'media/telephony/leg-commands.ts',
  'media/telephony/media/media.ts',
  'media/telephony/media/leg-plays.ts',
  'media/telephony/media/thread-commands.ts',
  'media/telephony/media/leg-output.ts',
  'media/telephony/media/timer-wheel.ts',
  'media/telephony/media/rtp-sender.ts',
];
/** Includes the sockets and the message queues of media threads, which replace slower ones of Node. */
const MAX_FILES = 32;
const MAX_RELAYS = 3;

describe('the walk of a digit to the next prompt', () => {
  let walk: Walk;

  beforeAll(async () => {
    walk = await walkOfDigit();
  });

  it('passes through at most 32 files, which are all known', () => {
    const files = walk.passed.map(({ file }) => file);
    expect(files.filter((file) => !PATH.includes(file))).toEqual([]);
    expect(PATH.filter((file) => !files.includes(file))).toEqual([]);
    expect(PATH.length).toBeLessThanOrEqual(MAX_FILES);
  });

  it('has at most three relays, which decide nothing', () => {
    const relays = walk.passed.flatMap(({ file, isRelay }) => (isRelay ? [file] : []));
    expect(relays.length, relays.join(', ')).toBeLessThanOrEqual(MAX_RELAYS);
  });

  it('runs the files that the README names for it', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const [, part = ''] = /The path of a key press[\s\S]*?\n\n([\s\S]*?)\n\n/.exec(readme) ?? [];
    const named = [...part.matchAll(/\]\(src\/([^)]+\.ts)\)/g)].map(([, file]) => file!);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((file) => !PATH.includes(file) && !walk.asked.includes(file))).toEqual([]);
  });
});
