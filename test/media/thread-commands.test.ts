/** Commands to a media thread by a ring in shared memory. */
import { MessageChannel } from 'node:worker_threads';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createRing, RingReader, RingWriter } from '../../src/media/telephony/media/command-ring.ts';
import type { EncodedAudio } from '../../src/media/telephony/media/playback.ts';
import { CommandReader, CommandSender } from '../../src/media/telephony/media/thread-commands.ts';
import type { ThreadLegCommand, WorkerCommand } from '../../src/media/telephony/media/worker-messages.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

describe('a ring', () => {
  it('delivers each text once and in order, and refuses those for which it has no room', () => {
    const act = fc.oneof(
      { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }).map((write) => ({ write })) },
      { weight: 2, arbitrary: fc.constant({ write: undefined }) },
    );
    fc.assert(
      fc.property(fc.array(act, { maxLength: 200, size: 'max' }), (acts) => {
        const shared = createRing(256);
        const [writer, reader] = [new RingWriter(shared), new RingReader(shared)];
        const waiting: string[] = [];
        for (const { write } of acts) {
          if (write === undefined) {
            expect(reader.next()).toBe(waiting.shift());
            continue;
          }
          const length = Math.min(Buffer.byteLength(write), writer.maxLength);
          const text = Buffer.from(write)
            .subarray(0, length)
            .toString('latin1')
            .replace(/[^ -~]/g, '?');
          if (writer.write(text, text.length)) waiting.push(text);
          else expect(waiting.reduce((sum, each) => sum + each.length + 8, text.length + 8)).toBeGreaterThan(128);
        }
        for (const text of waiting) expect(reader.next()).toBe(text);
        expect(reader.next()).toBeUndefined();
      }),
    );
  });

  it('accepts a text of the maximum length whenever it is empty', () => {
    const shared = createRing(256);
    const [writer, reader] = [new RingWriter(shared), new RingReader(shared)];
    for (let count = 0; count < 100; count++) {
      const short = 'x'.repeat(count % 7);
      for (const text of [short, 'y'.repeat(writer.maxLength)]) {
        expect(writer.write(text, text.length)).toBe(true);
        expect(reader.next()).toBe(text);
      }
    }
  });
});

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A sender and a reader with a ring of this many bytes. */
function connection(capacity = 1024) {
  const ring = createRing(capacity);
  const { port1, port2 } = new MessageChannel();
  const received: WorkerCommand[] = [];
  const clock = new VirtualClock(0, 'promises');
  let wakes = 0;
  const sender = new CommandSender({ ring, port: port1, clock, maxKeptBytes: 300, wake: () => wakes++ });
  const reader = new CommandReader({ ring, port: port2 }, (command) => received.push(command));
  closing.push(() => port1.close());
  return { sender, reader, received, clock, wakes: () => wakes };
}

const leg = (command: ThreadLegCommand, mediaId = 'm'): WorkerCommand => ({ type: 'leg', mediaId, command });
const audio = (bytes: number, first = 7): EncodedAudio => ({
  codec: 'PCMU',
  bytes: new Uint8Array(new SharedArrayBuffer(bytes)).fill(first),
  isReusable: true,
});
const play = (...items: EncodedAudio[]) => leg({ type: 'play', playId: 'p', items, repeat: false, complete: true });

describe('the sender of commands to a thread', () => {
  const prompts = [audio(20, 1), audio(120, 2), audio(140, 3), audio(160, 4)];
  const command = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }).map((playId) => leg({ type: 'stop_play', playId })),
    fc.nat(600).map((length) => leg({ type: 'join', mixId: 'x'.repeat(length) })),
    fc.subarray(prompts).map((items) => play(...items)),
    fc.constant(play({ codec: 'PCMA', bytes: new Uint8Array(3) })),
    fc.constant(leg({ type: 'stream_audio', streamId: 's', bytes: Uint8Array.of(1, 2) })),
    fc.constant<WorkerCommand>({ type: 'open', mediaId: 'é', host: '::1', port: 4000 }),
  );

  it('delivers each command once and in order, also while the ring is full', async () => {
    const act = fc.oneof({ weight: 4, arbitrary: command }, { weight: 1, arbitrary: fc.constant('read' as const) });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 60, size: 'max' }), async (acts) => {
        const { sender, reader, received, clock } = connection();
        const sent: WorkerCommand[] = [];
        for (const each of acts) {
          if (each === 'read') {
            reader.read();
            continue;
          }
          sender.send(each);
          sent.push(each);
        }
        for (let rounds = 0; received.length < sent.length && rounds < 100; rounds++) {
          reader.read();
          await clock.advance(5);
        }
        expect(received).toEqual(sent);
      }),
      { numRuns: 60 },
    );
  });

  it('wakes a thread that does not poll, once per turn of the event loop', async () => {
    const { sender, reader, wakes } = connection();
    sender.send(leg({ type: 'leave' }));
    sender.send(leg({ type: 'resume' }));
    expect(wakes()).toBe(0);
    await Promise.resolve();
    expect(wakes()).toBe(1);
    reader.polls = true;
    sender.send(leg({ type: 'leave' }));
    await Promise.resolve();
    expect(wakes()).toBe(1);
  });

  it('shares the memory of a prompt, which is sent once', () => {
    const { sender, reader, received } = connection();
    const prompt = audio(160);
    sender.send(play(prompt));
    sender.send(play(prompt));
    reader.read();
    const [first, second] = received.map((each) =>
      each.type === 'leg' && 'items' in each.command ? each.command.items[0] : undefined,
    );
    expect(second).toBe(first);
    prompt.bytes[0] = 99;
    expect(first!.bytes[0]).toBe(99);
  });
});
