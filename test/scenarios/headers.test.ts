/** SIP headers in flows: read from the caller and from parties, set in every message, never injected. */
import { describe, expect, it } from 'vitest';
import { replayJournal } from '../../src/proof/testkit/replay.ts';
import { flowOf, rehearse, succeeds } from './rehearse.ts';

const ALICE = '"user:alice"';
const OUT = 'exits: { completed: bye, failed: lost, error: broken }';
const flow = (steps: string, head = '') => `
flow: test
start: first
${head}
steps:
${steps}
  bye: { hangup: { headers: { X-End: "\${ call.headers.\`x-customer\` }" } } }
  lost: { hangup: busy }
  broken: { hangup: failure }
`;

describe('headers of the caller', () => {
  const greeting = flow(
    '  first: { play: "Customer ${ call.headers.`x-customer` }", exits: { done: bye, error: broken } }',
  );

  it('are read by lower-case names, and those of the end are sent', async () => {
    await succeeds(
      greeting,
      `
call: { headers: { X-Customer: "17" } }
expect: { heard: ["Customer 17"], headers: { hangup: { X-End: "17" } } }
`,
    );
  });

  it('sets a variable to null if the only assignment has no value', async () => {
    const set = flow(
      '  first: { set: { customer: "${ call.headers.`x-customer` }" }, exits: { done: bye, error: broken } }',
      'vars: { customer: { type: [string, "null"] } }',
    );
    await succeeds(set, 'expect: { outcomes: { first: done }, vars: { customer: null } }');
  });

  it('skips a header without a value', async () => {
    await succeeds(greeting, 'expect: { heard: ["Customer"], headers: { hangup: {} } }');
  });

  it('are in the journal: a replay has them', async () => {
    const { journal } = await succeeds(greeting, 'call: { headers: { X-Customer: "17" } }');
    expect(journal[0]).toMatchObject({ kind: 'started', headers: { 'x-customer': '17' } });
    expect(await replayJournal(journal, () => flowOf(greeting))).toMatchObject({ ok: true });
  });

  it('are those of the answer where we call', async () => {
    await succeeds(
      greeting,
      `
call: { direction: outbound, headers: { X-Campaign: spring }, callee: { headers: { X-Customer: "18" } } }
expect: { heard: ["Customer 18"], headers: { invite: { x-campaign: spring }, hangup: { x-end: "18" } } }
`,
    );
  });
});

describe('the number that was called first', () => {
  // As docs/flows.md has it.
  const NUMBER = '$match(call.headers.diversion, /sip:([^@;>]+)/)[0].groups[0]';

  it.each([
    ['<sip:+33199@pbx.example>;reason=no-answer', '+33199'],
    ['"Ada" <sip:200@pbx.example;user=phone>;reason=user-busy, <sip:100@pbx.example>', '200'],
  ])('is in Diversion: %s', async (diversion, number) => {
    await succeeds(
      flow(`  first: { play: "For \${ ${NUMBER} }", exits: { done: bye, error: broken } }`),
      `
call: { headers: { Diversion: '${diversion}' } }
expect: { heard: ["For ${number}"] }
`,
    );
  });
});

describe('headers of a bridge', () => {
  const bridge = flow(
    `
  first:
    bridge: { to: ${ALICE}, headers: { X-Customer: "\${ vars.customer }", X-Number: 7 } }
    set: { said: "\${ result.headers.\`x-agent\` }" }
    ${OUT}`,
    'vars: { customer: { type: string, default: "17" }, said: { type: string } }',
  );

  it('sends them with the INVITE; those of the answer are in the result', async () => {
    await succeeds(
      bridge,
      `
mocks: { bridge: { ${ALICE}: { talk: 5s, headers: { X-Agent: Ann } } } }
expect: { vars: { said: Ann }, parties: { ${ALICE}: { headers: { invite: { x-customer: "17", x-number: "7" } } } } }
`,
    );
  });

  it('are in the result of a refusal, too', async () => {
    const { journal } = await succeeds(
      bridge,
      `
mocks: { bridge: { ${ALICE}: { busy_after: 1s, headers: { X-Why: lunch } } } }
expect: { outcomes: { first: failed.busy } }
`,
    );
    const left = journal.find((entry) => entry.kind === 'left');
    expect(left).toMatchObject({ result: { headers: { 'x-why': 'lunch' } } });
  });

  it.each([
    ['a line break', '1\\r\\nX-Injected: 1'],
    ['a bare line feed', '1\\nX-Injected: 1'],
    ['a NUL', '1\\u0000'],
    ['more than there is room for', 'x'.repeat(600)],
  ])('has the outcome error with %s made by a template, without dialling', async (_what, value) => {
    const { journal } = await succeeds(
      bridge.replace('"17"', `"${value}"`),
      'expect: { path: [first, broken], dialled: [] }',
    );
    const left = journal.find((entry) => entry.kind === 'left');
    expect(left).toMatchObject({ outcome: 'error', fault: { code: 'header_refused' } });
  });

  it('checks header names that a template makes', async () => {
    const made = bridge.replace(/headers: \{ X-Customer.*7 \} \}/, 'headers: "${ {\'Contact\': vars.customer} }" }');
    await succeeds(made, 'expect: { path: [first, broken], dialled: [] }');
  });
});

describe('headers of other messages', () => {
  it('sends them with the REFER', async () => {
    await succeeds(
      flow(`  first: { transfer: { to: "sip:x@example.com", mode: refer, headers: { X-Customer: "17" } },
        exits: { transferred: bye, returned: bye, failed: lost, error: broken } }`),
      'expect: { outcomes: { first: transferred }, headers: { refer: { x-customer: "17" } } }',
    );
  });

  it('sends them with the answer', async () => {
    await succeeds(
      flow('  first: { answer: { headers: { X-Flow: test } }, next: bye }'),
      'expect: { headers: { answer: { x-flow: test }, hangup: {} } }',
    );
  });

  it('sends them with the refusal', async () => {
    await succeeds(
      flow('  first: { reject: { reason: busy, headers: { X-Why: closed } } }'),
      'expect: { headers: { hangup: { x-why: closed } } }',
    );
  });

  it('are dropped at the end of the call if forbidden, and logged without their value', async () => {
    const { journal } = await succeeds(
      flow('  first: { play: hello there, exits: { done: bye, error: broken } }'),
      `
call: { headers: { X-Customer: "1\\r\\nX-Injected: 1" } }
expect: { headers: { hangup: {} }, ended: completed }
`,
    );
    const logged = journal.filter((entry) => entry.kind === 'log');
    expect(logged).toMatchObject([{ level: 'warn', fields: { why: expect.stringContaining('X-End') } }]);
    expect(JSON.stringify(logged)).not.toContain('Injected');
  });
});

describe('a test that expects other headers', () => {
  it('says which were sent', async () => {
    const report = await rehearse(
      flow('  first: { answer: { headers: { X-Flow: test } }, next: bye }'),
      'expect: { headers: { answer: { x-flow: other } } }',
    );
    expect(report.failures).toMatchObject([
      { what: 'SIP headers to the caller (answer)', actual: '{"x-flow":"test"}' },
    ]);
  });
});
