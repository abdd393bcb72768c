/**
 * A caller who speaks: real audio over RTP, the built-in recogniser, a menu that branches by speech. Skipped, with the
 * reason, if sipp or the model is not installed.
 */
import { copyFileSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFlite } from '../../src/media/speech/flite/flite.ts';
import { missingFiles, modelsDirectory, voskFiles } from '../../src/media/speech/vosk/model-files.ts';
import { encodeSample } from '../../src/media/toolbox/audio/g711.ts';
import { program } from '../programs.ts';
import { type Service, startService } from './service.ts';
import { sipp } from './sipp.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

const ADDRESS = '127.0.0.140';
const CALLER = '127.0.0.141';
const DATA = join(import.meta.dirname, '../../data');
const SCENARIO = join(import.meta.dirname, 'scenarios/speaks.xml');

const FLOW = `
flow: ask
start: which
defaults: { exits: { error: bye } }
steps:
  which:
    menu:
      prompt: { text: "Sales or support?", voice: female, language: en-US }
      choices:
        sales: { dtmf: "1", say: [sales, "buy something"] }
        support: { dtmf: "2", say: ["customer support", support] }
      attempts: 1
      start_timeout: 6s
      speech: { language: en-US }
    exits: { sales: bye, support: number, exhausted: bye }
  number:
    collect:
      prompt: { text: "Your order number, please.", voice: female, language: en-US }
      speech: { grammar: digits, language: en-US }
      attempts: 1
      start_timeout: 6s
    exits: { collected: told, exhausted: bye }
  told: { notify: { event: order, body: { number: "\${ steps.number.digits }" } }, next: bye }
  bye: { hangup: normal }
`;

const sippProgram = program('sipp');
const modelMissing = missingFiles(voskFiles(modelsDirectory(DATA))) !== undefined;
const why = `${sippProgram.why}${modelMissing ? ' (skipped: the model is not installed, get it with  npm run models)' : ''}`;

describe.skipIf(sippProgram.missing || modelMissing)(`a caller who speaks${why}`, () => {
  let service: Service;
  let receiver: Receiver;

  beforeAll(async () => {
    const directory = mkdtempSync(join(tmpdir(), 'callweave-speech-'));
    mkdirSync(join(directory, 'data'));
    symlinkSync(modelsDirectory(DATA), join(directory, 'data/models'));
    receiver = await startReceiver(ADDRESS, 9075);
    service = await startService({
      directory,
      address: ADDRESS,
      numbers: [{ number: '1000', flow: 'ask', webhook: receiver.url }],
      flows: { 'ask.flow.yaml': FLOW },
    });
  });
  afterAll(async () => {
    const code = await service?.stop();
    await receiver?.stop();
    expect(code ?? 0).toBe(0);
  });

  /** µ-law of these words, with pauses in between, in seconds. */
  const writeSpeech = async (file: string, ...words: (string | number)[]): Promise<void> => {
    const flite = createFlite();
    const bytes: number[] = [];
    for (const word of words) {
      if (typeof word === 'number') {
        for (let at = 0; at < word * 8000; at++) bytes.push(encodeSample(0, 'PCMU'));
        continue;
      }
      const request = { text: word, language: 'en-US', voice: 'male', rate: 1, pitch: 1 } as const;
      for await (const part of flite.synthesize(request, new AbortController().signal)) {
        for (const sample of part) bytes.push(encodeSample(sample, 'PCMU'));
      }
    }
    await flite.stop();
    writeFileSync(file, Uint8Array.from(bytes));
  };

  it('interrupts the prompt by voice, is recognised, and hears a number', { timeout: 60_000 }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'callweave-speaks-'));
    copyFileSync(SCENARIO, join(directory, 'speaks.xml'));
    await writeSpeech(join(directory, 'speech.ulaw'), 1.2, 'Customer support.', 5, 'Four two seven.', 6);
    const scenario = join(directory, 'speaks.xml');
    const call = { scenario, target: service.sip, address: CALLER, number: '1000', calls: 1, rate: 1 };
    const result = await sipp(call);
    expect(result, result.output.slice(-1500)).toMatchObject({ successful: 1, failed: 0 });
    await receiver.until((events) => events.some(({ body }) => body['state'] === 'disconnected'), 'the end');
    const told = receiver.events.map(({ body }) => body);
    expect(told).toContainEqual(expect.objectContaining({ event: 'order', body: { number: '427' } }));
    expect(told.find(({ text }) => text === 'customer support')).toMatchObject({ state: 'recognized' });
    // Transcripts are sent to the application, and never logged.
    expect(service.log()).not.toMatch(/customer support|"427"/);
  });
});
