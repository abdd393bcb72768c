/** TwiML attributes that need no step, because a flow contains the answers and the service reports events itself. */
import { noted } from './fidelity.ts';
import type { ImportedNode } from './imported.ts';
import type { XmlElement } from './read-xml.ts';
import { passOver, unviewed } from './source-views.ts';

/** HTTP methods of requests that a flow does not make, and settings of the carrier or of a debugger. */
const WITHOUT_MEANING = [
  ...['method', 'waitMethod', 'waitUrlMethod', 'statusCallbackMethod', 'statusCallbackEvent', 'referMethod'],
  ...['recordingStatusCallbackMethod', 'recordingStatusCallbackEvent', 'partialResultCallbackMethod'],
  ...['debug', 'byoc', 'region', 'jitterBufferSize', 'speechModel', 'enhanced', 'transcriptionEngine'],
];
const EVENTS = [
  ...['statusCallback', 'statusCallbackUrl', 'recordingStatusCallback', 'transcribeCallback', 'eventCallbackUrl'],
];

export function passOverAttributes({ attributes, name }: XmlElement, node: ImportedNode): void {
  passOver(attributes, WITHOUT_MEANING);
  const [told] = EVENTS.filter((key) => unviewed(attributes)[key] !== undefined);
  if (told === undefined) return;
  passOver(attributes, EVENTS);
  noted(node, `your project’s webhook is informed of <${name}>, not \`${told}\``);
}
