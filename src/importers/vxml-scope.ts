/**
 * Scopes of VoiceXML: what a field, its dialog, its document and its application say of events and properties. Neighbours:
 * `vxml.ts`, `vxml-form.ts`.
 */
import { elementsOf, type XmlElement } from './read-xml.ts';

export interface Scope {
  element: XmlElement;
  above?: Scope | undefined;
}

export const scopeOf = (element: XmlElement, above?: Scope): Scope => ({ element, above });

/** The value of the innermost `<property>` of a name. */
export function propertyOf(scope: Scope | undefined, wanted: string): string | undefined {
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
  /** From this many times on. */
  count: number;
  /** Where it stands: what its own throws look at first. */
  scope: Scope;
}

export const HANDLERS = ['noinput', 'nomatch', 'help', 'error', 'catch'];

/**
 * What handles an event, by how often it has happened: of each count the innermost, the first of those that stand together
 * (VoiceXML 2.0, 5.2.4).
 */
export function handlersOf(scope: Scope | undefined, event: string): Handler[] {
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

/** `error` takes `error.badfetch`, and a `catch` that names nothing takes all. */
function takes({ name, attributes }: XmlElement, event: string): boolean {
  const named = name === 'catch' ? (attributes['event'] ?? '').split(/\s+/).filter(Boolean) : [name];
  return named.length === 0 || named.some((each) => each === '.' || event === each || event.startsWith(`${each}.`));
}
