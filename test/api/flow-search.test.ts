/** Search in the steps and texts of all flows. */
import { describe, expect, it } from 'vitest';
import { createFlowSearch } from '../../src/service/calls/flow-files/flow-search.ts';
import { compiled } from '../flow/check-flow.ts';
import { administered } from './admin-client.ts';
import { NUMBERS } from './rigs.ts';

const BAKERY = `flow: bakery
start: hello
defaults: { exits: { error: $end } }
prompts: { closed: { default: { text: We are closed on Sundays. } } }
steps:
  hello: { label: Say hello, play: Good morning from the bakery., next: ask }
  ask: { play: Fresh bread costs two euros., next: hello_again }
  hello_again: { play: closed, next: $end }
`;

const opened = () => administered({ flows: { bakery: BAKERY }, config: NUMBERS });

describe('GET /search', () => {
  it.each([
    [
      'hello',
      [
        ['bakery', 'hello', 'step'],
        ['bakery', 'hello_again', 'step'],
      ],
    ],
    ['BREAD euros', [['bakery', 'ask', 'text']]],
    ['sundays', [['bakery', undefined, 'prompt']]],
    ['nothing like this', []],
  ])('finds steps and texts with %j', async (q, wanted) => {
    const { admin } = await opened();
    const { body } = await admin('GET', `/search?q=${encodeURIComponent(q)}`);
    const hits = body['hits'] as { flow: string; step?: string; kind: string }[];
    expect(hits.filter(({ flow }) => flow === 'bakery').map(({ flow, step, kind }) => [flow, step, kind])).toEqual(
      wanted,
    );
  });

  it('returns as many as asked for, and says that there are more', async () => {
    const { admin } = await opened();
    const { body } = await admin('GET', '/search?q=e&limit=2');
    expect(body).toMatchObject({ hits: [{}, {}], more: true });
  });

  it.each(['', '?q=', `?q=${'x'.repeat(101)}`, '?q=a&limit=0', '?q=a&flow=b'])(
    'refuses the query %s',
    async (query) => {
      const { admin } = await opened();
      expect((await admin('GET', `/search${query}`)).status).toBe(400);
    },
  );

  it('refuses more than a burst of requests', async () => {
    const { admin } = await opened();
    const answers = await Promise.all(Array.from({ length: 31 }, () => admin('GET', '/search?q=bread')));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
  });
});

describe('a search in 500 flows', () => {
  it('returns the best hits, and reads each flow once', async () => {
    const flow = compiled(BAKERY);
    let reads = 0;
    const counted = {
      ...flow,
      get prompts() {
        reads += 1;
        return flow.prompts;
      },
    };
    const all = Array.from({ length: 500 }, (_, index) =>
      index === 0 ? counted : { ...flow, name: `bakery-${index}` },
    );
    const search = createFlowSearch({
      names: () => all.map(({ name }) => name),
      get: (name) => all.find((each) => each.name === name),
    });
    const { hits, hasMore } = await search.search('bread', 10);
    expect([hits.length, hasMore]).toEqual([10, true]);
    const before = reads;
    await search.search('morning', 10);
    expect([before > 0, reads]).toEqual([true, before]);
  });
});
