/**
 * Amazon Connect importer. A flow is a JSON document of actions (flow language 2019-10-30). Each action has
 * transitions: next action, conditions and errors. Steps are named after the action's display name, or else after its
 * type. `connect-actions.ts` converts the actions.
 */
import type { Diagnostic } from '../../base/core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { childPointer, errorAt, startOf } from '../../base/schema/document.ts';
import { loadDocument } from '../../base/schema/load.ts';
import { ACTIONS, PASSED_OVER, promptOf } from './connect-actions.ts';
import { casesOf, errorsOf } from './connect-cases.ts';
import type { ConnectAction, ConnectActionContext } from './connect-context.ts';
import { isOlderExport, newerExport } from './connect-modules.ts';
import { connectText } from './connect-names.ts';
import { heardLater, waitingFlows, wordsOnly } from './connect-queues.ts';
import { type FidelityReport, ignored, todoOf, Untranslated, untranslated } from './fidelity.ts';
import { documentNameOf } from './file-names.ts';
import { END, escapedTexts, FlowWriter, MAX_SET, nameIn } from './flow-writer.ts';
import type { ImportContext } from './import-context.ts';
import type { Imported, ImportedNode, SourceFile } from './imported.ts';
import { accountAt } from './json-verbs.ts';
import { quotedText } from './jsonata-text.ts';
import { openView, passOver, viewOf } from './source-views.ts';

export const isConnect = (text: string): boolean =>
  /^\s*\{/.test(text) &&
  ((/"Actions"\s*:/.test(text) && /"StartAction"\s*:/.test(text)) ||
    (/"modules"\s*:/.test(text) && /"branches"\s*:/.test(text)));

interface ConnectFlow {
  /** File name and display name; other flows refer to either. */
  names: readonly string[];
  flow: FlowWriter;
  actions: readonly ConnectAction[];
  start: string;
}

/** The further files are flows and modules that the first one starts, or that play in its queue. */
export function importConnect(sources: readonly SourceFile[], options: ImportContext): Imported {
  const { report } = options;
  const result: Imported = { format: 'amazon-connect', flows: [], nodes: report.nodes, diagnostics: [] };
  const flows: ConnectFlow[] = [];
  for (const [index, source] of sources.entries()) {
    const read = flowOf(source, index === 0 ? options.name : undefined, report);
    if ('flow' in read) flows.push(read);
    else result.diagnostics.push(...read);
  }
  if (result.diagnostics.length > 0) return result;
  const wordsOf = new Set(flows.flatMap(({ actions }) => wordsOnly(actions)));
  const written = flows.filter(({ names }, index) => index === 0 || !names.some((name) => wordsOf.has(name)));
  const imports = written.map((each) => new ConnectImport(each, report, options, flows));
  for (const each of imports) each.all();
  const shared = [...new Set(written.flatMap(({ flow }) => flow.variables))];
  for (const [index, each] of imports.entries()) each.share(shared, index === 0);
  const all = [...written.map(({ flow }) => flow), ...imports.flatMap(({ made }) => made)];
  return { ...result, flows: all.map((flow) => flow.made()) };
}

function flowOf(
  { file, text }: SourceFile,
  named: string | undefined,
  report: FidelityReport,
): ConnectFlow | Diagnostic[] {
  const { document: read, diagnostics } = loadDocument(text, file);
  if (read === undefined) return diagnostics;
  const document = isOlderExport(read.value) ? newerExport(read) : read;
  const whole = isObject(document.value) ? document.value : {};
  const version = whole['Version'];
  if (version !== undefined && version !== '2019-10-30') {
    const message = `the flow language ${String(version).slice(0, 40)} is not known; it is 2019-10-30`;
    return [errorAt(document.locationOf('/Version'), 'other-version', message)];
  }
  const metadata = isObject(whole['Metadata']) ? whole['Metadata'] : {};
  const written = Array.isArray(whole['Actions']) ? whole['Actions'] : [];
  const actions = written.flatMap((value: Json, index): ConnectAction[] => {
    const pointer = childPointer('/Actions', index);
    const account = accountAt(document, pointer, isObject(value) ? viewOf(value) : {});
    const action = actionOf(account.view as JsonObject, metadata);
    return action === undefined ? [] : [{ ...action, at: document.locationOf(pointer), account }];
  });
  if (actions.length === 0) {
    const message = 'it has no list `Actions` of actions with an identifier and a type';
    return [errorAt(startOf(file), 'not-connect', message)];
  }
  const view = viewOf(whole);
  // The metadata are for the editor. Their names are read where an action has them.
  passOver(view, ['Version', 'StartAction', 'Metadata', 'Actions', 'Settings']);
  report.document('the flow', accountAt(document, '', view));
  const id = documentNameOf(file);
  const name = typeof metadata['name'] === 'string' && metadata['name'] !== '' ? metadata['name'] : id;
  const flow = new FlowWriter(named ?? name);
  return { names: [id, name], flow, actions, start: String(whole['StartAction'] ?? '') };
}

function actionOf(value: JsonObject, metadata: JsonObject): Omit<ConnectAction, 'at' | 'account'> | undefined {
  if (typeof value['Identifier'] !== 'string' || typeof value['Type'] !== 'string') return undefined;
  const { Identifier: id, Type: type, Parameters: parameters, Transitions: transitions } = value;
  const all = isObject(metadata['ActionMetadata']) ? metadata['ActionMetadata'] : {};
  const own = Object.hasOwn(all, id) && isObject(all[id]) ? all[id] : {};
  const friendly = typeof own['fragments'] === 'object' ? undefined : own['friendlyName'];
  const isGiven = typeof friendly === 'string' && friendly !== '';
  return {
    ...{ id, type, metadata: own },
    name: isGiven ? friendly : /^[0-9a-f-]{20,}$/i.test(id) ? undefined : id,
    parameters: isObject(parameters) ? parameters : {},
    transitions: isObject(transitions) ? transitions : {},
  };
}

class ConnectImport implements ConnectActionContext {
  readonly flow: FlowWriter;
  readonly options: ImportContext;
  readonly actions: readonly ConnectAction[];
  /** Additional flows without a counterpart in the source. */
  readonly made: FlowWriter[] = [];
  readonly isWaiting: boolean;
  readonly attributes: readonly string[];
  readonly #report: FidelityReport;
  readonly #start: string;
  readonly #flows: readonly ConnectFlow[];
  readonly #steps = new Map<string, string>();
  readonly #nodes = new Map<ConnectAction, ImportedNode>();
  /** Input and output mappings of subflow calls. Filled in once all attributes are known. */
  readonly #handedOver: JsonObject[] = [];
  readonly #takenBack: { set: JsonObject; step: string; next: string }[] = [];
  readonly #heard = new Map<string, Json[] | undefined>();

  constructor(source: ConnectFlow, report: FidelityReport, options: ImportContext, flows: readonly ConnectFlow[]) {
    this.flow = source.flow;
    this.#report = report;
    this.options = options;
    this.actions = source.actions;
    this.#start = source.start;
    this.#flows = flows;
    const waiting = flows.flatMap(({ actions }) => waitingFlows(actions));
    this.isWaiting = source.names.some((name) => waiting.includes(name));
    this.attributes = flows
      .flatMap(({ actions }) => actions)
      .filter(({ type }) => type === 'UpdateContactAttributes')
      .flatMap(({ parameters: { Attributes: given } }) => Object.keys(isObject(given) ? given : {}));
  }

  all(): void {
    for (const action of this.actions) {
      const node = this.#report.node(action.type, action.at, action.name, action.account);
      this.#nodes.set(action, node);
      transitionsRead(action);
      const why = PASSED_OVER[action.type];
      if (why !== undefined) {
        ignored(node, why);
        continue;
      }
      if (heardLater(this, action, node)) continue;
      const step = this.flow.reserve(action.name ?? shortName(action.type));
      node.steps.push(step);
      this.#steps.set(action.id, step);
    }
    for (const action of this.actions) if (this.#steps.has(action.id)) this.#write(action, this.#nodes.get(action)!);
    this.flow.begin(this.stepOf(this.#start), 'Imported from Amazon Connect.');
  }

  /** Passes attributes between flows, because in Connect they belong to the call. */
  share(names: readonly string[], isFirst: boolean): void {
    const isCalled = !isFirst && names.length > 0;
    if (!isCalled && this.#handedOver.length === 0) return;
    for (const name of names) this.flow.variable(name);
    const values = Object.fromEntries(names.map((name) => [name, `\${ vars.${name} }`]));
    // A flow has a limited number of inputs.
    const isOne = names.length > MAX_INPUTS;
    const members = names.map((name) => `${quotedText(name)}: vars.${name}`).join(', ');
    const given: JsonObject = isOne ? { [ATTRIBUTES]: `\${ { ${members} } }` } : values;
    const within = isOne ? `${ATTRIBUTES}.` : '';
    for (const input of this.#handedOver) Object.assign(input, structuredClone(given));
    for (const { set, step, next } of this.#takenBack) {
      for (const name of names.slice(0, MAX_SET)) set[name] = `\${ result.${within}${name} }`;
      const more = names.slice(MAX_SET).map((name) => [name, `\${ steps.${step}.${within}${name} }`] as const);
      if (more.length === 0) continue;
      const [first = next] = this.flow.setAll(this.flow.reserve(`${step}_more`), more, next);
      this.flow.reroute(step, next, first);
    }
    if (!isCalled) return;
    const step = this.flow.reserve('take_over');
    for (const name of Object.keys(given)) this.flow.input(name);
    const set = names.map((name) => [name, `\${ input.${within}${name} }`] as const);
    const start = this.stepOf(this.#start);
    if (set.length <= MAX_SET) {
      // Attributes without a value are not passed; the input may be empty.
      this.flow.step(step, { when: '$boolean(input)', set: Object.fromEntries(set), next: start });
    } else this.flow.setAll(step, set, start);
    this.flow.returns(structuredClone(given));
    this.flow.begin(step, 'Imported from Amazon Connect.');
  }

  handOver(): JsonObject {
    const input: JsonObject = {};
    this.#handedOver.push(input);
    return input;
  }

  takeBack(step: string, next: string): JsonObject {
    const set: JsonObject = {};
    this.#takenBack.push({ set, step, next });
    return set;
  }

  #other(name: string): ConnectFlow | undefined {
    return this.#flows.find(({ names, flow }) => names.includes(name) && flow !== this.flow);
  }

  called(name: string): FlowWriter | undefined {
    return this.#other(name)?.flow;
  }

  makeFlow(name: string): FlowWriter {
    const made = new FlowWriter(`${this.flow.name}-${name}`);
    const known = this.made.find((each) => each.name === made.name);
    if (known === undefined) this.made.push(made);
    return known ?? made;
  }

  wordsOf(name: string): Json[] | undefined {
    if (!this.#heard.has(name)) this.#heard.set(name, this.#wordsIn(this.#other(name)?.actions ?? []));
    return this.#heard.get(name);
  }

  #wordsIn(actions: readonly ConnectAction[]): Json[] | undefined {
    const prompts: Json[] = [];
    for (const action of actions) {
      const { type, parameters, at, name, account } = action;
      const node = this.#report.node(type, at, name, account);
      transitionsRead(action);
      if (PASSED_OVER[type] !== undefined) ignored(node, PASSED_OVER[type]);
      else if (type === 'MessageParticipant') prompts.push(...[promptOf(this, parameters) ?? []].flat());
      else if (type === 'MessageParticipantIteratively') {
        const { Messages: listed } = parameters;
        for (const each of Array.isArray(listed) ? listed.filter(isObject) : [])
          prompts.push(...[promptOf(this, each) ?? []].flat());
      } else if (!/^(EndFlowExecution|DisconnectParticipant)$/.test(type)) return undefined;
    }
    return prompts.length > 0 ? prompts : undefined;
  }

  #write(action: ConnectAction, node: ImportedNode): void {
    this.#report.at = node;
    const step = this.#steps.get(action.id)!;
    const write = Object.hasOwn(ACTIONS, action.type) ? ACTIONS[action.type] : undefined;
    try {
      if (write === undefined) untranslated(`do what the block ${action.type} does`);
      write(this, { ...action, step }, node);
    } catch (error) {
      if (!(error instanceof Untranslated)) throw error;
      this.#todo(action, node, error.message);
    }
  }

  #todo(action: ConnectAction, node: ImportedNode, what: string): void {
    const step = this.#steps.get(action.id)!;
    const exits: Record<string, string> = {};
    for (const { value, next } of casesOf(action)) exits[outcomeOf(`is ${value}`)] = this.stepOf(next);
    for (const { type, next } of errorsOf(action)) exits[outcomeOf(type)] = this.stepOf(next);
    const next = this.next(action);
    const source = escapedTexts(action.parameters);
    if (Object.keys(exits).length === 0) return void this.flow.step(step, { ...todoOf(node, what, { source }), next });
    exits['done'] ??= next;
    this.flow.step(step, { ...todoOf(node, what, { outcomes: Object.keys(exits), source }), exits });
  }

  /** Step for an action. Skips actions that have no step. */
  stepOf(id: string | undefined): string {
    const passed = new Set<string>();
    for (let at = id; at !== undefined && !passed.has(at); ) {
      passed.add(at);
      const step = this.#steps.get(at);
      if (step !== undefined) return step;
      const action = this.actions.find((each) => each.id === at);
      const next = action?.transitions['NextAction'];
      at = typeof next === 'string' ? next : undefined;
    }
    return END;
  }

  next({ transitions }: ConnectAction): string {
    const { NextAction: next } = transitions;
    return this.stepOf(typeof next === 'string' ? next : undefined);
  }

  onError(action: ConnectAction, ...types: string[]): string {
    const errors = errorsOf(action);
    const found = types.map((type) => errors.find((error) => error.type === type)).find((error) => error !== undefined);
    return this.stepOf((found ?? errors.find(({ type }) => type === 'NoMatchingError') ?? errors[0])?.next);
  }

  onValue(action: ConnectAction, value: string): string {
    const found = casesOf(action).find((each) => each.value.toLowerCase() === value.toLowerCase());
    return found === undefined ? this.next(action) : this.stepOf(found.next);
  }

  text(written: Json | undefined): string {
    return connectText(this.flow, String(written ?? ''));
  }
}

/** Attributes that flows hand over one by one. More of them are one value. */
const MAX_INPUTS = 50;
const ATTRIBUTES = 'attributes';

/** Errors that cannot happen here have no route. */
function transitionsRead(action: ConnectAction): void {
  casesOf(action);
  errorsOf(action);
  passOver(action.transitions, ['NextAction']);
  openView(action.transitions);
  openView(action.parameters);
}

/** Converts `GetParticipantInput` to `get_participant_input`. */
const shortName = (type: string): string => type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();

const outcomeOf = (written: string): string => nameIn(shortName(written), 'other').toLowerCase();
