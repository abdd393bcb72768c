/** Tests of flows whose subflows are not run: they end at once, with outcomes that the real ones have. */
import { describe, expect, it } from 'vitest';
import { rehearse, succeeds } from '../scenarios/rehearse.ts';

const MAIN = `flow: main
start: who
steps:
  who:
    subflow: { flow: identify, input: { language: "\${ call.to }" }, outcomes: [identified, unknown] }
    exits: { identified: hello, unknown: again, done: bye, error: broken }
  again: { subflow: { flow: identify, outcomes: [identified, unknown] }, exits: { identified: hello, unknown: bye, done: bye, error: broken } }
  hello: { continue: { flow: menu }, exits: { error: broken } }
  broken: { log: broken, next: bye }
  bye: { hangup: normal }
`;
const IDENTIFY = `flow: identify
input: { language: { type: string, pattern: "^[0-9]+$" } }
start: ask
steps:
  ask: { collect: { prompt: Who is it?, digits: { length: 4 }, no_input: [Who is it?], no_match: [Who is it?] }, exits: { collected: yes_it_is, exhausted: nobody, error: nobody } }
  yes_it_is: { return: { outcome: identified, output: { name: Ann } } }
  nobody: { return: unknown }
`;
const MENU =
  'flow: menu\nstart: say\nsteps:\n  say: { play: "What can I do?", exits: { done: bye, error: bye } }\n  bye: { hangup: normal }\n';

const play = (scenario: string) => rehearse(MAIN, scenario, [IDENTIFY, MENU]);

describe('flows that are not run', () => {
  it('ends at once with an outcome and a result; also as the flow that the call continues with', async () => {
    const { journal } = await succeeds(
      MAIN,
      `call: { to: "1000" }
flows: { identify: { outcome: identified, result: { name: Bob } }, menu: hangup }
expect: { path: [who, hello], outcomes: { who: identified }, ended: completed, never: { heard: Who is it } }`,
      [IDENTIFY, MENU],
    );
    expect(journal.find((entry) => entry.kind === 'left' && entry.step === 'who')).toMatchObject({
      result: { name: 'Bob' },
    });
  });

  it('ends with one answer after the other', async () => {
    const flows = 'flows: { identify: [unknown, identified], menu: hangup }';
    await succeeds(MAIN, `call: { to: "1000" }\n${flows}\nexpect: { path: [who, again, hello] }`, [IDENTIFY, MENU]);
  });

  it('ends with an error if the test demands it', async () => {
    const expected = 'expect: { path: [who, broken, bye] }';
    await succeeds(MAIN, `call: { to: "1000" }\nflows: { identify: error }\n${expected}`, [IDENTIFY, MENU]);
  });

  it('accepts only input and outcomes of the real flows', async () => {
    const { journal } = await play('call: { to: "user:a" }\nflows: { identify: identified }');
    expect(journal.find((entry) => entry.kind === 'left')).toMatchObject({ fault: { code: 'invalid_input' } });
  });

  it.each([
    ['identify: knwon', 'identified, unknown, hangup, error', 'knwon, which it never returns'],
    [
      'identify: [identified, { outcome: done }], menu: hangup',
      'identified, unknown, hangup, error',
      'done, which it never returns',
    ],
    ['identify: unknown, welcome: done', 'a flow that there is', 'there is no flow welcome'],
    ['identify: unknown, menu: hangup', 'a flow that the call comes to', 'nothing ran menu'],
    ['identify: [unknown]', '1 at most', 'there was one more'],
  ])('rejects an impossible mock: %s', async (flows, expected, actual) => {
    const { failures } = await play(`call: { to: "1000" }\nflows: { ${flows} }`);
    expect(failures).toMatchObject([{ expected, actual, place: { line: 4 } }]);
  });
});
