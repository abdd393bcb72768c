/** Messages to participants about media that are not forwarded. */
import { describe, expect, it } from 'vitest';
import { recordBlocked } from '../../src/media/rooms/blocked-sources.ts';
import { newParticipant } from '../../src/media/rooms/participant.ts';
import type { BlockedSource, ConnectionDirection } from '../../src/media/rooms/sfu.ts';

function rig() {
  const sent: unknown[] = [];
  const events: unknown[] = [];
  const holder = { name: 'Ada', role: 'participant' as const, userRef: 'ada' };
  const link = { send: (message: unknown) => void sent.push(message), close: () => undefined };
  const ada = newParticipant({ ...holder, id: 'ada', resumeKey: 'k', isPhone: false, joinedMs: 0 } as never, link);
  const note = (direction: ConnectionDirection, sources: BlockedSource[]): void =>
    recordBlocked(
      ada,
      { type: 'blocked', participant: 'ada', direction, sources },
      { onEvent: (event) => void events.push(event) },
      () => 'Ben',
    );
  return { sent, events, note };
}

describe('blocked sources', () => {
  it('reports blocked media to the participant with the reason, once, and in the journal', () => {
    const { sent, events, note } = rig();
    const camera: BlockedSource = { source: 'video', reason: 'no_codec' };
    note('send', [camera]);
    note('send', [camera, { source: 'screen', reason: 'not_allowed' }]);
    expect(sent).toEqual([
      {
        ...{ type: 'media', direction: 'send', works: false, source: 'video' },
        message: 'Nobody sees your camera: your browser cannot send VP8, VP9 or H.264. Try another browser.',
      },
      {
        ...{ type: 'media', direction: 'send', works: false, source: 'screen' },
        message: 'Nobody sees your screen: this room does not allow it.',
      },
    ]);
    expect(events).toMatchObject([
      { type: 'blocked', direction: 'send', source: 'video', reason: 'no_codec' },
      { type: 'blocked', direction: 'send', source: 'screen', reason: 'not_allowed' },
    ]);
  });

  it('reports blocked media of others with name and codec, and again when they are forwarded', () => {
    const { sent, note } = rig();
    note('receive', [{ source: 'video', owner: 'ben', reason: 'no_codec', codec: 'H.264' }]);
    note('send', []);
    note('receive', []);
    const about = { type: 'media', direction: 'receive', source: 'video', participant: 'ben' };
    const message = 'You do not see the camera of Ben: your browser cannot show H.264. Try another browser.';
    expect(sent).toEqual([
      { ...about, works: false, message },
      { ...about, works: true },
    ]);
  });
});
