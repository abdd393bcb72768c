/** VoiceXML form items other than questions: recordings, transfers and subdialogs. Used by `vxml-form.ts`. */
import { defined, type JsonObject } from '../../base/core/json.ts';
import { noted, Untranslated, untranslated, worked } from './fidelity.ts';
import { END, textOf } from './flow-writer.ts';
import { numberOf, sipOf } from './parties.ts';
import { elementsOf, type XmlElement } from './read-xml.ts';
import { unitTimeAt } from './source-numbers.ts';
import { soundOf } from './spoken.ts';
import { promptOf } from './verb-list.ts';
import { isSaid, jsonOf, planContent, variableOf } from './vxml-content.ts';
import { type EntryName, templateOf, type Vxml, type VxmlPlace } from './vxml-context.ts';
import { Prompter } from './vxml-prompts.ts';

type Plan = (context: Vxml, element: XmlElement, variable: string, place: VxmlPlace, next: EntryName) => EntryName;

const orTodo =
  (plan: Plan): Plan =>
  (context, element, variable, place, next) => {
    try {
      return plan(context, element, variable, place, next);
    } catch (error) {
      if (!(error instanceof Untranslated)) throw error;
      return context.todo(element, error.message, next);
    }
  };

export const planRecord = orTodo((context, element, variable, place, next) => {
  const node = context.nodeOf(element);
  const { beep, dtmfterm, type } = element.attributes;
  if (dtmfterm !== 'false') worked(node, 'only # ends the recording, not any key');
  if (type !== undefined && !/wav/.test(type)) worked(node, 'the recording is WAV');
  const pieces = new Prompter(context, node).pieces(element.children.filter(isSaid));
  context.shadows.set(variable, { kind: 'record', step: '' });
  const record = defined<JsonObject>({
    prompt: promptOf(pieces),
    beep: beep === 'true' ? undefined : false,
    max_length: unitTimeAt(node, element.attributes, 'maxtime'),
    end_silence: unitTimeAt(node, element.attributes, 'finalsilence'),
    terminator: dtmfterm === 'false' ? '' : undefined,
  });
  let silence: EntryName = () => END;
  const hangup = context.hangupIn(place);
  const entry = context.step(variable, node, () => ({
    record,
    set: { [variable]: "${ $exists(result.recording_id) ? result.recording_id : '' }" },
    exits: defined<JsonObject>({ recorded: next(), silence: silence(), hangup: hangup?.() }),
  }));
  context.shadows.set(variable, { kind: 'record', step: entry() });
  silence = context.event('noinput', place, { again: entry, quiet: entry }, variable);
  return entry;
});

/** Result of a bridge as a VoiceXML value (2.3.7.1), from the Q.850 cause. */
const RESULT =
  "result.answered ? 'far_end_disconnect' : result.cause = 17 or result.cause = 21 ? 'busy' : result.cause = 18 or result.cause = 19 ? 'noanswer' : 'network_busy'";

export const planTransfer = orTodo((context, element, variable, place, next) => {
  const node = context.nodeOf(element);
  const { dest, destexpr, type, bridge, transferaudio, aai, aaiexpr } = element.attributes;
  const written = dest ?? jsonOf(context, destexpr);
  if (typeof written !== 'string' || written === '')
    untranslated('connect the caller with a party that the source does not name');
  const to = dest === undefined ? written : partyOf(dest);
  if (aai !== undefined || aaiexpr !== undefined) worked(node, 'what the other side is to be given is not sent');
  if (elementsOf(element).some(({ name }) => name === 'grammar'))
    worked(node, 'nothing that the caller presses or says ends the conversation');
  const said = element.children.filter(isSaid);
  const isBridge = type === 'bridge' || (type === undefined && bridge === 'true');
  context.shadows.set(variable, { kind: 'transfer', step: '' });
  const hangup = context.hangupIn(place);
  const call = context.step(variable, node, (): JsonObject => {
    if (isBridge) {
      const longest = unitTimeAt(node, element.attributes, 'maxtime');
      if (longest === '0s') noted(node, '`maxtime` of 0 sets no limit');
      const ringback = transferaudio === undefined ? undefined : soundOf(transferaudio, context.sounds);
      const made = defined<JsonObject>({
        to,
        ring_timeout: unitTimeAt(node, element.attributes, 'connecttimeout'),
        max_duration: longest === '0s' ? undefined : longest,
        ringback,
      });
      return {
        bridge: made,
        set: { [variable]: templateOf(RESULT) },
        exits: defined<JsonObject>({ completed: next(), failed: next(), hangup: hangup?.() }),
      };
    }
    const gone = transferred();
    return {
      transfer: { to, mode: 'refer' },
      set: { [variable]: templateOf("result.answered ? '' : 'busy'") },
      exits: { transferred: gone, returned: next(), failed: next() },
    };
  });
  const transferred = context.event(
    'connection.disconnect.transfer',
    place,
    { again: () => END, quiet: () => END },
    variable,
  );
  if (transferaudio !== undefined && soundOf(transferaudio, context.sounds) === undefined)
    worked(node, 'the caller hears the usual ringing tone');
  context.shadows.set(variable, { kind: 'transfer', step: call() });
  return planContent(context, said, place, call, node);
});

function partyOf(dest: string): string {
  const [, scheme = '', rest = ''] = /^(tel|phone|sips?):(.*)$/i.exec(dest.trim()) ?? [];
  if (/^sip/i.test(scheme)) return sipOf(dest.trim());
  if (scheme === '' && !/^[+\d]/.test(dest.trim())) untranslated(`connect the caller with ${dest.slice(0, 200)}`);
  return (
    numberOf((rest || dest).replace(/;.*$/, '')) ||
    untranslated('connect the caller with a party that the source does not name')
  );
}

/** Subdialogs are inlined, once for each call of them. */
export const planSubdialog = orTodo((context, element, variable, place, next) => {
  const node = context.nodeOf(element);
  const { src, srcexpr, namelist } = element.attributes;
  const reference =
    src ?? untranslated(`call the dialog ${(srcexpr ?? '').slice(0, 200)}: it is known on the call only`);
  const params = elementsOf(element).filter(({ name }) => name === 'param');
  const given: [string, ReturnType<typeof jsonOf>][] = params.map((param) => {
    context.nodeOf(param);
    const { name, expr, value } = param.attributes;
    return [variableOf(context, name), value === undefined ? jsonOf(context, expr) : textOf(value)];
  });
  if (namelist !== undefined) worked(node, 'nothing is sent: the other dialog knows the variables');
  const returns = { name: variable, next, given: given.map(([name]) => name) };
  const there =
    context.subdialog(reference, place, returns) ??
    untranslated(`call the dialog ${reference.slice(0, 200)}: it is not among the files, or it calls itself`);
  if (given.length === 0) return there;
  return context.step(variable, node, () => ({ set: Object.fromEntries(given), next: there() }));
});
