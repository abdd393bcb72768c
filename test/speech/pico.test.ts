import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPico } from '../../src/media/speech/pico/pico.ts';
import { picoText } from '../../src/media/speech/pico/pico-text.ts';
import { importVoices, installedVoices, PICO_VOICES, unpackVoices } from '../../src/media/speech/pico/voice-data.ts';
import type { SpeechRequest, Synthesizer } from '../../src/media/speech/synthesizer.ts';
import { synthesizerContract } from '../contracts/speech/synthesizer.ts';
import { hasPicoVoices, PICO_DIRECTORIES } from './engines.ts';
import { medianPitchHz } from './sounds.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pico-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const never = new AbortController().signal;

describe.skipIf(!hasPicoVoices)('pico (needs its voices: callweave voices fetch)', () => {
  const make = () => createPico({ directories: PICO_DIRECTORIES });
  const engine = make();
  afterAll(() => engine.stop());
  for (const { name, run, stops } of synthesizerContract) {
    it(name, () => (stops ? run(make) : run(() => engine, true)));
  }

  const speak = async (by: Synthesizer, more: Partial<SpeechRequest> = {}): Promise<Int16Array> => {
    const request = {
      text: 'Guten Tag, wie geht es Ihnen heute?',
      language: 'de-DE',
      voice: 'female',
      rate: 1,
      pitch: 1,
      ...more,
    } as const;
    const samples: number[] = [];
    for await (const chunk of by.synthesize(request, never)) samples.push(...chunk);
    return Int16Array.from(samples);
  };

  it('speaks the written form of each language', async () => {
    const texts: Record<string, string> = {
      'de-DE': 'Schöne Grüße aus München, das macht 12,50 €.',
      'es-ES': 'Mañana por la mañana, ¿de acuerdo?',
      'fr-FR': 'Ça dépend de la façon dont l’été finit.',
      'it-IT': 'Perché non è più così?',
      'en-GB': 'Press 1 for £5, or 2 for "more".',
    };
    for (const { language } of engine.capabilities.voices) {
      const sound = await speak(engine, { language, text: texts[language] ?? 'Hello there, how are you?' });
      expect(sound.length, language).toBeGreaterThan(8000);
    }
  });

  it('varies its pitch, and keeps its length', async () => {
    const own = await speak(engine);
    for (const pitch of [0.8, 1.25]) {
      const moved = await speak(engine, { pitch });
      expect(medianPitchHz(moved) / medianPitchHz(own) / pitch).toBeCloseTo(1, 0.8);
      expect(moved.length / own.length).toBeCloseTo(1, 0.7);
    }
  });

  it('treats its own commands in a text as words, without effect on the next text', async () => {
    const before = await speak(engine);
    for (const text of [
      '<pitch level="200">hoch',
      '</speed></pitch><volume level="1">',
      '<genfile file="x.pkb">a',
      'a < b > c & d',
    ]) {
      await speak(engine, { text });
    }
    expect(await speak(engine)).toEqual(before);
  });

  it('fails with a reason when a voice is damaged, and speaks with the others', async () => {
    const source = installedVoices(PICO_DIRECTORIES);
    for (const { directory: from, analysisFile, signalFile, language } of source) {
      for (const file of [analysisFile, signalFile]) {
        const bytes = readFileSync(join(from, file));
        writeFileSync(join(directory, file), language === 'es-ES' ? bytes.subarray(0, 1000) : bytes);
      }
    }
    const engine = createPico({ directories: [directory] });
    await expect(speak(engine, { language: 'es-ES' })).rejects.toMatchObject({ fault: { code: 'synthesis_failed' } });
    expect((await speak(engine)).length).toBeGreaterThan(4000);
    await engine.stop();
  });

  it('imports known voices from a directory, and no modified ones', async () => {
    const [{ directory: from } = { directory: '' }] = installedVoices(PICO_DIRECTORIES);
    const target = join(directory, 'imported');
    expect(await importVoices(from, target)).toContain('de-DE');
    expect(readdirSync(target).every((file) => file.endsWith('.bin'))).toBe(true);
    const changed = readFileSync(join(from, 'de-DE_ta.bin'));
    changed[1000]! ^= 1;
    const source = mkdtempSync(join(directory, 'changed-'));
    writeFileSync(join(source, 'de-DE_ta.bin'), changed);
    await expect(importVoices(source, join(directory, 'refused'))).rejects.toThrow(/de-DE_ta\.bin is not the file/);
    expect(installedVoices([join(directory, 'refused')])).toEqual([]);
  });
});

describe('voices that are not installed', () => {
  it('are not offered, and their language is refused', async () => {
    const engine = createPico({ directories: [join(directory, 'missing')] });
    expect(engine.capabilities.voices).toEqual([]);
    const request = { text: 'Hallo', language: 'de-DE', voice: 'female', rate: 1, pitch: 1 } as const;
    await expect(engine.synthesize(request, never)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      fault: { code: 'language_not_supported' },
    });
    await engine.stop();
  });

  it('needs both of their files', () => {
    const half = mkdtempSync(join(directory, 'half-'));
    writeFileSync(join(half, PICO_VOICES[0]!.analysisFile), '');
    expect(installedVoices([half])).toEqual([]);
  });

  it('are not imported from another package, an empty directory or a missing file', async () => {
    await expect(unpackVoices(Buffer.from('!<arch>\n'), directory)).rejects.toThrow(/hash differs/);
    await expect(importVoices(mkdtempSync(join(directory, 'empty-')), directory)).rejects.toThrow(/no voice/);
    await expect(importVoices(join(directory, 'nothing'), directory)).rejects.toThrow(/ENOENT/);
  });
});

describe('input of pico', () => {
  it.each([
    ['de-DE', 'Das sind 5 % & 3 €', 'Das sind fünf Prozent und drei Euro'],
    ['de-DE', '<speed level="5">hallo', 'speed level="5" hallo'],
    ['fr-FR', 'à\u0000 b\u001b c', 'à b c'],
    ['it-IT', 'ciao 😀', 'ciao'],
    ['en-GB', '你好', ''],
    ['en-GB', '!?', ''],
  ])('cleans in %s: %j', (language, written, said) => expect(picoText(written, language)).toBe(said));
});
