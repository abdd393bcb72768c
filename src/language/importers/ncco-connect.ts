/** NCCO action `connect` to a phone, a user, a SIP address, an extension or a WebSocket. Used by `ncco.ts`. */
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { lost, noted, worked } from './fidelity.ts';
import { textOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { type JsonVerb, listAt, objectAt, wordsAt } from './json-verbs.ts';
import { callNameOf, numberOf, programUnit, sipOf, userOf } from './parties.ts';
import { limitAt, timeAt } from './source-numbers.ts';
import { passOver, unviewed } from './source-views.ts';
import { soundOf } from './spoken.ts';
import { promptOf } from './verb-list.ts';
import type { Unit, UnitMaker, Unwritten } from './verb-unit.ts';

type Context = UnitMaker<JsonVerb>;

export function connectUnit(context: Context, verb: JsonVerb, node: ImportedNode, sounds: ReadonlySet<string>): Unit {
  const { fields } = verb;
  const written = fields['endpoint'];
  const endpoints = (Array.isArray(written) ? written : [written]).filter(isObject);
  const program = endpoints.find(({ type }) => type === 'websocket');
  const url = program && wordsAt(program, 'uri');
  if (url !== undefined && endpoints.length === 1) {
    lost(node, program!, 'headers', 'the headers are not sent to the program');
    lost(node, program!, 'authorization', 'the program is not sent a token');
    lost(node, program!, 'content-type', 'the program receives the protocol and the format of `stream`');
    passOver(fields, ['from']);
    aboutEvents(fields, node);
    return programUnit(context, node, url, (next) => next);
  }
  const parties = endpoints.map(partyOf).filter((party) => party !== undefined);
  if (parties.length === 0 || parties.length < endpoints.length) {
    const types = endpoints.map((each) => wordsAt(each, 'type') ?? 'something').join(', ');
    return context.todo(
      verb,
      node,
      `connect the caller with ${types || 'a party that the source does not name'}`.slice(0, 200),
    );
  }
  if (endpoints.some(({ type }) => type === 'vbc')) noted(node, 'an extension is the phone of the user of its number');
  aboutEvents(fields, node);
  if (fields['randomFromNumber'] === true) worked(node, 'always the same number is shown to the called party');
  const tone = wordsAt(fields, 'ringbackTone');
  const ringback = tone === undefined ? undefined : soundOf(tone, sounds);
  if (tone !== undefined && ringback === undefined) worked(node, 'the caller hears the usual ringing tone');
  const hangsUpOnMachines = machineRuleOf(fields, node);
  const from = wordsAt(fields, 'from');
  const headers = Object.assign({}, ...endpoints.map(headersOf)) as JsonObject;
  const bridge = defined<JsonObject>({
    to: parties.length === 1 ? parties[0]! : ([parties] as Json),
    from: from === undefined ? undefined : internationalOf(from),
    ring_timeout: timeAt(node, fields, 'timeout', { otherwise: '60s' }),
    ringback,
    max_duration: limitAt(node, fields, 'limit'),
    detect_machine: hangsUpOnMachines ? true : undefined,
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    ...beforeTheyTalk(context, verb, node, endpoints),
  });
  const within = endpoints.flatMap((endpoint) => unwrittenOf(context, verb, endpoint, bridge));
  const make = (next: string, own: string): JsonObject => {
    const [answerer] = fields['eventType'] === 'synchronous' ? listAt(fields, 'eventUrl') : [];
    const failed = answerer === undefined ? next : context.target(answerer, node, { status: statusOf(`steps.${own}`) });
    return { bridge, exits: { completed: next, failed, ...(hangsUpOnMachines ? { machine: failed } : {}) } };
  };
  return context.unit(callNameOf(parties[0]!), node, make, within);
}

/** Result of the call to the callee, as a status of the source. */
const statusOf = (step: string): string =>
  `(${step}.cause = 17 ? 'busy' : ${step}.cause = 21 ? 'rejected' : ${step}.cause in [18, 19] ? 'timeout' : 'failed')`;

/** Events of a call go to the webhook of the project, unless their answers replace the document. */
function aboutEvents(fields: JsonObject, node: ImportedNode): void {
  passOver(fields, ['eventMethod']);
  if (fields['eventType'] === 'synchronous') return;
  if (listAt(fields, 'eventUrl').length > 0) noted(node, 'your project’s webhook is informed of it, not `eventUrl`');
}

function partyOf(endpoint: JsonObject): string | undefined {
  const [key = '', partyOfWords = numberOf] = PARTIES[wordsAt(endpoint, 'type') ?? ''] ?? [];
  const words = wordsAt(endpoint, key);
  if (words !== undefined) return partyOfWords(words);
  const [user, domain] = [wordsAt(endpoint, 'user'), wordsAt(endpoint, 'domain')];
  return key === 'uri' && user !== undefined && domain !== undefined ? sipOf(`${user}@${domain}`) : undefined;
}

/** Vonage numbers are in international format without a plus sign. */
const internationalOf = (written: string): string => numberOf(written).replace(/^(?=[1-9]\d{6,14}$)/, '+');

const PARTIES: Readonly<Record<string, [key: string, partyOfWords: (words: string) => string]>> = {
  phone: ['number', internationalOf],
  app: ['user', userOf],
  sip: ['uri', sipOf],
  vbc: ['extension', (extension) => `user:${textOf(extension)}`],
};

function machineRuleOf(fields: JsonObject, node: ImportedNode): boolean {
  const advanced = objectAt(fields, 'advancedMachineDetection');
  const simple = wordsAt(fields, 'machineDetection');
  const rule = wordsAt(advanced, 'behavior') ?? simple;
  lost(node, advanced, 'mode', 'a machine is recognised by how it greets, whatever the mode');
  lost(node, advanced, 'beep_timeout', 'the call does not wait for the beep of a machine');
  if (rule === 'continue') worked(node, 'the result of the machine detection is not reported');
  return rule === 'hangup';
}

/** Custom headers are sent with the prefix `X-`. */
function headersOf(endpoint: JsonObject): JsonObject {
  const own = Object.entries(objectAt(endpoint, 'headers')).map(([name, value]) => [`X-${name}`, value] as const);
  const known = Object.entries(objectAt(endpoint, 'standardHeaders'));
  return Object.fromEntries([...own, ...known].map(([name, value]) => [name, textOf(String(value))]));
}

/** Digits and whisper for the callee before the two are connected, if they are the same for all endpoints. */
function beforeTheyTalk(
  context: Context,
  { placeOf }: JsonVerb,
  node: ImportedNode,
  endpoints: readonly JsonObject[],
): JsonObject {
  const ofAll = (of: (endpoint: JsonObject) => string | undefined): string | undefined =>
    new Set(endpoints.map(of)).size === 1 ? of(endpoints[0]!) : undefined;
  const part = (name: string): ImportedNode => {
    const inner = context.nodeOf({ name, at: placeOf('endpoint'), fields: {}, placeOf });
    inner.steps = node.steps;
    return inner;
  };
  const keys = ofAll(keysOf);
  const url = ofAll(urlOf);
  const said = url === undefined ? undefined : context.saidAt(url, node);
  if (keys !== undefined) part('dtmfAnswer');
  if (said !== undefined) part('onAnswer');
  return defined<JsonObject>({ send_digits: keys, whisper: said && promptOf(said) });
}

/** In NCCO, `p` is a pause of half a second. */
function keysOf(endpoint: JsonObject): string | undefined {
  const keys = wordsAt(endpoint, 'dtmfAnswer')?.replaceAll(/p/gi, 'w');
  return keys !== undefined && /^[0-9*#w]{1,100}$/.test(keys) ? keys : undefined;
}

/** `endpoint` is a view, or the object behind it. */
const urlOf = (endpoint: JsonObject): string | undefined => wordsAt(objectAt(endpoint, 'onAnswer'), 'url');

/** URLs of documents that play to the callee. */
export const whispersOf = ({ fields }: JsonVerb): string[] =>
  [unviewed(fields)['endpoint'] ?? []].flat().flatMap((each) => (isObject(each) ? (urlOf(each) ?? []) : []));

/** Parts of `onAnswer` and `dtmfAnswer` that must be written by hand. */
function unwrittenOf(
  context: Context,
  { placeOf }: JsonVerb,
  endpoint: JsonObject,
  bridge: JsonObject,
): Unwritten<JsonVerb>[] {
  const keys = bridge['send_digits'] === undefined ? wordsAt(endpoint, 'dtmfAnswer') : undefined;
  const url = bridge['whisper'] === undefined ? urlOf(endpoint) : undefined;
  const things: [name: string, what: string | undefined][] = [
    ['dtmfAnswer', keys && `press ${keys.slice(0, 100)} when the other side has answered`],
    ['onAnswer', url && `whisper what ${url.slice(0, 200)} answers to the one who is called`],
  ];
  return things.flatMap(([name, what]) => {
    if (what === undefined) return [];
    const element = { name, at: placeOf('endpoint'), fields: endpoint, placeOf };
    return [{ element, node: context.nodeOf(element), what }];
  });
}
