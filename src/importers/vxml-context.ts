/** What the parts of the VoiceXML importer share. Neighbours: `vxml.ts`, `vxml-form.ts`, `vxml-content.ts`, `vxml-prompts.ts`. */
import type { Json, JsonObject } from '../core/json.ts';
import { untranslated } from './fidelity.ts';
import type { FlowWriter } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { pathBelow } from './jsonata-text.ts';
import type { XmlElement } from './read-xml.ts';
import type { GrammarFiles } from './vxml-input.ts';
import type { Scope } from './vxml-scope.ts';

/** The name of the step where something begins; asked for when all is planned. */
export type Entry = () => string;

export interface VxmlDocument {
  file: string;
  name: string;
  root: XmlElement;
  scope: Scope;
  dialogs: readonly XmlElement[];
}

/** Where executable content stands. */
export interface Place {
  document: VxmlDocument;
  scope: Scope;
  /** Items of the form, by their names: where each begins. */
  items?: ReadonlyMap<string, Entry>;
  /** Variables of the form's items are emptied here: `clear`. */
  itemNames?: readonly string[];
  /** Where the form looks for what is still to be asked. */
  restart?: Entry;
  /** In a handler: the question again, with its prompts. */
  again?: Entry;
  /** In a subdialog: where it returns to. */
  returns?: { name: string; next: Entry; given: readonly string[] };
  /** Variables that count events: they begin with the form. */
  counters?: Set<string>;
  /** Dialogs that are within each other, so that one that calls itself ends. */
  depth: number;
}

export interface AfterEvent {
  /** The question again, with its prompts. */
  again: Entry;
  /** Goes on without. */
  quiet: Entry;
}

export interface Vxml {
  readonly flow: FlowWriter;
  readonly sounds: ReadonlySet<string>;
  readonly grammars: GrammarFiles;
  nodeOf(element: XmlElement): ImportedNode;
  /** Where an event leads. `about`: the question or the event, as its counter is called. */
  event(event: string, place: Place, after: AfterEvent, about: string): Entry;
  /** Where a hang-up of the caller leads, other than for the whole flow. */
  hangupIn(place: Place): Entry | undefined;
  /** From any step. */
  lead(event: string, target: string): void;
  reserve(wanted: string): string;
  /** A step whose name was reserved. */
  write(name: string, step: JsonObject): void;
  /** Writes when everything is planned. */
  later(write: () => void): void;
  step(wanted: string, node: ImportedNode, make: () => JsonObject): Entry;
  todo(element: XmlElement, what: string, next: Entry): Entry;
  /** What a reference leads to: `#form`, `other.vxml#form`. Undefined: it is not among the files. */
  target(reference: string, place: Place): Entry | undefined;
  application(reference: string, node: ImportedNode): Entry;
  subdialog(reference: string, place: Place, returns: NonNullable<Place['returns']>): Entry | undefined;
  /** Handlers that lead elsewhere, whatever happened. */
  readonly handlers: Map<XmlElement, Entry>;
  /** Where a question of the source is, for what its shadow variables say. */
  readonly questions: Map<XmlElement, Entry>;
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

/** A name of JavaScript as one of ours. `locals`: names of the place alone. */
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
