/**
 * VoiceXML importer for versions 2.0 and 2.1 (W3C). A document has dialogs, which are forms or menus. Several documents
 * become one flow. A reference to a document that is not among the files becomes a `todo` step, because the application
 * at that URL decides what happens next.
 *
 * Related: `vxml-form.ts` (form interpretation algorithm), `vxml-question.ts` (fields and menus), `vxml-content.ts`
 * (executable content), `read-xml.ts`.
 */
import { defined, isObject, type JsonObject } from '../../base/core/json.ts';
import { errorAt } from '../../base/schema/document.ts';
import { type FidelityReport, ignored, todoOf, worked } from './fidelity.ts';
import { documentNameOf, fileNameOf } from './file-names.ts';
import { END, FlowWriter, textOf, wordOf } from './flow-writer.ts';
import type { ImportContext } from './import-context.ts';
import type { Imported, ImportedNode, SourceFile } from './imported.ts';
import { elementsOf, readXml, type XmlElement } from './read-xml.ts';
import { passOver, unviewed } from './source-views.ts';
import { localeOf } from './spoken.ts';
import { passOverAttributes } from './vxml-attributes.ts';
import { planContent } from './vxml-content.ts';
import type { AfterEvent, EntryName, Vxml, VxmlDocument, VxmlPlace } from './vxml-context.ts';
import { planEvent } from './vxml-events.ts';
import { planForm, planMenu } from './vxml-form.ts';
import { planLinks } from './vxml-links.ts';
import { HANDLERS, handlersOf, scopeOf } from './vxml-scope.ts';

export const isVxml = (text: string): boolean => /<vxml[\s>/]/.test(text.slice(0, 10_000));

export function importVxml(sources: readonly SourceFile[], options: ImportContext): Imported {
  const { report } = options;
  const result: Imported = { format: 'voicexml', flows: [], nodes: report.nodes, diagnostics: [] };
  const roots: { file: string; root: XmlElement }[] = [];
  const grammars = new Map<string, XmlElement>();
  for (const source of sources) {
    const read = readXml(source);
    if ('diagnostics' in read) result.diagnostics.push(...read.diagnostics);
    else if (read.root.name === 'grammar') grammars.set(fileNameOf(source.file), read.root);
    else {
      const problem = problemOf(read.root);
      if (problem === undefined) roots.push({ file: source.file, root: read.root });
      else result.diagnostics.push(errorAt(read.root.at, ...problem));
    }
  }
  if (result.diagnostics.length > 0) return result;
  if (roots.length === 0) {
    result.diagnostics.push(
      errorAt({ file: sources[0]!.file, line: 1, column: 1 }, 'not-voicexml', 'there is no document among the files'),
    );
    return result;
  }
  const flow = new FlowWriter(options.name ?? documentNameOf(roots[0]!.file));
  new VxmlImport(flow, report, options, grammars).all(roots);
  result.flows.push(flow.made());
  return result;
}

function problemOf({ name, attributes }: XmlElement): [code: string, message: string] | undefined {
  if (name !== 'vxml') return ['not-voicexml', `the outermost element is <${name}>, not <vxml>`];
  const version = attributes['version'];
  if (version === undefined || /^2\.[01]$/.test(version)) return undefined;
  return ['other-version', `the version ${version.slice(0, 40)} is not known; it is 2.0 or 2.1`];
}

/** Maximum nesting of subdialogs. Deeper ones become `todo` steps. */
const DEEPEST = 5;
/** Elements that their parent converts, or that have no meaning in a call. */
const QUIET =
  /^(rule|item|one-of|ruleref|tag|token|example|meta|metadata|lexicon|p|s|paragraph|sentence|say-as|sayas|emphasis|emp|prosody|sub|voice|phoneme|lang|div|w|desc|break|rdf:.*)$/;

class VxmlImport implements Vxml {
  readonly flow: FlowWriter;
  readonly sounds: ReadonlySet<string>;
  readonly grammars: ReadonlyMap<string, XmlElement>;
  readonly shadows = new Map<string, { step: string; kind: string }>();
  readonly handlers = new Map<XmlElement, EntryName>();
  readonly questions = new Map<XmlElement, EntryName>();
  readonly #report: FidelityReport;
  readonly #nodes = new Map<XmlElement, ImportedNode>();
  readonly #pending: (() => void)[] = [];
  readonly #atEnd: (() => void)[] = [];
  readonly #steps = new Map<string, { step: JsonObject; notes: readonly string[] }>();
  /** Targets of events. */
  readonly #handled: string[] = [];
  readonly #applications = new Map<string, string>();
  /** Converted dialogs, entered from the same document. */
  readonly #dialogs = new Map<XmlElement, EntryName>();
  readonly #begins = new Map<XmlElement, EntryName>();
  readonly #looking = new Set<XmlElement>();
  #documents: VxmlDocument[] = [];
  #first: VxmlDocument | undefined;
  #locale: string | undefined;

  constructor(
    flow: FlowWriter,
    report: FidelityReport,
    { sounds }: ImportContext,
    grammars: ReadonlyMap<string, XmlElement>,
  ) {
    this.flow = flow;
    this.#report = report;
    this.sounds = sounds;
    this.grammars = grammars;
  }

  all(roots: readonly { file: string; root: XmlElement }[]): void {
    const application = this.#applicationOf(roots);
    const above = application && scopeOf(application);
    this.#documents = roots.map(({ file, root }) => ({
      ...{ file, root, name: documentNameOf(file) },
      scope: root === application ? above! : scopeOf(root, above),
      dialogs: elementsOf(root).filter(({ name }) => name === 'form' || name === 'menu'),
    }));
    const first = this.#documents.find(({ dialogs }) => dialogs.length > 0) ?? this.#documents[0]!;
    this.#first = first;
    this.#locale = localeOf(first.root.attributes['xml:lang']);
    if (this.#locale !== undefined && this.#locale !== 'en-US') this.flow.speak(this.#locale);
    const place: VxmlPlace = { document: first, scope: first.scope, depth: 0 };
    const dialog = first.dialogs[0];
    const begin = dialog === undefined ? () => END : this.#enter(first, dialog);
    const ofApplication =
      application !== undefined && application !== first.root
        ? this.#variables(this.#documents.find(({ root }) => root === application)!, begin)
        : begin;
    const start = planLinks(this, this.#documents, place, ofApplication);
    this.#hangup(first);
    for (let index = 0; index < this.#pending.length; index++) this.#pending[index]!();
    for (const write of this.#atEnd) write();
    this.#joinSets(start());
    if (start() === END) this.write('hang_up', { hangup: 'normal' });
    this.#inOrder(start() === END ? 'hang_up' : start());
    for (const { root } of this.#documents) this.#sweep(root, true);
    const files = this.#documents.map(({ file }) => file);
    const order = (node: ImportedNode): number => files.indexOf(node.file) * 1e12 + node.line * 1e6 + node.column;
    this.#report.nodes.sort((a, b) => order(a) - order(b));
    const names = this.#documents.map(({ name }) => name).join(', ');
    this.flow.begin(start() === END ? 'hang_up' : start(), `Imported from VoiceXML: ${textOf(names)}.`.slice(0, 1000));
  }

  write(name: string, step: JsonObject, notes: readonly string[] = []): void {
    // Copy the step: YAML would write an anchor for an object that several steps share.
    this.#steps.set(name, { step: structuredClone(step), notes });
  }

  /** Merges consecutive steps that set independent variables. */
  #joinSets(start: string): void {
    const led = new Map<string, number>([[start, 1]]);
    const count = (name: string): void => void led.set(name, (led.get(name) ?? 0) + 1);
    for (const { step } of this.#steps.values()) for (const target of targetsIn(step)) count(target);
    for (const name of this.#handled) count(name);
    for (const { step, notes } of this.#steps.values()) {
      for (;;) {
        const nextName = String(step['next']);
        const next = this.#steps.get(nextName);
        if (next === undefined || next.step === step || led.get(nextName) !== 1 || notes.length + next.notes.length > 0)
          break;
        const [own, others] = [onlySet(step), onlySet(next.step)];
        if (own === undefined || others === undefined) break;
        const written = JSON.stringify(Object.values(others));
        if (Object.keys(own).some((name) => Object.hasOwn(others, name) || new RegExp(`\\b${name}\\b`).test(written)))
          break;
        Object.assign(own, others);
        step['next'] = next.step['next']!;
        this.#steps.delete(nextName);
        for (const node of this.#nodes.values()) node.steps = node.steps.filter((each) => each !== nextName);
      }
    }
  }

  /** Writes the steps in the order in which they are reached, followed by event handlers. */
  #inOrder(start: string): void {
    const begin = [...this.#steps].flatMap(([name]) => (this.#handled.includes(name) ? [name] : []));
    const open = [...begin.reverse(), start];
    const seen = new Set<string>();
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      const found = this.#steps.get(name);
      if (found === undefined || seen.has(name)) continue;
      seen.add(name);
      this.flow.step(name, found.step, found.notes);
      open.push(...targetsIn(found.step).reverse());
    }
  }

  /** Application root document: its variables, handlers and links apply to all documents. */
  #applicationOf(roots: readonly { file: string; root: XmlElement }[]): XmlElement | undefined {
    const named = roots.map(({ root }) => root.attributes['application']).find((each) => each !== undefined);
    if (named === undefined) return undefined;
    const found = roots.find(({ file }) => documentNameOf(file) === documentNameOf(named));
    if (found !== undefined) return found.root;
    const by = roots.find(({ root }) => root.attributes['application'] === named)!.root;
    worked(
      this.nodeOf(by),
      `its application ${named.slice(0, 200)} is not among the files: import it together with this`,
    );
    return undefined;
  }

  /** Routes a hang-up of the caller in any step. */
  #hangup(document: VxmlDocument): void {
    const place: VxmlPlace = { document, scope: document.scope, depth: 0 };
    const nowhere: EntryName = () => '';
    const entry = planEvent(
      this,
      'connection.disconnect.hangup',
      place,
      { again: nowhere, quiet: () => END },
      'hangup',
    );
    const isHandled = [...this.#nodes.keys()].some(
      ({ name, attributes }) => name === 'catch' && /disconnect/.test(unviewed(attributes)['event'] ?? ''),
    );
    if (!isHandled) return;
    this.#pending.push(() => {
      const there = entry();
      if (there !== '') this.lead('hangup', there);
    });
  }

  nodeOf(element: XmlElement): ImportedNode {
    const known = this.#nodes.get(element);
    if (known !== undefined) return known;
    const { name, at, attributes } = element;
    const node = this.#report.node(name, at, attributes['name'] ?? attributes['id'], element.account);
    this.#nodes.set(element, node);
    passOverAttributes(element);
    // The language of the document needs no setting.
    if (this.language(unviewed(attributes)['xml:lang']) === undefined) passOver(attributes, ['xml:lang']);
    return node;
  }

  event(event: string, place: VxmlPlace, after: AfterEvent, about: string): EntryName {
    return planEvent(this, event, place, after, about);
  }

  /** Target of a hang-up in a dialog or document whose handler differs from that of the first document. */
  hangupIn(place: VxmlPlace): EntryName | undefined {
    const [handler] = handlersOf(place.scope, 'connection.disconnect.hangup');
    const first = this.#first;
    if (handler === undefined || handler.scope === first?.scope || handler.scope === first?.scope.above)
      return undefined;
    const nowhere: EntryName = () => END;
    return this.event('connection.disconnect.hangup', place, { again: nowhere, quiet: nowhere }, 'hangup');
  }

  lead(event: string, target: string): void {
    if (target === END) return;
    this.flow.event(event, target);
    this.#handled.push(target);
  }

  reserve(wanted: string): string {
    return this.flow.reserve(wanted);
  }

  later(write: () => void): void {
    this.#pending.push(write);
  }

  step(wanted: string, node: ImportedNode, make: () => JsonObject): EntryName {
    const name = this.flow.reserve(wanted);
    if (!node.steps.includes(name)) node.steps.push(name);
    this.#pending.push(() =>
      this.write(name, make(), node.fidelity === 'todo' || node.steps[0] !== name ? [] : node.notes),
    );
    return () => name;
  }

  todo(element: XmlElement, what: string, next: EntryName, ways: Readonly<Record<string, EntryName>> = {}): EntryName {
    const node = this.nodeOf(element);
    const names = Object.keys(ways);
    const outcomes = names.length === 0 ? undefined : ['done', ...names];
    const made = todoOf(node, what, defined<JsonObject>({ outcomes, source: textOf(element.source) }));
    const name = this.flow.reserve(wordOf(element.attributes['name'] ?? element.name, 'todo'));
    node.steps.push(name);
    this.#pending.push(() => {
      const others = Object.entries(ways).map(([outcome, way]) => [outcome, way()]);
      if (names.length === 0) this.write(name, { ...made, next: next() });
      else this.write(name, { ...made, exits: { done: next(), ...(Object.fromEntries(others) as JsonObject) } });
    });
    return () => name;
  }

  language(written: string | undefined): string | undefined {
    const locale = localeOf(written);
    return locale === (this.#locale ?? 'en-US') ? undefined : locale;
  }

  target(reference: string, place: VxmlPlace): EntryName | undefined {
    const found = this.#find(reference, place.document);
    if (found === undefined) return undefined;
    const [document, dialog] = found;
    return document === place.document ? this.#dialog(document, dialog) : this.#enter(document, dialog);
  }

  #find(reference: string, from: VxmlDocument): [VxmlDocument, XmlElement] | undefined {
    const [path = '', id] = reference.trim().split('#');
    const document = path === '' ? from : this.#documents.find(({ name }) => name === documentNameOf(path));
    const dialog =
      id === undefined ? document?.dialogs[0] : document?.dialogs.find(({ attributes }) => attributes['id'] === id);
    return document !== undefined && dialog !== undefined ? [document, dialog] : undefined;
  }

  application(reference: string, node: ImportedNode): EntryName {
    const known = this.#applications.get(reference);
    if (known !== undefined) return () => known;
    const name = this.flow.reserve(`ask_${wordOf(documentNameOf(reference), 'application')}`);
    this.#applications.set(reference, name);
    const made = todoOf(node, `do what ${reference.slice(0, 300)} answers: it decides what comes next`);
    node.steps.push(name);
    this.#atEnd.push(() => this.write(name, { ...made, next: END }));
    return () => name;
  }

  subdialog(reference: string, place: VxmlPlace, returns: NonNullable<VxmlPlace['returns']>): EntryName | undefined {
    const found = this.#find(reference, place.document);
    if (found === undefined || place.depth >= DEEPEST) return undefined;
    const [document, dialog] = found;
    if (dialog.name === 'menu') return this.#dialog(document, dialog);
    const within = planForm(this, dialog, document, { returns, depth: place.depth + 1 });
    return document === place.document ? within : this.#variables(document, within);
  }

  /** Entry of a dialog from another document, which initialises the variables of the dialog's document. */
  #enter(document: VxmlDocument, dialog: XmlElement): EntryName {
    const known = this.#begins.get(dialog);
    if (known !== undefined) return known;
    let entry: EntryName = () => END;
    this.#begins.set(dialog, () => entry());
    const there = this.#dialog(document, dialog);
    entry = this.#variables(document, there);
    return () => entry();
  }

  #variables(document: VxmlDocument, next: EntryName): EntryName {
    const node = this.nodeOf(document.root);
    const written = elementsOf(document.root).filter(({ name }) => name === 'var' || name === 'script');
    return planContent(this, written, { document, scope: document.scope, depth: 0 }, next, node);
  }

  #dialog(document: VxmlDocument, dialog: XmlElement): EntryName {
    const known = this.#dialogs.get(dialog);
    if (known !== undefined) return known;
    let planned: EntryName = () => END;
    // Ends dialogs that only lead to each other.
    const entry: EntryName = () => {
      if (this.#looking.has(dialog)) return END;
      this.#looking.add(dialog);
      const there = planned();
      this.#looking.delete(dialog);
      return there;
    };
    this.#dialogs.set(dialog, entry);
    this.nodeOf(document.root);
    planned =
      dialog.name === 'menu' ? planMenu(this, dialog, document) : planForm(this, dialog, document, { depth: 0 });
    return entry;
  }

  /** Reports the elements that nothing refers to; they have no effect. */
  #sweep(element: XmlElement, isReached: boolean, above?: ImportedNode): void {
    if (QUIET.test(element.name)) {
      this.#sweepQuiet(element, above);
      return;
    }
    const isKnown = this.#nodes.has(element);
    if (!isKnown && element.name !== 'grammar' && element.name !== 'property') {
      const why = HANDLERS.includes(element.name) ? 'this event does not happen here' : 'nothing leads here';
      if (isReached && !HANDLERS.includes(element.name) && element.name !== 'form' && element.name !== 'menu') {
        worked(this.nodeOf(element), 'it has no effect here');
      } else ignored(this.nodeOf(element), why);
    } else if (!isKnown) this.nodeOf(element);
    // A `todo` step contains the whole element.
    if (this.#nodes.get(element)?.fidelity === 'todo' && isKnown && element !== this.#documents[0]!.root) return;
    const own = this.#nodes.get(element);
    for (const child of elementsOf(element)) this.#sweep(child, isReached && isKnown, own);
  }

  /** Accounts for the attributes of elements that have no node, with the node of the element around them. */
  #sweepQuiet(element: XmlElement, above: ImportedNode | undefined): void {
    passOverAttributes(element);
    if (above !== undefined) this.#report.part(above, element.name, element.account);
    for (const child of elementsOf(element)) this.#sweepQuiet(child, above);
  }
}

function targetsIn({ next, exits, branch }: JsonObject): string[] {
  const cases = Array.isArray(branch) ? branch.filter(isObject) : [];
  const all = [
    ...cases.map((each) => each['next'] ?? each['else']),
    next,
    ...Object.values(isObject(exits) ? exits : {}),
  ];
  return all.filter((target) => typeof target === 'string');
}

function onlySet({ set, next, ...others }: JsonObject): JsonObject | undefined {
  return isObject(set) && next !== undefined && Object.keys(others).length === 0 ? set : undefined;
}
