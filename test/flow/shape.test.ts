import { describe, expect, it } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../src/base/core/json.ts';
import { compileCheck, schemaProblem } from '../../src/base/schema/compile-check.ts';
import { childPointer, walk } from '../../src/base/schema/document.ts';
import { verbSchemas } from '../../src/base/schema/schema-forms.ts';
import { checkArguments } from '../../src/base/schema/validate.ts';
import { compileDocument } from '../../src/language/flow/compile.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { cpuTimeMs } from '../cpu-time.ts';
import { around, brief, check, findings, OF_WHOLE_FLOWS } from './check-flow.ts';

const told = (text: string) => {
  const { diagnostics } = check(text);
  return diagnostics.map(({ hint }, index) => `${brief(diagnostics)[index]}${hint ? ` | ${hint}` : ''}`);
};

describe('a mistake in the shape gives one message with place and hint', () => {
  it.each<[string, string, string]>([
    ['no map', '- a', '1:1 wrong-type | it starts with  flow: a-name'],
    ['a misspelt flow key', 'flow: a\nstart: x\nstpes: { x: { hangup: } }', '3:1 unknown-key | did you mean steps?'],
    ['no start', 'flow: a\nsteps: { x: { hangup: normal } }', '1:1 missing-key | add start: …'],
    ['a name with a space', 'flow: a b\nstart: x\nsteps: { x: { hangup: normal } }', '1:7 wrong-value'],
    ['a step that is no map', around('  first: play'), '5:10 wrong-type'],
    ['a step without a verb', around('  first: { next: bye }'), expect.stringContaining('5:3 missing-verb') as never],
    ['a misspelt verb', around('  first: { palay: x, next: bye }'), '5:12 unknown-verb | did you mean play?'],
    ['two verbs', around('  first: { play: x, pause: 1s, next: bye }'), '5:21 two-verbs | make a second step of it'],
    ['a misspelt common key', around('  first: { play: x, nxt: bye }'), '5:21 unknown-key | did you mean next?'],
    [
      'a misspelt argument',
      around('  first: { play: { prompt: x, barge-in: true }, next: bye }'),
      '5:31 unknown-key | did you mean barge_in?',
    ],
    [
      'a misspelt required argument',
      around('  first: { play: { promt: x }, next: bye }'),
      '5:20 unknown-key | did you mean prompt?',
    ],
    ['a bare duration', around('  first: { pause: 2, next: bye }'), '5:19 duration | write 2s or 2ms'],
    [
      'a bare duration inside',
      around('  first: { collect: { digits: { length: 4 }, start_timeout: 10 }, next: bye }'),
      '5:61 duration | write 10s or 10ms',
    ],
    ['a wrong unit', around('  first: { pause: 2sec, next: bye }'), '5:19 duration'],
    [
      'an unquoted digit',
      around('  first: { menu: { choices: { a: { dtmf: 1 } } }, exits: { a: bye } }'),
      '5:42 digit | write "1"',
    ],
    [
      'a word for a key',
      around('  first: { menu: { choices: { a: { dtmf: "one" } } }, exits: { a: bye } }'),
      '5:42 digit',
    ],
    ['a choice named error', around('  first: { menu: { choices: { error: { dtmf: "1" } } } }'), '5:31 wrong-name'],
    [
      'a text for a number',
      around('  first: { collect: { digits: { length: "4" } }, next: bye }'),
      '5:41 wrong-type | write it without quotes',
    ],
    ['a number for a text', around('  first: { log: 5, next: bye }'), '5:17 wrong-type | write it in quotes'],
    ['a list for a text', around('  first: { send_digits: ["1"], next: bye }'), '5:25 wrong-type'],
    [
      'a word that is none of the list',
      around('  first: { hangup: nromal }'),
      '5:20 wrong-value | did you mean normal?',
    ],
    [
      'too many attempts',
      around('  first: { menu: { attempts: 99, choices: { a: { dtmf: "1" } } } }'),
      '5:30 wrong-value',
    ],
    [
      'two methods',
      around('  first: { request: { get: "http://a/", post: "http://a/" }, next: bye }'),
      '5:12 wrong-keys',
    ],
    ['a case without a condition', around('  first: { branch: [{ next: bye }, { else: bye }] }'), '5:21 wrong-keys'],
    [
      'a bad day',
      around('  first: { schedule: { open: [{ days: [mo], from: "09:00", to: "17:00" }] } }'),
      '5:40 wrong-value',
    ],
    ['a template for a choice', around('  first: { menu: { choices: "${ vars.x }" } }'), '5:29 wrong-type'],
    [
      'an interrupt that does not exist',
      around('  first: { pause: 1s, next: bye }', 'events: { dtmf.11: bye }\n'),
      '2:11 wrong-name',
    ],
    [
      'a variable with a dash',
      around('  first: { pause: 1s, next: bye }', 'vars: { a-b: { type: string } }\n'),
      '2:9 wrong-name',
    ],
    ['an exit that is no step', around('  first: { pause: 1s, exits: { done: [bye] } }'), '5:38 wrong-type'],
    ['an empty prompt', around('  first: { play: "", next: bye }'), '5:18 wrong-value'],
    [
      'a prompt with two sources',
      around('  first: { play: [{ text: a b, tone: 440 }], next: bye }'),
      '5:19 wrong-keys',
    ],
  ])('reports one mistake: %s', (_name, text, expected) => {
    expect(told(text)).toEqual([expected]);
  });

  it('reports every mistake of a flow, each once', () => {
    const text = around(
      '  first: { play: { promt: x }, nxt: bye }\n  b: { pause: 2, next: bye }\n  c: { plya: x, next: bye }',
    );
    expect(brief(check(text).diagnostics)).toEqual([
      '5:20 unknown-key',
      '5:32 unknown-key',
      '6:15 duration',
      '7:8 unknown-verb',
    ]);
  });
});

describe('templates', () => {
  it.each([
    'play: "${ vars.x }"',
    'play: { prompt: "${ vars.x }", repeat: "${ vars.n }", barge_in: "${ vars.yes }" }',
    'pause: "${ vars.d }"',
    'collect: { digits: { length: "${ vars.n }" }, start_timeout: "${ vars.d }" }',
    'collect: "${ vars.all }"',
    'request: { get: "${ vars.x }", headers: "${ vars.h }", timeout: "${ vars.d }" }',
    'send_digits: "${ vars.x }"',
    'hangup: "${ vars.x }"',
  ])('allows a template for any scalar: %s', (verb) => {
    const shape = ['wrong-type', 'wrong-value', 'duration', 'unknown-key', 'wrong-keys', 'missing-key'];
    const { diagnostics } = check(around(`  first: { ${verb} }`));
    expect(diagnostics.filter(({ code }) => shape.includes(code))).toEqual([]);
  });

  it.each<[string, Json, string | undefined]>([
    ['pause', '2s', undefined],
    ['pause', 2, 'a duration carries its unit'],
    ['pause', [], 'must be text or a map'],
    ['pause', { duration: '2' }, 'duration: a duration carries its unit, such as 6s, 500ms or 2m'],
    ['send_digits', '12#', undefined],
    ['send_digits', 12, 'must be text or a map'],
    ['play', { prompt: ['a', { text: 5 }] }, 'prompt.1.text: must be text'],
    ['collect', { digits: { length: 4 }, prompt: 'x' }, undefined],
    ['collect', { digits: { length: '4' }, prompt: 'x' }, 'digits.length: must be a whole number'],
    ['request', { get: 'ftp://x' }, 'get: must be a URL that starts with https:// or http://'],
    ['log', { message: 'x', feilds: {} }, 'unknown key `feilds`'],
  ])('checks the result of a template again: %s %j', (verb, rendered, expected) => {
    expect(checkArguments({ verb }, rendered)).toBe(expected);
  });

  it('keeps lazy keys as written', () => {
    const args = { name: 'sales', position: { tone: '${ 100 * result.waiting }' } };
    expect(checkArguments({ verb: 'queue', lazy: ['position'] }, args)).toBeUndefined();
    expect(checkArguments({ verb: 'queue' }, args)).toMatch(/position.tone/);
  });
});

describe('every mutation of a right flow gives exactly one message', () => {
  const flow: JsonObject = {
    flow: 'mutant',
    input: { vip: { type: 'boolean', default: false } },
    vars: { account: { type: 'string' }, n: { type: 'integer', default: 0 } },
    prompts: { hello: 'Hello there', again: 'Once more' },
    schedules: { hours: { timezone: 'Europe/Paris', open: [{ days: ['mon-fri'], from: '09:00', to: '17:00' }] } },
    defaults: { locale: 'en-US', input: { attempts: 2, start_timeout: '5s' }, exits: { error: 'bye' } },
    events: { 'dtmf.0': 'bye' },
    limits: { max_duration: '10m', max_steps: 100 },
    start: 'open',
    steps: {
      open: { schedule: 'hours', exits: { open: 'ask', closed: 'bye', holiday: 'bye' } },
      ask: {
        collect: {
          prompt: 'hello',
          digits: { min: 1, max: 4 },
          no_input: ['again'],
          no_match: ['again'],
          barge_in: true,
        },
        set: { account: '${ result.digits }' },
        max_visits: 3,
        exits: { collected: 'menu', exhausted: 'sorry', limit: 'bye' },
      },
      menu: {
        menu: {
          prompt: 'hello',
          choices: { a: { dtmf: '1' }, b: { dtmf: '2' } },
          no_input: ['again'],
          no_match: ['again'],
        },
        exits: { a: 'look', b: 'branch', exhausted: 'sorry' },
      },
      look: {
        request: { get: 'https://a.example/x', timeout: '900ms', retry: { times: 1, backoff: '1s' } },
        exits: { ok: 'count', not_found: 'say', failed: 'say' },
      },
      count: { set: { n: '${ vars.n + 1 }' }, next: 'branch' },
      branch: { branch: [{ when: 'vars.n > 1', next: 'say' }, { else: 'wait' }] },
      say: { play: { prompt: ['hello', { silence: '300ms' }], repeat: 2 }, locale: 'en-GB', next: 'wait' },
      sorry: { play: 'hello', next: 'bye' },
      wait: { wait_for: { events: ['go'], timeout: '10s' }, exits: { go: 'bye', timeout: 'bye' } },
      bye: { hangup: 'normal' },
    },
  };
  /** Below these, keys are names that the author gives. */
  const named = new Set([
    '/input',
    '/input/vip',
    '/vars',
    '/vars/account',
    '/vars/n',
    '/prompts',
    '/schedules',
    '/steps',
    '/steps/ask/set',
    '/steps/count/set',
    '/steps/menu/menu/choices',
  ]);
  const compile = (document: JsonObject) =>
    compileDocument(document, 'm', verbs).diagnostics.filter(({ code }) => !OF_WHOLE_FLOWS.test(code));

  it('accepts the flow without a mutation', () => {
    expect(compile(flow)).toEqual([]);
  });

  const places = [...walk(flow)];
  const keys = places.flatMap(([pointer, value]) =>
    isObject(value) && !named.has(pointer) ? Object.keys(value).map((key) => [pointer, key] as const) : [],
  );
  it.each(keys)('reports a misspelt key at %s: %s', (pointer, key) => {
    const copy = structuredClone(flow);
    const at = at_(copy, pointer) as JsonObject;
    const renamed = Object.fromEntries(
      Object.entries(at).map(([name, value]) => [name === key ? `${key}q` : name, value]),
    );
    for (const name of Object.keys(at)) delete at[name];
    Object.assign(at, renamed);
    const found = compile(copy).filter(({ severity }) => severity === 'error');
    expect(found.map(({ code, message }) => `${code} ${message}`)).toHaveLength(1);
    expect(found[0]!.message).toContain(`${childPointer(pointer, key)}q`.slice(0, pointer.length));
  });

  const scalars = places.filter(([pointer, value]) => typeof value !== 'object' && !isFree(pointer));
  it.each(scalars.map(([pointer]) => pointer))('reports a map for the scalar at %s', (pointer) => {
    const copy = structuredClone(flow);
    const parent = at_(copy, pointer.slice(0, pointer.lastIndexOf('/'))) as JsonObject;
    parent[pointer.slice(pointer.lastIndexOf('/') + 1)] = { wrong: true };
    const found = compile(copy);
    expect(found.map(({ code, message }) => `${code} ${message}`)).toHaveLength(1);
  });

  /** Any JSON may stand here. */
  function isFree(pointer: string): boolean {
    return /^\/(input|vars|prompts)\/|\/set\//.test(pointer);
  }

  function at_(root: Json, pointer: string): Json {
    let at = root;
    for (const key of pointer.split('/').slice(1)) at = Array.isArray(at) ? at[Number(key)]! : (at as JsonObject)[key]!;
    return at;
  }
});

describe('the schemas of the verbs', () => {
  const written = [...verbSchemas].flatMap(([verb, schema]) =>
    ((schema['examples'] as JsonObject[] | undefined) ?? []).map((example) => [verb, example] as const),
  );

  it('has one for every verb, described and with an example', () => {
    for (const { verb } of verbs) {
      expect(verbSchemas.get(verb), verb).toMatchObject({
        description: expect.any(String),
        examples: expect.any(Array),
      });
    }
    expect(new Set(written.map(([verb]) => verb)).size).toBe(verbSchemas.size);
  });

  it.each(written)('accepts the example of %s', (verb, example) => {
    const { next, exits, ...rest } = example;
    const document = { flow: 'x', start: 'a', steps: { a: rest } };
    const shape = compileDocument(document, 'x', verbs).diagnostics.filter(({ code }) =>
      [
        'unknown-key',
        'wrong-type',
        'wrong-value',
        'wrong-keys',
        'missing-key',
        'unknown-verb',
        'missing-verb',
        'wrong-name',
      ].includes(code),
    );
    expect([verb, shape]).toEqual([verb, []]);
    const { terminal = false } = verbs.find((spec) => spec.verb === verb)!;
    // Steps that end a flow have no exits, except where they can fail.
    if (terminal)
      expect([next, Object.keys(exits ?? {}).filter((outcome) => outcome !== 'error')]).toEqual([undefined, []]);
    else expect(next === undefined && exits === undefined).toBe(verb === 'branch');
  });
});

describe('compileSchema', () => {
  it.each<[JsonObject | boolean, Json, string | undefined]>([
    [{ type: 'string', pattern: '^[0-9]{8}$' }, '12345678', undefined],
    [{ type: 'string', pattern: '^[0-9]{8}$' }, '1', 'does not match the pattern `^[0-9]{8}$`'],
    [{ enum: ['gold', 'basic'] }, 'tin', 'must be one of gold, basic'],
    [{ type: 'object', properties: { a: { type: 'object', required: ['b'] } } }, { a: {} }, 'a has no `b`'],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', type: 'integer' }, 1.5, 'must be a whole number'],
    [{ type: 'string', format: 'email' }, 'nobody', 'must be an e-mail address'],
    [{ type: 'string', minLength: 1 }, '', 'must not be empty'],
    [{ type: 'string', maxLength: 1 }, 'ab', 'must have at most 1 character'],
    [{ type: 'array', minItems: 2 }, [1], 'must have at least 2 items'],
    [{ type: 'integer', exclusiveMinimum: 2 }, 2, 'must be more than 2'],
    [{ const: 'a' }, 'b', 'must be "a"'],
    [{ type: 'string', format: 'date' }, 'today', 'must be a date, such as 2026-03-02'],
    [true, 1, undefined],
  ])('checks %j for %j', (schema, value, expected) => {
    expect(compileCheck(schema)(value)).toBe(expected);
  });

  it.each<JsonObject>([
    { type: 'strnig' },
    { pattern: '(?=a)' },
    { $ref: 'https://a.example/s.json' },
    { pattern: '(' },
  ])('rejects the unusable schema %j, which fits nothing', (schema) => {
    expect(schemaProblem(schema)).toEqual(expect.any(String));
    expect(compileCheck(schema)('a')).toMatch(/^the schema cannot be used/);
  });

  it('limits the time of patterns and of schemas that call themselves', () => {
    const started = cpuTimeMs();
    expect(compileCheck({ pattern: '^(a+)+$' })(`${'a'.repeat(20_000)}b`)).toBeDefined();
    expect(cpuTimeMs() - started).toBeLessThan(3000);
    expect(compileCheck({ allOf: [{ $ref: '#' }] })(1)).toMatch(/cannot be applied/);
  });

  it('keeps schemas of different authors apart', () => {
    expect(compileCheck({ $id: 'x', type: 'string' })(1)).toBe('must be text');
    expect(compileCheck({ $id: 'x', type: 'number' })('a')).toBe('must be a number');
  });
});

describe('a mistake in the shape does not hide the others', () => {
  const rest = '  second: { play: hi there, exits: { done: nowhere, error: bye } }\n';
  it.each([
    ['of a step', `  first: { play: x, nxt: bye, next: second }\n${rest}`, '', 'unknown-key'],
    ['of its arguments', `  first: { pause: 3, next: second }\n${rest}`, '', 'duration'],
    ['of its verb', `  first: { palay: x, next: second }\n${rest}`, '', 'unknown-verb'],
    [
      'of a declaration',
      `  first: { set: { x: 1 }, next: second }\n${rest}`,
      'vars: { x: { type: 7 } }\n',
      'bad-schema',
    ],
    ['of the limits', `  first: { pause: 1s, next: second }\n${rest}`, 'limits: { max_steps: many }\n', 'wrong-type'],
    ['of an expression', `  first: { pause: 1s, when: "1 +", next: second }\n${rest}`, '', 'expression-syntax'],
  ])('reports the mistake %s and the unknown target', (_name, steps, head, code) => {
    const codes = check(around(steps, head)).diagnostics.map((found) => found.code);
    expect(codes).toEqual(expect.arrayContaining([code, 'unknown-target']));
    expect(codes).toHaveLength(2);
  });

  it('omits findings that the mistake may have caused', () => {
    const text = around(
      '  first: { play: hi there, nxt: second }\n  second: { pause: 1s, when: steps.first.x, next: first }',
    );
    expect(findings(text)).toEqual(['5:28 unknown-key']);
  });
});
