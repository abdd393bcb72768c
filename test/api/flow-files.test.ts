/** Flows as the studio reads, checks and saves them. */
import { describe, expect, it } from 'vitest';
import { administered } from './admin-client.ts';
import { NUMBERS, openRig } from './rigs.ts';

const saying = (name: string, words: string): string =>
  `flow: ${name}\nstart: say\ndefaults: { exits: { error: $end } }\nsteps:\n  say: { play: "${words}", next: $end }\n`;
const calling = (name: string, called: string): string =>
  `flow: ${name}\nstart: sub\nsteps: { sub: { subflow: ${called}, exits: { error: $end }, next: $end } }\n`;

const FLOWS = { hello: saying('hello', 'Hello there') };

describe('checking a flow', () => {
  it('says what is wrong, with the other flows in sight, and saves nothing', async () => {
    const { admin } = await administered({ flows: FLOWS });
    const check = (name: string, text: string) => admin('POST', '/flows/check', { name, text });
    const good = await check('caller', calling('caller', 'hello'));
    expect([good.status, good.body]).toEqual([
      200,
      { name: 'caller', diagnostics: [], hash: expect.any(String), exits: { sub: { done: '$end', error: '$end' } } },
    ]);
    const { body } = await check('caller', calling('caller', 'helo'));
    expect(body).toMatchObject({
      diagnostics: [{ severity: 'error', code: 'unknown-flow', file: 'caller.flow.yaml', line: 3 }],
    });
    expect(body['hash']).toBeUndefined();
    expect((await check('hello', 'flow: [')).body).toMatchObject({ diagnostics: [{ severity: 'error' }] });
  });

  it('refuses what is not the name of a flow', async () => {
    const { admin } = await administered();
    for (const name of ['', '../x', 'a/b', '.x', 'x'.repeat(101)]) {
      expect((await admin('POST', '/flows/check', { name, text: '' })).status).toBe(400);
    }
  });
});

describe('the language', () => {
  it('describes every verb: its outcomes, its keys, and where it belongs', async () => {
    const { admin } = await administered();
    const { body } = await admin('GET', '/language');
    expect(body['verbs']).toMatchObject({
      menu: {
        group: 'ask',
        outcomes: ['<choice>', 'exhausted.no_input', 'exhausted.no_match', 'error'],
        schema: { properties: { choices: { values: { properties: { dtmf: {} } } }, attempts: { default: 3 } } },
      },
      play: { group: 'say', success: 'done', short: 'prompt' },
      hangup: { group: 'end', terminal: true },
    });
    expect(body['step']).toMatchObject({ properties: { next: {}, exits: {}, when: {} } });
    expect(body['flow']).toMatchObject({ properties: { start: {}, defaults: {}, prompts: {} } });
  });
});

describe('strangers', () => {
  it('find nothing of it without an administrator, and are refused without credentials', async () => {
    const routes = [
      ['GET', '/language'],
      ['POST', '/flows/check'],
    ] as const;
    const closed = await openRig({ config: NUMBERS });
    const { rig } = await administered();
    for (const [method, path] of routes) {
      const body = method === 'GET' ? undefined : {};
      expect((await closed.request(method, `/admin/v1${path}`, body)).status, path).toBe(404);
      for (const as of [undefined, false as const]) {
        const options = as === undefined ? {} : { as };
        expect((await rig.request(method, `/admin/v1${path}`, body, options)).status, path).toBe(401);
      }
    }
  });
});
