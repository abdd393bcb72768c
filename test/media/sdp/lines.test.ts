import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { candidateLines, candidatesOf, iceLines, iceOf } from '../../../src/media/toolbox/sdp/ice.ts';
import {
  attributeOf,
  attributesOf,
  connectionLine,
  directionOf,
  formatParametersOf,
  hasFlag,
  headerExtensionsOf,
  isRejected,
  mediaLineOf,
  rtpMapLine,
  rtpMapsOf,
  sectionsOf,
  sessionLines,
  textOf,
  valuesOf,
} from '../../../src/media/toolbox/sdp/lines.ts';

const TEXT = textOf([
  ...[...sessionLines(3, 4, '192.0.2.1'), connectionLine('2001:db8::1'), 't=0 0', 'a=sendonly'],
  ...['m=audio 4000 RTP/AVP 0 101', 'a=rtpmap:0 PCMU/8000', 'a=rtpmap:101 telephone-event/8000', 'a=fmtp:101 0-15'],
  ...['m=video 0 UDP/TLS/RTP/SAVPF 96', 'a=mid:v', 'a=bundle-only', 'a=rtcp-mux', 'a=inactive'],
]);

describe('a section of SDP', () => {
  it.each(['\r\n', '\n', '\r'])('begins with an m-line, whatever ends the lines: %j', (end) => {
    const { session, media } = sectionsOf(TEXT.replaceAll('\r\n', end));
    expect(session).toEqual(['v=0', 'o=- 3 4 IN IP4 192.0.2.1', 's=-', 'c=IN IP6 2001:db8::1', 't=0 0', 'a=sendonly']);
    expect(media.map(([first]) => first)).toEqual(['m=audio 4000 RTP/AVP 0 101', 'm=video 0 UDP/TLS/RTP/SAVPF 96']);
  });

  it.each([
    ['m=audio 4000 RTP/AVP 0 8', { kind: 'audio', port: 4000, protocol: 'RTP/AVP', formats: '0 8' }],
    [
      'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
      { kind: 'application', port: 9, formats: 'webrtc-datachannel' },
    ],
    ['m=audio 4000/2 RTP/AVP 0', undefined],
    ['m=audio 123456 RTP/AVP 0', undefined],
    ['m=audio 04000 RTP/AVP 0', undefined],
    ['m=audio -1 RTP/AVP 0', undefined],
    ['m=audio 4000 RTP/AVP ', undefined],
    ['m=audio 4000 RTP/AVP', undefined],
    ['m=audio', undefined],
    [`m=${'a'.repeat(33)} 4000 RTP/AVP 0`, undefined],
    ['a=audio 4000 RTP/AVP 0', undefined],
  ])('has its m-line %j read as %o', (line, expected) => {
    if (expected) expect(mediaLineOf([line])).toMatchObject(expected);
    else expect(mediaLineOf([line])).toBeUndefined();
  });

  it('has no m-line if it is empty', () => {
    expect(mediaLineOf([])).toBeUndefined();
    expect(isRejected([])).toBe(false);
  });

  it.each([
    [['m=audio 0 RTP/AVP 0'], true],
    [['m=audio 0 RTP/AVP 0', 'a=bundle-only'], false],
    [['m=audio 0 RTP/AVP 0', 'a=bundle-only-not'], true],
    [['m=audio 9 RTP/AVP 0'], false],
  ])('tells whether the lines %j reject it: %s', (section, rejected) => {
    expect(isRejected(section)).toBe(rejected);
  });
});

describe('a reader of attributes of SDP', () => {
  it.each([
    [['a=sendonly'], 'sendonly'],
    [['a=sendonly '], 'sendonly'],
    [['a=sendonly', 'a=recvonly'], 'recvonly'],
    [['a=sendonlyish'], undefined],
    [['b=sendonly', 'a=mid:sendonly'], undefined],
  ])('takes from %j the direction %s', (section, expected) => {
    expect(directionOf(section)).toBe(expected);
  });

  it('finds them by their whole name', () => {
    const section = ['a=rtcp:9', 'a=rtcp-mux ', 'a=rtcp-fb:96 nack', 'a=mid:0 ', 'c=IN IP4 192.0.2.1'];
    expect(attributesOf(section, 'rtcp')).toEqual(['9']);
    expect([hasFlag(section, 'rtcp-mux'), hasFlag(section, 'rtcp'), hasFlag(section, 'rtcp-m')]).toEqual([
      ...[true, false, false],
    ]);
    expect([attributeOf(section, 'mid'), attributeOf(section, 'none')]).toEqual(['0', undefined]);
    expect(valuesOf(section, 'c')).toEqual(['IN IP4 192.0.2.1']);
  });

  it.each([
    ['0 PCMU/8000', { payloadType: 0, encoding: 'PCMU', clockRate: 8000 }],
    ['111 opus/48000/2', { payloadType: 111, encoding: 'opus', clockRate: 48_000, channels: 2 }],
    ['8 PCMA /8000', { payloadType: 8, encoding: 'PCMA', clockRate: 8000 }],
    ['101 telephone-event', { payloadType: 101, encoding: 'telephone-event', clockRate: 0 }],
    ['1000 PCMU/8000', undefined],
    ['PCMU/8000', undefined],
    ['', undefined],
  ])('maps a format by the line %j', (value, expected) => {
    expect(rtpMapsOf([`a=rtpmap:${value}`])).toEqual(expected ? [expected] : []);
    if (expected?.clockRate && !value.includes(' /')) expect(rtpMapLine(expected)).toBe(`a=rtpmap:${value}`);
  });

  it('gives the parameters of one format', () => {
    const section = ['a=fmtp:10 x=1', 'a=fmtp:101 0-15 ', 'a=fmtp:1 y=2'];
    expect([1, 10, 101, 0].map((type) => formatParametersOf(section, type))).toEqual(['y=2', 'x=1', '0-15', undefined]);
  });

  it('gives header extensions with their directions', () => {
    const section = ['a=extmap:1 urn:a', 'a=extmap:14/sendonly urn:b config', 'a=extmap:1234 urn:c', 'a=extmap:5'];
    expect(headerExtensionsOf(section)).toEqual([
      { id: 1, direction: undefined, uri: 'urn:a' },
      { id: 14, direction: 'sendonly', uri: 'urn:b' },
    ]);
  });
});

describe('ICE parameters of SDP', () => {
  const ICE = { ufrag: 'abcd', password: 'p'.repeat(22), fingerprint: 'sha-256 AB:CD', setup: 'actpass' };

  it('are read as they were written', () => {
    const candidates = ['candidate:1 1 UDP 1 192.0.2.1 5000 typ host', 'candidate:2 1 UDP 2 192.0.2.2 5000 typ host'];
    const sdp = textOf([...iceLines(ICE, 'actpass'), ...candidateLines(candidates)]);
    expect(iceOf(sdp)).toEqual(ICE);
    expect(candidatesOf(sdp)).toEqual(candidates);
  });

  it.each(['ice-ufrag', 'ice-pwd', 'fingerprint', 'setup'])('are missing without %s', (name) => {
    const lines = iceLines(ICE, 'actpass').filter((line) => !line.startsWith(`a=${name}:`));
    expect(iceOf(textOf(lines))).toBeUndefined();
  });

  it.each([
    { ufrag: 'a b' },
    { ufrag: 'x'.repeat(257) },
    { password: '' },
    { fingerprint: 'sha-256' },
    { fingerprint: 'sha-256 AB CD' },
    { setup: 'holdconn' },
  ])('are rejected with %j', (change) => {
    const changed = { ...ICE, ...change };
    expect(iceOf(textOf(iceLines(changed, changed.setup)))).toBeUndefined();
  });
});

it('accepts arbitrary text, and every beginning of a description, without an exception', () => {
  const readAll = (text: string): void => {
    iceOf(text);
    candidatesOf(text);
    const { session, media } = sectionsOf(text);
    for (const section of [session, ...media]) {
      mediaLineOf(section);
      directionOf(section);
      isRejected(section);
      headerExtensionsOf(section);
      for (const { payloadType } of rtpMapsOf(section)) formatParametersOf(section, payloadType);
    }
  };
  for (let length = 0; length <= TEXT.length; length++) readAll(TEXT.slice(0, length));
  const words = fc.constantFrom(
    'm=',
    'a=',
    'rtpmap:',
    'extmap:',
    'audio',
    ' ',
    '0',
    '96',
    '/',
    '\r\n',
    '\n',
    'sendrecv',
    'x',
  );
  fc.assert(fc.property(fc.array(fc.oneof(words, fc.string({ maxLength: 5 }))), (parts) => readAll(parts.join(''))));
});
