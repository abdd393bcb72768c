/**
 * Amazon Connect: a flow is a JSON document of actions (flow language 2019-10-30), each with transitions: the next action,
 * conditions and errors. Actions are named by what people called them in the drawing, or else by their type. What each type
 * becomes is in `connect-actions.ts`.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { childPointer, errorAt, startOf } from '../schema/document.ts';
import { loadDocument } from '../schema/load.ts';
import { ACTIONS, type Action, type ActionContext, PASSED_OVER } from './connect-actions.ts';
import { casesOf, errorsOf } from './connect-cases.ts';
import { connectText } from './connect-names.ts';
import { FidelityReport, ignored, todoOf, Untranslated, untranslated } from './fidelity.ts';
import { END, escapedTexts, FlowWriter, wordOf } from './flow-writer.ts';
import type { ImportContext, Imported, ImportedNode, Source } from './imported.ts';
import { soundNameOf, voiceOf } from './spoken.ts';

export const isConnect = (text: string): boolean =>
  /^\s*\{/.test(text) && /"Actions"\s*:/.test(text) && /"StartAction"\s*:/.test(text);

export function importConnect([source]: readonly Source[], options: ImportContext): Imported {
  const { file, text } = source!;
  const report = new FidelityReport();
  const result: Imported = { format: 'amazon-connect', flows: [], nodes: report.nodes, diagnostics: [] };
  const { document, diagnostics } = loadDocument(text, file);
  if (document === undefined) return { ...result, diagnostics };
  const whole = isObject(document.value) ? document.value : {};
  const version = whole['Version'];
  if (version !== undefined && version !== '2019-10-30') {
    const message = `the flow language ${String(version).slice(0, 40)} is not known; it is 2019-10-30`;
    return { ...result, diagnostics: [errorAt(document.locationOf('/Version'), 'other-version', message)] };
  }
  const metadata = isObject(whole['Metadata']) ? whole['Metadata'] : {};
  const written = Array.isArray(whole['Actions']) ? whole['Actions'] : [];
  const actions = written.flatMap((value: Json, index): Action[] => {
    const action = actionOf(value, metadata);
    return action === undefined ? [] : [{ ...action, at: document.locationOf(childPointer('/Actions', index)) }];
  });
  if (actions.length === 0) {
    const message = 'it has no list `Actions` of actions with an identifier and a type';
    return { ...result, diagnostics: [errorAt(startOf(file), 'not-connect', message)] };
  }
  const name = typeof metadata['name'] === 'string' ? metadata['name'] : soundNameOf(file).replace(/\..*$/s, '');
  const flow = new FlowWriter(options.name ?? name);
  new ConnectImport(flow, report, options, actions).all(String(whole['StartAction'] ?? ''));
  return { ...result, flows: [{ name: flow.name, text: flow.text() }] };
}

function actionOf(value: Json, metadata: JsonObject): Omit<Action, 'at'> | undefined {
  if (!isObject(value) || typeof value['Identifier'] !== 'string' || typeof value['Type'] !== 'string')
    return undefined;
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

class ConnectImport implements ActionContext {
  readonly flow: FlowWriter;
  readonly options: ImportContext;
  readonly actions: readonly Action[];
  readonly #report: FidelityReport;
  readonly #steps = new Map<string, string>();
  readonly #nodes = new Map<Action, ImportedNode>();

  constructor(flow: FlowWriter, report: FidelityReport, options: ImportContext, actions: readonly Action[]) {
    this.flow = flow;
    this.#report = report;
    this.options = options;
    this.actions = actions;
  }

  all(start: string): void {
    for (const action of this.actions) {
      const node = this.#report.node(action.type, action.at, action.name);
      this.#nodes.set(action, node);
      const why = PASSED_OVER[action.type];
      if (why !== undefined) {
        ignored(node, why);
        continue;
      }
      const step = this.flow.reserve(action.name ?? shortName(action.type));
      node.steps.push(step);
      this.#steps.set(action.id, step);
    }
    for (const action of this.actions) if (this.#steps.has(action.id)) this.#write(action, this.#nodes.get(action)!);
    this.flow.begin(this.stepOf(start), 'Imported from Amazon Connect.');
  }

  #write(action: Action, node: ImportedNode): void {
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

  #todo(action: Action, node: ImportedNode, what: string): void {
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

  /** Blocks that are passed over lead to what follows them. */
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

  next({ transitions }: Action): string {
    const { NextAction: next } = transitions;
    return this.stepOf(typeof next === 'string' ? next : undefined);
  }

  onError(action: Action, ...types: string[]): string {
    const errors = errorsOf(action);
    const found = types.map((type) => errors.find((error) => error.type === type)).find((error) => error !== undefined);
    return this.stepOf((found ?? errors.find(({ type }) => type === 'NoMatchingError') ?? errors[0])?.next);
  }

  onValue(action: Action, value: string): string {
    const found = casesOf(action).find((each) => each.value.toLowerCase() === value.toLowerCase());
    return found === undefined ? this.next(action) : this.stepOf(found.next);
  }

  text(written: Json | undefined): string {
    return connectText(this.flow, String(written ?? ''));
  }

  /** One block says which voice speaks from then on: here it speaks everywhere. */
  voice(node: ImportedNode) {
    const block = this.actions.find(({ type }) => type === 'UpdateContactTextToSpeechVoice');
    const named = block?.parameters['TextToSpeechVoice'];
    return voiceOf(typeof named === 'string' ? named : undefined, node);
  }
}

/** `GetParticipantInput` is `get_participant_input`. */
const shortName = (type: string): string => type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();

const outcomeOf = (written: string): string => wordOf(shortName(written), 'other').toLowerCase().slice(0, 60);
