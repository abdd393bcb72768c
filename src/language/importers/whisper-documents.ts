/**
 * TwiML documents outside of the caller's call: prompts for the callee before the two are connected (`url` of Number,
 * Sip and Client), and prompts in a queue or conference (`waitUrl`). Used by `twiml-parties.ts`.
 */
import type { Json, JsonObject } from '../../base/core/json.ts';
import type { ImportedNode } from './imported.ts';
import { elementsOf, wordsOf, type XmlElement } from './read-xml.ts';
import { unviewed } from './source-views.ts';
import { answeredBy } from './url-answers.ts';
import type { UnitMaker, Unwritten } from './verb-unit.ts';

/** Actions for the callee before the two are connected. */
export interface BeforeTalk {
  args: JsonObject;
  unwritten: Unwritten<XmlElement>[];
}

export interface TwimlContext extends UnitMaker<XmlElement> {
  /** Prompts at a URL: a sound, or a document that only plays prompts. Undefined if it is neither. */
  promptsOfAside(url: string): Json[] | undefined;
  /** Prompt of an element. Undefined if it has none. */
  piece(element: XmlElement, node: ImportedNode): Json | undefined;
  beforeTalk(nouns: readonly XmlElement[], nodes: readonly ImportedNode[]): BeforeTalk;
}

export type TwimlDocument = [file: string, verbs: XmlElement[]];

/** Names of the documents to which these attributes refer. */
function namesIn(documents: readonly TwimlDocument[], attributes: readonly string[]): Set<string> {
  const names = new Set<string>();
  const look = (element: XmlElement): void => {
    for (const name of attributes) {
      const url = element.name === 'Stream' ? undefined : unviewed(element.attributes)[name];
      if (url) names.add(answeredBy(url).name);
    }
    elementsOf(element).forEach(look);
  };
  for (const [, verbs] of documents) verbs.forEach(look);
  return names;
}

/** Names of documents that play to other parties or to waiting callers, and of documents reached only from those. */
function whisperNames(documents: readonly TwimlDocument[]): ReadonlySet<string> {
  const heard = namesIn(documents, ['url', 'waitUrl']);
  const isHeard = ([file]: TwimlDocument): boolean => heard.has(answeredBy(file).name);
  const ledTo = namesIn(documents.filter(isHeard), ['action']);
  const own = namesIn(
    documents.filter((each) => !isHeard(each)),
    ['action'],
  );
  return new Set([...heard, ...[...ledTo].filter((name) => !own.has(name))]);
}

/** Splits the documents into those of the caller's call and all others. The latter are grouped by name. */
export function partition(documents: readonly TwimlDocument[]): {
  own: TwimlDocument[];
  whispers: ReadonlyMap<string, TwimlDocument[]>;
} {
  const names = whisperNames(documents);
  const isWhisper = ([file]: TwimlDocument, index: number): boolean => index > 0 && names.has(answeredBy(file).name);
  const whispers = Map.groupBy(documents.filter(isWhisper), ([file]) => answeredBy(file).name);
  return { own: documents.filter((each, index) => !isWhisper(each, index)), whispers };
}

/**
 * Recognises call screening: prompts, a `Gather` for one key, and then at most prompts and `Hangup`. The accept key is
 * that of the empty document among the responses of `action` (`accept?Digits=1.xml`). Undefined if the document has
 * another form.
 */
export function screenOf(
  verbs: readonly XmlElement[],
  answers: (url: string) => readonly TwimlDocument[],
): { words: XmlElement[]; accept: string; gather: XmlElement } | undefined {
  const at = verbs.findIndex(({ name }) => name === 'Gather');
  const gather = verbs[at];
  if (gather === undefined || gather.attributes['numDigits'] !== '1' || !isOver(verbs.slice(at + 1))) return undefined;
  const accepting = answers(gather.attributes['action'] ?? '').filter(([, inner]) => inner.length === 0);
  const keys = accepting.flatMap(([file]) => answeredBy(file).values);
  if (accepting.length !== 1 || keys.length !== 1 || !/^Digits$/.test(keys[0]![0])) return undefined;
  return {
    words: [...verbs.slice(0, at), ...elementsOf(gather)],
    accept: keys[0]![1],
    gather,
  };
}

/** True if the callee is hung up on. */
const isOver = (verbs: readonly XmlElement[]): boolean => verbs.at(-1)?.name === 'Hangup';

/** Part of the callee's document that must be written by hand. */
export const unwrittenOf = (element: XmlElement, node: ImportedNode, url: string): Unwritten<XmlElement> => ({
  element,
  node,
  what: `let ${wordsOf(element)} hear what ${url.slice(0, 200)} answers before the two talk`,
});
