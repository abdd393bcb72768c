/** Tools read the description of the API: a linter finds nothing wrong, and a generated client compiles and works. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createConfig, lint } from '@redocly/openapi-core';
import openapiTs from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApi } from '../../src/service/api/openapi.ts';
import { ADMIN } from './admin-client.ts';
import { ApiRig, SHOP } from './rig.ts';
import { NUMBERS } from './rigs.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const PROGRAM = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api';

type DialOut = components['schemas']['dial-out'];
type Play = components['schemas']['play'];

const [base = '', authorization = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: base, headers: { authorization } });

const play: Play = { text: 'Hello', dtmf: true };
const order: DialOut = { from: '1000', to: '2000', action_on_connect: { play } };
const flow: DialOut = { from: '1000', to: '2000', flow: { flow: 'x', start: 'a' }, input: { customer: 'c-17', n: [1] } };

// @ts-expect-error a prompt is not a list
const wrong: DialOut = { from: '1000', to: '2000', action_on_connect: { play: [] } };
// @ts-expect-error whom to call is missing
const short: DialOut = { from: '1000' };

const made = await client.POST('/voice/v1/call', { body: order });
if (made.error) throw new Error(made.error.msg);
const id: string = made.data.voice_id;
const shown = await client.GET('/voice/v1/call/{voice_id}', { params: { path: { voice_id: id } } });
const state: string = shown.data?.state ?? '';
const lost = await client.GET('/voice/v1/conference/{conference_id}', { params: { path: { conference_id: 'x' } } });
const missing: string = lost.error?.msg ?? '';
const ended = await client.DELETE('/voice/v1/call/{voice_id}', { params: { path: { voice_id: id } } });
console.log(JSON.stringify({ id, state, missing, ended: ended.response.status, unused: [flow, wrong, short].length }));
`;

let rig: ApiRig;
beforeAll(async () => {
  rig = await ApiRig.open({ config: NUMBERS + ADMIN });
});
afterAll(() => rig.close());

const document = (): Record<string, unknown> => openApi('1.2.3');

describe('the description of the API', () => {
  it('passes an OpenAPI linter without errors', async () => {
    const ref = join(mkdtempSync(join(tmpdir(), 'callweave-lint-')), 'openapi.json');
    writeFileSync(ref, JSON.stringify(document()));
    const found = await lint({ ref, config: await createConfig({ extends: ['recommended'] }) });
    const told = found.map(({ severity, ruleId, message }) => `${severity} ${ruleId}: ${message}`);
    // `/health`, `/health/live` and `/openapi.json` need no credentials and take no parameters: they have no 4xx
    // response.
    expect(told.filter((line) => !line.startsWith('warn operation-4xx-response'))).toEqual([]);
    expect(told.length).toBeLessThanOrEqual(4);
  });

  it('describes the properties of every object, or allows any', () => {
    const silent: string[] = [];
    const look = (value: unknown, where: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { type, ...more } = value as Record<string, unknown>;
      const says = ['properties', 'additionalProperties', 'patternProperties', 'anyOf', 'oneOf', 'allOf', '$ref'];
      if ([type].flat().includes('object') && !says.some((key) => key in more)) silent.push(where);
      for (const [key, inner] of Object.entries(value)) look(inner, `${where}/${key}`);
    };
    look((document()['components'] as { schemas: unknown }).schemas, '');
    expect(silent).toEqual([]);
  });

  it('generates a client that compiles in strict mode, and makes, reads and ends a call', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'callweave-client-'));
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
    writeFileSync(join(directory, 'api.d.ts'), await openapiTs(document() as never));
    writeFileSync(join(directory, 'program.ts'), PROGRAM);
    const options = [
      '--strict',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
      '--target',
      'es2022',
      '--types',
      'node',
    ];
    const compiled = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), [...options, 'program.ts'], { cwd: directory });
    expect(compiled.stdout.toString()).toBe('');
    expect(compiled.status).toBe(0);
    const basic = `Basic ${Buffer.from(`${SHOP.id}:${SHOP.key}`).toString('base64')}`;
    const { promise, resolve: end } = Promise.withResolvers<string>();
    const program = spawn(process.execPath, ['program.js', rig.base, basic], { cwd: directory });
    let said = '';
    program.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    program.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    program.on('close', () => end(said));
    expect(JSON.parse(await promise)).toEqual({
      id: expect.any(String),
      state: expect.any(String),
      missing: expect.stringContaining('no such conference'),
      ended: 200,
      unused: 3,
    });
  });
});
