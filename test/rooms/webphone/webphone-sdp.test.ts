/** SDP of a webphone: the offer and the answer. */
import { describe, expect, it } from 'vitest';
import { readWebphoneOffer, webphoneAnswer } from '../../../src/media/rooms/webphone/webphone-sdp.ts';

const SECURITY = [
  'a=ice-ufrag:O6eX',
  'a=ice-pwd:Cj6Ej+RcCcUb+fyRUkLS9rTu',
  'a=fingerprint:sha-256 4B:6E:16:92:06:9E:2B:26:02:49:BE:01:E1:E5:89:53:51:32:1A:64:23:BF:27:6F:06:46:FD:1E:18:6F:35:53',
  'a=setup:actpass',
];
/** As Chromium writes it. */
const AUDIO = [
  'm=audio 53657 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126',
  'c=IN IP4 192.0.2.2',
  ...SECURITY,
  'a=mid:0',
  'a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level',
  'a=sendrecv',
  'a=rtcp-mux',
  'a=rtpmap:111 opus/48000/2',
  'a=rtpmap:0 PCMU/8000',
  'a=rtpmap:110 telephone-event/48000',
  'a=rtpmap:126 telephone-event/8000',
];
const VIDEO = ['m=video 9 UDP/TLS/RTP/SAVPF 96', 'a=mid:1', 'a=sendrecv', 'a=rtpmap:96 VP8/90000'];
const HEAD = ['v=0', 'o=- 7 2 IN IP4 127.0.0.1', 's=-', 't=0 0', 'a=group:BUNDLE 0'];
const sdp = (...lines: readonly string[][]): string => `${[HEAD, ...lines].flat().join('\r\n')}\r\n`;
const changed = (from: string | RegExp, to: string): string => sdp(AUDIO).replace(from, to);

const OURS = {
  ice: { ufrag: 'ours', password: 'a-password-of-ours-00000', fingerprint: 'sha-256 AA:BB', setup: 'active' },
  setup: 'active',
  candidates: ['candidate:1 1 UDP 2114977791 127.0.0.1 22000 typ host'],
};
const answerTo = (offer: string): string[] => {
  const read = readWebphoneOffer(offer);
  if (typeof read === 'string') throw new Error(read);
  return webphoneAnswer(read, OURS).split('\r\n');
};

describe('the offer of a webphone', () => {
  it('is answered with PCMU and telephone events of 8000 Hz, and nothing else', () => {
    const answer = answerTo(sdp(AUDIO));
    expect(answer.filter((line) => /^(m|a=rtpmap|a=extmap)/.test(line))).toEqual([
      'm=audio 9 UDP/TLS/RTP/SAVPF 0 126',
      'a=rtpmap:0 PCMU/8000',
      'a=rtpmap:126 telephone-event/8000',
    ]);
    expect(answer).toEqual(expect.arrayContaining(['a=group:BUNDLE 0', 'a=sendrecv', 'a=setup:active']));
  });

  it('keeps the positions of other lines, which are refused', () => {
    const answer = answerTo(sdp(VIDEO, AUDIO));
    expect(answer.filter((line) => line.startsWith('m='))).toEqual([
      'm=video 0 UDP/TLS/RTP/SAVPF 0',
      'm=audio 9 UDP/TLS/RTP/SAVPF 0 126',
    ]);
    expect(answer).toContain('a=group:BUNDLE 0');
  });

  it.each([
    ['sendrecv', 'sendrecv'],
    ['sendonly', 'recvonly'],
    ['recvonly', 'sendonly'],
  ])('is answered for %s with %s', (direction, answered) => {
    expect(answerTo(changed('a=sendrecv', `a=${direction}`))).toContain(`a=${answered}`);
  });

  it('is accepted without telephone events', () => {
    expect(answerTo(changed(/a=rtpmap:126.*\r\n/, ''))).toContain('m=audio 9 UDP/TLS/RTP/SAVPF 0');
  });

  it.each([
    ['is empty', '', 'is not SDP'],
    ['is something else', '{"type":"offer"}', 'is not SDP'],
    ['is endless', `v=0\r\n${'a=x\r\n'.repeat(20_000)}`, 'longer than'],
    ['has no DTLS', changed(/a=fingerprint.*\r\n/, ''), 'no ICE and DTLS'],
    ['has no ICE', changed(/a=ice-pwd.*\r\n/, ''), 'no ICE and DTLS'],
    ['has no media', `${HEAD.join('\r\n')}\r\n${SECURITY.join('\r\n')}\r\n`, 'no sound in PCMU'],
    ['has no PCMU', changed(' 9 0 8 ', ' 9 8 '), 'no sound in PCMU'],
    ['has only pictures', sdp([...VIDEO, ...SECURITY]), 'no sound in PCMU'],
    ['is not encrypted', changed('UDP/TLS/RTP/SAVPF', 'RTP/AVP'), 'no sound in PCMU'],
    ['has its sound off', changed('m=audio 53657', 'm=audio 0'), 'no sound in PCMU'],
    ['is inactive', changed('a=sendrecv', 'a=inactive'), 'no sound in PCMU'],
    ['has no name for its line', changed(/a=mid.*\r\n/, ''), 'malformed'],
    ['has very many lines', sdp(AUDIO, ...Array.from({ length: 20 }, () => VIDEO)), 'more than 16'],
  ])('is refused if it %s', (_, offer, words) => {
    expect(readWebphoneOffer(offer)).toContain(words);
  });

  it('passes only names of lines and payload types into the answer', () => {
    const answer = answerTo(changed('a=mid:0', 'a=mid:0\r\na=candidate:evil 1 udp 1 203.0.113.9 9 typ host'));
    expect(answer.join('\n')).not.toContain('evil');
  });
});
