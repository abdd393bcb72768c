/**
 * Twilio Studio importer. A flow is a JSON document of widgets (`states`), each with transitions by event. Steps keep
 * the widget names. `studio-names.ts` translates references in Liquid templates, `studio-widgets.ts` converts the
 * widgets.
 */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { childPointer, errorAt, type SourceDocument, startOf } from '../../base/schema/document.ts';
import { loadDocument } from '../../base/schema/load.ts';
import { type FidelityReport, noted, todoOf, Untranslated, untranslated, worked } from './fidelity.ts';
import { documentNameOf } from './file-names.ts';
import { END, escapedTexts, FlowWriter, textOf } from './flow-writer.ts';
import type { ImportContext } from './import-context.ts';
import type { Imported, ImportedNode, SourceFile } from './imported.ts';
import { accountAt } from './json-verbs.ts';
import { type ResolveName, translateLiquid } from './liquid.ts';
import { openView, passOver, unviewed, viewOf } from './source-views.ts';
import type { Widget, WidgetContext } from './studio-context.ts';
import { namesOf } from './studio-names.ts';
import { WIDGETS } from './studio-widgets.ts';

export const isStudio = (text: string): boolean =>
  /^\s*\{/.test(text) && /"states"\s*:/.test(text) && /"(initial_state|transitions)"\s*:/.test(text);

/** The further files are flows that the first one calls, named by their id (`FW….json`). */
export function importStudio(sources: readonly SourceFile[], options: ImportContext): Imported {
  const { report } = options;
  const result: Imported = { format: 'twilio-studio', flows: [], nodes: report.nodes, diagnostics: [] };
  const flows: StudioFlow[] = [];
  for (const [index, { file, text }] of sources.entries()) {
    const { document, diagnostics } = loadDocument(text, file);
    const widgets = document === undefined ? [] : widgetsOf(document);
    const message = 'it has no list `states` of widgets with a name and a type';
    if (document === undefined) result.diagnostics.push(...diagnostics);
    else if (widgets.length === 0) result.diagnostics.push(errorAt(startOf(file), 'not-studio', message));
    else {
      const id = documentNameOf(file);
      const name = index === 0 ? (options.name ?? id) : id;
      const whole = viewOf(document.value as JsonObject);
      report.document('the flow', accountAt(document, '', whole));
      flows.push({ id, flow: new FlowWriter(name), widgets, whole });
    }
  }
  if (result.diagnostics.length > 0) return result;
  for (const each of flows) new StudioImport(each, report, options, flows).all();
  return { ...result, flows: flows.map(({ flow }) => flow.made()) };
}

interface StudioFlow {
  /** Id by which other flows call it. */
  id: string;
  flow: FlowWriter;
  widgets: readonly Widget[];
  whole: JsonObject;
}

function widgetsOf(document: SourceDocument): Widget[] {
  const states = isObject(document.value) ? document.value['states'] : undefined;
  return (Array.isArray(states) ? states : []).flatMap((state: Json, index) => {
    if (!isObject(state) || typeof state['name'] !== 'string' || typeof state['type'] !== 'string') return [];
    const pointer = childPointer('/states', index);
    const account = accountAt(document, pointer, viewOf(state));
    const { name, type, properties, transitions } = account.view as JsonObject & { name: string; type: string };
    // The position of a widget in the editor.
    if (isObject(properties)) {
      openView(properties);
      passOver(properties, ['offset']);
    }
    const led = Array.isArray(transitions) ? (transitions as Json[]).filter(isObject) : [];
    // An event that leads nowhere needs no route.
    for (const transition of led) passOver(transition, ['event']);
    return [
      {
        ...{ name, type, at: document.locationOf(pointer), account },
        properties: isObject(properties) ? properties : {},
        transitions: led,
      },
    ];
  });
}

class StudioImport implements WidgetContext {
  readonly flow: FlowWriter;
  readonly options: ImportContext;
  readonly #report: FidelityReport;
  readonly #source: StudioFlow;
  readonly #widgets: readonly Widget[];
  readonly #flows: readonly StudioFlow[];
  /** First step of each widget, by widget name. */
  readonly #steps = new Map<string, string>();
  readonly #nodes = new Map<Widget, ImportedNode>();

  constructor(source: StudioFlow, report: FidelityReport, options: ImportContext, flows: readonly StudioFlow[]) {
    this.flow = source.flow;
    this.options = options;
    this.#source = source;
    this.#report = report;
    this.#widgets = source.widgets;
    this.#flows = flows;
  }

  all(): void {
    const { initial_state: initial, description } = this.#source.whole;
    passOver(this.#source.whole, ['states']);
    // `allow_concurrent_calls`: every flow allows them.
    const { flags } = this.#source.whole;
    if (isObject(flags)) passOver(flags, ['allow_concurrent_calls']);
    for (const widget of this.#widgets) {
      const node = this.#report.node(widget.type, widget.at, widget.name, widget.account);
      this.#nodes.set(widget, node);
      if (widget.type === 'trigger') continue;
      const step = this.flow.reserve(widget.name);
      node.steps.push(step);
      this.#steps.set(widget.name, step);
    }
    const trigger = this.#widgets.find(
      ({ name, type }) => type === 'trigger' && (initial === undefined || name === initial),
    );
    const about = typeof description === 'string' && description.trim() !== '' ? `${description.trim()} ` : '';
    this.flow.begin(this.#beginOf(trigger), `${textOf(about)}Imported from Twilio Studio.`.slice(0, 1000));
    for (const widget of this.#widgets) {
      if (widget.type === 'trigger') continue;
      this.#write(widget, this.#nodes.get(widget)!);
    }
  }

  /** First step of the flow for calls, from the trigger widget. Its settings for messages are ignored. */
  #beginOf(trigger: Widget | undefined): string {
    if (trigger === undefined) return this.#steps.values().next().value ?? END;
    const node = this.#nodes.get(trigger)!;
    const messages = trigger.transitions.some(
      ({ event, next }) => typeof next === 'string' && next !== '' && /message/i.test(String(event)),
    );
    if (messages) worked(node, 'messages begin nothing: this is a flow of calls');
    const event = ['incomingCall', 'incomingRequest', 'incomingParent'].find(
      (name) => this.next(trigger, name) !== END,
    );
    const begin = event === undefined ? END : this.next(trigger, event);
    for (const { event: other, next } of trigger.transitions) {
      if (typeof next !== 'string' || next === '' || /message/i.test(String(other)) || this.stepOf(next) === begin)
        continue;
      worked(node, `${String(other).slice(0, 40)} begins nothing: it leads to ${next.slice(0, 60)} in Studio`);
    }
    if (event === 'incomingRequest') noted(node, 'the flow begins when REST dials out with it (POST /voice/v1/call)');
    return begin;
  }

  #write(widget: Widget, node: ImportedNode): void {
    this.#report.at = node;
    const name = this.#steps.get(widget.name)!;
    const write = Object.hasOwn(WIDGETS, widget.type) ? WIDGETS[widget.type] : undefined;
    try {
      if (write === undefined) untranslated(`do what the widget ${widget.type} does`);
      write(this, { ...widget, step: name }, node);
    } catch (error) {
      if (!(error instanceof Untranslated)) throw error;
      this.todo(widget, node, error.message);
    }
  }

  /** Step for an event of a widget. */
  next({ transitions }: Widget, event: string): string {
    const found = transitions.find((transition) => unviewed(transition)['event'] === event)?.['next'];
    return typeof found === 'string' ? this.stepOf(found) : END;
  }

  stepOf(widget: string): string {
    return this.#steps.get(widget) ?? END;
  }

  called(sid: string): FlowWriter | undefined {
    return this.#flows.find(({ id, flow }) => id === sid && flow !== this.flow)?.flow;
  }

  /** Converts a Liquid template. */
  text(written: Json | undefined): string {
    const translated = translateLiquid(String(written ?? ''), this.names);
    if ('problem' in translated) untranslated(translated.problem);
    return translated.text;
  }

  get names(): ResolveName {
    return namesOf(this.#widgets, this);
  }

  todo(widget: Widget, node: ImportedNode, what: string): void {
    const step = this.#steps.get(widget.name)!;
    const exits = Object.fromEntries(
      widget.transitions.flatMap(({ event }) =>
        typeof event === 'string' && OUTCOME.test(event) ? [[outcomeOf(event), this.next(widget, event)]] : [],
      ),
    );
    const source = withoutPlace(widget.properties);
    const outcomes = Object.keys(exits);
    if (outcomes.length === 0) this.flow.step(step, { ...todoOf(node, what, { source }), next: END });
    else this.flow.step(step, { ...todoOf(node, what, { outcomes, source }), exits });
  }
}

const OUTCOME = /^[A-Za-z0-9_-]{1,60}$/;
const RESERVED = ['error', 'hangup', 'limit', 'timeout', 'exhausted', 'start'];
/** Renames outcomes whose names are reserved for every step. */
const outcomeOf = (event: string): string => (RESERVED.includes(event) ? `on_${event}` : event);

/** Removes the position in the editor. */
const withoutPlace = (properties: JsonObject): JsonObject => {
  const { offset: _, ...others } = unviewed(properties);
  return escapedTexts(others);
};
