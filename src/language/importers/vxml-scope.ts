/**
 * Scopes of VoiceXML: event handlers and properties of a field, its dialog, its document and its application. Used by
 * `vxml.ts` and `vxml-form.ts`.
 */
import { elementsOf, type XmlElement } from './read-xml.ts';

export interface VxmlScope {
  element: XmlElement;
  above?: VxmlScope | undefined;
}

export const scopeOf = (element: XmlElement, above?: VxmlScope): VxmlScope => ({ element, above });

/** Value of the innermost `<property>` with this name. */
export function propertyOf(scope: VxmlScope | undefined, wanted: string): string | undefined {
  for (let at = scope; at !== undefined; at = at.above) {
    const found = elementsOf(at.element).findLast(
      ({ name, attributes }) => name === 'property' && attributes['name'] === wanted,
    );
    if (found) return found.attributes['value'];
  }
  return undefined;
}

export interface Handler {
  element: XmlElement;
  /** Handles this occurrence of the event and later ones. */
  count: number;
  /** Scope of the handler; events that it throws are looked up from here. */
  scope: VxmlScope;
}

export const HANDLERS = ['noinput', 'nomatch', 'help', 'error', 'catch'];

/**
 * Handlers of an event, by occurrence count. For each count the innermost scope wins, and within a scope the first
 * handler (VoiceXML 2.0, 5.2.4).
 */
export function handlersOf(scope: VxmlScope | undefined, event: string): Handler[] {
  const byCount = new Map<number, Handler>();
  for (let at = scope; at !== undefined; at = at.above) {
    for (const element of elementsOf(at.element)) {
      if (!HANDLERS.includes(element.name) || !takes(element, event)) continue;
      const count = Math.max(1, Math.round(Number(element.attributes['count'] ?? 1)) || 1);
      if (!byCount.has(count)) byCount.set(count, { element, count, scope: at });
    }
  }
  return [...byCount.values()].sort((a, b) => a.count - b.count);
}

/** `error` matches `error.badfetch`, and a `catch` without event names matches every event. */
function takes({ name, attributes }: XmlElement, event: string): boolean {
  const named = name === 'catch' ? (attributes['event'] ?? '').split(/\s+/).filter(Boolean) : [name];
  return named.length === 0 || named.some((each) => each === '.' || event === each || event.startsWith(`${each}.`));
}
