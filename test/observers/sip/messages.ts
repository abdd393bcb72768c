/** SIP messages for tests of those who keep, show and forward them. */
import type { CapturedSip, PassingSip } from '../../../src/base/core/sip-capture.ts';

export const LOCAL = { host: '192.0.2.1', port: 5060 };
export const REMOTE = { host: '192.0.2.50', port: 5062 };

export const sipText = (lines: readonly string[], body = ''): string =>
  `${[...lines, `Content-Length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n${body}`;

export const inviteText = (callId: string, headers: readonly string[] = [], body = ''): string =>
  sipText(
    [
      'INVITE sip:100@192.0.2.1 SIP/2.0',
      'Via: SIP/2.0/UDP 192.0.2.50:5062;branch=z9hG4bK-1;rport',
      'From: <sip:alice@192.0.2.50>;tag=a',
      'To: <sip:100@192.0.2.1>',
      `Call-ID: ${callId}`,
      'CSeq: 1 INVITE',
      ...headers,
    ],
    body,
  );

export const responseText = (callId: string, status: string, method = 'INVITE'): string =>
  sipText([
    `SIP/2.0 ${status}`,
    'Via: SIP/2.0/UDP 192.0.2.50:5062;branch=z9hG4bK-1;rport',
    'From: <sip:alice@192.0.2.50>;tag=a',
    'To: <sip:100@192.0.2.1>;tag=b',
    `Call-ID: ${callId}`,
    `CSeq: 1 ${method}`,
  ]);

export const passing = (callId: string, text: string, more: Partial<PassingSip> = {}): PassingSip => ({
  ...{ direction: 'received', transport: 'udp', local: () => LOCAL, remote: REMOTE },
  ...{ callId, bytes: Buffer.from(text, 'latin1') },
  ...more,
});

export const captured = (text: string, more: Partial<CapturedSip> = {}): CapturedSip => ({
  ...{ atMs: 1_700_000_000_250, direction: 'received', transport: 'udp', local: LOCAL, remote: REMOTE, text },
  ...more,
});
