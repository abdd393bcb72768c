/** VoiceXML links: keys or phrases that lead elsewhere from any step. Used by `vxml.ts`. */
import { Untranslated, untranslated, worked } from './fidelity.ts';
import { END } from './flow-writer.ts';
import { elementsOf, type XmlElement } from './read-xml.ts';
import { keyOf, phrasesOf, srgsOf } from './srgs.ts';
import type { EntryName, Vxml, VxmlDocument, VxmlPlace } from './vxml-context.ts';

/** Keys become events of the flow. Phrases need a `todo` step before the first dialog. */
export function planLinks(
  context: Vxml,
  documents: readonly VxmlDocument[],
  place: VxmlPlace,
  next: EntryName,
): EntryName {
  let start = next;
  for (const document of documents) {
    const inDialogs = document.dialogs.flatMap((dialog) => elementsOf(dialog));
    for (const link of [...elementsOf(document.root), ...inDialogs]) {
      if (link.name !== 'link') continue;
      const node = context.nodeOf(link);
      try {
        const keys = keysOf(link);
        const target = targetOf(context, link, { ...place, document, scope: document.scope });
        if (documents.length > 1 || inDialogs.includes(link)) worked(node, 'its key leads there from everywhere');
        worked(node, 'where a question takes the key, it is the answer');
        context.later(() => {
          for (const key of keys) context.lead(`dtmf.${key}`, target());
        });
      } catch (error) {
        if (!(error instanceof Untranslated)) throw error;
        start = context.todo(link, error.message, start);
      }
    }
  }
  return start;
}

function keysOf(link: XmlElement): string[] {
  const keys = link.attributes['dtmf'] === undefined ? [] : [link.attributes['dtmf']];
  for (const grammar of elementsOf(link).filter(({ name }) => name === 'grammar')) {
    const phrases = grammar.attributes['mode'] === 'dtmf' ? phrasesOf(srgsOf(grammar)) : undefined;
    if (phrases === undefined) untranslated('let callers say something anywhere that leads elsewhere (`link`)');
    keys.push(...phrases.map(({ words }) => words.join('')));
  }
  return keys.map((key) => {
    const known = keyOf(key);
    return known?.length === 1 ? known : untranslated(`let callers press ${key.slice(0, 40)} anywhere (\`link\`)`);
  });
}

function targetOf(context: Vxml, link: XmlElement, place: VxmlPlace): EntryName {
  const { next, event } = link.attributes;
  if (event !== undefined)
    return context.event(event, place, { again: () => END, quiet: () => END }, event.replaceAll('.', '_'));
  if (next === undefined) untranslated('lead on to where an expression says (`link`)');
  return context.target(next, place) ?? context.application(next, context.nodeOf(link));
}
