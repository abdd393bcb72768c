import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDescription, readPlainDescription } from '../../src/media/telephony/sip/plain-description.ts';
import { parseDescription } from '../../src/media/telephony/sip/sdp.ts';
import { rounds } from '../rounds.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures');
const text = (...lines: string[]): string => `${lines.join('\r\n')}\r\n`;
const HEAD = ['v=0', 'o=- 20518 1 IN IP4 203.0.113.1', 's=call', 'c=IN IP4 203.0.113.1'];

/** Offers of phones and gateways. */
const USUAL = [
  text(...HEAD, 't=0 0', 'm=audio 4000 RTP/AVP 0 8 101', 'a=rtpmap:0 PCMU/8000', 'a=rtpmap:8 PCMA/8000') +
    text('a=rtpmap:101 telephone-event/8000', 'a=fmtp:101 0-15', 'a=ptime:20', 'a=sendrecv'),
  text(...HEAD, 'b=AS:84', 't=0 0', 'a=X-nat:0', 'm=audio 4000 RTP/AVP 9 96 8 97', 'b=TIAS:64000') +
    text('a=rtpmap:96 opus/48000', 'a=rtpmap:97 telephone-event/8000', 'a=ssrc:1 cname:x', 'a=sendonly'),
  text(...HEAD, 't=0 0', 'm=audio 4000 RTP/AVP 8'),
];

/** Lines that mutations insert: with an effect, without one, repeated, or malformed. */
const LINES = [
  ...['a=rtpmap:0 PCMA/8000', 'a=rtpmap:8 PCMA/16000', 'a=rtpmap:8 pcma/8000', 'a=rtpmap:8 PCMA/8000 ', 'a=rtpmap:x'],
  ...['a=ptime:30', 'a=ptime:35', 'a=ptime:0', 'a=ptime:20.5', 'a=maxptime:40', 'a=rtcp-mux', 'a=rtcp:4001'],
  ...['a=inactive', 'a=recvonly', 'a=sendrecv ', 'a=rtcp-fb:* nack', 'a=silenceSupp:off - - - -', 'a=fmtp:101 0-11'],
  ...[
    'c=IN IP4 198.51.100.7',
    'c=IN IP6 ::1',
    'c=IN IP4 0.0.0.0',
    'c=IN IP4 1.2.3',
    'i=x',
    'k=',
    'm=video 0 RTP/AVP 34',
  ],
  ...[
    'm=audio 0 RTP/AVP 0',
    'm=audio 70000 RTP/AVP 0',
    'm=audio 4 RTP/AVP 0  8',
    'm=audio 4 RTP/SAVP 0',
    'x',
    '',
    'A=x',
  ],
  ...['m=audio 4/2 RTP/AVP 0', 'm=audio 04 RTP/AVP 0', 'm=audio 5 RTP/AVP 128 0', 'm=audio 5 RTP/AVP 0 ', 'v=1', 'o=-'],
];

const seed = fc.oneof({ arbitrary: fc.constantFrom(...USUAL), weight: 4 }, fc.constantFrom(...fixtures()));

/** Bodies of the fixtures that contain a description. */
function fixtures(): string[] {
  const files = ['field', 'sip-torture/msgs4475', 'sip-torture/msgs5118'].flatMap((folder) =>
    readdirSync(join(FIXTURES, folder)).map((name) => join(FIXTURES, folder, name)),
  );
  return files
    .map((file) => readFileSync(file, 'latin1'))
    .map((content) => content.slice(content.indexOf('v=0')))
    .filter((body) => body.startsWith('v=0'));
}

/** One change of a text: a line inserted, removed or repeated, or a character changed. */
const mutation = fc.record({
  kind: fc.constantFrom('insert', 'remove', 'repeat', 'swap', 'character'),
  at: fc.nat(40),
  line: fc.constantFrom(...LINES),
  character: fc.constantFrom(' ', '\r', '\n', '0', '9', 'a', '=', ':', '/', '\u00a0', 'é'),
});

type Mutation = typeof mutation extends fc.Arbitrary<infer One> ? One : never;

function mutated(offer: string, changes: readonly Mutation[]): string {
  let lines = offer.split('\r\n');
  for (const { kind, at, line, character } of changes) {
    const index = at % lines.length;
    const here = lines[index]!;
    if (kind === 'insert') lines.splice(index, 0, line);
    else if (kind === 'remove') lines.splice(index, 1);
    else if (kind === 'repeat') lines.splice(index, 0, here);
    else if (kind === 'swap') lines.splice(index, 2, ...lines.slice(index, index + 2).reverse());
    else lines[index] = here.slice(0, at % (here.length + 1)) + character + here.slice((at % (here.length + 1)) + 1);
    if (lines.length === 0) lines = [''];
  }
  return lines.join('\r\n');
}

describe('reader of plain session descriptions', () => {
  it.each(USUAL)('reads the usual form: %j', (offer) => {
    expect(readPlainDescription(offer)).toEqual(parseDescription(offer, 'optional'));
    expect(readPlainDescription(offer)?.audio).toBeDefined();
  });

  it('agrees with the reader of all forms after random changes', () => {
    let plain = 0;
    fc.assert(
      fc.property(seed, fc.array(mutation, { maxLength: 3 }), (original, changes) => {
        const offer = mutated(original, changes);
        const read = readPlainDescription(offer);
        if (!read) return;
        plain++;
        expect(read).toEqual(parseDescription(offer, 'optional'));
        expect(read).toEqual(parseDescription(offer, 'off'));
      }),
      { numRuns: rounds(5000) },
    );
    expect(plain).toBeGreaterThan(500);
  });

  it('finds no plain stream if encryption is required, also if the text was read before', () => {
    const [offer = ''] = USUAL;
    expect(readDescription(offer, 'optional')?.audio).toBeDefined();
    expect(readDescription(offer, 'required')).toMatchObject({ audioIndex: -1, audio: undefined });
    expect(readDescription(offer, 'off')?.audio).toBeDefined();
  });
});
