/**
 * One end of a call played by sipp, written step by step in the test and made into a scenario file: each end sends
 * exactly the written messages, whatever the other end does.
 */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type SippRun, startSipp } from './sipp.ts';

/** Values that sipp writes into each message of its side. */
interface Side {
  from: string;
  to: string;
  uri: string;
}

export type Step = (side: Side) => string;

interface Said {
  headers?: readonly string[];
  body?: string;
}

const CALLED = 'sip:[service]@[remote_ip]:[remote_port]';
const CALLER: Side = {
  from: '<sip:[from]@[local_ip]:[local_port]>;tag=[pid]-[call_number]',
  to: `<${CALLED}>[peer_tag_param]`,
  uri: '[next_url]',
};
const CALLERS: Side = { ...CALLER, from: CALLER.from.replace('[from]', '[field0]') };
/** The tag is that of the fork `ours`, which continues. */
const CALLEE: Side = { from: '[$callTo];tag=ours', to: '[$callFrom]', uri: '[next_url]' };
const CONTACT = 'Contact: <sip:sipp@[local_ip]:[local_port]>';
const ALLOW = 'Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, REFER, NOTIFY';

/** A description of sipp's sound; `streamed`: the sound that `speak` sends; `keys`: it may press some (RFC 4733). */
export const sdp = ({ direction = 'sendrecv', version = 1, streamed = false, keys = false } = {}): string =>
  [
    ...['v=0', `o=- 1 ${version} IN IP4 [local_ip]`, 's=-', 'c=IN IP4 [media_ip]', 't=0 0'],
    `m=audio ${streamed ? '[rtpstream_audio_port]' : '[media_port]'} RTP/AVP 0${keys ? ' 101' : ''}`,
    ...(keys ? ['a=rtpmap:101 telephone-event/8000', 'a=fmtp:101 0-15'] : []),
    `a=${direction}`,
  ].join('\n');

const described = ({ headers = [], body = '' }: Said): string[] => [
  ...headers,
  ...(body === '' || headers.some((header) => header.startsWith('Content-Type:'))
    ? []
    : ['Content-Type: application/sdp']),
  'Content-Length: [len]',
  '',
  body,
];

const message = (lines: readonly string[], attributes = ''): string =>
  `<send ${attributes}><![CDATA[\n\n${lines.join('\n')}\n\n]]></send>`;

const branch = (name: string): string => `branch=z9hG4bK-[pid]-[call_number]-${name}`;

/** A request; `of` names the transaction that it belongs to where that is another's (ACK to a refusal, CANCEL). */
export function request(
  method: string,
  { cseq = 1, of = `${method}${cseq}`, uri, to, ...said }: Said & Partial<Side> & { cseq?: number; of?: string } = {},
): Step {
  return (side) =>
    message([
      `${method} ${uri ?? side.uri} SIP/2.0`,
      `Via: SIP/2.0/[transport] [local_ip]:[local_port];${branch(of)}`,
      `From: ${side.from}`,
      `To: ${to ?? side.to}`,
      'Call-ID: [call_id]',
      `CSeq: ${cseq} ${method}`,
      'Max-Forwards: 70',
      CONTACT,
      ...described(said),
    ]);
}

/** The first request of a caller. */
export const invite = ({ cseq = 1, headers = [], body = sdp() }: Said & { cseq?: number } = {}): Step =>
  request('INVITE', {
    cseq,
    headers: [ALLOW, ...headers],
    body,
    uri: CALLED,
    to: `<${CALLED}>`,
  });

/** ACK to a refusal of the INVITE, which belongs to its transaction. */
export const acknowledgesRefusal = (cseq = 1, uri = CALLED): Step => request('ACK', { cseq, of: `INVITE${cseq}`, uri });

/** Gives up the call that it made. */
export const cancels = (): Step => request('CANCEL', { of: 'INVITE1', uri: CALLED, to: `<${CALLED}>` });

interface Awaited {
  /** Additional header of the message. */
  header?: string;
  like?: string;
}

/** Waits for a request. With `keep`, it is stored under a name for a later `respondsTo`. */
export const expects = (method: string, { keep, ...awaited }: Awaited & { keep?: string } = {}): Step => {
  const actions = [check(awaited), keep === undefined ? '' : keeping(keep)];
  const kept = method === 'INVITE' ? ' rrs="true"' : '';
  return () => `<recv request="${method}"${kept}>${action(actions)}</recv>`;
};

/** Waits for a response; responses with a status in `after` may precede it. */
export const receives = (
  status: number,
  { after = [100, 180, 183], auth = false, ...awaited }: Awaited & { after?: readonly number[]; auth?: boolean } = {},
): Step => {
  const before = after.map((one) => `<recv response="${one}" optional="true"/>`).join('');
  // A refusal has no Contact for the dialog.
  const attributes = `${status < 300 ? ' rrs="true"' : ''}${auth ? ' auth="true"' : ''}`;
  return () => `${before}<recv response="${status}"${attributes}>${action([check(awaited)])}</recv>`;
};

const action = (parts: readonly string[]): string =>
  parts.join('') === '' ? '' : `<action>${parts.join('')}</action>`;

let checks = 0;
const check = ({ header, like }: Awaited): string =>
  like === undefined
    ? ''
    : `<ereg regexp="${like}" search_in="hdr" header="${header}:" check_it="true" assign_to="check${++checks}"/>`;

const keeping = (name: string): string =>
  ['Via', 'From', 'To', 'CSeq']
    .map((header) => `<ereg regexp=".*" search_in="hdr" header="${header}:" assign_to="${name}${header}"/>`)
    .join('');

/** Waits for the call. */
export const called = (): Step => expects('INVITE', { keep: 'call' });

/** The same, by a caller who proves to know the password. */
export const calledBy = ({ username, password }: { username: string; password: string }): Step => {
  const proof = `<verifyauth assign_to="proved" username="${username}" password="${password}"/>`;
  const refused = '<nop><action><error message="the proof is wrong"/></action></nop>';
  return () =>
    `<recv request="INVITE" rrs="true">${action([keeping('call'), proof])}</recv>` +
    `<nop test="proved" next="proved"/>${refused}<label id="proved"/>`;
};

/** Answers the call, by the fork of this tag. */
export const responds = (status: number, { tag = 'ours', ...said }: Response = {}): Step =>
  respondsTo('call', status, { ...said, tag: `;tag=${tag}` });

/** `repeats`: the response is retransmitted until the next message arrives (RFC 3261 §13.3.1.4). */
interface Response extends Said {
  tag?: string;
  repeats?: boolean;
}

export const respondsTo =
  (name: string, status: number, { tag = '', headers = [], body = '', repeats = false }: Response = {}): Step =>
  () =>
    message(
      [
        `SIP/2.0 ${status} Whatever`,
        `Via: [$${name}Via]`,
        `From: [$${name}From]`,
        `To: [$${name}To]${tag}`,
        'Call-ID: [call_id]',
        `CSeq: [$${name}CSeq]`,
        // A redirection names another place.
        ...(status < 300 ? [CONTACT] : []),
        ALLOW,
        ...described({ headers, body }),
      ],
      repeats ? 'retrans="500"' : '',
    );

/** Responds to the last received request, within the dialog. */
export const replies =
  (status: number, { headers = [], body = '' }: Said = {}): Step =>
  () =>
    message([
      `SIP/2.0 ${status} Whatever`,
      ...['[last_Via:]', '[last_From:]', '[last_To:]', '[last_Call-ID:]', '[last_CSeq:]'],
      CONTACT,
      ...described({ headers, body }),
    ]);

export const waits =
  (ms: number): Step =>
  () =>
    `<pause milliseconds="${ms}"/>`;

/** Sends sound of a file (raw PCMU) from now on; its description must be `streamed`. */
export const speaks =
  (file: string): Step =>
  () =>
    `<nop><action><exec rtp_stream="${file},-1,0"/></action></nop>`;

/** Expects NOTIFYs about its referral up to the final one, in any number. */
export const isToldTheEnd = (): Step => (side) => {
  const ends = '<ereg regexp="terminated" search_in="hdr" header="Subscription-State:" assign_to="ends"/>';
  const reply = replies(200)(side);
  const again = reply.replace('<send ', '<send next="more" ');
  return `<label id="more"/><recv request="NOTIFY" test="ends" next="told">${action([ends])}</recv>${again}<label id="told"/>${reply}`;
};

/** Presses a key, by RFC 4733; its description must have `keys`. */
export const presses =
  (key: string): Step =>
  () =>
    `<nop><action><exec play_pcap_audio="${KEYS}/dtmf_2833_${key}.pcap"/></action></nop>`;

/** From the package of sipp. */
const KEYS = '/usr/share/sip-tester';

/** Writes a line to the log of sipp (`-trace_logs`): the word, and who was called. */
export const notes = (word: string): Step => {
  const whom = '<ereg regexp="[+0-9]+" search_in="var" variable="callTo" assign_to="whom"/>';
  return () => `<nop><action>${whom}<log message="${word} [$whom]"/></action></nop>`;
};

/** The other side hangs up. */
export const isHungUp = (): Step => (side) => expects('BYE')(side) + replies(200)(side);

export const hangsUp =
  (cseq = 2): Step =>
  (side) =>
    request('BYE', { cseq })(side) + receives(200, { after: [] })(side);

export interface EndOptions {
  /** Address of sipp. */
  address: string;
  port?: number;
  mediaPort?: number;
  /** User part of the From header. */
  from?: string;
  /** How often, ten a second; once when not said. */
  calls?: number;
  /** Caller numbers, one call each, in order. */
  callers?: readonly string[];
  /** Calls a second. */
  rate?: number;
  withinSeconds?: number;
  more?: readonly string[];
}

/** Plays a caller. */
export const playCaller = (
  steps: readonly Step[],
  { target, number, from = 'sipp', ...options }: EndOptions & { target: string; number: string },
): Promise<SippRun> =>
  play(steps, options.callers ? CALLERS : CALLER, {
    target,
    number,
    ...options,
    more: ['-key', 'from', from, ...(options.more ?? [])],
  });

/** Plays a callee once; resolves when it listens. */
export const playCallee = (steps: readonly Step[], options: EndOptions): Promise<SippRun> =>
  play(steps, CALLEE, { target: options.address, number: 'nobody', ...options });

async function play(
  steps: readonly Step[],
  side: Side,
  {
    address,
    port = 5070,
    mediaPort = 16_000,
    callers,
    calls = callers?.length ?? 1,
    rate = 10,
    withinSeconds = 15,
    more = [],
    target,
    number,
  }: EndOptions & { target: string; number: string },
): Promise<SippRun> {
  const scenario = written(steps, side);
  const lines = join(dirname(scenario), 'callers.csv');
  if (callers) writeFileSync(lines, ['SEQUENTIAL', ...callers, ''].join('\n'));
  const inDirectory = (name: string) => join(dirname(scenario), name);
  const traces = [
    '-trace_err',
    '-error_file',
    inDirectory('errors'),
    '-trace_msg',
    '-message_file',
    inDirectory('said'),
  ];
  const run = await startSipp({
    scenario,
    target,
    address,
    number,
    calls,
    rate,
    port,
    mediaPort,
    withinSeconds,
    more: ['-recv_timeout', '8000', ...(callers ? ['-inf', lines] : []), ...more, ...traces],
  });
  const told = (name: string) => (existsSync(inDirectory(name)) ? readFileSync(inDirectory(name), 'utf8') : '');
  return { ...run, ended: run.ended.then((result) => ({ ...result, output: `${told('said')}\n${told('errors')}` })) };
}

/** Scenario file of a callee, in its own directory. */
export const calleeScenario = (steps: readonly Step[]): string => written(steps, CALLEE);

function written(steps: readonly Step[], side: Side): string {
  const body = steps.map((step) => step(side)).join('\n');
  const assigned = [...body.matchAll(/assign_to="(\w+)"/g)].map(([, name]) => name!);
  const reference = assigned.length === 0 ? '' : `<Reference variables="${[...new Set(assigned)].join(',')}"/>`;
  const scenario = join(mkdtempSync(join(tmpdir(), 'callweave-sipp-')), 'scenario.xml');
  writeFileSync(scenario, `<?xml version="1.0"?>\n<scenario name="test">\n${body}\n${reference}\n</scenario>\n`);
  return scenario;
}
