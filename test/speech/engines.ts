/** Locations of speech engines for tests, and fake engines. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { installedVoices, SYSTEM_VOICES_DIRECTORY, voicesDirectory } from '../../src/media/speech/pico/voice-data.ts';
import { wavBytes } from '../../src/media/speech/wav.ts';
import { encodeSample } from '../../src/media/toolbox/audio/g711.ts';

/** Directories of `callweave voices fetch` in a clone of the repository, and of the system. */
export const PICO_DIRECTORIES = [voicesDirectory(join(import.meta.dirname, '../../data')), SYSTEM_VOICES_DIRECTORY];
export const hasPicoVoices = installedVoices(PICO_DIRECTORIES).length > 0;

export interface SpokenRequest {
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

export interface FakeTts {
  url: string;
  requests: SpokenRequest[];
  /** Answer to the next requests, in place of audio. */
  answer?:
    | { status: number; headers?: Record<string, string>; body?: string | Uint8Array }
    | 'hang'
    | 'drop'
    | 'endless';
  close(): Promise<void>;
}

/** Answers both protocols with a buzz of the duration of the text. */
export async function startFakeTts(): Promise<FakeTts> {
  const requests: SpokenRequest[] = [];
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>;
      requests.push({ headers: request.headers, body });
      const { answer } = fake;
      if (answer === 'hang') return;
      if (answer === 'drop') {
        response.destroy();
      } else if (answer === 'endless') {
        response.writeHead(200, { 'content-type': 'audio/wav' });
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        };
        response.on('drain', more);
        more();
      } else if (answer) {
        response.writeHead(answer.status, answer.headers).end(answer.body);
      } else {
        const [type, sound] = soundFor(body);
        response.writeHead(200, { 'content-type': type }).end(sound);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const fake: FakeTts = {
    url: `http://127.0.0.1:${port}/v1/audio/speech`,
    requests,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return fake;
}

function soundFor(body: Record<string, unknown>): [type: string, sound: Uint8Array] {
  const text = String(body['text'] ?? body['input'] ?? body['ssml']);
  const rate = Number(body['rate'] ?? body['speed'] ?? 1);
  const format = String(body['format'] ?? body['response_format']);
  const rateHz = body['input'] !== undefined ? 24_000 : Number(body['sample_rate']);
  const samples = buzz(text.length / 14 / rate, rateHz);
  if (format === 'wav') return ['audio/wav', wavBytes(samples, rateHz)];
  if (format === 'ulaw') return ['audio/basic', Uint8Array.from(samples, (sample) => encodeSample(sample, 'PCMU'))];
  return ['audio/pcm', new Uint8Array(samples.buffer)];
}

/** 150 Hz with overtones, in syllables of a quarter of a second. */
function buzz(seconds: number, rateHz: number): Int16Array {
  return Int16Array.from({ length: Math.round(seconds * rateHz) }, (_, index) => {
    const at = index / rateHz;
    const tone = [1, 2, 3, 4].reduce(
      (sum, harmonic) => sum + Math.sin(2 * Math.PI * 150 * harmonic * at) / harmonic,
      0,
    );
    return 5000 * Math.abs(Math.sin(4 * Math.PI * at)) * tone;
  });
}
