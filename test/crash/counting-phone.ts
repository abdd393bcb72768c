/**
 * A phone that answers all calls and counts the calls to each number, the received digits and the prompts. It has its
 * own parser for SIP and RTP.
 */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** One INVITE outside of a dialog, as its phone saw it. */
export interface Rung {
  number: string;
  /** Source address of the INVITE. */
  from: string;
  atMs: number;
  /** Pressed keys, in their order. */
  keys: string;
  /** Number of sounds between silences. */
  prompts: number;
  endedMs?: number;
}

export interface CountingPhone {
  readonly rung: readonly Rung[];
  stop(): void;
}

const KEYS = '0123456789*#ABCD';
const KEY_PAYLOAD = 101;
/** Longer silence separates prompts, in samples of 8 kHz: packets that arrive late on a busy machine make no silence. */
const SILENCE_SAMPLES = 250 * 8;
/** µ-law: lower amplitudes are silence, or noise. */
const isSound = (bytes: Buffer): boolean => bytes.subarray(12).some((byte) => (byte & 0x7f) < 0x60);

export async function startCountingPhone(host: string, port = 5060): Promise<CountingPhone> {
  const rung: Rung[] = [];
  const calls = new Map<string, { seen: Rung; sound: Socket }>();
  const sip = createSocket('udp4').bind(port, host);
  await once(sip, 'listening');

  const listen = async (seen: Rung): Promise<Socket> => {
    const sound = createSocket('udp4').bind(0, host);
    let lastKey = -1;
    /** Source and timestamp of the last packet with sound. */
    let last: { ssrc: number; timestamp: number } | undefined;
    sound.on('message', (bytes: Buffer) => {
      if ((bytes[1]! & 0x7f) === KEY_PAYLOAD) {
        const timestamp = bytes.readUInt32BE(4);
        if (timestamp !== lastKey) seen.keys += KEYS[bytes[12]!] ?? '?';
        lastKey = timestamp;
      } else if (isSound(bytes)) {
        const [timestamp, ssrc] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
        if (last?.ssrc !== ssrc || ((timestamp - last.timestamp) | 0) > SILENCE_SAMPLES) seen.prompts += 1;
        last = { ssrc, timestamp };
      }
    });
    await once(sound, 'listening');
    return sound;
  };

  const invited = async (callId: string, text: string, { address }: RemoteInfo): Promise<number> => {
    const known = calls.get(callId);
    if (known) return known.sound.address().port;
    const number = /^INVITE sip:([^@;]+)@/.exec(text)?.[1] ?? '';
    const seen: Rung = { number, from: address, atMs: Date.now(), keys: '', prompts: 0 };
    rung.push(seen);
    const sound = await listen(seen);
    calls.set(callId, { seen, sound });
    return sound.address().port;
  };

  sip.on('message', (bytes: Buffer, from: RemoteInfo) => {
    const text = bytes.toString();
    const method = /^([A-Z]+) sip:/.exec(text)?.[1];
    const callId = /^Call-ID: *(\S+)/im.exec(text)?.[1] ?? '';
    if (method === undefined || method === 'ACK') return;
    const answer = (status: string, soundPort?: number): void => {
      sip.send(answerTo(text, status, { host, port, soundPort }), from.port, from.address);
    };
    if (method === 'INVITE') {
      void invited(callId, text, from).then((soundPort) => {
        answer('180 Ringing');
        answer('200 OK', soundPort);
      });
      return;
    }
    const call = calls.get(callId);
    if (call && (method === 'BYE' || method === 'CANCEL') && call.seen.endedMs === undefined) {
      call.seen.endedMs = Date.now();
      call.sound.close();
    }
    answer('200 OK');
  });

  return {
    rung,
    stop() {
      sip.close();
      for (const { seen, sound } of calls.values()) if (seen.endedMs === undefined) sound.close();
    },
  };
}

function answerTo(
  request: string,
  status: string,
  { host, port, soundPort }: { host: string; port: number; soundPort: number | undefined },
): string {
  const headers = [...request.matchAll(/^(?:Via|From|Call-ID|CSeq): .*$/gim)].map(([line]) => line);
  const to = /^To: .*$/im.exec(request)?.[0] ?? 'To: <sip:nobody>';
  const sdp = [
    ...['v=0', `o=- 1 1 IN IP4 ${host}`, 's=-', `c=IN IP4 ${host}`, 't=0 0', `m=audio ${soundPort} RTP/AVP 0 101`],
    ...['a=rtpmap:101 telephone-event/8000', 'a=fmtp:101 0-15', ''],
  ].join('\r\n');
  const body = soundPort === undefined ? '' : sdp;
  return [
    ...[`SIP/2.0 ${status}`, ...headers, to.includes(';tag=') ? to : `${to};tag=counting`],
    ...[`Contact: <sip:phone@${host}:${port}>`, ...(body === '' ? [] : ['Content-Type: application/sdp'])],
    ...[`Content-Length: ${body.length}`, '', body],
  ].join('\r\n');
}
