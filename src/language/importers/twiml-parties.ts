/**
 * TwiML verbs that connect the caller to other parties, or the call to a program. Used by `twiml.ts`; prompts for
 * callees are in `whisper-documents.ts`.
 */
import { defined, type Json, type JsonObject } from '../../base/core/json.ts';
import { lost, noted, worked } from './fidelity.ts';
import { textOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import {
  type After,
  callerShown,
  callNameOf,
  conferenceUnit,
  MAX_MEMBERS,
  MAX_PRIORITY,
  numberOf,
  programUnit,
  queueUnit,
  sipOf,
  userOf,
} from './parties.ts';
import { PARTS } from './payments.ts';
import { elementsOf, wordsOf, type XmlElement } from './read-xml.ts';
import { countAt, limitAt, timeAt } from './source-numbers.ts';
import { passOver } from './source-views.ts';
import { localeOf } from './spoken.ts';
import { dialStatus } from './studio-names.ts';
import { payArgs } from './twilio-payments.ts';
import { promptOf } from './verb-list.ts';
import type { Unit } from './verb-unit.ts';
import type { TwimlContext } from './whisper-documents.ts';

type Verb = (element: XmlElement, node: ImportedNode) => Unit;

export const partyVerbs = (context: TwimlContext): Readonly<Record<string, Verb>> => ({
  Dial: (element, node) => dial(context, element, node),
  Enqueue: (element, node) => enqueue(context, element, node),
  Refer: (element, node) => refer(context, element, node),
  Connect: (element, node) => connect(context, element, node),
  Start: (element, node) => beside(context, element, node, 'start'),
  Stop: (element, node) => beside(context, element, node, 'stop'),
  Sms: (element, node) => message(context, element, node),
  Message: (element, node) => message(context, element, node),
  Pay: (element, node) => pay(context, element, node),
  Leave: (element, node) => context.todo(element, node, 'leave the queue'),
});

/** Text of an element without its children. */
const ownWords = ({ children }: XmlElement): string =>
  children
    .filter((child) => typeof child === 'string')
    .join('')
    .replace(/\s+/g, ' ')
    .trim();

/** Callee of a noun: a number, a SIP URI or a registered user. Undefined if it cannot be called. */
function partyOf(element: XmlElement): string | undefined {
  const { name } = element;
  const words = ownWords(element);
  if (words === '') return undefined;
  if (name === 'Sip') return sipOf(words);
  if (name === 'Client') return userOf(words.replace(/^client:/, ''));
  if (name === 'Number' || name === 'Dial') return numberOf(words);
  return undefined;
}

function dial(context: TwimlContext, element: XmlElement, node: ImportedNode): Unit {
  const { attributes } = element;
  const nouns = elementsOf(element);
  const nodes = nouns.map((noun) => context.nodeOf(noun));
  const [first] = nouns;
  if (first?.name === 'Conference') return conference(context, element, first, node);
  if (first?.name === 'Queue') return queueOfDial(context, element, first, node);
  const parties = nouns.length === 0 ? [partyOf(element)] : nouns.map(partyOf);
  const known = parties.filter((party) => party !== undefined);
  if (known.length === 0 || known.length < parties.length) {
    return context.todo(
      element,
      node,
      `connect the caller with ${nouns.map(({ name }) => name).join(', ') || 'a party that the source does not name'}`,
    );
  }
  lost(node, attributes, 'ringTone', 'the caller hears the usual ringing tone');
  lost(node, attributes, 'referUrl', 'the other side transfers the call without your application');
  if (attributes['answerOnBridge'] === 'true')
    noted(node, 'the call of the caller is answered when the other side answers');
  aboutRecordings(attributes, node);
  for (const [index, { attributes: own }] of nouns.entries()) {
    for (const key of ['username', 'password']) {
      lost(nodes[index]!, own, key, `${key} is not kept: the configuration has the trunk and its account`);
    }
  }
  const groups: Json = attributes['sequential'] === 'true' ? known : [known];
  const before = context.beforeTalk(nouns, nodes);
  const bridge = defined<JsonObject>({
    to: known.length === 1 ? known[0]! : groups,
    from: callerShown(node, textOf(attributes['callerId'] ?? '')),
    ring_timeout: timeAt(node, attributes, 'timeout'),
    max_duration: limitAt(node, attributes, 'timeLimit'),
    end_key: attributes['hangupOnStar'] === 'true' ? '*' : undefined,
    record: recordOf(attributes['record']),
    ...before.args,
  });
  const make = (next: string, own: string): JsonObject => {
    const after = afterOf(context, attributes, node, dialSent(own))(next, own);
    return { bridge, exits: { completed: after, failed: after } };
  };
  return context.unit(callNameOf(known[0]!), node, make, before.unwritten);
}

/** Result of the call to the callee, as the parameters of Twilio. */
const dialSent = (own: string) => ({
  DialCallStatus: dialStatus(`steps.${own}`),
});

function aboutRecordings(attributes: XmlElement['attributes'], node: ImportedNode): void {
  if (attributes['trim'] === 'trim-silence') worked(node, 'silence stays in the recording');
  const track = attributes['recordingTrack'];
  if (track !== undefined && track !== 'both') worked(node, 'both sides are recorded, not one of them alone');
}

function recordOf(written: string | undefined): Json | undefined {
  if (written === undefined || written === 'do-not-record' || written === 'false') return undefined;
  return /dual/.test(written) ? 'dual' : true;
}

function conference(
  context: TwimlContext,
  { attributes: ofDial }: XmlElement,
  noun: XmlElement,
  node: ImportedNode,
): Unit {
  const { attributes } = noun;
  lost(node, attributes, 'coach', 'coaching is not available');
  aboutRecordings(attributes, node);
  passOver(ofDial, ['timeout', 'timeLimit', 'callerId', 'record']);
  passOver(attributes, ['participantLabel']);
  const beep = attributes['beep'];
  if (beep === 'onExit') worked(node, 'no tone says that a member leaves');
  const meeting = {
    name: wordsOf(noun),
    waits: attributes['startConferenceOnEnter'] === 'false',
    endsWithMember: attributes['endConferenceOnExit'] === 'true',
    most: countAt(node, attributes, 'maxParticipants', { most: MAX_MEMBERS }),
    more: defined<JsonObject>({
      music: musicOf(context, attributes['waitUrl'], node),
      muted: attributes['muted'] === 'true' ? true : undefined,
      join_sound: beep === 'true' || beep === 'onEnter' ? { tone: 440 } : undefined,
      leave_key: ofDial['hangupOnStar'] === 'true' ? '*' : undefined,
      record: attributes['record'] === undefined || attributes['record'] === 'do-not-record' ? undefined : true,
    }),
  };
  return conferenceUnit(context, node, meeting, afterOf(context, ofDial, node));
}

/** Takes one caller from a queue; if none is waiting, waits for the next one. */
function queueOfDial(context: TwimlContext, { attributes }: XmlElement, noun: XmlElement, node: ImportedNode): Unit {
  const url = noun.attributes['url'];
  const whisper = url === undefined ? undefined : context.promptsOfAside(url);
  lost(node, noun.attributes, 'reservationSid', 'the first caller of the queue is taken, not a certain one');
  passOver(noun.attributes, ['postWorkActivitySid']);
  if (url !== undefined) worked(node, `the caller does not hear what ${url.slice(0, 200)} answers`);
  const serve = defined<JsonObject>({
    queue: textOf(wordsOf(noun)) || 'queue',
    once: true,
    timeout: timeAt(node, attributes, 'timeout', { otherwise: '30s' }),
    whisper: whisper as Json | undefined,
    pause_key: '',
    leave_key: '',
    end_key: attributes['hangupOnStar'] === 'true' ? '*' : undefined,
  });
  return context.unit('take_caller_of_queue', node, (next, own) => {
    const after = afterOf(context, attributes, node)(next, own);
    return { serve, exits: { served: after, timeout: after, left: after } };
  });
}

/** Target after a verb: the document of `action`, or else the next verb. */
const afterOf =
  (context: TwimlContext, { action }: XmlElement['attributes'], node: ImportedNode, sent = {}): After =>
  (next) =>
    action === undefined || action === '' ? next : context.target(action, node, sent);

function enqueue(context: TwimlContext, element: XmlElement, node: ImportedNode): Unit {
  const { attributes } = element;
  const workflow = attributes['workflowSid'];
  const tasks = elementsOf(element).map((noun) => [noun, context.nodeOf(noun)] as const);
  const [task, ofTask] = tasks.find(([{ name: kind }]) => kind === 'Task') ?? [];
  if (task !== undefined && wordsOf(task) !== '') worked(ofTask!, 'the attributes of the task are not kept');
  if (workflow !== undefined) {
    worked(node, `the workflow ${workflow.slice(0, 60)} sorts callers into queues: here it is one queue of its name`);
  }
  const name = workflow ?? ownWords(element);
  if (name === '') return context.todo(element, node, 'put the caller into a queue without a name');
  const music = musicOf(context, attributes['waitUrl'], node);
  const more = defined<JsonObject>({
    music,
    priority: task && ofTask && countAt(ofTask, task.attributes, 'priority', { least: 0, most: MAX_PRIORITY }),
    timeout: task && ofTask && limitAt(ofTask, task.attributes, 'timeout'),
  });
  return queueUnit(context, node, name, afterOf(context, attributes, node), more);
}

/** Looped music: the sound at the URL, or the prompts of the document with that file name. */
function musicOf(context: TwimlContext, url: string | undefined, node: ImportedNode): Json | undefined {
  if (url === undefined || url === '') return undefined;
  const prompts = context.promptsOfAside(url);
  if (prompts === undefined) worked(node, `the caller hears our music, not what ${url.slice(0, 200)} answers`);
  return prompts;
}

function refer(context: TwimlContext, element: XmlElement, node: ImportedNode): Unit {
  const noun = elementsOf(element)[0];
  const to = noun === undefined ? undefined : partyOf(noun);
  if (noun) context.nodeOf(noun);
  if (to === undefined) return context.todo(element, node, 'transfer the caller');
  const after = afterOf(context, element.attributes, node);
  return context.unit('refer', node, (next, own) => {
    const there = after(next, own);
    return { transfer: { to, mode: 'refer' }, exits: { transferred: there, returned: there, failed: there } };
  });
}

function connect(context: TwimlContext, element: XmlElement, node: ImportedNode): Unit {
  const inner = elementsOf(element)[0];
  if (inner) context.nodeOf(inner);
  const url = inner?.name === 'Stream' ? inner.attributes['url'] : undefined;
  if (url === undefined) return context.todo(element, node, `connect the call with ${inner?.name ?? 'something'}`);
  aboutStream(context, inner!, node);
  return programUnit(context, node, url, afterOf(context, element.attributes, node));
}

function aboutStream(context: TwimlContext, stream: XmlElement, node: ImportedNode): void {
  passOver(stream.attributes, ['name']);
  lost(node, stream.attributes, 'connectorName', 'the program is reached by its URL, not by a connector');
  for (const inner of elementsOf(stream)) {
    const own = context.nodeOf(inner);
    if (inner.name !== 'Parameter') continue;
    passOver(inner.attributes, ['name', 'value']);
    worked(own, 'the parameter is not sent to the program');
  }
}

/** Sends a message without waiting for its delivery. The default recipient is the caller. */
function message(context: TwimlContext, element: XmlElement, node: ImportedNode): Unit {
  const { attributes } = element;
  const parts = elementsOf(element);
  for (const part of parts) context.nodeOf(part);
  const body = parts.find(({ name }) => name === 'Body');
  const words = body === undefined ? ownWords(element) : wordsOf(body);
  if (words === '') return context.todo(element, node, 'send a message without a text');
  if (parts.some(({ name }) => name === 'Media')) worked(node, 'the message is sent without its picture');
  noted(node, 'the configuration names a provider of messages (`messages`)');
  const args = defined<JsonObject>({
    to: attributes['to'] === undefined ? '${ call.from }' : numberOf(attributes['to']),
    text: textOf(words),
    from: attributes['from'] === undefined ? undefined : textOf(attributes['from']),
  });
  return context.unit('send_message', node, (next, own) => {
    const after = afterOf(context, attributes, node)(next, own);
    return { message: args, exits: { sent: after, refused: after, error: after } };
  });
}

/** Payment. In TwiML the document of `action` decides by the result; here all outcomes have the same target. */
function pay(context: TwimlContext, element: XmlElement, node: ImportedNode): Unit {
  const { attributes } = element;
  const prompts = payQuestions(context, element, node);
  passOver(attributes, ['paymentConnector', 'tokenType', 'input']);
  lost(node, attributes, 'language', 'the questions without words of their own are asked in the language of the call');
  lost(node, attributes, 'minPostalCodeLength', 'postal codes have three to ten digits');
  if (attributes['paymentMethod'] !== undefined && attributes['paymentMethod'] !== 'credit-card') {
    return context.todo(element, node, `take a payment by ${attributes['paymentMethod'].slice(0, 40)}`);
  }
  const amount = attributes['chargeAmount'] ?? '';
  if (amount !== '' && !(Number(amount) >= 0))
    return context.todo(element, node, 'charge an amount that is not a number');
  const args = payArgs(
    {
      amount,
      currency: attributes['currency'],
      description: textOf(attributes['description'] ?? ''),
      cards: attributes['validCardTypes']?.split(/\s+/).filter(Boolean),
      securityCode: attributes['securityCode'],
      postalCode: attributes['postalCode'] === undefined ? undefined : textOf(attributes['postalCode']),
      ...{ from: attributes, attempts: 'maxAttempts', timeout: 'timeout' },
      prompts,
    },
    node,
  );
  return context.unit('pay', node, (next, own) => {
    const after = afterOf(context, attributes, node)(next, own);
    const taken = args['tokenize'] === true ? 'tokenized' : 'paid';
    const exits = { [taken]: after, declined: after, cancelled: after, exhausted: after, failed: after, error: after };
    return { pay: args, exits };
  });
}

/** Questions with the words of the source. Words for an error or for one attempt have no counterpart. */
function payQuestions(context: TwimlContext, element: XmlElement, node: ImportedNode): JsonObject {
  const prompts: JsonObject = {};
  for (const inner of elementsOf(element)) {
    const own = context.nodeOf(inner);
    const { for: part, attempt, errorType, cardType } = inner.attributes;
    const pieces = elementsOf(inner).map((piece) => context.piece(piece, context.nodeOf(piece)));
    const key = PARTS[part ?? ''];
    const isUsual =
      errorType === undefined && cardType === undefined && (attempt === undefined || /\b1\b/.test(attempt));
    const known = pieces.filter((piece) => piece !== undefined);
    own.steps = node.steps;
    if (inner.name === 'Parameter') {
      passOver(inner.attributes, ['name', 'value']);
      worked(own, 'the parameter is not sent to the provider');
    } else if (key === undefined || !isUsual || known.length === 0 || known.length < pieces.length) {
      worked(own, `the question ${(part ?? inner.name).slice(0, 60)} has our words here`);
    } else prompts[key] ??= promptOf(known)!;
  }
  return prompts;
}

const TRACKS: Readonly<Record<string, string>> = {
  inbound_track: 'inbound',
  outbound_track: 'outbound',
  both_tracks: 'both',
};

/** Background actions of `Start` and `Stop`. */
function beside(context: TwimlContext, element: XmlElement, node: ImportedNode, action: 'start' | 'stop'): Unit {
  const inner = elementsOf(element)[0];
  if (inner) context.nodeOf(inner);
  const { name = '', attributes = {} } = inner ?? {};
  const after = (next: string) => ({ exits: { [action === 'start' ? 'started' : 'done']: next, failed: next } });
  const tracks = TRACKS[attributes['track'] ?? ''] ?? (name === 'Stream' ? 'inbound' : undefined);
  if (name === 'Stream' && inner) aboutStream(context, inner, node);
  if (name === 'Stream' && (action === 'stop' || attributes['url'] !== undefined)) {
    const start = { action, url: textOf(attributes['url'] ?? ''), tracks };
    return context.unit(`${action}_stream`, node, (next) => ({
      stream: action === 'stop' ? 'stop' : defined<JsonObject>(start),
      ...after(next),
    }));
  }
  if (name === 'Recording') {
    aboutRecordings(attributes, node);
    // A recording has a channel for each side.
    passOver(attributes, ['channels', 'track']);
  }
  if (name === 'Recording')
    return context.unit(`${action}_recording`, node, (next) => ({ recording: action, ...after(next) }));
  if (name === 'Transcription') {
    passOver(attributes, ['name', 'inboundTrackLabel', 'outboundTrackLabel']);
    const language = localeOf(attributes['languageCode']);
    const transcribe: Json = action === 'stop' ? 'stop' : defined<JsonObject>({ action, language, tracks });
    return context.unit(`${action}_transcript`, node, (next) => ({ transcribe, ...after(next) }));
  }
  return context.todo(element, node, `${action} ${name || 'something'} beside the call`);
}
