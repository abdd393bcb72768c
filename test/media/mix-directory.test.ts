import { describe, expect, it } from 'vitest';
import { MixDirectory } from '../../src/media/telephony/media/mix-directory.ts';

describe('the threads of a mix', () => {
  it('learns about other threads when there are two, and when only one is left', () => {
    const told: string[] = [];
    const directory = new MixDirectory<{ number: number }>((thread, mixId, peers) =>
      told.push(`${thread.number} ${mixId} ${peers.map(({ peer, legs }) => `${peer}:${legs}`).join(' ')}`),
    );
    const [one, two] = [{ number: 1 }, { number: 2 }];
    directory.join({ mediaId: 'a', thread: one }, 'm');
    directory.join({ mediaId: 'b', thread: one }, 'm');
    expect(told.splice(0)).toEqual([]);
    directory.join({ mediaId: 'c', thread: two }, 'm');
    expect(told.splice(0)).toEqual(['1 m 2:1', '2 m 1:2']);
    directory.join({ mediaId: 'c', thread: two }, 'm');
    expect(told.splice(0)).toEqual([]);
    directory.leave('a');
    expect(told.splice(0)).toEqual(['1 m 2:1', '2 m 1:1']);
    directory.join({ mediaId: 'c', thread: two }, 'other');
    directory.leave('nobody');
    expect(told).toEqual(['1 m ']);
  });
});
