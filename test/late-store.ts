/** A port whose methods take a while to ask and to answer, in an order of their own: as over a network. */
import type { Clock } from '../src/base/core/clock.ts';

export interface Lateness {
  clock: Pick<Clock, 'after'>;
  /** Numbers in [0, 1). */
  random(): number;
  /** Maximum delay of each direction, in ms. */
  mostMs: number;
  /** Names of methods that answer at once. */
  except?: readonly string[];
}

export function answeringLate<Port extends object>(port: Port, { clock, random, mostMs, except = [] }: Lateness): Port {
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      clock.after(Math.floor(random() * mostMs), resolve);
    });
  return new Proxy(port, {
    get(target, key, receiver) {
      const method: unknown = Reflect.get(target, key, receiver);
      if (typeof method !== 'function' || except.includes(String(key))) return method;
      return async (...given: unknown[]): Promise<unknown> => {
        await pause();
        const answer: unknown = await method.apply(target, given);
        await pause();
        return answer;
      };
    },
  });
}
