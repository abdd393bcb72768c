/** Verbs of TwiML that connect the caller with somebody, or the call with a program. Neighbour: `twiml.ts`. */
import { defined, type Json, type JsonObject } from '../core/json.ts';
import { worked } from './fidelity.ts';
import { secondsOf, textOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { callNameOf, conferenceUnit, numberOf, programUnit, queueUnit, sipOf, userOf } from './parties.ts';
import { elementsOf, wordsOf, type XmlElement } from './read-xml.ts';
import { localeOf } from './spoken.ts';
import type { Unit, UnitMaker, Unwritten } from './verb-unit.ts';

type PartyContext = UnitMaker<XmlElement>;
type Verb = (element: XmlElement, node: ImportedNode) => Unit;

export const partyVerbs = (context: PartyContext): Readonly<Record<string, Verb>> => ({
  Dial: (element, node) => dial(context, element, node),
  Enqueue: (element, node) => enqueue(context, element, node),
  Refer: (element, node) => refer(context, element, node),
  Connect: (element, node) => connect(context, element, node),
  Start: (element, node) => beside(context, element, node, 'start'),
  Stop: (element, node) => beside(context, element, node, 'stop'),
  Sms: (element, node) => context.todo(element, node, `send the SMS “${shown(element)}”`),
  Message: (element, node) => context.todo(element, node, `send the message “${shown(element)}”`),
  Pay: (element, node) => context.todo(element, node, 'take the payment'),
  Leave: (element, node) => context.todo(element, node, 'leave the queue'),
});

const shown = (element: XmlElement): string => wordsOf(element).slice(0, 200);

/** A number as it is dialled, a SIP URI, or a registered user; undefined: nothing that can be called. */
function partyOf({ name, children }: XmlElement): string | undefined {
  const words = children
    .filter((child) => typeof child === 'string')
    .join('')
    .trim();
  if (words === '') return undefined;
  if (name === 'Sip') return sipOf(words);
  if (name === 'Client') return userOf(words.replace(/^client:/, ''));
  if (name === 'Number' || name === 'Dial') return numberOf(words);
  return undefined;
}

function dial(context: PartyContext, element: XmlElement, node: ImportedNode): Unit {
  const { attributes } = element;
  const nouns = elementsOf(element);
  const within = nouns.flatMap((noun) => unwrittenOf(noun, context.nodeOf(noun)));
  const [first] = nouns;
  if (first?.name === 'Conference') return conference(context, element, first, node);
  const parties = nouns.length === 0 ? [partyOf(element)] : nouns.map(partyOf);
  const known = parties.filter((party) => party !== undefined);
  if (known.length === 0 || known.length < parties.length) {
    return context.todo(
      element,
      node,
      `connect the caller with ${nouns.map(({ name }) => name).join(', ') || 'nobody'}`,
    );
  }
  if (attributes['hangupOnStar'] === 'true') worked(node, 'the key * does not end the conversation');
  if (attributes['ringTone'] !== undefined) worked(node, 'the caller hears the usual ringing tone');
  const groups: Json = attributes['sequential'] === 'true' ? known : [known];
  const bridge = defined<JsonObject>({
    to: known.length === 1 ? known[0]! : groups,
    from: callerOf(attributes['callerId']),
    ring_timeout: secondsOf(attributes['timeout']),
    max_duration: secondsOf(attributes['timeLimit']),
    record: recordOf(attributes['record']),
  });
  return context.unit(
    callNameOf(known[0]!),
    node,
    (next) => {
      const after = afterOf(context, attributes, node)(next);
      return { bridge, exits: { completed: after, failed: after } };
    },
    within,
  );
}

const callerOf = (written: string | undefined): string | undefined =>
  written === undefined || written === '' ? undefined : textOf(written);

function recordOf(written: string | undefined): Json | undefined {
  if (written === undefined || written === 'do-not-record' || written === 'false') return undefined;
  return /dual/.test(written) ? 'dual' : true;
}

/** What happens to the one who is called before the two are connected. */
function unwrittenOf(element: XmlElement, node: ImportedNode): Unwritten<XmlElement>[] {
  const { sendDigits: keys, url } = element.attributes;
  const things = [
    keys === undefined ? undefined : `press ${keys} when ${wordsOf(element)} has answered`,
    url === undefined ? undefined : `whisper what ${url.slice(0, 200)} answers to the one who is called`,
  ];
  return things.flatMap((what) => (what === undefined ? [] : [{ element, node, what }]));
}

function conference(
  context: PartyContext,
  { attributes: ofDial }: XmlElement,
  noun: XmlElement,
  node: ImportedNode,
): Unit {
  const { attributes } = noun;
  if (attributes['coach'] !== undefined) worked(node, 'nobody is coached');
  const meeting = {
    name: wordsOf(noun),
    waits: attributes['startConferenceOnEnter'] === 'false',
    endsWithMember: attributes['endConferenceOnExit'] === 'true',
    most: Number(attributes['maxParticipants'] ?? 0),
    more: defined<JsonObject>({
      muted: attributes['muted'] === 'true' ? true : undefined,
      leave_key: ofDial['hangupOnStar'] === 'true' ? '*' : undefined,
      record: attributes['record'] === undefined || attributes['record'] === 'do-not-record' ? undefined : true,
    }),
  };
  return conferenceUnit(context, node, meeting, afterOf(context, ofDial, node));
}

/** The document of `action`, else the next verb. */
const afterOf =
  (context: PartyContext, { action }: XmlElement['attributes'], node: ImportedNode) =>
  (next: string): string =>
    action === undefined ? next : context.target(action, node);

/** Agents are asked for by another document of the source. */
function enqueue(context: PartyContext, element: XmlElement, node: ImportedNode): Unit {
  const { attributes } = element;
  const name = wordsOf({ ...element, children: element.children.filter((child) => typeof child === 'string') });
  if (name === '') return context.todo(element, node, 'put the caller into the queue of a workflow');
  if (attributes['waitUrl'] !== undefined) worked(node, 'the caller hears music while it waits');
  return queueUnit(context, node, name, afterOf(context, attributes, node));
}

function refer(context: PartyContext, element: XmlElement, node: ImportedNode): Unit {
  const noun = elementsOf(element)[0];
  const to = noun === undefined ? undefined : partyOf(noun);
  if (noun) context.nodeOf(noun);
  if (to === undefined) return context.todo(element, node, 'transfer the caller');
  const after = afterOf(context, element.attributes, node);
  return context.unit('refer', node, (next) => {
    const there = after(next);
    return { transfer: { to, mode: 'refer' }, exits: { transferred: there, returned: there, failed: there } };
  });
}

function connect(context: PartyContext, element: XmlElement, node: ImportedNode): Unit {
  const inner = elementsOf(element)[0];
  if (inner) context.nodeOf(inner);
  const url = inner?.name === 'Stream' ? inner.attributes['url'] : undefined;
  if (url === undefined) return context.todo(element, node, `connect the call with ${inner?.name ?? 'something'}`);
  return programUnit(context, node, url, afterOf(context, element.attributes, node));
}

const TRACKS: Readonly<Record<string, string>> = {
  inbound_track: 'inbound',
  outbound_track: 'outbound',
  both_tracks: 'both',
};

/** What goes on beside the verbs. */
function beside(context: PartyContext, element: XmlElement, node: ImportedNode, action: 'start' | 'stop'): Unit {
  const inner = elementsOf(element)[0];
  if (inner) context.nodeOf(inner);
  const { name = '', attributes = {} } = inner ?? {};
  const after = (next: string) => ({ exits: { [action === 'start' ? 'started' : 'done']: next, failed: next } });
  const tracks = TRACKS[attributes['track'] ?? ''] ?? (name === 'Stream' ? 'inbound' : undefined);
  if (name === 'Stream' && (action === 'stop' || attributes['url'] !== undefined)) {
    const start = { action, url: textOf(attributes['url'] ?? ''), tracks };
    return context.unit(`${action}_stream`, node, (next) => ({
      stream: action === 'stop' ? 'stop' : defined<JsonObject>(start),
      ...after(next),
    }));
  }
  if (name === 'Recording')
    return context.unit(`${action}_recording`, node, (next) => ({ recording: action, ...after(next) }));
  if (name === 'Transcription') {
    const language = localeOf(attributes['languageCode']);
    const transcribe: Json = action === 'stop' ? 'stop' : defined<JsonObject>({ action, language, tracks });
    return context.unit(`${action}_transcript`, node, (next) => ({ transcribe, ...after(next) }));
  }
  return context.todo(element, node, `${action} ${name || 'something'} beside the call`);
}
