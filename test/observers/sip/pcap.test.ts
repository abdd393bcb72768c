/** Capture files: what Wireshark reads in them. Its tshark is asked where it is installed. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ladderLines, messageLines } from '../../../src/service/observers/sip/ladder.ts';
import { pcapOf } from '../../../src/service/observers/sip/pcap.ts';
import { program } from '../../programs.ts';
import { captured, inviteText, responseText } from './messages.ts';

const V6 = { local: { host: '2001:db8::1', port: 5061 }, remote: { host: 'fe80::5%eth0', port: 40_000 } };
const MESSAGES = [
  captured(inviteText('one@x', [], 'v=0\r\no=- 1 1 IN IP4 192.0.2.50\r\n')),
  captured(responseText('one@x', '488 Not Acceptable Here'), { direction: 'sent', atMs: 1_700_000_000_260 }),
  captured(inviteText('two@x'), { ...V6, transport: 'tls' }),
  captured(responseText('two@x', '200 OK', 'BYE'), { ...V6, transport: 'tls', direction: 'sent' }),
];

it('has Ethernet, IP and UDP around each message, with lengths and times', () => {
  const bytes = pcapOf(MESSAGES.slice(0, 1));
  const { text } = MESSAGES[0]!;
  expect(bytes.readUInt32LE(0)).toBe(0xa1b2c3d4);
  expect([bytes.readUInt32LE(24), bytes.readUInt32LE(28)]).toEqual([1_700_000_000, 250_000]);
  expect(bytes.readUInt32LE(32)).toBe(14 + 20 + 8 + text.length);
  expect(bytes.subarray(-text.length).toString('latin1')).toBe(text);
  expect(pcapOf([])).toHaveLength(24);
});

const tshark = program('tshark');

it.skipIf(tshark.missing)(`is SIP to tshark, over IPv4 and IPv6, also what went by TLS${tshark.why}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-pcap-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'call.pcap');
  writeFileSync(file, pcapOf(MESSAGES));
  const fields = [
    'ip.src',
    'ip.dst',
    'ipv6.src',
    'udp.srcport',
    'udp.dstport',
    'sip.Method',
    'sip.Status-Code',
    'sip.Call-ID',
  ];
  const checks = ['udp.check_checksum:TRUE', 'ip.check_checksum:TRUE'].flatMap((option) => ['-o', option]);
  const shown = [...fields, 'udp.checksum.status', 'ip.checksum.status'].flatMap((field) => ['-e', field]);
  const { stdout, stderr } = spawnSync(
    'tshark',
    ['-r', file, '-T', 'fields', '-E', 'separator=|', ...checks, ...shown],
    {
      encoding: 'utf8',
      env: { ...process.env, HOME: directory },
    },
  );
  expect(stdout.trim().split('\n'), stderr).toEqual([
    '192.0.2.50|192.0.2.1||5062|5060|INVITE||one@x|1|1',
    '192.0.2.1|192.0.2.50||5060|5062||488|one@x|1|1',
    '||fe80::5|40000|5061|INVITE||two@x|1|',
    '||2001:db8::1|5061|40000||200|two@x|1|',
  ]);
});

it('is a ladder for people, then each message, and nothing that moves their cursor', () => {
  expect(ladderLines(MESSAGES.slice(0, 2))).toEqual([
    '    0.000  udp  192.0.2.50:5062 ──▶ 192.0.2.1:5060  INVITE sip:100@192.0.2.1, SDP',
    '    0.010  udp  192.0.2.50:5062 ◀── 192.0.2.1:5060  488 Not Acceptable Here (INVITE)',
  ]);
  expect(ladderLines(MESSAGES.slice(2, 3))[0]).toContain('[fe80::5%eth0]:40000 ──▶ [2001:db8::1]:5061');
  const lines = messageLines([captured('INVITE sip:\u001b[2J SIP/2.0\r\nSubject: Zo\xc3\xab\r\n\r\n')]);
  expect(lines).toEqual([
    '',
    '#1    0.000  received by udp from 192.0.2.50:5062',
    String.raw`INVITE sip:\u001b[2J SIP/2.0`,
    'Subject: Zoë',
  ]);
});
