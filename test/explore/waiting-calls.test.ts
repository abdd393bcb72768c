/** Order in which a search plays its waiting calls, compared with a list that is searched for each call. */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/base/core/ids.ts';
import { WaitingCalls } from '../../src/proof/explore/waiting-calls.ts';

interface Call {
  name: number;
  rank: number;
  last?: string;
}

/** List of calls that is searched for each next one. */
class ListedCalls {
  readonly calls: Call[] = [];
  readonly #tried = new Map<string, number>();

  removeNext({ leastTried }: { leastTried: boolean }): Call | undefined {
    const triesOf = ({ last = '' }: Call): number => this.#tried.get(last) ?? 0;
    const orders = this.calls.map((call) => (leastTried ? triesOf(call) : call.rank));
    const [call] = this.calls.splice(orders.indexOf(Math.min(...orders)), 1);
    if (call) this.#tried.set(call.last ?? '', triesOf(call) + 1);
    return call;
  }
}

const lasts = ['a press 1', 'a silence', 'b 200', 'b 404', undefined];

describe('waiting calls of a search', () => {
  it.each([1, 2, 3, 4])('keeps the order of a search through all of them, with the seed %i', (seed) => {
    const random = seededRandom(seed);
    const upTo = (count: number): number => Math.floor(random() * count);
    const [listed, waiting] = [new ListedCalls(), new WaitingCalls<Call>([])];
    for (let round = 0; round < 600; round++) {
      for (let more = upTo(4); more > 0; more--) {
        const last = lasts[upTo(lasts.length)];
        const call = { name: round * 10 + more, rank: upTo(6), ...(last !== undefined && { last }) };
        listed.calls.push(call);
        waiting.add(call);
      }
      const how = { leastTried: round > 200 };
      if (listed.calls.length > 0) expect(waiting.removeNext(how)).toBe(listed.removeNext(how));
      expect(waiting.size).toBe(listed.calls.length);
    }
    expect(new Set(waiting)).toEqual(new Set(listed.calls));
  });

  it('returns nothing once all of them were removed', () => {
    const waiting = new WaitingCalls<Call>([{ name: 1, rank: 0 }]);
    expect(waiting.removeNext({ leastTried: true })).toMatchObject({ name: 1 });
    expect(waiting.removeNext({ leastTried: true })).toBeUndefined();
    expect([...waiting]).toEqual([]);
  });
});
