import { describe, expect, it } from 'vitest';
import { startSteps } from './scripted-call.ts';

const head = `vars:
  n: { type: integer, default: 5 }
  name: { type: string, default: Ann }
  nothing: { type: string }
  list: { type: array, default: [] }`;

const branching = (cases: string, exits = '') =>
  startSteps(`  first: { branch: ${cases}${exits} }\n  a: { hangup: busy }\n  b: { hangup: declined }`, { head });

describe('branch', () => {
  it.each([
    ['[{ when: vars.n > 3, next: a }, { else: b }]', ['first:case.1', 'a:done']],
    ['[{ when: vars.n > 9, next: a }, { else: b }]', ['first:else', 'b:done']],
    ['[{ when: vars.n > 9, next: bye }, { when: vars.n = 5, next: a }, { else: b }]', ['first:case.2', 'a:done']],
    ['[{ when: vars.n > 3, next: a }, { when: vars.n = 5, next: bye }, { else: b }]', ['first:case.1', 'a:done']],
    ['[{ when: "vars.name = \'Ann\'", name: ann, next: a }, { else: b }]', ['first:ann', 'a:done']],
    ['[{ when: true, next: a }, { else: b }]', ['first:case.1', 'a:done']],
    ['[{ when: false, next: a }, { else: b }]', ['first:else', 'b:done']],
    ['[{ else: a }]', ['first:else', 'a:done']],
    ['[{ when: vars.nothing, next: a }, { else: b }]', ['first:else', 'b:done']],
    ['[{ when: vars.list, next: a }, { else: b }]', ['first:else', 'b:done']],
    ['[{ when: "vars.nothing != \'x\'", next: a }, { else: b }]', ['first:else', 'b:done']],
    ['[{ when: "call.direction = \'inbound\'", next: a }, { else: b }]', ['first:case.1', 'a:done']],
    ['[{ when: $not($exists(input.x)), next: a }, { else: b }]', ['error']],
  ])('chooses the case by %s', async (cases, path) => {
    if (path[0] === 'error') return expect(branching(cases)).rejects.toThrow('input');
    const call = await branching(cases);
    expect(call.outcomes()).toEqual(path);
  });

  it('routes a case by its name', async () => {
    const call = await branching('[{ when: vars.n > 3, name: many }, { else: b }]', ', exits: { many: a }');
    expect(call.outcomes()).toEqual(['first:many', 'a:done']);
  });

  it.each(['vars.name > 3', '$number(vars.name) > 1', "$lookup({ 'it': 1 }, 'it')()"])(
    'ends with an error on %s',
    async (when) => {
      const call = await branching(`[{ when: "${when}", next: a }, { else: b }]`);
      expect(call.outcomes()).toEqual(['first:error', 'broken:done']);
    },
  );

  it('evaluates no case after the first that is true', async () => {
    const call = await branching(
      '[{ when: vars.n > 3, next: a }, { when: "$number(vars.name) > 1", next: b }, { else: b }]',
    );
    expect(call.outcomes()).toEqual(['first:case.1', 'a:done']);
  });
});
