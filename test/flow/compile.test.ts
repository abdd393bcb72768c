import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { hasErrors } from '../../src/base/core/diagnostic.ts';
import { compileDocument, compileFlow } from '../../src/language/flow/compile.ts';
import { diagramOf } from '../../src/language/flow/diagram.ts';
import { renderTemplate } from '../../src/language/flow/template.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { around, brief, check, compiled } from './check-flow.ts';

/** The flow of the language's design, with the bridge of a later version replaced by a message. */
const SUPPORT_LINE = `flow: support-line
input: { vip: { type: boolean, default: false } }
vars: { account: { type: string, pattern: "^[0-9]{8}$", sensitive: true }, tier: { enum: [gold, basic] } }
prompts: ./prompts
defaults:
  locale: en-US
  input: { attempts: 3, start_timeout: 6s, inter_digit_timeout: 3s, barge_in: true }
  exits: { hangup: wrap_up, error: apologise }
start: hours
steps:
  hours:
    schedule: office_hours
    exits: { open: main_menu, closed: voicemail, holiday: voicemail }
  main_menu:
    menu:
      prompt: main_menu
      choices:
        billing: { dtmf: "1", say: [billing, invoice] }
        agent: { dtmf: "0", say: [agent, "speak to someone"] }
      no_input: [main_menu_short]            # one entry per attempt, the last repeats
      no_match: [sorry, main_menu_short]
    exits: { billing: ask_account, agent: ring_agents, exhausted: ring_agents }
  ask_account:
    collect: { prompt: enter_account, digits: { length: 8, terminator: "#" }, sensitive: true }
    set: { account: "\${ result.digits }" }
    max_visits: 3
    exits: { collected: lookup, exhausted: ring_agents, limit: ring_agents }
  lookup:
    request:
      post: https://crm.example/lookup
      body: { account: "\${ vars.account }" }
      timeout: 3s
      retry: { times: 2, backoff: 500ms, when: [timeout, 5xx] }
      meanwhile: hold_music                  # no dead air while we wait
      returns: ./schemas/account.json
    set: { tier: "\${ result.body.tier }" }
    exits: { ok: by_tier, not_found: ask_account, failed: ring_agents }
  by_tier:
    branch:
      - { when: "vars.tier = 'gold' or steps.lookup.body.balance > 1000", next: ring_agents }
      - { else: voicemail }
  ring_agents: { play: nobody_free, next: voicemail }
  voicemail:
    record: { prompt: leave_message, beep: true, max_length: 2m, end_silence: 4s }
    exits: { recorded: wrap_up, silence: wrap_up }
  apologise: { play: technical_problem, next: wrap_up }
  wrap_up: { notify: { event: call.summary, body: "\${ { 'tier': vars.tier } }" }, next: bye }
  bye: { hangup: normal }
`;
const withFile = (text: string) => ({
  readFile: (path: string) => (path.endsWith('account.json') ? text : undefined),
});
const withSchema = withFile('{ "type": "object", "required": ["tier"] }');

describe('the example of the design', () => {
  const { flow, diagnostics } = check(SUPPORT_LINE, withSchema);

  it('compiles, with advice but without errors', () => {
    expect(hasErrors(diagnostics)).toBe(false);
    expect([...new Set(brief(diagnostics).map((line) => line.split(' ')[1]))].sort()).toEqual([
      'missing-no-input?',
      'missing-no-match?',
      'missing-prompt?',
      'retry-not-idempotent?',
    ]);
  });

  it.each<[string, string, string | undefined]>([
    ['$idle', 'start', 'hours'],
    ['hours', 'holiday', 'voicemail'],
    ['main_menu', 'billing', 'ask_account'],
    ['main_menu', 'exhausted.no_input', 'ring_agents'],
    ['main_menu', 'hangup', 'wrap_up'],
    ['main_menu', 'error', 'apologise'],
    ['ask_account', 'limit', 'ring_agents'],
    ['lookup', 'failed.5xx', 'ring_agents'],
    ['by_tier', 'case.1', 'ring_agents'],
    ['by_tier', 'else', 'voicemail'],
    ['apologise', 'error', '$end'],
    ['bye', 'done', undefined],
    ['nowhere', 'done', undefined],
  ])('%s leaves by %s to %s', (at, outcome, target) => {
    expect(flow!.machine.next(at, outcome)).toBe(target);
  });

  it('says what the runtime needs', () => {
    expect(flow).toMatchObject({
      name: 'support-line',
      start: 'hours',
      locale: 'en-US',
      limits: { maxDurationMs: 4 * 3_600_000, maxSteps: 10_000 },
      api: { play: true, hangup: true, accept: true, connect: true, event: true, flow: true },
      input: { vip: { schema: { type: 'boolean' }, default: false, sensitive: false } },
      vars: { account: { sensitive: true }, tier: { sensitive: false } },
      returns: [],
    });
    expect(flow!.steps.get('ask_account')).toMatchObject({ verb: 'collect', sensitive: true, maxVisits: 3 });
    expect(flow!.steps.get('ask_account')!.location).toEqual({ file: '/flows/a.flow.yaml', line: 23, column: 3 });
    expect(flow!.prompts.directory).toBe('/flows/prompts');
  });

  it('puts defaults.input under the arguments of collect and menu', () => {
    expect(flow!.steps.get('main_menu')!.args).toMatchObject({ attempts: 3, start_timeout: '6s', prompt: 'main_menu' });
    expect(flow!.steps.get('voicemail')!.args).not.toHaveProperty('attempts');
  });

  it('reads the schema of the answer', () => {
    expect(flow!.steps.get('lookup')!.args).toMatchObject({ returns: { type: 'object', required: ['tier'] } });
  });

  it('checks the values of variables', () => {
    expect(flow!.checkVariable('tier', 'gold')).toBeUndefined();
    expect(flow!.checkVariable('tier', 'tin')).toBe('must be one of gold, basic');
    expect(flow!.checkVariable('account', '123')).toMatch(/pattern/);
    expect(flow!.checkVariable('other', 1)).toBe('is not declared');
  });

  it('draws itself as a flowchart', () => {
    const diagram = diagramOf(flow!);
    expect(diagram.split('\n')[0]).toBe('flowchart TD');
    expect(diagram).toContain('main_menu["main_menu<br/>menu"]');
    expect(diagram).toMatch(/main_menu -->\|billing\| ask_account/);
  });

  it('draws the steps of a section in one box', () => {
    const steps =
      '  first: { pause: 1s, section: Door, next: second }\n  second: { pause: 1s, section: Door, next: bye }';
    const diagram = diagramOf(compiled(around(steps)));
    expect(diagram).toContain(
      '  subgraph section_1 ["Door"]\n    first["first<br/>pause"]\n    second["second<br/>pause"]\n  end\n',
    );
  });
});

describe('routes', () => {
  it.each<[string, string, string, string]>([
    ['the step before the defaults', '{ pause: 1s, exits: { done: bye, hangup: b } }', 'hangup', 'b'],
    ['the defaults where the step is silent', '{ pause: 1s, next: bye }', 'hangup', 'c'],
    [
      'a general exit before a special default',
      '{ request: { get: "http://a/", timeout: 1s }, exits: { failed: b, not_found: b }, next: b }',
      'failed.4xx',
      'b',
    ],
    [
      'the longest prefix',
      '{ request: { get: "http://a/", timeout: 1s }, exits: { failed: b, failed.4xx: c, not_found: b }, next: b }',
      'failed.4xx',
      'c',
    ],
    [
      'an outcome more special than any declared',
      '{ request: { get: "http://a/", timeout: 1s }, exits: { failed: b, not_found: b }, next: b }',
      'failed.4xx.teapot',
      'b',
    ],
    ['next for the one success', '{ play: "Hi you", next: b }', 'done', 'b'],
    ['a prompt cut short goes on', '{ play: { prompt: "Hi you", barge_in: true }, next: b }', 'interrupted', 'b'],
    [
      '… unless told otherwise',
      '{ play: { prompt: "Hi you", barge_in: true }, next: b, exits: { interrupted: c } }',
      'interrupted',
      'c',
    ],
    ['a repeated step', '{ repeat: { do: b, times: 2 }, exits: { limit: c } }', 'done', 'b'],
    ['a named case', "{ branch: [{ when: 'true', name: always, next: b }, { else: c }] }", 'always', 'b'],
    ['the end', '{ pause: 1s, exits: { done: $end } }', 'done', '$end'],
    ['a step that breaks', '{ set: { x: "${ 1 }" }, next: b }', 'error', 'c'],
  ])('are resolved for an outcome: %s', (_name, first, outcome, target) => {
    const flow = compiled(`flow: a
vars: { x: { type: integer } }
defaults: { exits: { error: c, hangup: c, failed.4xx: bye } }
start: first
steps:
  first: ${first}
  b: { pause: 1s, next: c }
  c: { pause: 1s, next: bye }
  bye: { hangup: normal }
`);
    expect(flow.machine.next('first', outcome)).toBe(target);
  });

  it('ends the flow on an unrouted hang-up', () => {
    const flow = compiled(around('  first: { pause: 1s, next: bye }'));
    expect(flow.steps.get('first')!.exits).toEqual({ done: 'bye', error: 'bye' });
    expect(flow.machine.next('first', 'hangup')).toBe('$end');
  });

  it('keeps interrupts apart from outcomes', () => {
    const flow = compiled(around('  first: { pause: 1s, next: bye }', 'events: { dtmf.0: bye, event.stop: first }\n'));
    expect(flow.events).toEqual({ 'dtmf.0': 'bye', 'event.stop': 'first' });
    expect(flow.machine.next('first', 'dtmf.0')).toBeUndefined();
  });
});

describe('subflows', () => {
  const main = (exits: string) => around(`  first: { subflow: identify, exits: { ${exits} } }`);

  it('has the outcomes that the called flow returns', () => {
    const knownFlows = new Map([['identify', { returns: ['known', 'unknown'], calls: [] }]]);
    expect(compiled(main('known: bye, unknown: bye, done: bye'), { knownFlows }).machine.next('first', 'known')).toBe(
      'bye',
    );
    expect(brief(check(main('done: bye'), { knownFlows }).diagnostics)).toEqual(['5:3 unrouted-outcome']);
  });

  it('includes done in the outcomes of a flow that ends without a word', () => {
    const text = `flow: x
start: a
steps:
  a: { branch: [{ when: "true", next: b }, { when: "false", next: $end }, { else: c }], exits: { error: b } }
  b: { return: yes_it_is }
  c: { return: { outcome: no.way } }
`;
    expect(compiled(text).returns).toEqual(['done', 'yes_it_is', 'no.way']);
  });
});

describe('the hash', () => {
  const flow =
    'flow: a\nstart: x\nsteps:\n  x: { play: "Hi you", next: y, exits: { error: y } }\n  y: { hangup: normal }\n';
  const hash = (text: string) => compiled(text).hash;

  it.each<[string, string]>([
    ['comments', `# about\n${flow.replace('next: y', 'next: y  ').replace('start: x', 'start: x # first')}`],
    [
      'the order of keys',
      'steps:\n  y: { hangup: normal }\n  x: { exits: { error: y }, next: y, play: "Hi you" }\nstart: x\nflow: a\n',
    ],
    [
      'JSON for YAML',
      JSON.stringify(
        {
          flow: 'a',
          start: 'x',
          steps: { x: { play: 'Hi you', next: 'y', exits: { error: 'y' } }, y: { hangup: 'normal' } },
        },
        null,
        4,
      ),
    ],
    [
      'block for flow style',
      "flow: 'a'\nstart: x\nsteps:\n  x:\n    play: Hi you\n    next: y\n    exits:\n      error: y\n  y:\n    hangup: normal\n",
    ],
  ])('does not change by %s', (_name, text) => {
    expect(hash(text)).toBe(hash(flow));
  });

  it.each<[string, string]>([
    ['a text', flow.replace('Hi you', 'Hi  you')],
    [
      'a route',
      flow.replace('next: y', 'next: x2').replace('  y:', '  x2: { pause: 1s, next: y, exits: { error: y } }\n  y:'),
    ],
    ['a name', flow.replace('flow: a', 'flow: b')],
  ])('changes its hash with %s', (_name, text) => {
    expect(hash(text)).not.toBe(hash(flow));
  });

  it('changes with a file that the flow names', () => {
    const other = withFile('{ "type": "object" }');
    expect(compiled(SUPPORT_LINE, withSchema).hash).not.toBe(compiled(SUPPORT_LINE, other).hash);
  });
});

describe('arguments', () => {
  it('keeps bare expressions and lazy keys, and renders the rest', async () => {
    const flow = compiled(
      around(
        `  first:
    collect: { prompt: "Hi \${ call.from }", digits: { length: 1 }, confirm: { prompt: "Was it \${ result.digits }" }, no_input: [a b], no_match: [a b] }
    exits: { collected: choose, exhausted: bye }
  choose: { branch: [{ when: "steps.first.digits = '1'", next: bye }, { else: bye }] }`,
      ),
    );
    const scope = { input: {}, call: { from: '+331' }, vars: {}, steps: {}, env: {} };
    const context = { nowMs: 0, random: () => 0 };
    const first = flow.steps.get('first')!;
    const rendered = await renderTemplate(first.input, scope, context);
    expect(rendered).toMatchObject({ prompt: 'Hi +331', confirm: { prompt: 'Was it ${ result.digits }' } });
    expect(first.complete(rendered).problem).toBeUndefined();
    expect(flow.steps.get('choose')!.input.isConstant).toBe(true);
  });
});

describe('flows that are not files', () => {
  const document = {
    flow: 'r',
    start: 'a',
    steps: { a: { play: 'Hi you', next: 'b', exits: { error: 'b' } }, b: { hangup: null } },
  };

  it('compiles flows of requests as well', () => {
    expect(compileDocument(document, 'request', verbs).flow).toMatchObject({ name: 'r', file: 'request' });
  });

  it('has pointers for positions', () => {
    const wrong = { ...document, steps: { ...document.steps, a: { play: 'Hi you', nxt: 'b' } } };
    expect(compileDocument(wrong, 'request', verbs).diagnostics).toMatchObject([
      { code: 'unknown-key', message: 'at /steps/a/nxt: unknown key `nxt`', file: 'request', line: 1, column: 1 },
    ]);
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'not-json'],
    ['a list', [], 'wrong-type'],
    ['a function', { flow: () => 1 }, 'not-json'],
    [
      'a circle',
      (() => {
        const circle: { [key: string]: unknown } = {};
        circle['a'] = circle;
        return circle;
      })(),
      'too-big',
    ],
    ['a prototype', JSON.parse('{"__proto__": 1}'), 'not-json'],
    ['a file of prompts', { ...document, prompts: './x' }, 'no-files'],
  ])('refuses a document with %s', (_name, json, code) => {
    expect(compileDocument(json, 'request', verbs).diagnostics.map((found) => found.code)).toEqual([code]);
  });
});

describe('files that a flow names', () => {
  const directory = mkdtempSync(join(tmpdir(), 'flow-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'answer.json'), '{ "type": "object" }');
  writeFileSync(join(directory, 'broken.json'), '{ "type": "objekt" }');
  symlinkSync('/etc/hostname', join(directory, 'link.json'));
  const withReturns = (name: string) =>
    compileFlow(
      around(
        `  first: { request: { get: "http://a/", timeout: 1s, returns: ${name} }, exits: { not_found: bye, failed: bye }, next: bye }`,
      ),
      join(directory, 'a.flow.yaml'),
      verbs,
    ).diagnostics.map(({ code }) => code);

  it.each<[string, string[]]>([
    ['./answer.json', []],
    ['answer.json', []],
    ['gone.json', ['missing-file']],
    ['broken.json', ['bad-schema']],
    ['../answer.json', ['outside-file']],
    ['/etc/hostname', ['outside-file']],
    ['link.json', ['missing-file']],
  ])('checks the file %s: %j', (name, codes) => {
    expect(withReturns(name)).toEqual(codes);
  });
});
