/** Flows that hand the call over to each other: to one that is there, and never round without waiting for the caller. */
import { describe, expect, it } from 'vitest';
import { findings } from '../check-flow.ts';

const knownFlows = new Map([
  ['orders', { returns: [], calls: [] }],
  ['back-at-once', { returns: [], calls: [], continues: [{ flow: 'a', waits: false }] }],
  ['back-later', { returns: [], calls: [], continues: [{ flow: 'a', waits: true }] }],
  ['further', { returns: [], calls: [], continues: [{ flow: 'back-at-once', waits: false }] }],
  ['among-themselves', { returns: [], calls: [], continues: [{ flow: 'among-themselves', waits: false }] }],
]);

/** The place of « is where something must be found. */
function check(steps: string): { found: string[]; place: string } {
  const marked = `flow: a\ndefaults: { exits: { error: bye } }\nstart: first\nsteps:\n${steps}\n  bye: { hangup: normal }\n`;
  const before = marked.split('«')[0]!.split('\n');
  return {
    found: findings(marked.replace('«', ''), { knownFlows }),
    place: `${before.length}:${before.at(-1)!.length + 1}`,
  };
}

const CHOICE = 'branch: [{ when: "call.from = \'1\'", next: over }, { else: bye }]';

describe('is found', () => {
  it.each([
    ['unknown-flow', '  first: { continue: «order }'],
    ['unknown-flow', '  first: { continue: { flow: «order } }'],
    ['unknown-flow', '  first: { play: say it, next: over }\n  over: { continue: «nowhere }'],
    ['unknown-flow', '  first: { continue: { input: { a: 1 }, flow: «ordres } }'],
    ['unknown-flow', '  first: { continue: «Orders }'],
    ['endless-handover', '  first: { continue: «a }'],
    ['endless-handover', '  first: { continue: { flow: «back-at-once } }'],
    ['endless-handover', '  first: { continue: «further }'],
    ['endless-handover', '  first: { log: x, next: over }\n  over: { continue: «a }'],
    ['endless-handover', `  first: { ${CHOICE} }\n  over: { continue: { flow: «a, input: {} } }`],
    ['endless-handover', '  first: { play: say it, when: "call.from = \'1\'", next: over }\n  over: { continue: «a }'],
  ])('reports %s at the step %s', (code, steps) => {
    const { found, place } = check(steps);
    expect(found).toEqual([`${place} ${code}`]);
  });
});

describe('is not found', () => {
  it.each([
    [
      'a flow that continues with itself after it has said something',
      '  first: { play: say it, next: over }\n  over: { continue: a }',
    ],
    ['one that pauses', '  first: { pause: 1s, next: over }\n  over: { continue: back-at-once }'],
    ['two, of which the other waits', '  first: { continue: back-later }'],
    ['one outside a circle of others', '  first: { continue: among-themselves }'],
    ['a flow that is named on the call', '  first: { continue: "${ call.to }" }'],
  ])('accepts a hand-over: %s', (_name, steps) => expect(check(steps).found).toEqual([]));
});
