/**
 * SWML importer (SignalWire). A document has sections, each a list of methods. It starts with `main`; `transfer` leads
 * to another section or document. `swml-methods.ts` converts the methods, `swml-names.ts` the expressions.
 */
import { isObject, type Json } from '../../base/core/json.ts';
import { childPointer, errorAt, type SourceDocument } from '../../base/schema/document.ts';
import { loadDocument } from '../../base/schema/load.ts';
import { type FidelityReport, Untranslated, untranslated } from './fidelity.ts';
import { documentNameOf } from './file-names.ts';
import { END, escapedTexts, FlowWriter, wordOf } from './flow-writer.ts';
import type { ImportContext } from './import-context.ts';
import type { Imported, ImportedNode, SourceFile } from './imported.ts';
import { accountAt, placesIn } from './json-verbs.ts';
import { passOver, viewOf } from './source-views.ts';
import { callsIn, type SwmlCalls } from './swml-calls.ts';
import type { SwmlContext, SwmlVerb } from './swml-context.ts';
import { METHODS, passOverFields, withoutCounterpart } from './swml-methods.ts';
import { piecesOf } from './swml-words.ts';
import { VerbList } from './verb-list.ts';
import { type Unit, writeUnits } from './verb-unit.ts';

export const isSwml = (text: string): boolean =>
  /^\s*["']?sections["']?\s*:|[{,]\s*["']?sections["']?\s*:/m.test(text) && /["']?main["']?\s*:/.test(text);

export function importSwml(sources: readonly SourceFile[], options: ImportContext): Imported {
  const { report } = options;
  const result: Imported = { format: 'swml', flows: [], nodes: report.nodes, diagnostics: [] };
  const sections = new Map<string, SwmlVerb[]>();
  for (const [index, source] of sources.entries()) {
    const { document, diagnostics } = loadDocument(source.text, source.file);
    if (document === undefined) result.diagnostics.push(...diagnostics);
    else {
      result.diagnostics.push(...readSections(document, index === 0, sections));
      const view = viewOf(isObject(document.value) ? document.value : {});
      passOver(view, ['version', 'sections']);
      report.document('the document', accountAt(document, '', view));
    }
  }
  if (result.diagnostics.length > 0) return result;
  const flow = new FlowWriter(options.name ?? documentNameOf(sources[0]!.file));
  new SwmlImport(flow, report, options, sources, sections).all('SWML', [...sections]);
  return { ...result, flows: [flow.made()] };
}

/** In further documents, `main` gets the name of the file, because URLs refer to it by that name. */
function readSections(document: SourceDocument, isFirst: boolean, sections: Map<string, SwmlVerb[]>) {
  const whole = isObject(document.value) ? document.value : {};
  const refuse = (pointer: string, code: string, message: string) => [
    errorAt(document.locationOf(pointer), code, message),
  ];
  const { version, sections: written } = whole;
  if (version !== undefined && version !== '1.0.0') {
    return refuse('/version', 'other-version', `the version ${String(version).slice(0, 40)} is not known; it is 1.0.0`);
  }
  if (!isObject(written) || !Array.isArray(written['main'])) {
    return refuse('', 'not-swml', 'it has no `sections` with a list `main`');
  }
  const names = ['main', ...Object.keys(written).filter((name) => name !== 'main')];
  for (const name of names) {
    const pointer = childPointer('/sections', name);
    const known = name === 'main' && !isFirst ? documentNameOf(document.file) : name;
    if (sections.has(known)) return refuse(pointer, 'not-swml', `there are two sections of the name ${known}`);
    try {
      sections.set(known, verbsIn(document, pointer, viewedList(written[name]!)));
    } catch (error) {
      if (!(error instanceof Untranslated)) throw error;
      return refuse(pointer, 'not-swml', error.message);
    }
  }
  return [];
}

const viewedList = (list: Json): Json => (Array.isArray(list) ? viewOf(list) : list);

function verbsIn(document: SourceDocument, above: string, list: Json): SwmlVerb[] {
  if (!Array.isArray(list)) untranslated('this is not a list of methods');
  return list.map((value, index) => {
    const pointer = childPointer(above, index);
    const [[name, written] = [], more] = isObject(value) ? Object.entries(value) : [[value, {}]];
    if (typeof name !== 'string' || more !== undefined) untranslated(`the method number ${index + 1} has no name`);
    const isMap = isObject(written as Json);
    const own = childPointer(pointer, name);
    const fields = isMap ? (written as SwmlVerb['fields']) : { value: written as Json };
    return {
      ...placesIn(document, own),
      ...{ name, fields, at: document.locationOf(pointer) },
      ...(written !== null && typeof written === 'object' && { account: accountAt(document, own, written) }),
      within: (nested, ...keys) => verbsIn(document, keys.reduce<string>(childPointer, own), nested),
    };
  });
}

class SwmlImport extends VerbList<SwmlVerb> implements SwmlContext {
  /** Target of each label. */
  readonly #labels = new Map<string, () => string>();
  readonly #names: ReadonlyMap<readonly SwmlVerb[], string>;
  readonly #calls: SwmlCalls;
  readonly #text: string;
  readonly #mentioned = new Map<string, boolean>();
  /** Return step of each section. */
  readonly #ends = new Map<string, string>();
  /** For sections with several callers: the calling steps and the steps after them. */
  readonly #callers = new Map<string, [name: string, after: string][]>();
  section = 'main';
  readonly parametersOf: (section: string) => string | undefined;

  constructor(
    flow: FlowWriter,
    report: FidelityReport,
    options: ImportContext,
    sources: readonly SourceFile[],
    sections: ReadonlyMap<string, readonly SwmlVerb[]>,
  ) {
    super(flow, report, options);
    this.#text = sources.map(({ text }) => text).join('\n');
    this.#names = new Map([...sections].map(([name, verbs]) => [verbs, name]));
    this.#calls = callsIn(sections);
    this.parametersOf = (section) => (this.#calls.withParameters.has(section) ? wordOf(section, 'section') : undefined);
  }

  mentions(name: string): boolean {
    const known = this.#mentioned.get(name);
    if (known !== undefined) return known;
    // A `result` without a variable reads the return value.
    const written = name === 'return_value' ? 'return_value|result' : name;
    const isThere = new RegExp(`\\b(${written})\\b`).test(this.#text);
    this.#mentioned.set(name, isThere);
    return isThere;
  }

  sectionAt(dest: string): string | undefined {
    const name = documentNameOf(dest);
    return this.#calls.sections.has(name) ? name : undefined;
  }

  canCall(section: string): boolean {
    return this.#calls.executed.has(section);
  }

  returnVariable(section: string): string | undefined {
    const isShared = (this.#calls.executed.get(section) ?? 0) > 1 || this.#calls.isSharedWithOthers(section);
    return this.canCall(section) && isShared ? `${wordOf(section, 'section')}_from` : undefined;
  }

  entryOf(section: string): string {
    return this.planned.get(section)?.[0]?.entry() ?? this.backFrom(section);
  }

  backFrom(section: string): string {
    return this.#ends.get(section) ?? END;
  }

  writeCall(section: string, name: string | undefined, after: string): void {
    if (name !== undefined && this.returnVariable(section) !== undefined) {
      this.#callers.set(section, [...(this.#callers.get(section) ?? []), [name, after]]);
      return;
    }
    this.#ends.set(section, after);
    writeUnits(this.planned.get(section) ?? [], after);
  }

  /** A section with a single caller is written inline at that caller. */
  protected override endOf(section: string): string | undefined {
    if (!this.canCall(section)) return END;
    if (this.returnVariable(section) === undefined) return undefined;
    const name = this.flow.reserve(`back_from_${section}`);
    this.#ends.set(section, name);
    return name;
  }

  override all(title: string, documents: readonly [file: string, verbs: readonly SwmlVerb[]][]): void {
    super.all(title, documents);
    // Also write sections whose caller became a `todo` step.
    for (const section of this.#calls.executed.keys()) {
      if (!this.#ends.has(section)) this.writeCall(section, undefined, END);
    }
    for (const [section, name] of this.#ends) {
      const variable = this.returnVariable(section);
      if (variable === undefined) continue;
      const cases = (this.#callers.get(section) ?? []).map(([from, next]) => ({
        when: `vars.${variable} = '${from}'`,
        next,
      }));
      this.flow.step(name, { branch: [...cases, { else: END }] });
    }
  }

  get sounds(): ReadonlySet<string> {
    return this.options.sounds;
  }

  protected promptsOf(verb: SwmlVerb, node: ImportedNode): Json[] | undefined {
    passOverFields(verb, node);
    if (verb.name !== 'play') return undefined;
    return this.#orTodo(
      () => piecesOf(this, verb, node),
      () => undefined,
    );
  }

  protected unitOf(verb: SwmlVerb, node: ImportedNode): Unit | undefined {
    const make = Object.hasOwn(METHODS, verb.name) ? METHODS[verb.name] : undefined;
    return this.#orTodo(
      () => (make ? make(this, verb, node) : untranslated(withoutCounterpart(verb))),
      (what) => this.todo(verb, node, what),
    );
  }

  #orTodo<T>(make: () => T, otherwise: (what: string) => T): T {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof Untranslated)) throw error;
      return otherwise(error.message);
    }
  }

  protected sourceOf({ fields }: SwmlVerb): Json {
    return escapedTexts(fields);
  }

  /** Splits the methods at a label, so that other methods can jump to it. */
  override plan(verbs: readonly SwmlVerb[]): Unit[] {
    this.section = this.#names.get(verbs) ?? this.section;
    const at = verbs.findIndex(({ name }) => name === 'label');
    if (at < 0) return super.plan(verbs);
    const before = super.plan(verbs.slice(0, at));
    const label = verbs[at]!;
    const node = this.nodeOf(label);
    const after = this.plan(verbs.slice(at + 1));
    const name = String(label.fields['value'] ?? label.fields['label'] ?? '');
    if (this.#labels.has(name)) node.notes.push(`there are two labels ${name.slice(0, 60)}: the first is used`);
    else this.#labels.set(name, () => after[0]?.entry() ?? END);
    return [...before, ...after];
  }

  labelled(name: string): string {
    return this.#labels.get(name)?.() ?? END;
  }

  hasLabel(name: string): boolean {
    return this.#labels.has(name);
  }
}
