/**
 * Steps that connect a caller with other parties, shared by all formats of verb lists. Used by `twiml-parties.ts`,
 * `ncco.ts` and `jambonz.ts`.
 */
import { defined, type JsonObject } from '../../base/core/json.ts';
import { withoutMarks } from '../../base/core/phone-number.ts';
import { noted } from './fidelity.ts';
import { textOf, wordOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import type { SourceVerb, Unit, UnitMaker } from './verb-unit.ts';

/** Target after a step. `next` is the next step of the list; `own` is the name of the step itself. */
export type After = (next: string, own: string) => string;

/** Dialable number, without the separators that are only for readers. */
export const numberOf = (written: string): string => withoutMarks(textOf(written));

export const sipOf = (written: string): string =>
  /^sips?:/i.test(written) ? textOf(written) : `sip:${textOf(written)}`;

export const userOf = (written: string): string => `user:${wordOf(written, 'client')}`;

/** Caller ID for the callee; default: the number of the caller. */
export function callerShown(node: ImportedNode, written: string): string {
  if (written !== '' && written !== CALLER) return written;
  noted(node, 'the called party sees the number of the caller where the project may show any (`cli_policy: any`)');
  return CALLER;
}

const CALLER = '${ call.from }';

/** Name of a step that calls a party. */
export const callNameOf = (party: string): string =>
  `call_${wordOf(party.replace(/^(sips?|user):/, '').replace(/@.*/, ''), 'party')}`;

export interface Meeting {
  name: string;
  /** True if the conference starts only when another participant (the moderator) joins. */
  waits: boolean;
  endsWithMember: boolean;
  /** Maximum number of members. Absent: no limit. */
  most?: number | undefined;
  more?: JsonObject;
}

/** Maximum number of members of a conference. */
export const MAX_MEMBERS = 1000;
/** Maximum priority of a caller in a queue. */
export const MAX_PRIORITY = 1000;

export function conferenceUnit<V extends SourceVerb>(
  context: UnitMaker<V>,
  node: ImportedNode,
  { name, waits, endsWithMember, most, more = {} }: Meeting,
  after: After,
): Unit {
  return context.unit('meet', node, (next, own) => {
    const there = after(next, own);
    return {
      conference: defined<JsonObject>({
        name: textOf(name) || 'conference',
        wait_for_moderator: waits ? true : undefined,
        moderator: waits ? undefined : true,
        end_on_exit: endsWithMember ? true : undefined,
        max_members: most,
        ...more,
      }),
      exits: { left: there, ended: there, full: there },
    };
  });
}

export function queueUnit<V extends SourceVerb>(
  context: UnitMaker<V>,
  node: ImportedNode,
  written: string,
  after: After,
  more: JsonObject = {},
): Unit {
  const name = textOf(written);
  const queue = { ...queueOf(node, name), ...more };
  return context.unit(`queue_${wordOf(name, 'queue')}`, node, (next, own) => {
    const there = after(next, own);
    const timeout: JsonObject = more['timeout'] === undefined ? {} : { timeout: there };
    return { queue, exits: { dequeued: there, full: there, ...timeout } };
  });
}

/**
 * Arguments of `queue`. Sources do not list the agents of a queue: agents join with `serve`, and callers wait for one.
 */
export function queueOf(node: ImportedNode, name: string): JsonObject {
  noted(node, `agents come to the queue “${name.slice(0, 60)}” with the verb \`serve\`, or name phones in \`agents\``);
  return { name, wait_for_agents: true };
}

/** Connects the call to a program until it closes the connection. */
export const programUnit = <V extends SourceVerb>(
  context: UnitMaker<V>,
  node: ImportedNode,
  url: string,
  after: After,
): Unit =>
  context.unit('talk_to_program', node, (next, own) => {
    const there = after(next, own);
    const stream = { action: 'start', url: textOf(url), bidirectional: true, wait: true };
    return { stream, exits: { done: there, failed: there } };
  });
