/** Flow files as the studio reads, checks and saves them. */
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { createMemoryStore } from '../memory-store.ts';
import { type Administrator, administered, TOKEN } from './admin-client.ts';
import { type ApiResponse, type ApiRig, OTHER, SHOP } from './rig.ts';
import { NUMBERS, openRig } from './rigs.ts';

const saying = (name: string, words: string): string =>
  `flow: ${name}\nstart: say\ndefaults: { exits: { error: $end } }\nsteps:\n  say: { play: "${words}", next: $end }\n`;
const calling = (name: string, called: string): string =>
  `flow: ${name}\nstart: sub\nsteps: { sub: { subflow: ${called}, exits: { error: $end }, next: $end } }\n`;

const FLOWS = { hello: saying('hello', 'Hello there') };

type Headers = Readonly<Record<string, string>>;

/** Sends a request of the administrator with these conditional headers. */
const conditionalAt = (rig: ApiRig, method: string, path: string, body: unknown, headers: Headers) =>
  rig.request(method, `/admin/v1${path}`, body, {
    as: false,
    headers: { authorization: `Bearer ${TOKEN}`, ...headers },
  });
const conditional = (rig: ApiRig, method: string, name: string, body: unknown, headers: Headers) =>
  conditionalAt(rig, method, `/flows/${name}`, body, headers);

describe('checking a flow', () => {
  it('reports errors, knowing the other flows, and saves nothing', async () => {
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

  it('reports the position at which a text names another flow', async () => {
    const { admin } = await administered({ flows: FLOWS });
    const check = async (name: string, text: string) => (await admin('POST', '/flows/check', { name, text })).body;
    const text = `# moved\n${saying('goodbye', 'Good bye')}`;
    expect(await check('hello', text)).toEqual({
      name: 'goodbye',
      diagnostics: [
        {
          ...{ severity: 'error', code: 'other-flow', file: 'hello.flow.yaml', line: 2, column: 7 },
          message: 'the text is that of the flow `goodbye`, not of `hello`',
          hint: expect.any(String),
        },
      ],
    });
    expect(await check('goodbye', text)).toMatchObject({ diagnostics: [] });
    expect(await check('hello', text.replace('next: $end', 'next: nowhere'))).toMatchObject({
      diagnostics: [{ code: 'other-flow' }, { code: 'unknown-target' }],
    });
  });

  it('returns 429 with Retry-After above the limit, and 200 again afterwards', async () => {
    const { rig, admin } = await administered({ flows: FLOWS });
    // Large enough that requests queue behind earlier ones.
    const more = Array.from({ length: 200 }, (_, at) => `  s${at}: { play: "${at}", next: $end }\n`).join('');
    const text = FLOWS.hello + more;
    const check = (): Promise<ApiResponse> => admin('POST', '/flows/check', { name: 'hello', text });
    const answers = await Promise.all(Array.from({ length: 60 }, check));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ status, headers }) => [status, headers.get('retry-after')].join()))).toEqual(
      new Set(['429,1']),
    );
    const reasons = new Set(refused.map(({ body }) => body['msg']));
    expect(reasons).toEqual(new Set(['20 others wait to be checked or tried', 'more than 10 requests per second']));
    expect((await check()).status).toBe(429);
    await rig.pass(1000);
    expect((await check()).status).toBe(200);
    expect((await admin('GET', '/flows/hello')).status).toBe(200);
  });

  it('refuses an invalid flow name', async () => {
    const { admin } = await administered();
    for (const name of ['', '../x', 'a/b', '.x', 'x'.repeat(101)]) {
      expect((await admin('POST', '/flows/check', { name, text: '' })).status).toBe(400);
    }
  });
});

describe('the examples', () => {
  it('lists examples with their texts, each of which can be saved under another name', async () => {
    const { rig, admin } = await administered();
    const { status, body } = await admin('GET', '/examples');
    expect(status).toBe(200);
    const examples = body['examples'] as { name: string; title: string; text: string }[];
    const titles = ['Answer and speak', 'A menu', 'Several digits, read back', 'Ask an HTTP service', 'Voicemail'];
    expect(examples.slice(0, 5).map(({ title }) => title)).toEqual(titles);
    for (const { name, text } of examples) {
      await conditional(rig, 'PUT', name, { text, draft: true }, { 'if-none-match': '*' });
    }
    for (const { name, text } of examples) {
      const mine = text.replace(`flow: ${name}`, `flow: my-${name}`);
      const saved = await conditional(rig, 'PUT', `my-${name}`, { text: mine }, { 'if-none-match': '*' });
      expect([saved.status, saved.text], name).toEqual([200, expect.not.stringContaining('yaml-language-server')]);
    }
  });
});

describe('the language', () => {
  it('describes the outcomes, keys and category of every verb', async () => {
    const { admin } = await administered();
    const { body } = await admin('GET', '/language');
    expect(body['verbs']).toMatchObject({
      menu: {
        group: 'ask',
        outcomes: ['<choice>', 'chosen', 'empty', 'exhausted.no_input', 'exhausted.no_match', 'error'],
        schema: { properties: { choices: { values: { properties: { dtmf: {} } } }, attempts: { default: 3 } } },
      },
      play: { group: 'say', success: 'done', short: 'prompt' },
      hangup: { group: 'end', terminal: true },
    });
    expect(body['step']).toMatchObject({ properties: { next: {}, exits: {}, when: {} } });
    expect(body['flow']).toMatchObject({ properties: { start: {}, defaults: {}, prompts: {} } });
  });

  it('is sent again only if it has changed', async () => {
    const { rig, admin } = await administered();
    const first = await admin('GET', '/language');
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const ask = (known: string): Promise<Response> =>
      fetch(`${rig.base}/admin/v1/language`, {
        headers: { authorization: `Bearer ${TOKEN}`, 'if-none-match': known },
      });
    expect((await ask(etagOf(first))).status).toBe(304);
    expect((await ask('"other"')).status).toBe(200);
  });

  it.each([
    ['gzip', gunzipSync],
    ['gzip, br', brotliDecompressSync],
  ] as const)('is compressed for clients that accept %s', async (accepted, unpack) => {
    const { rig, admin } = await administered();
    const { body } = await admin('GET', '/language');
    const sent = await rawGet(`${rig.base}/admin/v1/language`, { 'accept-encoding': accepted });
    expect(sent.headers).toMatchObject({ 'content-encoding': accepted.split(', ').at(-1), vary: 'Accept-Encoding' });
    expect(sent.body.length).toBeLessThan(JSON.stringify(body).length / 4);
    expect(JSON.parse(unpack(sent.body).toString())).toEqual(body);
    const plain = await rawGet(`${rig.base}/admin/v1/language`, { 'accept-encoding': 'identity' });
    expect([plain.headers['content-encoding'], JSON.parse(plain.body.toString())]).toEqual([undefined, body]);
  });
});

describe('large responses', () => {
  it('are compressed for the studio only, because other pages cannot send its header', async () => {
    const { rig } = await administered({ flows: { long: `${FLOWS.hello}\n${'# a long remark\n'.repeat(200)}` } });
    const get = (headers: Record<string, string>) =>
      rawGet(`${rig.base}/admin/v1/flows/hello`, { 'accept-encoding': 'br', ...headers });
    const plain = await get({});
    expect(plain.headers['content-encoding']).toBeUndefined();
    const sent = await get({ 'x-callweave-studio': '1' });
    expect(sent.headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
    expect(sent.body.length).toBeLessThan(plain.body.length / 4);
    expect(JSON.parse(brotliDecompressSync(sent.body).toString())).toEqual(JSON.parse(plain.body.toString()));
  });
});

/** Response as it was sent: `fetch` would decompress it. */
async function rawGet(url: string, headers: Record<string, string>) {
  const [response] = (await once(
    request(url, { headers: { authorization: `Bearer ${TOKEN}`, ...headers } }).end(),
    'response',
  )) as [IncomingMessage];
  return { headers: response.headers, body: await buffer(response) };
}

const etagOf = (answer: ApiResponse): string => answer.headers.get('etag')!;
const fileOf = (rig: ApiRig, file: string): string => readFileSync(join(rig.directory, file), 'utf8');

describe('the list of flows', () => {
  it('returns the entries and errors of each flow, and broken flows by text or file name', async () => {
    const { rig, admin } = await administered({
      flows: { ...FLOWS, torn: 'flow: [', half: saying('half', 'Half of it').replace('next: $end', 'next: nowhere') },
      config: 'numbers: [{ number: "1000", flow: hello }]\n',
    });
    writeFileSync(join(rig.directory, 'hello.test.yaml'), 'test: it greets\nflow: hello\nscript: []\n');
    rig.call('1000');
    await rig.pass(100);
    const { body } = await admin('GET', '/flows');
    const flows = body['flows'] as JsonObject[];
    const byName = Object.fromEntries(flows.map((flow) => [flow['name'], flow]));
    expect(byName).toMatchObject({
      hello: {
        ...{ file: 'hello.flow.yaml', built_in: false, in_force: true, steps: 1, errors: 0, live_calls: 1, tests: 1 },
        numbers: ['1000'],
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      torn: { file: 'torn.flow.yaml', in_force: false, errors: 1, first: { severity: 'error' } },
      half: { errors: 1, steps: 1, first: { code: 'unknown-target', line: 5, file: 'half.flow.yaml' } },
      'rest-control': { built_in: true, file: 'builtin/rest-control.flow.yaml', in_force: true },
    });
    expect(byName['torn']).not.toHaveProperty('hash');
  });

  it('shows changes made on the disk as not live', async () => {
    const { rig, admin } = await administered({ flows: FLOWS });
    writeFileSync(
      join(rig.directory, 'hello.flow.yaml'),
      saying('hello', 'Good morning').replace('$end }\n', 'no }\n'),
    );
    writeFileSync(join(rig.directory, 'new.flow.yaml'), saying('new', 'I am new'));
    const { body } = await admin('GET', '/flows');
    expect(body['flows']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'hello', in_force: false, errors: 1 }),
        expect.objectContaining({ name: 'new', in_force: false, errors: 0 }),
      ]),
    );
  });
});

describe('a flow', () => {
  it('is returned byte for byte: line ends, comments, byte order mark', async () => {
    const { rig, admin } = await administered({ flows: FLOWS });
    const text = `\uFEFF# é 👋\r\n${saying('hello', 'Hello there').replaceAll('\n', '\r\n')}\t\r\n`;
    const put = await conditional(
      rig,
      'PUT',
      'hello',
      { text },
      { 'if-match': etagOf(await admin('GET', '/flows/hello')) },
    );
    expect([put.status, put.body['text']]).toEqual([200, text]);
    expect(fileOf(rig, 'hello.flow.yaml')).toBe(text);
    const { body, headers } = await admin('GET', '/flows/hello');
    expect(body).toMatchObject({ name: 'hello', file: 'hello.flow.yaml', text, built_in: false, in_force: true });
    expect(headers.get('etag')).toBe(`"${body['etag']}"`);
    expect(readdirSync(rig.directory).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('is created, used by the next call, and removed', async () => {
    const { rig, admin } = await administered();
    const text = saying('fresh', 'I am fresh');
    const made = await conditional(rig, 'PUT', 'fresh', { text }, { 'if-none-match': '*' });
    expect([made.status, made.body['in_force'], fileOf(rig, 'fresh.flow.yaml')]).toEqual([200, true, text]);
    expect((await admin('PUT', '/numbers/2000', { flow: 'fresh' })).status).toBe(200);
    const again = await conditional(rig, 'PUT', 'fresh', { text }, { 'if-none-match': '*' });
    expect([again.status, again.body['current']]).toEqual([412, { text, etag: made.body['etag'] }]);

    const ifMatch = { 'if-match': etagOf(made) };
    const used = await conditional(rig, 'DELETE', 'fresh', undefined, ifMatch);
    expect([used.status, used.body['msg']]).toEqual([409, 'the number 2000 leads to the flow fresh']);
    await admin('DELETE', '/numbers/2000');
    expect((await conditional(rig, 'DELETE', 'fresh', undefined, { 'if-match': '"other"' })).status).toBe(412);
    expect((await conditional(rig, 'DELETE', 'fresh', undefined, ifMatch)).status).toBe(200);
    expect(existsSync(join(rig.directory, 'fresh.flow.yaml'))).toBe(false);
    expect((await admin('GET', '/flows/fresh')).status).toBe(404);
    expect((await admin('PUT', '/numbers/2000', { flow: 'fresh' })).status).toBe(404);
  });

  it.each([
    ['calls it', calling('caller', 'hello')],
    [
      'continues with it',
      'flow: caller\nstart: over\nsteps:\n  over: { continue: hello, exits: { error: bye } }\n  bye: { hangup: normal }\n',
    ],
  ])('is not removed while another flow %s', async (_how, caller) => {
    const { rig, admin } = await administered({ flows: { ...FLOWS, caller } });
    const ifMatch = { 'if-match': etagOf(await admin('GET', '/flows/hello')) };
    const { status, body } = await conditional(rig, 'DELETE', 'hello', undefined, ifMatch);
    expect([status, body['msg']]).toEqual([409, 'the flow caller calls it']);
  });

  it('is shown but never written if it is built in', async () => {
    const { rig, admin } = await administered();
    const shown = await admin('GET', '/flows/rest-control');
    expect(shown.body).toMatchObject({ built_in: true, diagnostics: [] });
    const text = String(shown.body['text']);
    for (const [method, headers] of [
      ['PUT', { 'if-match': etagOf(shown) }],
      ['PUT', { 'if-none-match': '*' }],
      ['DELETE', { 'if-match': etagOf(shown) }],
    ] as const) {
      const { status } = await conditional(
        rig,
        method,
        'rest-control',
        method === 'PUT' ? { text } : undefined,
        headers,
      );
      expect(status).toBe(409);
    }
  });
});

describe('saving', () => {
  it('requires the hash of the replaced text', async () => {
    const { rig } = await administered({ flows: FLOWS });
    const body = { text: saying('hello', 'Hi there') };
    expect((await conditional(rig, 'PUT', 'hello', body, {})).status).toBe(428);
    expect((await conditional(rig, 'DELETE', 'hello', undefined, {})).status).toBe(428);
    expect((await conditional(rig, 'PUT', 'hello', body, { 'if-match': 'a', 'if-none-match': '*' })).status).toBe(400);
    expect((await conditional(rig, 'PUT', 'hello', body, { 'if-none-match': '"a"' })).status).toBe(400);
    expect(fileOf(rig, 'hello.flow.yaml')).toBe(FLOWS.hello);
  });

  it('lets exactly one of several concurrent writes win, and returns its version to the others', async () => {
    const { rig, admin } = await administered({ flows: FLOWS });
    const headers = { 'if-match': etagOf(await admin('GET', '/flows/hello')) };
    const texts = ['one', 'two', 'three', 'four'].map((words) => saying('hello', `It was ${words}`));
    const answers = await Promise.all(texts.map((text) => conditional(rig, 'PUT', 'hello', { text }, headers)));
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    expect(fileOf(rig, 'hello.flow.yaml')).toBe(texts[winner]);
    for (const { status, body } of answers) {
      if (status === 412) expect(body['current']).toMatchObject({ text: texts[winner] });
    }
    const made = await Promise.all(
      ['one', 'two'].map((words) => {
        const text = saying('fresh', `It was ${words}`);
        return conditional(rig, 'PUT', 'fresh', { text }, { 'if-none-match': '*' });
      }),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it('refuses to overwrite a change made on the disk', async () => {
    const { rig, admin } = await administered({ flows: FLOWS });
    const headers = { 'if-match': etagOf(await admin('GET', '/flows/hello')) };
    const theirs = saying('hello', 'Their own words');
    writeFileSync(join(rig.directory, 'hello.flow.yaml'), theirs);
    const text = saying('hello', 'My own words');
    const refused = await conditional(rig, 'PUT', 'hello', { text }, headers);
    expect([refused.status, refused.body['current']]).toMatchObject([412, { text: theirs }]);
    const current = refused.body['current'] as { etag: string };
    expect((await conditional(rig, 'PUT', 'hello', { text }, { 'if-match': `"${current.etag}"` })).status).toBe(200);
    expect(fileOf(rig, 'hello.flow.yaml')).toBe(text);
  });

  it('refuses a text with errors, or stores it as a draft that no call uses', async () => {
    const config = 'numbers: [{ number: "1000", flow: hello }]\n';
    const { rig, admin } = await administered({ flows: FLOWS, config });
    const headers = { 'if-match': etagOf(await admin('GET', '/flows/hello')) };
    const text = FLOWS.hello.replace('next: $end', 'next: nowhere');
    const refused = await conditional(rig, 'PUT', 'hello', { text }, headers);
    expect([refused.status, refused.body['diagnostics']]).toMatchObject([
      422,
      [{ code: 'unknown-target', file: 'hello.flow.yaml', line: 5 }],
    ]);
    expect(fileOf(rig, 'hello.flow.yaml')).toBe(FLOWS.hello);
    const draft = await conditional(rig, 'PUT', 'hello', { text, draft: true }, headers);
    expect([draft.status, draft.body['in_force'], draft.body['diagnostics']]).toMatchObject([
      200,
      false,
      [{ line: 5 }],
    ]);
    expect(fileOf(rig, 'hello.flow.yaml')).toBe(text);
    rig.call('1000');
    await rig.pass(100);
    expect(await rig.store.calls.unfinished()).toMatchObject([{ flow: 'hello', flowHash: draft.body['hash'] }]);
    const torn = await conditional(
      rig,
      'PUT',
      'hello',
      { text: 'flow: [', draft: true },
      { 'if-match': etagOf(draft) },
    );
    expect([torn.status, torn.body['name']]).toEqual([200, 'hello']);
  });

  it('refuses the text of another flow, of another place, and input that a number does not give', async () => {
    const config = 'numbers: [{ number: "1000", flow: named, input: { name: Ann } }]\n';
    const named = `input: { name: { type: string } }\n${saying('named', 'Hello there')}`;
    const { rig, admin } = await administered({ flows: { ...FLOWS, named }, config });
    const headers = { 'if-match': etagOf(await admin('GET', '/flows/hello')) };
    const other = await conditional(rig, 'PUT', 'hello', { text: saying('named', 'Hello there') }, headers);
    expect([other.status, other.body['msg']]).toEqual([422, 'the text is that of the flow named, not of hello']);
    for (const name of ['..%2Fout', '%2Fetc%2Fout', '..', '.hidden', 'a%2Fb', 'a%00b', 'x'.repeat(101)]) {
      const { status } = await conditional(rig, 'PUT', name, { text: 'x: 1', draft: true }, { 'if-none-match': '*' });
      expect([404, 400, 405], name).toContain(status);
    }
    expect(readdirSync(join(rig.directory, '..')).filter((name) => /^out(\.|$)/.test(name))).toEqual([]);
    const ifMatch = { 'if-match': etagOf(await admin('GET', '/flows/named')) };
    const refused = await conditional(rig, 'PUT', 'named', { text: saying('named', 'No name') }, ifMatch);
    expect([refused.status, refused.body['msg']]).toMatchObject([422, expect.stringContaining('the number 1000')]);
  });

  it('refuses text that cannot be stored unchanged, and text above the size limit', async () => {
    const { rig, admin } = await administered({ flows: FLOWS });
    const headers = { 'if-match': etagOf(await admin('GET', '/flows/hello')) };
    const put = (text: string) => conditional(rig, 'PUT', 'hello', { text, draft: true }, headers);
    expect((await put(`${FLOWS.hello}# \ud800`)).status).toBe(422);
    expect((await put(`${FLOWS.hello}# ${'é'.repeat(500_000)}`)).status).toBe(413);
    expect((await put(`${FLOWS.hello}# ${'x'.repeat(1_000_000)}`)).status).toBe(400);
    expect((await put('x'.repeat(5 * 2 ** 20))).status).toBe(413);
    expect(fileOf(rig, 'hello.flow.yaml')).toBe(FLOWS.hello);
  });

  it('refuses links for reading and writing, and files that are not UTF-8', async () => {
    const { rig, admin } = await administered({ flows: FLOWS });
    const outside = mkdtempSync(join(tmpdir(), 'callweave-outside-'));
    writeFileSync(join(outside, 'out.flow.yaml'), saying('out', 'From outside'));
    symlinkSync(join(outside, 'out.flow.yaml'), join(rig.directory, 'out.flow.yaml'));
    symlinkSync(join(rig.directory, 'hello.flow.yaml'), join(rig.directory, 'zz-again.flow.yaml'));
    expect((await admin('GET', '/flows/out')).status).toBe(404);
    const again = await admin('GET', '/flows/zz-again');
    expect(again.status).toBe(200);
    const text = saying('zz-again', 'Hello there');
    expect((await conditional(rig, 'PUT', 'zz-again', { text }, { 'if-match': etagOf(again) })).status).toBe(409);
    expect(fileOf(rig, 'hello.flow.yaml')).toBe(FLOWS.hello);

    writeFileSync(join(rig.directory, 'bytes.flow.yaml'), Buffer.from([0x66, 0x3a, 0x20, 0xff, 0xfe, 0x0a]));
    const bytes = await admin('GET', '/flows/bytes');
    expect([bytes.status, bytes.body['msg']]).toMatchObject([422, expect.stringContaining('not valid UTF-8')]);
    const { body } = await admin('GET', '/flows');
    expect(body['flows']).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'bytes', errors: 1, in_force: false })]),
    );
  });
});

describe('calls', () => {
  it('uses the new flow for calls that begin after the save, and keeps the old one for earlier calls', async () => {
    const config = 'numbers: [{ number: "1000", flow: long }]\n';
    const long = (words: string): string =>
      `flow: long\nstart: wait\ndefaults: { exits: { error: $end } }\nsteps:\n  wait: { pause: 60s, next: say }\n  say: { log: "${words}", next: $end }\n`;
    const { rig, admin } = await administered({ flows: { long: long('old') }, config });
    rig.call('1000', '1');
    await rig.pass(1000);
    const headers = { 'if-match': etagOf(await admin('GET', '/flows/long')) };
    const before = (await admin('GET', '/flows/long')).body['hash'];
    const saved = await conditional(rig, 'PUT', 'long', { text: long('new') }, headers);
    rig.call('1000', '2');
    await rig.pass(70_000);
    const { body } = await rig.request('GET', '/voice/v1/call');
    const listed = body['calls'] as { voice_id: string; from: string }[];
    const lines = listed.map(async ({ voice_id: id, from }) => {
      const journal = await rig.store.calls.journal(id);
      const line = journal.find((entry) => entry.kind === 'log');
      return [from, (await rig.store.calls.call(id))?.flowHash, line?.kind === 'log' && line.message];
    });
    expect((await Promise.all(lines)).sort()).toEqual([
      ['1', before, 'old'],
      ['2', saved.body['hash'], 'new'],
    ]);
  });

  it('updates flows that call the saved one; a caller that it would break keeps the old version', async () => {
    const { rig, admin } = await administered({ flows: { ...FLOWS, caller: calling('caller', 'hello') } });
    const headers = { 'if-match': etagOf(await admin('GET', '/flows/hello')) };
    const text = FLOWS.hello.replace('next: $end', 'next: gone').concat('  gone: { return: gone }\n');
    expect((await conditional(rig, 'PUT', 'hello', { text }, headers)).status).toBe(200);
    const { body } = await admin('GET', '/flows');
    expect((body['flows'] as JsonObject[]).find(({ name }) => name === 'caller')).toMatchObject({
      in_force: true,
      errors: 1,
      first: { code: 'unrouted-outcome' },
    });
    expect((await admin('PUT', '/numbers/2000', { flow: 'caller' })).status).toBe(200);
  });
});

describe('versions', () => {
  it('keeps versions of every start and save across a restart, with author and calls', async () => {
    const store = createMemoryStore();
    const config = 'numbers: [{ number: "1000", flow: hello }]\n';
    const { rig, admin } = await administered({ flows: FLOWS, config, store });
    rig.call('1000');
    await rig.pass(100);
    const first = await admin('GET', '/flows/hello');
    const text = saying('hello', 'Hi there');
    const saved = await conditional(rig, 'PUT', 'hello', { text }, { 'if-match': etagOf(first) });
    const list = async (one: Administrator): Promise<unknown> =>
      (await one('GET', '/flows/hello/versions')).body['versions'];
    const expected = [
      expect.objectContaining({
        hash: saved.body['hash'],
        in_force: true,
        calls: 0,
        author: expect.stringMatching(/^admin from /),
      }),
      expect.objectContaining({ hash: first.body['hash'], in_force: false, calls: 1 }),
    ];
    expect(await list(admin)).toEqual(expected);
    await rig.close();
    const later = await administered({ config, store, directory: rig.directory });
    expect(await list(later.admin)).toEqual(expected);
    const old = await later.admin('GET', `/flows/hello/versions/${first.body['hash']}`);
    expect(old.body).toMatchObject({ hash: first.body['hash'], text: FLOWS.hello });
    expect((await later.admin('GET', `/flows/other/versions/${first.body['hash']}`)).status).toBe(404);
    expect((await later.admin('GET', '/flows/hello/versions/ffff')).status).toBe(404);
  });
});

describe('a draft with errors', () => {
  const config = 'numbers: [{ number: "1000", flow: hello }]\n';
  const draftOf = async (rig: ApiRig, admin: Administrator, name: string, text: string): Promise<ApiResponse> => {
    const before = await admin('GET', `/flows/${name}`);
    const headers: Headers = before.status === 200 ? { 'if-match': etagOf(before) } : { 'if-none-match': '*' };
    return conditional(rig, 'PUT', name, { text, draft: true }, headers);
  };
  const listed = async (admin: Administrator, name: string): Promise<JsonObject | undefined> =>
    ((await admin('GET', '/flows')).body['flows'] as JsonObject[]).find((flow) => flow['name'] === name);

  it.each([
    ['that leads nowhere', FLOWS.hello.replace('next: $end', 'next: nowhere')],
    ['that cannot be read', 'flow: ['],
    ['that says nothing', '# to be written\n'],
  ])('%s changes no call, also after a restart, and is taken when it is mended', async (_, text) => {
    const store = createMemoryStore();
    const { rig, admin } = await administered({ flows: FLOWS, config, store });
    const { hash } = (await listed(admin, 'hello'))!;
    expect((await draftOf(rig, admin, 'hello', text)).body).toMatchObject({
      in_force: false,
      calls_take: 'earlier',
      hash,
    });
    await rig.close();

    const later = await administered({ config, store, directory: rig.directory });
    expect(await listed(later.admin, 'hello')).toMatchObject({
      in_force: false,
      calls_take: 'earlier',
      hash,
      errors: 1,
    });
    expect((await later.admin('GET', '/flows/hello')).body).toMatchObject({ text, hash });
    const file = join(rig.directory, 'hello.flow.yaml');
    expect(later.rig.logLines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'flow.earlier_version',
        fields: { flow: 'hello', file, hash },
      }),
    );
    later.rig.call('1000');
    await later.rig.pass(100);
    expect(await later.rig.store.calls.unfinished()).toMatchObject([{ flow: 'hello', flowHash: hash }]);

    const mended = saying('hello', 'Mended now');
    const headers = { 'if-match': etagOf(await later.admin('GET', '/flows/hello')) };
    const saved = await conditional(later.rig, 'PUT', 'hello', { text: mended }, headers);
    expect(saved.body).toMatchObject({ in_force: true, calls_take: 'file', diagnostics: [] });
    expect(saved.body['hash']).not.toBe(hash);
  });

  it('keeps both flows after a restart if two that call each other are drafts', async () => {
    const store = createMemoryStore();
    const flows = { ...FLOWS, above: calling('above', 'hello') };
    const { rig, admin } = await administered({ flows, config, store });
    for (const name of ['above', 'hello']) await draftOf(rig, admin, name, 'flow: [');
    await rig.close();
    const later = await administered({ config, store, directory: rig.directory });
    for (const name of ['above', 'hello'])
      expect(await listed(later.admin, name)).toMatchObject({ calls_take: 'earlier' });
  });

  it('has no earlier version if its flow was removed before or moved to another file', async () => {
    const store = createMemoryStore();
    const { rig, admin } = await administered({ flows: { ...FLOWS, gone: saying('gone', 'I am gone') }, store });
    await conditional(rig, 'DELETE', 'gone', undefined, { 'if-match': etagOf(await admin('GET', '/flows/gone')) });
    await draftOf(rig, admin, 'gone', 'flow: gone\nsteps: [');
    writeFileSync(join(rig.directory, 'second.flow.yaml'), 'flow: hello\nsteps: [');
    await rig.close();
    const later = await administered({ store, directory: rig.directory });
    expect(await listed(later.admin, 'gone')).toMatchObject({ in_force: false, calls_take: 'nothing' });
    expect(await listed(later.admin, 'hello')).toMatchObject({ in_force: true, calls_take: 'file' });
    expect(later.rig.logLines.filter(({ message }) => message === 'flow.earlier_version')).toEqual([]);
  });
});

describe('the graph of a flow', () => {
  const config = `${NUMBERS}`.replace('{ number: "1000", webhook: HOOK }', '{ number: "1000", flow: caller }');
  const flows = { ...FLOWS, caller: calling('caller', 'hello'), hidden: saying('hidden', 'For nobody else') };
  const graphOf = (rig: ApiRig, name: string, as = SHOP) =>
    rig.request('GET', `/voice/v1/flow/${name}/graph`, undefined, { as });

  it('shows the live version, or the version that an old call ran', async () => {
    const { rig, admin } = await administered({ flows, config });
    const now = await graphOf(rig, 'hello');
    const sayHello = { name: 'say', verb: 'play', group: 'say', about: 'Hello there', line: 5 };
    expect(now.body).toMatchObject({
      ...{ name: 'hello', start: 'say', defaults: { error: '$end' }, events: {} },
      steps: [
        {
          ...sayHello,
          exits: [
            { outcome: 'done', target: '$end', own: true },
            { outcome: 'error', own: false },
          ],
        },
      ],
    });
    const first = await admin('GET', '/flows/hello');
    expect(now.body['hash']).toBe(first.body['hash']);
    const text = saying('hello', 'Good day to you').replaceAll('say:', 'greet:').replace('start: say', 'start: greet');
    await conditional(rig, 'PUT', 'hello', { text }, { 'if-match': etagOf(first) });
    expect((await graphOf(rig, 'hello')).body['steps']).toMatchObject([{ name: 'greet', about: 'Good day to you' }]);
    const old = await rig.request('GET', `/voice/v1/flow/hello/graph?version=${first.body['hash']}`);
    expect(old.body).toMatchObject({ hash: first.body['hash'], steps: [sayHello] });
    for (const [name, version] of [
      ['caller', first.body['hash']],
      ['hello', 'f00d'],
    ]) {
      expect((await rig.request('GET', `/voice/v1/flow/${name}/graph?version=${version}`)).status).toBe(404);
    }
  });

  it('is available to projects whose numbers or calls use the flow, and to no other', async () => {
    const { rig, admin } = await administered({ flows, config });
    const seen = async (as: { id: string; key: string }): Promise<number[]> =>
      Promise.all(['caller', 'hello', 'hidden', 'none'].map(async (name) => (await graphOf(rig, name, as)).status));
    expect(await seen(SHOP)).toEqual([200, 200, 404, 404]);
    expect(await seen(OTHER)).toEqual([404, 404, 404, 404]);
    await admin('PUT', '/numbers/3001', { flow: 'hidden', project: OTHER.id });
    expect(await seen(OTHER)).toEqual([404, 404, 200, 404]);
    await rig.dial({ flow: 'hidden' });
    expect(await seen(SHOP)).toEqual([200, 200, 200, 404]);
    expect((await rig.request('GET', '/voice/v1/flow/hello/graph', undefined, { as: false })).status).toBe(401);
  });
});

describe('tests of a flow', () => {
  const greets = 'test: it greets\nflow: hello\nscript: []\n';

  it('lists, reads, saves and removes tests as it does flows', async () => {
    const { rig, admin } = await administered({ flows: { ...FLOWS, other: saying('other', 'Other') } });
    const path = '/flows/hello/tests/hello.greets.test.yaml';
    const made = await conditionalAt(rig, 'PUT', path, { text: greets }, { 'if-none-match': '*' });
    expect([made.status, made.body]).toMatchObject([
      200,
      { file: 'hello.greets.test.yaml', name: 'it greets', text: greets },
    ]);
    expect(fileOf(rig, 'hello.greets.test.yaml')).toBe(greets);
    expect((await admin('GET', '/flows/hello/tests')).body['tests']).toMatchObject([
      { name: 'it greets', text: greets },
    ]);
    expect((await admin('GET', '/flows/other/tests')).body['tests']).toEqual([]);
    expect((await admin('GET', path)).headers.get('etag')).toBe(etagOf(made));
    const text = `${greets}# more\r\n`;
    expect((await conditionalAt(rig, 'PUT', path, { text }, { 'if-none-match': '*' })).status).toBe(412);
    const saved = await conditionalAt(rig, 'PUT', path, { text }, { 'if-match': etagOf(made) });
    expect([saved.status, fileOf(rig, 'hello.greets.test.yaml')]).toEqual([200, text]);
    expect((await conditionalAt(rig, 'DELETE', path, undefined, { 'if-match': etagOf(made) })).status).toBe(412);
    expect((await conditionalAt(rig, 'DELETE', path, undefined, { 'if-match': etagOf(saved) })).status).toBe(200);
    expect((await admin('GET', path)).status).toBe(404);
  });

  it('requires tests to be below the flow directory, named as tests, and to name the flow', async () => {
    const { rig, admin } = await administered({ flows: FLOWS });
    for (const file of [
      '..%2Fout.test.yaml',
      '%2Ftmp%2Fout.test.yaml',
      'hello.flow.yaml',
      'a%2F..%2F..%2Fout.test.yaml',
      '.x.test.yaml',
      'a%00.test.yaml',
    ]) {
      const path = `/flows/hello/tests/${file}`;
      const answer = await conditionalAt(rig, 'PUT', path, { text: greets }, { 'if-none-match': '*' });
      expect([answer.status, file]).toEqual([404, file]);
      expect((await admin('GET', path)).status, file).toBe(404);
    }
    const path = '/flows/hello/tests/a.test.yaml';
    const other = greets.replace('flow: hello', 'flow: other');
    expect((await conditionalAt(rig, 'PUT', path, { text: other }, { 'if-none-match': '*' })).status).toBe(422);
    const below = '/flows/hello/tests/more%2Fb.test.yaml';
    expect((await conditionalAt(rig, 'PUT', below, { text: greets }, { 'if-none-match': '*' })).status).toBe(200);
    expect(fileOf(rig, 'more/b.test.yaml')).toBe(greets);
  });
});

describe('tests in a folder that is not looked through', () => {
  it.each(['node_modules', 'more/node_modules', 'prompts', 'schemas', '.git', 'more/.hidden'])(
    'are refused in %s, and not written',
    async (folder) => {
      const { rig, admin } = await administered({ flows: FLOWS });
      const path = `/flows/hello/tests/${encodeURIComponent(`${folder}/a.test.yaml`)}`;
      const text = 'test: it greets\nflow: hello\nscript: []\n';
      const answer = await conditionalAt(rig, 'PUT', path, { text }, { 'if-none-match': '*' });
      expect([answer.status, answer.body['hint']]).toEqual([404, expect.any(String)]);
      expect(existsSync(join(rig.directory, folder))).toBe(false);
      expect((await admin('GET', '/flows/hello/tests')).body['tests']).toEqual([]);
    },
  );
});

describe('the templates of several steps', () => {
  it('are flows with the key `template`, which the service does not run', async () => {
    const { admin } = await administered();
    const { status, body } = await admin('GET', '/templates');
    expect(status).toBe(200);
    const templates = body['templates'] as { name: string; text: string }[];
    expect(templates.map(({ name }) => name)).toContain('menu-with-voicemail');
    for (const { name, text } of templates) {
      expect(text).toMatch(/^template:$/m);
      expect((await admin('GET', `/flows/${name}`)).status, name).toBe(404);
    }
  });
});

describe('access without credentials', () => {
  it('records author and hashes before and after, and only effective changes', async () => {
    const { rig, admin } = await administered({ flows: FLOWS });
    const first = await admin('GET', '/flows/hello');
    await admin('POST', '/flows/check', { name: 'hello', text: FLOWS.hello });
    await conditional(rig, 'PUT', 'hello', { text: 'flow: [' }, { 'if-match': etagOf(first) });
    const text = saying('hello', 'Hi there');
    const saved = await conditional(rig, 'PUT', 'hello', { text }, { 'if-match': etagOf(first) });
    await admin('PUT', '/numbers/2000', { flow: 'hello' });
    const { body } = await admin('GET', '/audit');
    expect(body['changes']).toMatchObject([
      { what: 'PUT /numbers/2000', who: 'admin', via: 'token', remote: '127.0.0.1', keys: ['flow'] },
      { what: 'PUT /flows/hello', before: first.body['etag'], after: saved.body['etag'] },
    ]);
    const latest = await admin('GET', '/audit?limit=1');
    expect(latest.body['changes']).toMatchObject([{ what: 'PUT /numbers/2000' }]);
    const rest = await admin('GET', `/audit?limit=1&cursor=${latest.body['next']}`);
    expect(rest.body).toMatchObject({ changes: [{ what: 'PUT /flows/hello' }] });
    expect(rest.body).not.toHaveProperty('next');
    expect((await admin('GET', '/audit?cursor=x')).status).toBe(400);
    // The versions say which of them a change left behind.
    const { body: kept } = await admin('GET', '/flows/hello/versions');
    const etags = (kept['versions'] as { etag: string }[]).map(({ etag }) => etag);
    expect(etags).toEqual([saved.body['etag'], first.body['etag']]);
  });
});

describe('access without credentials', () => {
  it('returns 404 without a configured administrator, and 401 without credentials', async () => {
    const routes = [
      ['GET', '/language'],
      ['GET', '/examples'],
      ['GET', '/templates'],
      ['POST', '/flows/check'],
      ['GET', '/flows'],
      ['GET', '/flows/hello'],
      ['PUT', '/flows/hello'],
      ['DELETE', '/flows/hello'],
      ['GET', '/flows/hello/tests'],
      ['GET', '/flows/hello/tests/a.test.yaml'],
      ['PUT', '/flows/hello/tests/a.test.yaml'],
      ['DELETE', '/flows/hello/tests/a.test.yaml'],
      ['GET', '/flows/hello/versions'],
      ['GET', '/flows/hello/versions/f00d'],
      ['POST', '/flows/hello/versions'],
      ['GET', '/flows/hello/canary'],
      ['PUT', '/flows/hello/canary'],
      ['DELETE', '/flows/hello/canary'],
      ['POST', '/flows/hello/publish'],
      ['GET', '/audit'],
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
