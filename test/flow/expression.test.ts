import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/base/core/json.ts';
import type { Scope } from '../../src/language/flow/compiled-flow.ts';
import { compileExpression, ExpressionError, evaluate, isTrue } from '../../src/language/flow/expression.ts';
import { cpuTimeMs } from '../cpu-time.ts';

const scope: Scope = {
  input: {},
  call: { from: '+33612345678' },
  vars: {
    tier: 'gold',
    n: 3,
    none: null,
    list: [{ x: 1 }, { x: 2 }],
    one: [{ x: 1 }],
    long: `${'a'.repeat(40_000)}b`,
  },
  steps: {},
  env: {},
};
const context = { nowMs: Date.UTC(2026, 2, 2, 8, 30), random: () => 0.25 };

async function run(source: string): Promise<Json | undefined> {
  const compiled = compileExpression(source);
  if ('error' in compiled) throw new Error(compiled.error.message);
  return evaluate(compiled, scope, context);
}

async function failure(source: string): Promise<ExpressionError> {
  try {
    await run(source);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error(`${source} did not fail`);
}

describe('values', () => {
  it.each<[string, Json | undefined]>([
    ['vars.tier', 'gold'],
    ["vars.tier = 'gold' and vars.n > 2", true],
    ['vars.missing', undefined],
    ['vars.none', null],
    ['vars.list.x', [1, 2]],
    ['vars.one.x', 1],
    ['vars.one.x[]', [1]],
    ["{ 'a': { 'b': vars.n } }", { a: { b: 3 } }],
    ["$replace(vars.tier, /O/i, '0')", 'g0ld'],
    ["$split('a1b22c', /[0-9]+/)", ['a', 'b', 'c']],
    ["$match('ab12', /([a-z]+)([0-9]+)/).groups", ['ab', '12']],
    ["$contains('a/b', /a\\/b/)", true],
    ['$distinct([1, 2, 1, {"a": 1}, {"a": 1}])', [1, 2, { a: 1 }]],
    ['$toMillis("20260302", "[Y0001][M01][D01]")', Date.UTC(2026, 2, 2)],
    ['vars.constructor', undefined],
    ['vars.__proto__', undefined],
  ])('has the value of %s', async (source, expected) => {
    expect(await run(source)).toEqual(expected);
  });

  it('are plain JSON with ordinary prototypes', async () => {
    const value = (await run("{ 'a': [vars.list.x] }")) as { a: Json[] };
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value.a)).toEqual(['0', '1']);
  });

  it.each<[Json | undefined, boolean]>([
    [undefined, false],
    [null, false],
    ['', false],
    ['0', true],
    [0, false],
    [[], false],
    [[0, ''], false],
    [[0, 1], true],
    [{}, false],
    [{ a: false }, true],
  ])('treats %j as %s', async (value, truth) => {
    expect(isTrue(value)).toBe(truth);
  });
});

describe('time and chance come from the call', () => {
  it.each<[string, Json]>([
    ['$now()', '2026-03-02T08:30:00.000Z'],
    ["$now('[H01]:[m01]', '+0100')", '09:30'],
    ["$now('[H01]:[m01]', 'Europe/Paris')", '09:30'],
    ["$now('[H01]:[m01]', 'Asia/Kolkata')", '14:00'],
    ["$now('[H01]:[m01]', 'UTC')", '08:30'],
    ["$fromMillis(1782981000000, '[H01]:[m01]', 'Europe/Paris')", '10:30'],
    ["$fromMillis(1782981000000, '[H01]:[m01]', 'America/New_York')", '04:30'],
    ["1782981000000 ~> $fromMillis('[H01]:[m01]', 'Europe/Paris')", '10:30'],
    ["$fromMillis(0, '[H01]:[m01]', '+0100')", '01:00'],
    ['$millis()', Date.UTC(2026, 2, 2, 8, 30)],
    ['$random()', 0.25],
    ["$toMillis('10:15', '[H01]:[m01]')", Date.UTC(2026, 2, 2, 10, 15)],
  ])('uses time and chance of the call in %s', async (source, expected) => {
    expect(await run(source)).toEqual(expected);
  });

  it('keeps the values of two simultaneous calls apart', async () => {
    const compiled = compileExpression('[$millis(), $random()]');
    if ('error' in compiled) throw new Error(compiled.error.message);
    const each = [1, 2, 3].map((n) => evaluate(compiled, scope, { nowMs: n, random: () => n / 10 }));
    expect(await Promise.all(each)).toEqual([
      [1, 0.1],
      [2, 0.2],
      [3, 0.3],
    ]);
  });
});

describe('guards', () => {
  it.each<[string, string, string]>([
    ['endless recursion', '($f := function($n) { 1 + $f($n + 1) }; $f(0))', 'expression-depth'],
    ['an endless loop by tail calls', '($f := function($n) { $f($n + 1) }; $f(0))', 'expression-timeout'],
    ['a huge range', '[1..1000000]', 'expression-size'],
    ['a cross product', '[1..9999].([1..9999])', 'expression-timeout'],
    [
      'a text that doubles',
      "($f := function($s, $n) { $n = 0 ? $s : $f($s & $s, $n - 1) }; $length($f('ab', 28)))",
      'expression-size',
    ],
    [
      'a value that doubles',
      '($f := function($s, $n) { $n = 0 ? $s : $f([$s, [$s]], $n - 1) }; $f([1], 28) = 1)',
      'expression-size',
    ],
    ['padding', "$pad('x', 1000000000)", 'expression-size'],
    ['a picture that backtracks', `$toMillis('${'1'.repeat(60)}x', '${'[Y]'.repeat(20)}')`, 'expression-size'],
    ['a regex over too long a text', '$match($pad("a", 60000), /a/)', 'expression-size'],
    ['a number out of range', '1 / 0', 'expression-type'],
    ['eval', "$eval('1 + 1')", 'expression-type'],
    ['shuffle', '$shuffle([1, 2, 3])', 'expression-type'],
    ['a function as the result', 'function($x) { $x }', 'expression-result'],
    ['a function inside the result', "{ 'f': $sum }", 'expression-result'],
    ['an order of text and number', "'10' > 9", 'expression-type'],
    ['a fault of the author', "$error('no')", 'expression-failed'],
  ])('stops an expression: %s', async (_name, source, code) => {
    const started = cpuTimeMs();
    const error = await failure(source);
    expect(error.code).toBe(code);
    expect(error.fault).toMatchObject({ code, retryable: false });
    expect(cpuTimeMs() - started).toBeLessThan(3000);
  });

  it.each(['/(a+)+$/', '/(a|a)*c/', '/(.*)*x/'])('limits the time of the regex %s', async (regex) => {
    const started = cpuTimeMs();
    expect(await run(`$contains(vars.long, ${regex})`)).toBe(false);
    expect(cpuTimeMs() - started).toBeLessThan(3000);
  });

  it('stops many matches that each look far ahead', async () => {
    expect((await failure('$match($pad("", 40000, "a"), /a.*?z|a/)')).code).toBe('expression-timeout');
  });

  it('does not stop a short one when another used the processor', async () => {
    const found = run('$sum([1, 2, 3]) + $count([4, 5])');
    queueMicrotask(() => {
      for (const began = performance.now(); performance.now() - began < 300; );
    });
    expect(await found).toBe(8);
  });

  it('cannot reach its own bookkeeping', async () => {
    expect(await run('$lookup($$, "evaluation context")')).toBeUndefined();
    expect(await run('$keys($$)')).toEqual(['input', 'call', 'vars', 'steps', 'env']);
  });
});

describe('compiling', () => {
  it.each<[string, string, string, number]>([
    ['a missing operand', '1 + ', 'expression-syntax', 3],
    ['an operator too many', 'vars.x = = 1', 'expression-syntax', 9],
    ['an open quote', "'open", 'expression-syntax', 4],
    ['nothing', '', 'expression-syntax', 0],
    ['look-ahead', '$match(a, /(?=x)/)', 'expression-regex', 10],
    ['a back reference', '$match(a, /(a)\\1/)', 'expression-regex', 10],
    ['deep nesting', `${'('.repeat(9000)}1`, 'expression-syntax', 0],
    ['a novel', 'x'.repeat(10_001), 'expression-syntax', 0],
  ])('rejects an expression with %s', (_name, source, code, position) => {
    const compiled = compileExpression(source);
    expect('error' in compiled && [compiled.error.code, compiled.error.position]).toEqual([code, position]);
  });

  it('happens once per text', () => {
    expect(compileExpression('vars.n + 41')).toBe(compileExpression('vars.n + 41'));
  });
});
