/** What connects a caller with others, as all lists of verbs have it. Neighbours: `twiml-parties.ts`, `ncco.ts`, `jambonz.ts`. */
import { defined, type JsonObject } from '../core/json.ts';
import { worked } from './fidelity.ts';
import { textOf, wordOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import type { SourceVerb, Unit, UnitMaker } from './verb-unit.ts';

/** Where it goes on, when the list would go on at `next`. */
export type After = (next: string) => string;

/** A number as it is dialled: without what only people read. */
export const numberOf = (written: string): string => textOf(written).replaceAll(/[\s().-]/g, '');

export const sipOf = (written: string): string =>
  /^sips?:/i.test(written) ? textOf(written) : `sip:${textOf(written)}`;

export const userOf = (written: string): string => `user:${wordOf(written, 'client')}`;

/** The name of a step that calls somebody. */
export const callNameOf = (party: string): string =>
  `call_${wordOf(party.replace(/^(sips?|user):/, '').replace(/@.*/, ''), 'party')}`;

export interface Meeting {
  name: string;
  /** It begins with somebody else. */
  waits: boolean;
  endsWithMember: boolean;
  most?: number;
  more?: JsonObject;
}

export function conferenceUnit<V extends SourceVerb>(
  context: UnitMaker<V>,
  node: ImportedNode,
  { name, waits, endsWithMember, most = 0, more = {} }: Meeting,
  after: After,
): Unit {
  return context.unit('meet', node, (next) => {
    const there = after(next);
    return {
      conference: defined<JsonObject>({
        name: textOf(name) || 'conference',
        wait_for_moderator: waits ? true : undefined,
        moderator: waits ? undefined : true,
        end_on_exit: endsWithMember ? true : undefined,
        max_members: most >= 1 && most <= 1000 ? Math.round(most) : undefined,
        ...more,
      }),
      exits: { left: there, ended: there, full: there },
    };
  });
}

/** Agents are not named by queues of others: here they are a user of the queue's name. */
export function queueUnit<V extends SourceVerb>(
  context: UnitMaker<V>,
  node: ImportedNode,
  written: string,
  after: After,
): Unit {
  const name = textOf(written);
  const agent = `user:${wordOf(name, 'agents')}`;
  worked(node, `the agents of the queue are the phones of ${agent}: name yours`);
  return context.unit(`queue_${wordOf(name, 'queue')}`, node, (next) => {
    const there = after(next);
    return { queue: { name, agents: [agent] }, exits: { dequeued: there, full: there } };
  });
}

/** The call is with a program until that lets it go. */
export function programUnit<V extends SourceVerb>(
  { flow }: UnitMaker<V>,
  node: ImportedNode,
  url: string,
  after: After,
): Unit {
  worked(node, 'the flow goes on when your program sends the event `stream_done`, or after four hours');
  const started = flow.reserve('stream');
  const talking = flow.reserve('talk_to_program');
  node.steps.push(started, talking);
  return {
    entry: () => started,
    write: (next) => {
      const there = after(next);
      const stream = { action: 'start', url: textOf(url), bidirectional: true };
      flow.step(started, { stream, exits: { started: talking, failed: there } }, node.notes);
      const wait = { events: ['stream_done'], timeout: '4h' };
      flow.step(talking, { wait_for: wait, exits: { stream_done: there, timeout: there } });
    },
  };
}
