/** Offers as browsers write them (`offers/`: Firefox ESR 153 with `max-bundle`, and the form of Safari 17). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseOffer } from '../../../src/media/rooms/embedded/offered-media.ts';
import { answerTo } from '../../../src/media/rooms/embedded/sdp.ts';
import { readWebphoneOffer, webphoneAnswer } from '../../../src/media/rooms/webphone/webphone-sdp.ts';
import { iceOf } from '../../../src/media/toolbox/sdp/ice.ts';

const offerOf = (browser: string): string =>
  readFileSync(new URL(`offers/${browser}.sdp`, import.meta.url), 'utf8').replaceAll('\n', '\r\n');
const OURS = {
  ice: { ufrag: 'ours', password: 'a-password-of-ours-00000', fingerprint: 'sha-256 AA:BB', setup: 'active' },
  setup: 'active',
  candidates: ['candidate:1 1 UDP 2114977791 127.0.0.1 22000 typ host'],
};
const answer = (sdp: string): string => answerTo(parseOffer(sdp), OURS, 1, ({ isOff }) => !isOff);
const sectionsOf = (sdp: string): string[] => sdp.split(/\r\n(?=m=)/).slice(1);

describe('offer of Firefox', () => {
  const offer = offerOf('firefox-153');

  it('accepts a bundle-only line with port 0, which is not a rejection (RFC 8843)', () => {
    expect(offer).toContain('m=video 0 UDP/TLS/RTP/SAVPF');
    expect(iceOf(offer)?.ufrag).toMatch(/^[0-9a-f]{8}$/);
    expect(parseOffer(offer)).toMatchObject([
      { kind: 'audio', mid: '0', payloadType: 109, extensions: { 1: 'level', 3: 'mid' }, isOff: false },
      {
        ...{ kind: 'video', mid: '1', payloadType: 120, rids: ['h', 'm', 'l'], isOff: false },
        extensions: { 3: 'mid', 4: 'sendTime', 9: 'rid' },
      },
    ]);
  });

  it('answers the camera with a real port, in the bundle, and with all layers', () => {
    const [, video = ''] = sectionsOf(answer(offer));
    expect(answer(offer)).toContain('a=group:BUNDLE 0 1\r\n');
    expect(video).toMatch(/^m=video 9 UDP\/TLS\/RTP\/SAVPF 120\r\n/);
    expect(video).toContain('a=recvonly\r\n');
    expect(video).toContain('a=simulcast:recv h;m;l');
    expect(video).not.toContain('bundle-only');
  });

  it('answers an extension that is only sent as one that is only received (RFC 8285)', () => {
    const [, video = ''] = sectionsOf(answer(offer));
    expect(video.match(/^a=extmap:.*$/gm)).toEqual([
      'a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid',
      'a=extmap:9/recvonly urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id',
    ]);
  });

  it('rejects a line with port 0 that is not bundle-only', () => {
    const media = parseOffer(offer.replace('a=bundle-only\r\n', ''));
    expect(media.map(({ isOff }) => isOff)).toEqual([false, true]);
  });

  it('gives a browser phone its audio on a bundle-only line', () => {
    const [head = '', audio = '', video = ''] = offer.split(/\r\n(?=m=)/);
    const bundled = audio.replace('m=audio 9', 'm=audio 0').replace('a=sendonly', 'a=sendrecv\r\na=bundle-only');
    const line = readWebphoneOffer([head, video.trim().replace('m=video 0', 'm=video 9'), bundled, ''].join('\r\n'));
    if (typeof line === 'string') throw new Error(line);
    expect(webphoneAnswer(line, OURS).match(/^m=.*$/gm)).toEqual([
      'm=video 0 UDP/TLS/RTP/SAVPF 0',
      'm=audio 9 UDP/TLS/RTP/SAVPF 0 101',
    ]);
  });
});

describe('offer of Safari', () => {
  it('accepts VP8 under its own payload type, although H.264 comes first', () => {
    const [, video = ''] = sectionsOf(answer(offerOf('safari-17')));
    expect(video).toMatch(/^m=video 9 UDP\/TLS\/RTP\/SAVPF 100\r\n/);
    expect(video).toContain('a=rtpmap:100 VP8/90000');
    expect(video).toContain('a=simulcast:recv h;m;l');
  });
});

describe('refused lines of an offer', () => {
  const offer = [
    ...['v=0', 'm=audio 9 UDP/TLS/RTP/SAVPF 111', 'a=sendonly', 'a=rtpmap:111 opus/48000/2'],
    ...['m=application 9 UDP/DTLS/SCTP webrtc-datachannel', 'a=mid:2', 'a=sctp-port:5000', ''],
  ].join('\r\n');

  it('are answered with their protocol and format, and without a mid if the offer has none', () => {
    expect(answer(offer)).not.toMatch(/^a=mid:\r?$/m);
    expect(sectionsOf(answer(offer)).map((section) => section.match(/^(m|a=mid).*$/gm))).toEqual([
      ['m=audio 0 UDP/TLS/RTP/SAVPF 111'],
      ['m=application 0 UDP/DTLS/SCTP webrtc-datachannel', 'a=mid:2'],
    ]);
  });
});
