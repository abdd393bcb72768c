/** Messages that a flow sends, as tests see them. */
import { describe, expect, it } from 'vitest';
import { rehearse, succeeds } from './rehearse.ts';

const flow = (keys = '') => `
flow: test
input: { code: { type: string, default: "4711", sensitive: true } }
start: tell
defaults: { exits: { error: broken } }
steps:
  tell:
    message: { to: "\${ call.from }", text: "Come at nine"${keys} }
    exits: { sent: bye, refused: refused }
  refused: { play: { text: "No message to you" }, next: bye }
  bye: { hangup: normal }
  broken: { hangup: failure }
`;

describe('a message', () => {
  it('is taken where the test says nothing else, and compared by what is named', async () => {
    await succeeds(
      flow(', provider: sms, from: Shop'),
      'expect: { outcomes: { tell: sent }, messages: [{ to: "+33612345678", text: Come at nine, provider: sms, from: Shop }], requests: [] }',
    );
    const report = await rehearse(flow(), 'expect: { messages: [{ text: Come at ten }] }');
    expect(report.ok).toBe(false);
  });

  it.each([
    ['{ status: 201 }', 'sent'],
    ['{ status: 400 }', 'refused'],
    ['{ status: 404 }', 'refused'],
    ['{ status: 503 }', 'error'],
    ['failed.timeout', 'error'],
    ['failed.network', 'error'],
  ])('maps the answer %s to %s', async (mock, outcome) => {
    await succeeds(flow(), `mocks: { tell: ${mock} }\nexpect: { outcomes: { tell: ${outcome} } }`);
  });

  it('has an id of its own each time it is sent, and the journal none of what is sensitive', async () => {
    const twice = flow()
      .replace('text: "Come at nine"', 'text: "Your code is ${ input.code }"')
      .replace('exits: { sent: bye', 'sensitive: true\n    max_visits: 2\n    exits: { limit: bye, sent: tell');
    await succeeds(twice, 'expect: { messages: [{ text: Your code is 4711 }, {}], never: { trace_contains: "4711" } }');
  });
});
