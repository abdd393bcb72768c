/** Multipart bodies: the session description is found among the other parts (RFC 5621; fixture 10). */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { headerOf } from '../../src/media/telephony/sip/message.ts';
import { extractDescription } from '../../src/media/telephony/sip/message-body.ts';
import { CallIn, type FarEnd, Rig, SDP } from './rig.ts';

const TYPE = 'multipart/mixed;boundary="delim-17"';
const part = (type: string, body: string, disposition = ''): string =>
  `--delim-17\r\nContent-Type: ${type}\r\n${disposition === '' ? '' : `Content-Disposition: ${disposition}\r\n`}\r\n${body}\r\n`;
const bodyOf = (...parts: string[]): string => `${parts.join('')}--delim-17--\r\n`;
const ISUP = part('application/isup; version=itu-t92+', 'a\r\n\r\nb\x00\xff', 'signal; handling=optional');
const DESCRIPTION = part('application/sdp', SDP);

const read = (body: string, type = TYPE) => {
  const message = { headers: { 'content-type': [type] }, body: Buffer.from(body, 'latin1') };
  const reading = extractDescription(message);
  return reading === 'taken' ? message.body.toString('latin1').trimEnd() : reading;
};
const PLAIN = SDP.trimEnd();

describe('a body of several parts', () => {
  it.each([
    ['the description first', bodyOf(DESCRIPTION, ISUP), PLAIN],
    ['the description last', bodyOf(ISUP, DESCRIPTION), PLAIN],
    ['a preamble and an epilogue', `to old readers\r\n${bodyOf(DESCRIPTION)}more`, PLAIN],
    ['no end', bodyOf(DESCRIPTION).replace('--delim-17--', ''), PLAIN],
    ['a folded header', bodyOf(part('application/sdp', SDP, 'session;\r\n handling=required')), PLAIN],
    [
      'base64',
      bodyOf(part('application/sdp\r\nContent-Transfer-Encoding: base64', Buffer.from(SDP).toString('base64'))),
      PLAIN,
    ],
    [
      'an early session beside it',
      bodyOf(part('application/sdp', 'v=1', 'early-session; handling=optional'), DESCRIPTION),
      PLAIN,
    ],
    ['optional parts alone', bodyOf(ISUP), ''],
    ['a part that must be understood', bodyOf(DESCRIPTION, part('application/isup', 'x')), 'unsupported'],
    ['no parts', 'hello', 'malformed'],
    ['seventeen parts', bodyOf(...Array.from({ length: 17 }, () => ISUP)), 'malformed'],
    [
      'parts in a part',
      bodyOf(
        part(
          'multipart/alternative;boundary=in',
          `--in\r\nContent-Type: text/plain\r\n\r\nx\r\n--in\r\nContent-Type: application/sdp\r\n\r\n${SDP}\r\n--in--`,
        ),
      ),
      PLAIN,
    ],
  ])('reads a body with %s', (_name, body, expected) => {
    expect(read(body)).toBe(expected);
  });

  it('is malformed without a boundary, and unchanged if it has one part', () => {
    expect(read(bodyOf(DESCRIPTION), 'multipart/mixed')).toBe('malformed');
    expect(read(SDP, 'application/sdp')).toBe(PLAIN);
  });
});

describe('a call', () => {
  let rig: Rig;
  let far: FarEnd;
  beforeEach(async () => {
    rig = await new Rig({ allowSipUris: ['192.0.2.50'] }).start();
    far = rig.far(5062);
  });
  afterEach(() => rig.finish());
  const invite = async (body: string) => {
    new CallIn(far).invite({ headers: [`Content-Type: ${TYPE}`], body });
    await rig.settle();
  };

  it('is accepted with several parts', async () => {
    const fixture = readFileSync(new URL('../fixtures/field/10-multipart-invite.sip', import.meta.url), 'utf8');
    const body = fixture
      .slice(fixture.indexOf('--delim-17'), fixture.indexOf('expected:'))
      .replaceAll(/\r?\n/g, '\r\n');
    rig.onIncoming = ({ legId }) => rig.engine.send(legId, { type: 'answer' });
    await invite(body.replaceAll('127.0.0.1', '192.0.2.50'));
    expect(far.response(200).body.toString()).toContain('m=audio 20002 RTP/AVP 0');
    expect(rig.media.remote('leg-1')).toMatchObject({ host: '192.0.2.50', port: 30000 });
  });

  it.each([
    [bodyOf(DESCRIPTION, part('application/isup', 'x')), 415],
    ['hello', 400],
  ])('rejects the body %j with its status', async (body, status) => {
    await invite(body);
    expect(far.log).toEqual([`${status} INVITE`]);
    if (status === 415) expect(headerOf(far.response(415), 'accept')).toBe('application/sdp, multipart/mixed');
  });

  it('is answered with several parts, if it is outgoing', async () => {
    rig.engine.dial({ legId: 'leg-1', from: '100', to: 'sip:bob@192.0.2.50:5062', ringTimeoutMs: 30_000 });
    await rig.settle();
    const request = far.request('INVITE');
    far.send(
      [
        'SIP/2.0 200 OK',
        `Via: ${headerOf(request, 'via')}`,
        `From: ${headerOf(request, 'from')}`,
        `To: ${headerOf(request, 'to')};tag=far`,
        `Call-ID: ${request.callId}`,
        `CSeq: ${request.cseq.number} INVITE`,
        'Contact: <sip:bob@192.0.2.50:5062>',
        `Content-Type: ${TYPE}`,
      ],
      bodyOf(ISUP.replace('\xff', ''), DESCRIPTION),
    );
    await rig.settle();
    expect(rig.types()).toEqual(['answered']);
    expect(rig.media.remote('leg-1')).toMatchObject({ port: 4000 });
  });
});
