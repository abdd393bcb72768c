/**
 * Twilio Studio: a flow is a JSON document of widgets (`states`), each with transitions by event. Widgets keep their names;
 * what their Liquid templates read of each other is in `studio-names.ts`, what each type becomes in `studio-widgets.ts`.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { childPointer, errorAt, type SourceDocument, startOf } from '../schema/document.ts';
import { loadDocument } from '../schema/load.ts';
import { FidelityReport, todoOf, Untranslated, untranslated, worked } from './fidelity.ts';
import { END, escapedTexts, FlowWriter, textOf } from './flow-writer.ts';
import type { ImportContext, Imported, ImportedNode, Source } from './imported.ts';
import { type ResolveName, translateLiquid } from './liquid.ts';
import { soundNameOf } from './spoken.ts';
import { namesOf } from './studio-names.ts';
import { WIDGETS, type Widget, type WidgetContext } from './studio-widgets.ts';

export const isStudio = (text: string): boolean =>
  /^\s*\{/.test(text) && /"states"\s*:/.test(text) && /"(initial_state|transitions)"\s*:/.test(text);

export function importStudio([source]: readonly Source[], options: ImportContext): Imported {
  const { file, text } = source!;
  const report = new FidelityReport();
  const result: Imported = { format: 'twilio-studio', flows: [], nodes: report.nodes, diagnostics: [] };
  const { document, diagnostics } = loadDocument(text, file);
  if (document === undefined) return { ...result, diagnostics };
  const widgets = widgetsOf(document);
  if (widgets.length === 0) {
    const message = 'it has no list `states` of widgets with a name and a type';
    return { ...result, diagnostics: [errorAt(startOf(file), 'not-studio', message)] };
  }
  const flow = new FlowWriter(options.name ?? soundNameOf(file).replace(/\..*$/s, ''));
  new StudioImport(flow, report, options, widgets).all(document.value as JsonObject);
  return { ...result, flows: [{ name: flow.name, text: flow.text() }] };
}

function widgetsOf(document: SourceDocument): Widget[] {
  const states = isObject(document.value) ? document.value['states'] : undefined;
  return (Array.isArray(states) ? states : []).flatMap((state: Json, index) => {
    if (!isObject(state) || typeof state['name'] !== 'string' || typeof state['type'] !== 'string') return [];
    const { name, type, properties, transitions } = state;
    const at = document.locationOf(childPointer('/states', index));
    return [
      {
        ...{ name, type, at },
        properties: isObject(properties) ? properties : {},
        transitions: Array.isArray(transitions) ? transitions.filter(isObject) : [],
      },
    ];
  });
}

class StudioImport implements WidgetContext {
  readonly flow: FlowWriter;
  readonly options: ImportContext;
  readonly #report: FidelityReport;
  readonly #widgets: readonly Widget[];
  /** The first step of each widget, by the widget's name. */
  readonly #steps = new Map<string, string>();
  readonly #nodes = new Map<Widget, ImportedNode>();

  constructor(flow: FlowWriter, report: FidelityReport, options: ImportContext, widgets: readonly Widget[]) {
    this.flow = flow;
    this.options = options;
    this.#report = report;
    this.#widgets = widgets;
  }

  all({ initial_state: initial, description }: JsonObject): void {
    for (const widget of this.#widgets) {
      const node = this.#report.node(widget.type, widget.at, widget.name);
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

  /** Calls begin where the trigger says; what it says of messages has no meaning here. */
  #beginOf(trigger: Widget | undefined): string {
    if (trigger === undefined) return this.#steps.values().next().value ?? END;
    const node = this.#nodes.get(trigger)!;
    const messages = trigger.transitions.some(
      ({ event, next }) => typeof next === 'string' && next !== '' && /message/i.test(String(event)),
    );
    if (messages) worked(node, 'messages begin nothing: this is a flow of calls');
    const event = ['incomingCall', 'incomingRequest'].find((name) => this.next(trigger, name) !== END);
    if (event === 'incomingRequest') worked(node, 'the flow begins when REST dials out with it (POST /voice/v1/call)');
    return event === undefined ? END : this.next(trigger, event);
  }

  #write(widget: Widget, node: ImportedNode): void {
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

  /** The step where an event of a widget leads. */
  next({ transitions }: Widget, event: string): string {
    const found = transitions.find((transition) => transition['event'] === event)?.['next'];
    return typeof found === 'string' ? this.stepOf(found) : END;
  }

  stepOf(widget: string): string {
    return this.#steps.get(widget) ?? END;
  }

  /** A template of the source as one of ours. */
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
/** Some words are outcomes of every step. */
const outcomeOf = (event: string): string => (RESERVED.includes(event) ? `on_${event}` : event);

/** Where a widget stands in the drawing is left out. */
const withoutPlace = ({ offset: _, ...properties }: JsonObject): JsonObject => escapedTexts(properties);
