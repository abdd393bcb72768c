/** Maps names in the Liquid templates of Twilio Studio to expressions of the flow language. */
import type { JsonObject } from '../../base/core/json.ts';
import type { FlowWriter } from './flow-writer.ts';
import { pathBelow } from './jsonata-text.ts';
import type { ResolveName } from './liquid.ts';

interface NamedWidget {
  name: string;
  type: string;
  properties: JsonObject;
}

interface Place {
  flow: FlowWriter;
  stepOf(widget: string): string;
}

/** Properties of the call, in every spelling that Studio accepts. */
const OF_CALL: Readonly<Record<string, string>> = {
  From: 'call.from',
  Caller: 'call.from',
  To: 'call.to',
  Called: 'call.to',
  CallSid: 'call.id',
  Direction: 'call.direction',
};

/** Result of the call to the callee, as a Twilio status. */
export const dialStatus = (step: string): string =>
  `(${step}.answered ? 'completed' : ${step}.cause in [17, 21] ? 'busy' : ${step}.cause in [18, 19] ? 'no-answer' : 'failed')`;

/** Result fields of widgets: type → field → expression below the step. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, (step: string) => string>>>> = {
  'gather-input-on-call': {
    Digits: (step) => `${step}.digits`,
    SpeechResult: (step) => `${step}.speech`,
    Confidence: (step) => `${step}.confidence`,
  },
  'connect-call-to': {
    DialCallStatus: dialStatus,
    DialCallDuration: (step) => `${step}.duration`,
  },
  'record-voicemail': {
    RecordingSid: (step) => `${step}.recording_id`,
    RecordingUrl: (step) => `${step}.recording_id`,
    RecordingDuration: (step) => `$round(${step}.duration_ms / 1000)`,
  },
  'make-http-request': {
    status_code: (step) => `${step}.status`,
    body: (step) => `$string(${step}.body)`,
    content: (step) => `$string(${step}.body)`,
  },
};

export function namesOf(widgets: readonly NamedWidget[], place: Place): ResolveName {
  return (path) => {
    const [scope, ...rest] = path;
    const name = path.join('.');
    const unknown = { problem: `{{${name.slice(0, 100)}}} has no counterpart` };
    if (scope === 'widgets' || scope === 'step') return ofWidget(widgets, place, rest) ?? unknown;
    if (scope === 'flow' && rest[0] === 'variables' && rest[1] !== undefined) {
      return { expression: pathBelow(`vars.${place.flow.variable(rest[1])}`, rest.slice(2)) };
    }
    if (scope === 'flow' && rest[0] === 'data' && rest[1] !== undefined) {
      return { expression: pathBelow(`input.${place.flow.input(rest[1])}`, rest.slice(2)) };
    }
    if (scope === 'flow' && rest[0] === 'sid') return { expression: 'call.id' };
    if (scope === 'flow' && rest.join('.') === 'channel.address') return { expression: 'call.to' };
    if (scope === 'contact' && rest.join('.') === 'channel.address') return { expression: 'call.from' };
    if (scope === 'trigger') return ofTrigger(place, rest) ?? unknown;
    // Studio's `date` is the current time.
    if (name === 'now' || name === 'date') return { expression: '$now()' };
    return unknown;
  };
}

function ofTrigger({ flow }: Place, [of, field, ...deeper]: readonly string[]) {
  if (of === 'call' && field !== undefined && Object.hasOwn(OF_CALL, field)) return { expression: OF_CALL[field]! };
  // Parameters of the REST request that started the call.
  if (
    (of === 'request' || of === 'parent') &&
    (field === 'parameters' || field === 'data') &&
    deeper[0] !== undefined
  ) {
    return { expression: pathBelow(`input.${flow.input(deeper[0])}`, deeper.slice(1)) };
  }
  if (of === 'request' && (field === 'to' || field === 'from')) return { expression: `call.${field}` };
  return undefined;
}

function ofWidget(widgets: readonly NamedWidget[], place: Place, [name, field, ...deeper]: readonly string[]) {
  const widget = widgets.find((each) => each.name === name);
  if (widget === undefined || field === undefined) return undefined;
  const step = `steps.${place.stepOf(widget.name)}`;
  const { type } = widget;
  if ((type === 'make-http-request' || type === 'run-function') && field === 'parsed') {
    return { expression: pathBelow(`${step}.body`, deeper) };
  }
  const fields = FIELDS[type === 'run-function' ? 'make-http-request' : type];
  if (fields === undefined || !Object.hasOwn(fields, field) || deeper.length > 0) return undefined;
  return { expression: fields[field]!(step) };
}
