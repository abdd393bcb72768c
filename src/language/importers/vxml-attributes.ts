/** VoiceXML attributes that need no step: namespaces, and hints for fetching what a flow contains. */
import type { XmlElement } from './read-xml.ts';
import { passOver, unviewed } from './source-views.ts';

const FETCHING = ['fetchhint', 'maxage', 'maxstale', 'fetchaudio', 'enctype', 'charset', 'expirationdate', 'xml:base'];
/** Properties about fetching documents, which a flow contains. */
const PROPERTY =
  /^(fetchaudio(delay|minimum)?|fetchtimeout|(audio|document|grammar|object|script|data)(fetchhint|maxage|maxstale)|caching)$/;
/** By element: attributes whose only meaning is that of the format. */
const OF_ELEMENT: Readonly<Record<string, readonly string[]>> = {
  vxml: ['version'],
  grammar: ['version', 'type', 'tag-format', 'root', 'mode'],
  rule: ['id', 'scope'],
  ruleref: ['uri', 'special', 'type'],
  item: ['repeat'],
  prompt: ['version'],
  goto: ['fetchtimeout'],
  submit: ['method', 'fetchtimeout', 'namelist'],
  subdialog: ['method', 'fetchtimeout'],
  audio: ['fetchtimeout'],
  choice: ['fetchtimeout'],
  link: ['fetchtimeout'],
  script: ['fetchtimeout'],
  param: ['valuetype', 'type'],
  meta: ['name', 'content', 'http-equiv'],
  metadata: ['name', 'content'],
  lexicon: ['uri', 'type'],
  desc: [],
};
/** Attributes with the default value of the format. */
const DEFAULTS: Readonly<Record<string, string>> = { scope: 'dialog', accept: 'exact', modal: 'false', weight: '1.0' };

export function passOverAttributes({ name, attributes }: XmlElement): void {
  const written = unviewed(attributes);
  const namespaces = Object.keys(written).filter((key) => /^(xmlns|xsi)(:|$)/.test(key));
  passOver(attributes, [...namespaces, ...FETCHING, ...(OF_ELEMENT[name] ?? [])]);
  for (const [key, usual] of Object.entries(DEFAULTS)) if (written[key] === usual) passOver(attributes, [key]);
  if (name === 'property' && PROPERTY.test(written['name'] ?? '')) passOver(attributes, ['name', 'value']);
  if (name === 'field' && written['slot'] === written['name']) passOver(attributes, ['slot']);
}
