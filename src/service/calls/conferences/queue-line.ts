/**
 * Callers in the queues of all projects, in the order of service, and figures derived from them. Neighbour:
 * `queues.ts`.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../base/core/clock.ts';
import { groupOf, Members } from './members.ts';
import { QueueAgents } from './queue-agents.ts';
import { type Caller, lookAt, type QueueReport, reportsOf, type ServingAgent } from './queue-callers.ts';
import { type QueueLook, type QueuePosition, TalkTimes } from './queue-figures.ts';

export class QueueLine {
  readonly #clock: Clock;
  readonly members: Members<Caller>;
  /** Callers of all projects, in the order of service. */
  readonly callers: Caller[] = [];
  /** Agents who called in. */
  readonly serving: Members<ServingAgent>;
  readonly talkTimes = new TalkTimes();
  readonly agents = new QueueAgents();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.members = new Members(clock);
    this.serving = new Members(clock);
  }

  /** Queues that are not empty, by name, with at most `limit` callers. */
  list(projectId: string, limit: number): QueueReport[] {
    const callers = this.callers.filter((caller) => caller.projectId === projectId).slice(0, limit);
    return reportsOf(callers);
  }

  /** Projects with callers, agents who called in, or kept positions. */
  projects(): string[] {
    const served = this.serving.all().map(({ projectId }) => projectId);
    return [...new Set([...this.callers.map(({ projectId }) => projectId), ...served])];
  }

  /** Counts of waiting and talking callers, for reports. */
  size(projectId: string, queue: string): { waiting: number; talking: number } {
    const here = this.members.in(groupOf(projectId, queue));
    const talking = here.filter(({ state }) => state === 'talking').length;
    return { waiting: here.length - talking, talking };
  }

  /** Figures of a queue for an observer; `agents`: those that the queue would call. */
  figures(projectId: string, queue: string, agents: readonly string[]): QueueLook {
    const group = groupOf(projectId, queue);
    const all = [
      // An agent who was never rung is unknown, and free.
      ...agents.map((name) => this.agents.find(projectId, name)),
      ...this.serving.in(group).map(({ agent }) => agent),
    ];
    const estimate = (position: number) => this.talkTimes.estimatedWaitS(group, position, all.length);
    return lookAt(this.members.in(group), all, this.#clock, estimate);
  }

  /** Sends new positions after a caller entered the queue, was answered or left. */
  sendPositions({ group }: Caller): void {
    const waiting = this.callers.filter((caller) => caller.group === group && caller.state !== 'talking');
    for (const [index, caller] of waiting.entries()) {
      if (caller.place || (caller.state === 'ringing' && !caller.wantsFigures)) continue;
      const position = index + 1;
      const agents = caller.agents.length + this.serving.count(group);
      const estimate = this.talkTimes.estimatedWaitS(group, position, agents);
      const figures: QueuePosition = {
        position,
        waiting: waiting.length,
        ...(estimate !== undefined && { estimated_wait: estimate }),
        ...(caller.canCallBack !== undefined && { callback: caller.canCallBack }),
      };
      const last = caller.figures;
      const isSame = caller.wantsFigures ? isDeepStrictEqual(last, figures) : last?.position === position;
      if (isSame) continue;
      caller.figures = figures;
      this.members.send(caller.memberId, 'position', { ...figures });
    }
  }
}
