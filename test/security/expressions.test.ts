/** Expressions designed to run endlessly, to exhaust memory, or to reach forbidden objects. */
import { describe, expect, it } from 'vitest';
import type { Scope } from '../../src/language/flow/compiled-flow.ts';
import { compileExpression, evaluate } from '../../src/language/flow/expression.ts';
import { cpuTimeMs } from '../cpu-time.ts';

const scope = (vars: Scope['vars']): Scope => ({ input: {}, call: { from: '1' }, vars, steps: {}, env: {} });

async function outcome(source: string, vars: Scope['vars'] = {}): Promise<unknown> {
  const expression = compileExpression(source);
  if ('error' in expression) return expression.error.code;
  try {
    return await evaluate(expression, scope(vars), { nowMs: 0, random: () => 0.5 });
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('an expression with a long picture', () => {
  const long = { grouped: `${'#,'.repeat(150_000)}0`, years: '[Y]'.repeat(100_000), zeros: '0'.repeat(300_000) };

  it.each([
    '$formatNumber(1, vars.grouped)',
    '(1) ~> $formatNumber(vars.grouped)',
    '($f := $formatNumber; $f(1, vars.grouped))',
    '$map([1], function($n) { $formatNumber($n, vars.grouped) })',
    '($g := $formatNumber(?, vars.grouped); $g(1))',
    '$formatInteger(1, vars.zeros)',
    "$parseInteger('1', vars.zeros)",
    '$fromMillis(0, vars.years)',
    '$now(vars.years)',
  ])('is refused before it begins: %s', async (source) => {
    const beganMs = cpuTimeMs();
    expect(await outcome(source, long)).toBe('expression-size');
    expect(cpuTimeMs() - beganMs).toBeLessThan(1_000);
  });

  it('is evaluated as usual with a picture of usual length', async () => {
    expect(await outcome("$formatNumber(1234.5, '#,##0.00')")).toBe('1,234.50');
    expect(await outcome("1234 ~> $formatNumber('#,##0')")).toBe('1,234');
    expect(await outcome("$formatNumber(1.5, '0,0', { 'decimal-separator': ',' })")).toBe('1,5');
    expect(await outcome("($f := $formatInteger(?, 'w'); $f(12))")).toBe('twelve');
    expect(await outcome("($f := $formatNumber(?, '#,##0'); $f(1234))")).toBe('1,234');
    expect(await outcome("$formatInteger(12, 'w')")).toBe('twelve');
    expect(await outcome("$parseInteger('twelve', 'w')")).toBe(12);
    expect(await outcome("$fromMillis(0, '[Y0001]-[M01]', '+0100')")).toBe('1970-01');
    expect(await outcome("$now('[Y]')")).toBe('1970');
    expect(await outcome('$fromMillis(0)')).toBe('1970-01-01T00:00:00.000Z');
  });
});

describe('an expression', () => {
  it.each([
    'call.constructor',
    "call.constructor.constructor('return process')()",
    '$string.constructor',
    "''.constructor",
    'vars.__proto__',
    "$lookup(vars, '__proto__')",
    "$lookup(vars, 'constructor')",
    "$match('aaa', /a/).constructor",
  ])('reaches no internals of a value: %s', async (source) => {
    expect(await outcome(source, { a: { b: 1 } })).toBeUndefined();
  });

  it.each([
    '$ ~> |$|{"__proto__": {"polluted": 1}}|',
    '$ ~> |vars.a.__proto__|{"polluted": 1}|',
    '$ ~> |vars.a.constructor.prototype|{"polluted": 1}|',
    '$merge([{"__proto__": {"polluted": 1}}])',
    '{"__proto__": {"polluted": 1}}',
  ])('changes only its own value: %s', async (source) => {
    const vars = { a: { b: 1 } };
    await outcome(source, vars);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(vars).toEqual({ a: { b: 1 } });
  });
});

describe('the message of a failed expression', () => {
  it.each([
    '$number(vars.pressed & "x")',
    '$toMillis(vars.pressed & "x")',
    'vars.pressed + 1',
    '-vars.pressed',
    '$sum([vars.pressed])',
    '$formatBase(vars.pressed, 2)',
    '$power(vars.pressed, 2)',
    '[1..vars.pressed]',
    'vars.pressed()',
    '$map(vars.pressed, vars.pressed)',
  ])("does not quote the caller's digits: %s", async (source) => {
    const expression = compileExpression(source);
    if ('error' in expression) throw new Error(expression.error.message);
    const failed = await evaluate(expression, scope({ pressed: '739164' }), { nowMs: 0, random: () => 0 }).then(
      () => undefined,
      (error: Error) => error,
    );
    expect(failed?.message ?? '').not.toContain('739164');
    expect(JSON.stringify({ failed })).not.toContain('739164');
  });
});
