/**
 * VoiceXML events: no input, no match, and thrown events. The number of occurrences since the form started is a
 * variable if a handler reads it (`count`). Uses `vxml-scope.ts` and `vxml-content.ts`; used by `vxml-form.ts`.
 */
import type { Json } from '../../base/core/json.ts';
import { worked } from './fidelity.ts';
import { END } from './flow-writer.ts';
import type { XmlElement } from './read-xml.ts';
import { unviewed } from './source-views.ts';
import { below, leaves, nextIn, planContent } from './vxml-content.ts';
import type { AfterEvent, EntryName, Vxml, VxmlPlace } from './vxml-context.ts';
import { type Handler, handlersOf } from './vxml-scope.ts';

/** Default behaviour of VoiceXML without a handler (5.2.5). */
const usual = (event: string, { again, quiet }: AfterEvent): EntryName => {
  if (/^(noinput|nomatch|help)$/.test(event)) return again;
  return event === 'cancel' ? quiet : () => END;
};

/** Target of an event. `about` is the question or event that its counter is named after. */
export function planEvent(context: Vxml, event: string, place: VxmlPlace, after: AfterEvent, about: string): EntryName {
  const handlers = handlersOf(place.scope, event);
  if (handlers.length === 0) return usual(event, after);
  if (handlers.length === 1 && handlers[0]!.count === 1) return planHandler(context, handlers[0]!, place, after);
  const counter = context.flow.variable(/noinput|nomatch/.test(event) ? `${about}_${event}` : `${about}_count`, {
    type: 'integer',
    default: 0,
  });
  place.counters?.add(counter);
  const node = context.nodeOf(handlers[0]!.element);
  let entries: EntryName[] = [];
  const branch = context.step(`${about}_${event.replaceAll('.', '_')}`, node, () => {
    const cases = handlers
      .map(({ count }, index): Json => ({ when: `vars.${counter} >= ${count - 1}`, next: entries[index]!() }))
      .reverse();
    const first = handlers[0]!.count === 1;
    const ways = first ? cases.slice(0, -1) : cases;
    return {
      branch: [...ways, { else: first ? entries[0]!() : usual(event, after)() }],
      set: { [counter]: `\${ vars.${counter} + 1 }` },
    };
  });
  entries = handlers.map((handler) => planHandler(context, handler, place, after));
  return branch;
}

/** A handler that leaves the form is converted once, for all questions. */
function planHandler(context: Vxml, { element, scope }: Handler, place: VxmlPlace, after: AfterEvent): EntryName {
  const node = context.nodeOf(element);
  if (element.attributes['cond'] !== undefined) worked(node, 'its condition is not looked at');
  const isShared = leaves(element.children) && !below(element).some(dependsOnForm);
  const known = isShared ? context.handlers.get(element) : undefined;
  if (known !== undefined) return known;
  const within: VxmlPlace = { ...place, scope, again: after.again };
  const entry = planContent(context, element.children, within, nextIn(element.children, within, after.quiet), node);
  if (isShared) context.handlers.set(element, entry);
  return entry;
}

const dependsOnForm = ({ name, attributes }: XmlElement): boolean =>
  name === 'return' || name === 'reprompt' || name === 'throw' || unviewed(attributes)['nextitem'] !== undefined;
