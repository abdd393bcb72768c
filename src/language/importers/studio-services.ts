/**
 * Twilio Studio widgets that need a service: queues, streams, messages, payments, and calls of other flows. Used by
 * `studio-widgets.ts`.
 */
import { defined, isObject, type JsonObject } from '../../base/core/json.ts';
import { noted, untranslated, worked } from './fidelity.ts';
import { END } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { MAX_PRIORITY, queueOf } from './parties.ts';
import { countAt, limitAt } from './source-numbers.ts';
import { passOver, whole } from './source-views.ts';
import { soundOf } from './spoken.ts';
import { isSet, onHangup, shown, type Widget, type WidgetContext, type WriteWidget } from './studio-context.ts';
import { payArgs } from './twilio-payments.ts';

export const enqueue: WriteWidget = (context, widget, node) => {
  const { queue_name: named, workflow_sid: workflow, wait_url: url } = widget.properties;
  passOver(widget.properties, ['wait_url_method']);
  if (isSet(widget.properties['task_attributes'])) worked(node, 'the attributes of the task are not kept');
  if (isSet(widget.properties['timeout']) && !isSet(workflow)) passOver(widget.properties, ['timeout']);
  const name = context.text(isSet(named) ? named : workflow);
  if (name === '') untranslated('put the caller into a queue without a name');
  if (!isSet(named)) sortsCallers(node, name);
  const music = typeof url === 'string' && url !== '' ? soundOf(url, context.options.sounds) : undefined;
  if (isSet(url) && music === undefined) worked(node, `the caller hears our music, not what ${shown(url)} answers`);
  const queue = { ...queueOf(node, name), music, ...waitOf(widget.properties, node) };
  writeQueue(context, widget, node, defined<JsonObject>(queue));
};

/** Connects to a contact centre by a queue, from which agents take calls. */
export const toFlex: WriteWidget = (context, widget, node) => {
  const { workflow } = widget.properties;
  const name = isSet(workflow) ? context.text(workflow) : 'flex';
  sortsCallers(node, name);
  passOver(widget.properties, ['channel', 'waitUrlMethod', 'wait_url_method']);
  if (isSet(widget.properties['attributes'])) worked(node, 'the attributes of the task are not kept');
  const url = widget.properties['waitUrl'] ?? widget.properties['wait_url'];
  const music = typeof url === 'string' && url !== '' ? soundOf(url, context.options.sounds) : undefined;
  if (isSet(url) && music === undefined) worked(node, `the caller hears our music, not what ${shown(url)} answers`);
  const queue = defined<JsonObject>({
    ...queueOf(node, name),
    music,
    ...waitOf(widget.properties, node),
  });
  writeQueue(context, widget, node, queue);
};

/** A task with a higher number is first, as a caller in a queue is. */
const waitOf = (properties: JsonObject, node: ImportedNode): JsonObject =>
  defined<JsonObject>({
    priority: countAt(node, properties, 'priority', { least: 0, most: MAX_PRIORITY }),
    timeout: limitAt(node, properties, 'timeout'),
  });

const sortsCallers = (node: ImportedNode, name: string): void =>
  worked(node, `the workflow ${name.slice(0, 60)} sorts callers into queues: here it is one queue of its name`);

function writeQueue(
  context: WidgetContext,
  widget: Widget & { step: string },
  node: ImportedNode,
  queue: JsonObject,
): void {
  const full = context.next(widget, 'failedToEnqueue');
  const timeout: JsonObject = queue['timeout'] === undefined ? {} : { timeout: full };
  const failure = context.next(widget, 'callFailure');
  const error: JsonObject = failure === END ? {} : { error: failure };
  const exits = { dequeued: context.next(widget, 'callComplete'), full, ...timeout, ...error };
  context.flow.step(widget.step, { queue, exits }, node.notes);
}

export const forkStream: WriteWidget = (context, widget, node) => {
  const { stream_parameters: parameters } = widget.properties;
  passOver(widget.properties, ['stream_transport_type', 'stream_name']);
  if (isSet(widget.properties['stream_connector']))
    worked(node, 'the program is reached by its URL, not by a connector');
  if (Array.isArray(parameters) && parameters.length > 0) {
    passOver(widget.properties, ['stream_parameters']);
    worked(node, 'the parameters are not sent to the program');
  }
  const { stream_action: action, stream_url: url, stream_track: track } = widget.properties;
  const next = context.next(widget, 'next');
  if (action === 'stop') return context.flow.step(widget.step, { stream: 'stop', exits: { done: next, failed: next } });
  const tracks = { inbound_track: 'inbound', outbound_track: 'outbound', both_tracks: 'both' }[String(track)];
  const stream = defined<JsonObject>({ action: 'start', url: context.text(url), tracks: tracks ?? 'inbound' });
  context.flow.step(widget.step, { stream, exits: { started: next, failed: next } });
};

const OF_REST_CALL = [
  ...['from', 'to', 'timeout', 'record', 'recording_channels', 'recording_status_callback', 'trim', 'send_digits'],
  ...['sip_auth_username', 'sip_auth_password', 'detect_answering_machine', 'machine_detection'],
  ...['machine_detection_timeout', 'machine_detection_silence_timeout', 'machine_detection_speech_threshold'],
  'machine_detection_speech_end_threshold',
];

export const outgoingCall: WriteWidget = (context, widget, node) => {
  worked(node, 'REST places the call and names this flow (POST /voice/v1/call); it begins when the call is answered');
  // The request that places the call has them, and its answer tells of the other events.
  for (const event of ['busy', 'noAnswer', 'failed']) context.next(widget, event);
  passOver(widget.properties, OF_REST_CALL);
  context.flow.step(widget.step, { answer: {}, next: context.next(widget, 'answered') }, node.notes);
};

export const sendMessage: WriteWidget = (context, widget, node) => {
  const { body, to, from, media_url: picture } = widget.properties;
  // The provider of the configuration sends it.
  passOver(widget.properties, ['service', 'channel', 'messaging_service_sid']);
  const text = context.text(body);
  if (text === '') untranslated('send a message without a text');
  if (isSet(picture)) worked(node, 'the message is sent without its picture');
  const sender = context.text(from);
  noted(node, 'the configuration names a provider of messages (`messages`)');
  const message = defined<JsonObject>({
    to: isSet(to) ? context.text(to) : '${ call.from }',
    text,
    // The default sender is the number of the flow; the provider resolves it.
    from: sender === '' || sender === '${ call.to }' ? undefined : sender,
  });
  const failed = context.next(widget, 'failed');
  context.flow.step(
    widget.step,
    { message, exits: { sent: context.next(widget, 'sent'), refused: failed, error: failed } },
    node.notes,
  );
};

export const subflow: WriteWidget = (context, widget) => {
  const { flow_sid: sid, parameters } = widget.properties;
  // The files hold the flows, whatever their revision.
  passOver(widget.properties, ['flow_revision']);
  const called =
    context.called(String(sid)) ??
    untranslated(`call the flow ${shown(sid)}: import it together with this one, as the file ${shown(sid)}.json`);
  const given = Array.isArray(parameters) ? parameters.filter(isObject) : [];
  const input = Object.fromEntries(given.map(({ key, value }) => [called.input(String(key)), context.text(value)]));
  context.flow.step(widget.step, {
    subflow: given.length === 0 ? called.name : { flow: called.name, input },
    exits: { done: context.next(widget, 'completed'), error: context.next(widget, 'failed') },
  });
};

export const payments: WriteWidget = (context, widget, node) => {
  const { properties } = widget;
  const text = (key: string): string | undefined =>
    isSet(properties[key]) ? context.text(properties[key]) : undefined;
  const cards = whole(properties['valid_card_types']);
  passOver(properties, ['payment_connector', 'payment_token_type']);
  if (isSet(properties['language'])) worked(node, 'the questions are asked in the language of the call');
  const pay = payArgs(
    {
      ...{ method: text('payment_method'), amount: text('payment_amount'), currency: text('currency') },
      ...{ description: text('description'), from: properties },
      ...{ attempts: 'max_attempts', timeout: 'timeout' },
      cards: Array.isArray(cards) ? cards.map(String) : undefined,
      securityCode: text('security_code'),
      postalCode: text('postal_code'),
    },
    node,
  );
  const paid = context.next(widget, 'success');
  const failed = context.next(widget, 'providerError');
  const invalid = context.next(widget, 'validationError');
  const taken = pay['tokenize'] === true ? 'tokenized' : 'paid';
  const exits = {
    [taken]: paid,
    declined: failed,
    failed,
    cancelled: context.next(widget, 'payInterrupted'),
    exhausted: context.next(widget, 'maxFailedAttempts'),
    error: invalid === END ? failed : invalid,
    ...onHangup(context, widget),
  };
  context.flow.step(widget.step, { pay, exits }, node.notes);
};
