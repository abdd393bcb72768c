/** Assignment of the waiting callers of queues to free agents, in the order of the line. */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { choose } from './queue-agents.ts';
import type { Agent, Caller } from './queue-callers.ts';
import type { QueueLine } from './queue-line.ts';

/** Time for all members to return after the loss of an owner node. */
const SETTLE_MS = 1000;

export class QueueAssignment {
  readonly #clock: Clock;
  readonly #line: QueueLine;
  /** Time until a callback may be placed, by its id. */
  readonly #readyInMs: (callbackId: string) => number;
  /** Until this time no agent is rung, because resumed members are still returning. */
  #settledMs = 0;
  #timer: Timer | undefined;

  constructor(clock: Clock, line: QueueLine, readyInMs: (callbackId: string) => number) {
    this.#clock = clock;
    this.#line = line;
    this.#readyInMs = readyInMs;
  }

  /** A resumed member has returned: waits for the others. */
  settle(): void {
    this.#settledMs = this.#clock.monotonicMs() + SETTLE_MS;
  }

  handOut(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const nowMs = this.#clock.monotonicMs();
    let nextMs = nowMs < this.#settledMs ? this.#settledMs : Number.POSITIVE_INFINITY;
    for (const caller of nowMs < this.#settledMs ? [] : this.#line.callers) {
      if (caller.state !== 'waiting') continue;
      const { agent, nextMs: restedMs } = choose(this.#agentsFor(caller), nowMs);
      const inMs = agent && caller.place ? this.#readyInMs(caller.memberId) : 0;
      if (inMs > 0) nextMs = Math.min(nextMs, nowMs + inMs);
      else if (agent) {
        this.#line.agents.occupy(agent, caller);
        caller.state = 'ringing';
        this.sendTurn(caller, agent);
      } else nextMs = Math.min(nextMs, restedMs);
    }
    if (Number.isFinite(nextMs)) this.#timer = this.#clock.after(nextMs - nowMs, () => this.handOut());
  }

  /** Tells the caller, or an agent who called in, that it is their turn. */
  sendTurn(caller: Caller, agent: Agent): void {
    const waited = Math.round((this.#clock.now() - caller.enteredMs) / 1000);
    const from = caller.callback?.number ?? caller.from;
    if (caller.place) this.#line.members.send(caller.memberId, 'turn', {});
    else if (agent.serving) this.#line.serving.send(agent.serving.memberId, 'turn', { from, waited });
    else this.#line.members.send(caller.memberId, 'turn', { agent: agent.name });
  }

  #agentsFor(caller: Caller): Agent[] {
    const called = caller.agents.map((name) => this.#line.agents.named(caller.projectId, name));
    const serving = this.#line.serving.in(caller.group).filter(({ isReady }) => isReady);
    return [...called, ...serving.map(({ agent }) => agent)];
  }
}
