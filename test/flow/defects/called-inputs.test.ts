/** Inputs that a flow passes to its subflows: declared names and types. */
import { describe, expect, it } from 'vitest';
import { findings } from '../check-flow.ts';

const input = {
  customer: { type: 'string', pattern: '^[0-9]{4}$' },
  count: { type: 'integer' },
  kind: { enum: ['new', 'known'] },
};
const knownFlows = new Map([
  ['orders', { returns: ['done'], calls: [], input }],
  ['plain', { returns: ['done'], calls: [], input: {} }],
]);

/** The place of « is where something must be found. */
function check(step: string): { found: string[]; place: string } {
  const head = 'input: { who: { type: string } }\nvars: { n: { type: integer, default: 0 } }\n';
  const marked = `flow: a\n${head}defaults: { exits: { error: bye } }\nstart: first\nsteps:\n  first: { ${step} }\n  count: { set: { n: "\${ vars.n + 1 }" }, next: bye }\n  bye: { hangup: normal }\n`;
  const before = marked.split('«')[0]!.split('\n');
  const found = findings(marked.replace('«', ''), { knownFlows }).filter((each) => !each.includes('unreachable-step'));
  return { found, place: `${before.length}:${before.at(-1)!.length + 1}` };
}

describe('is found', () => {
  it.each([
    ['unknown-input', 'continue: { flow: orders, input: { «custmer: "1234" } }'],
    ['unknown-input', 'subflow: { flow: plain, input: { «customer: "1234" } }, next: count'],
    ['unknown-input', 'parallel: { branches: { a: { flow: orders, input: { «client: 1 } } } }, next: count'],
    ['unknown-input', 'parallel: { branches: { b: { flow: plain, input: { «place: 1 } } } }, next: count'],
    ['unknown-input', 'continue: { flow: orders, input: { count: 1, «kinds: new } }'],
    [
      'unknown-input',
      'for_each: { list: [1, 2], flow: orders, input: { «nth: 1 } }, exits: { done: count, empty: count }',
    ],
    [
      'never-fits',
      'for_each: { list: [1, 2], flow: orders, input: { kind: «old } }, exits: { done: count, empty: count }',
    ],
    ['never-fits', 'continue: { flow: orders, input: { customer: «"12" } }'],
    ['never-fits', 'subflow: { flow: orders, input: { count: «many } }, next: count'],
    ['never-fits', 'continue: { flow: orders, input: { kind: «old } }'],
    ['never-fits', 'continue: { flow: orders, input: { customer: «"${ vars.n }" } }'],
    [
      'never-fits',
      'parallel: { branches: { a: { flow: orders, input: { count: «"number ${ vars.n }" } } } }, next: count',
    ],
  ])('reports %s at the step %s', (code, step) => {
    const { found, place } = check(step);
    expect(found.map((each) => each.replace(/:\d+ /, ':… '))).toEqual([`${place.replace(/:\d+$/, ':…')} ${code}`]);
    if (code === 'unknown-input') expect(found).toEqual([`${place} ${code}`]);
  });
});

describe('is not found', () => {
  it.each([
    ['what fits', 'continue: { flow: orders, input: { customer: "1234", count: 3, kind: new } }'],
    ['what may fit', 'continue: { flow: orders, input: { customer: "${ call.from }", count: "${ vars.n }" } }'],
    ['input of a flow that is not known', 'subflow: { flow: "${ call.to }", input: { x: 1 } }, next: count'],
    ['no input', 'subflow: orders, next: count'],
  ])('accepts %s in a call', (_name, step) => expect(check(step).found).toEqual([]));
});
