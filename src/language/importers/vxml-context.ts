/**
 * Types shared by the parts of the VoiceXML importer. Used by `vxml.ts`, `vxml-form.ts`, `vxml-content.ts` and
 * `vxml-prompts.ts`.
 */
import type { Json, JsonObject } from '../../base/core/json.ts';
import { untranslated } from './fidelity.ts';
import type { FlowWriter } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { pathBelow } from './jsonata-text.ts';
import type { XmlElement } from './read-xml.ts';
import type { GrammarFiles } from './vxml-input.ts';
import type { VxmlScope } from './vxml-scope.ts';

/** Returns the name of a first step. Call it only after everything is planned. */
export type EntryName = () => string;

export interface VxmlDocument {
  file: string;
  name: string;
  root: XmlElement;
  scope: VxmlScope;
  dialogs: readonly XmlElement[];
}

/** Context of executable content. */
export interface VxmlPlace {
  document: VxmlDocument;
  scope: VxmlScope;
  /** First step of each item of the form, by item name. */
  items?: ReadonlyMap<string, EntryName>;
  /** Variables of the form's items, which `clear` resets. */
  itemNames?: readonly string[];
  /** Step at which the form looks for its next unfilled item. */
  restart?: EntryName;
  /** In an event handler: the step that asks the question again, with its prompts. */
  again?: EntryName;
  /** In a subdialog: the return target. */
  returns?: { name: string; next: EntryName; given: readonly string[] };
  /** Event counters; they are reset when the form starts. */
  counters?: Set<string>;
  /** Nesting depth of subdialogs. Limited, because a subdialog may call itself. */
  depth: number;
}

export interface AfterEvent {
  /** Asks the question again, with its prompts. */
  again: EntryName;
  /** Continues without prompts. */
  quiet: EntryName;
}

export interface Vxml {
  readonly flow: FlowWriter;
  readonly sounds: ReadonlySet<string>;
  readonly grammars: GrammarFiles;
  nodeOf(element: XmlElement): ImportedNode;
  /** Target of an event. `about` is the question or event that its counter is named after. */
  event(event: string, place: VxmlPlace, after: AfterEvent, about: string): EntryName;
  /** Target of a hang-up by the caller, if it differs from that of the whole flow. */
  hangupIn(place: VxmlPlace): EntryName | undefined;
  /** Routes an event from every step. */
  lead(event: string, target: string): void;
  reserve(wanted: string): string;
  /** Writes a step whose name is reserved. */
  write(name: string, step: JsonObject): void;
  /** Queues a write until everything is planned. */
  later(write: () => void): void;
  step(wanted: string, node: ImportedNode, make: () => JsonObject): EntryName;
  /** `ways`: further outcomes, which lead on as the source does. */
  todo(element: XmlElement, what: string, next: EntryName, ways?: Readonly<Record<string, EntryName>>): EntryName;
  /** Target of a reference: `#form`, `other.vxml#form`. Undefined if it is not among the files. */
  target(reference: string, place: VxmlPlace): EntryName | undefined;
  application(reference: string, node: ImportedNode): EntryName;
  subdialog(reference: string, place: VxmlPlace, returns: NonNullable<VxmlPlace['returns']>): EntryName | undefined;
  /** Event handlers that leave the form. Each has the same target for every question. */
  readonly handlers: Map<XmlElement, EntryName>;
  /** First step of each question, for its shadow variables. */
  readonly questions: Map<XmlElement, EntryName>;
  readonly shadows: Map<string, { step: string; kind: string }>;
  language(written: string | undefined): string | undefined;
}

const SESSION: Readonly<Record<string, string>> = {
  'session.connection.local.uri': 'call.to',
  'session.connection.remote.uri': 'call.from',
  'session.telephone.ani': 'call.from',
  'session.telephone.dnis': 'call.to',
  'session.callerid': 'call.from',
  'session.calledid': 'call.to',
  'session.sessionid': 'call.id',
  'session.id': 'call.id',
};
const SHADOWS: Readonly<Record<string, (step: string) => string>> = {
  'field.utterance': (step) => `($exists(${step}.speech) ? ${step}.speech : ${step}.digits)`,
  'field.inputmode': (step) => `($exists(${step}.speech) ? 'voice' : 'dtmf')`,
  'field.confidence': (step) => `($exists(${step}.confidence) ? ${step}.confidence : 1)`,
  'record.duration': (step) => `${step}.duration_ms`,
  'transfer.duration': (step) => `${step}.duration`,
};

/** Resolves JavaScript names. `locals`: names that are only defined in this context. */
export const namesOf =
  (context: Vxml, locals: Readonly<Record<string, string>> = {}) =>
  (path: readonly string[]): string => {
    const [first = '', ...rest] = path;
    if (Object.hasOwn(locals, first)) return pathBelow(locals[first]!, rest);
    const whole = path.join('.');
    if (first === 'session') {
      return Object.hasOwn(SESSION, whole)
        ? SESSION[whole]!
        : untranslated(`find ${whole.slice(0, 100)} out: it is not known here`);
    }
    if (/\$$/.test(first)) {
      const shadow = context.shadows.get(first.slice(0, -1));
      const key = `${shadow?.kind}.${rest.join('.')}`;
      if (shadow === undefined || !Object.hasOwn(SHADOWS, key))
        untranslated(`find ${whole.slice(0, 100)} out: it is not known here`);
      return SHADOWS[key]!(`steps.${shadow.step}`);
    }
    if (/^(_event|_message|Math|Date|JSON|lastresult\$)$/.test(first))
      untranslated(`find ${whole.slice(0, 100)} out: it is not known here`);
    if (/^(application|document|dialog|anonymous)$/.test(first) && rest.length > 0) {
      return pathBelow(`vars.${context.flow.variable(rest[0]!)}`, rest.slice(1));
    }
    return pathBelow(`vars.${context.flow.variable(first)}`, rest);
  };

export const templateOf = (expression: string): Json => `\${ ${expression} }`;
