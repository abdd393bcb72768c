/** AI agents of a scenario: scripts for the conversations of each step, and the conversations without a script. */
import type { SimulatedAgentAct } from '../../media/telephony/simulated/far-end.ts';
import type { HttpMock } from './scenario-file.ts';

export class MockAgents {
  /** Conversations without a script: name of the step, number of the conversation, and number of scripts. */
  readonly unmocked: { step: string; nth: number; scripts: number }[] = [];
  readonly #mocks: Readonly<Record<string, HttpMock | HttpMock[]>>;
  readonly #holdsUnmocked: boolean;
  readonly #begun = new Map<string, number>();

  /** With `holdsUnmocked`, an agent without a script is connected and silent; otherwise it is unreachable. */
  constructor(mocks: Readonly<Record<string, HttpMock | HttpMock[]>>, { holdsUnmocked = false } = {}) {
    this.#mocks = mocks;
    this.#holdsUnmocked = holdsUnmocked;
  }

  scriptFor(step: string): readonly SimulatedAgentAct[] | undefined {
    const count = this.#begun.get(step) ?? 0;
    this.#begun.set(step, count + 1);
    const prepared = Object.hasOwn(this.#mocks, step) ? this.#mocks[step] : undefined;
    const mock = Array.isArray(prepared) ? prepared[count] : prepared;
    if (mock?.kind === 'agent') return mock.acts;
    if (mock !== undefined) return undefined;
    this.unmocked.push({ step, nth: count + 1, scripts: Array.isArray(prepared) ? prepared.length : 0 });
    return this.#holdsUnmocked ? [] : undefined;
  }
}
