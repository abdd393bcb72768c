/** `speech.tts` of the configuration, converted to options of external engines. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readConfigText } from '../../src/config.ts';

const directory = mkdtempSync(join(tmpdir(), 'tts-config-'));
writeFileSync(join(directory, 'key.txt'), 'from-a-file\n');
const read = (entry: string) =>
  readConfigText(`speech:\n  tts:\n    - ${entry}\n`, join(directory, 'callweave.yaml'), { KEY: 'from-outside' });

it('fills in defaults of absent options', () => {
  const { config } = read('{ engine: http, url: "http://127.0.0.1:9/", voices: { female: anna }, languages: [pl-PL] }');
  expect(config?.tts).toEqual([
    {
      engine: 'http',
      name: 'http-1',
      url: 'http://127.0.0.1:9/',
      headers: {},
      voices: { female: 'anna' },
      languages: ['pl-PL'],
      input: 'text',
      format: 'wav',
      sampleRateHz: 8000,
      styles: [],
      timeoutMs: 10_000,
      maxRequests: 32,
    },
  ]);
});

it('reads secrets from the environment, and the defaults of OpenAI', () => {
  const { config } = read(
    '{ engine: openai, name: cloud, url: "https://x.example/v1/audio/speech", key: { env: KEY }, headers: { x-org: { file: key.txt } }, model: m, voices: { male: onyx }, languages: [en-US], styles: [Cheerful], timeout: 3s }',
  );
  expect(config?.tts[0]).toMatchObject({
    engine: 'openai',
    name: 'cloud',
    key: 'from-outside',
    headers: { 'x-org': 'from-a-file' },
    model: 'm',
    format: 'pcm',
    sampleRateHz: 24_000,
    styles: ['cheerful'],
    timeoutMs: 3000,
  });
});

it.each([
  ['an engine of another kind', '{ engine: magic, url: "http://a/", voices: { female: a }, languages: [en-US] }'],
  ['no voice', '{ engine: http, url: "http://a/", voices: {}, languages: [en-US] }'],
  ['voices by name alone', '{ engine: http, url: "http://a/", voices: { Joanna: a }, languages: [en-US] }'],
  ['no language', '{ engine: http, url: "http://a/", voices: { female: a }, languages: [] }'],
  ['an address of another kind', '{ engine: http, url: "ftp://a/", voices: { female: a }, languages: [en-US] }'],
  [
    'a secret that is not there',
    '{ engine: http, url: "http://a/", key: { env: NONE }, voices: { female: a }, languages: [en-US] }',
  ],
])('refuses the configuration %s', (_name, entry) => {
  const { config, diagnostics } = read(entry);
  expect(config).toBeUndefined();
  expect(diagnostics[0]).toMatchObject({ severity: 'error', line: 3 });
});
