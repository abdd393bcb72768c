/** Parts of SIP messages that are masked before they are stored or sent, and parts that stay. */
import { describe, expect, it } from 'vitest';
import { createSipMask } from '../../../src/service/observers/sip/mask.ts';
import { cpuTimeMs } from '../../cpu-time.ts';
import { inviteText, sipText } from './messages.ts';

const mask = createSipMask(['X-Account-Key']);
const header = (line: string): string => {
  const [, found] = /CSeq: 1 INVITE\r\n([\s\S]*?)\r\nContent-Length/.exec(mask(inviteText('c', [line])))!;
  return found!;
};

describe('headers', () => {
  it.each([
    [
      'Authorization: Digest username="alice", realm="callweave", nonce="n1", uri="sip:x", response="0123456789abcdef", cnonce="c9", qop=auth',
      'Authorization: Digest username="alice", realm="callweave", nonce="n1", uri="sip:x", response="***", cnonce="***", qop=auth',
    ],
    [
      'proxy-authorization:Digest response = abcdef,username=bob',
      'proxy-authorization:Digest response = "***",username=bob',
    ],
    [
      'Authorization: Digest username="a",\r\n response="0123"',
      'Authorization: Digest username="a",\r\n response="***"',
    ],
    ['Authorization: Basic YWxpY2U6c2VjcmV0', 'Authorization: Basic ***'],
    ['Authorization: Bearer abc.def.ghi', 'Authorization: Bearer ***'],
    ['Authentication-Info: rspauth="0123", nextnonce="n2"', 'Authentication-Info: rspauth="***", nextnonce="n2"'],
    ['x-account-KEY : 12345\r\n 67890', 'x-account-KEY : ***'],
    ['Contact: <sip:alice:secret@192.0.2.50>', 'Contact: <sip:alice:***@192.0.2.50>'],
    ['X-Other: 12345', 'X-Other: 12345'],
    ['WWW-Authenticate: Digest realm="r", nonce="n"', 'WWW-Authenticate: Digest realm="r", nonce="n"'],
  ])('masks the header %s', (line, masked) => {
    expect(header(line)).toBe(masked);
  });
});

describe('bodies', () => {
  const bodyOf = (text: string) => text.slice(text.indexOf('\r\n\r\n') + 4);

  it('hides the keys of encrypted audio, and keeps their length', () => {
    const body = [
      'v=0',
      'k=clear:topsecret',
      'm=audio 4000 RTP/SAVP 0',
      'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz|2^20|1:4 FEC_ORDER=FEC_SRTP',
      'a=crypto:2 AES_CM_128_HMAC_SHA1_32 inline:c2Vjb25k',
      'a=ice-pwd:aaaabbbbccccddddeeeeff',
      '',
    ].join('\r\n');
    const masked = mask(inviteText('c', ['Content-Type: application/sdp'], body));
    expect(masked).toHaveLength(inviteText('c', ['Content-Type: application/sdp'], body).length);
    expect(bodyOf(masked).split('\r\n')).toEqual([
      'v=0',
      `k=${'*'.repeat(15)}`,
      'm=audio 4000 RTP/SAVP 0',
      `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${'*'.repeat(40)}|2^20|1:4 FEC_ORDER=FEC_SRTP`,
      `a=crypto:2 AES_CM_128_HMAC_SHA1_32 inline:${'*'.repeat(8)}`,
      `a=ice-pwd:${'*'.repeat(22)}`,
      '',
    ]);
  });

  it.each([
    ['application/dtmf-relay', 'Signal=7\r\nDuration=160\r\n', 'Signal=*\r\nDuration=160\r\n'],
    ['application/dtmf-relay', 'signal = 12\nDuration=160\n', 'signal = **\nDuration=160\n'],
    ['application/dtmf', '4', '*'],
    ['application/vnd.nortelnetworks.digits', 'p=Digit-Collection\r\nd=4711#', 'p=*igit-*olle*tion\r\n*=*****'],
  ])('hides pressed keys in INFO, %s', (type, body, masked) => {
    expect(bodyOf(mask(sipText(['INFO sip:x SIP/2.0', 'Call-ID: c', `Content-Type: ${type}`], body)))).toBe(masked);
  });

  it('hides no digits elsewhere', () => {
    const text = inviteText('c', [], 'm=audio 4000 RTP/AVP 0\r\n');
    expect(mask(text)).toBe(text);
  });
});

it('takes time that grows no faster than the message, whatever it says', () => {
  const hostile = inviteText(
    'c',
    [`Contact: ${'sip:'.repeat(4000)}`, `Authorization: Digest ${'response='.repeat(3000)}`],
    'a=crypto:1 x '.repeat(3000),
  );
  const begun = cpuTimeMs();
  mask(hostile);
  expect(cpuTimeMs() - begun).toBeLessThan(500);
});
