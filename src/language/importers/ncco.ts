/**
 * NCCO importer (Vonage Voice). A document is a JSON list of actions. Input is sent to `eventUrl`, and the document in
 * its response replaces the remaining actions.
 *
 * Related: `verb-list.ts` (links between documents), `ncco-connect.ts`, `json-verbs.ts`.
 */
import { defined, type Json, type JsonObject } from '../../base/core/json.ts';
import { lost, noted, worked } from './fidelity.ts';
import { END, escapedTexts, textOf } from './flow-writer.ts';
import type { ImportContext } from './import-context.ts';
import type { Imported, ImportedNode, SourceFile } from './imported.ts';
import { importJsonList, type JsonVerb, JsonVerbList, listAt, numberAt, objectAt, wordsAt } from './json-verbs.ts';
import { connectUnit, whispersOf } from './ncco-connect.ts';
import { conferenceUnit, type Meeting } from './parties.ts';
import { amountOf, currencyOf, payPrompts } from './payments.ts';
import { countAt, timeAt } from './source-numbers.ts';
import { passOver, unviewed, whole } from './source-views.ts';
import { localeOf, missingSound, soundOf, spoken, voiceOf } from './spoken.ts';
import type { SentAlong } from './url-answers.ts';
import { MAX_LOOPS, nameOfPrompt, promptOf, type Said } from './verb-list.ts';
import { inARow, type Unit } from './verb-unit.ts';

export const isNcco = (text: string): boolean =>
  /^\s*[[{]/.test(text) &&
  /"action"\s*:\s*"(talk|stream|input|record|conversation|connect|notify|wait|pay|transfer)"/.test(text);

export const importNcco = (sources: readonly SourceFile[], options: ImportContext): Imported =>
  importJsonList(sources, options, {
    format: 'ncco',
    title: 'NCCO',
    key: 'action',
    listKey: 'ncco',
    make: (flow, report, context) => new NccoImport(flow, report, context),
  });

const MAX_PIECES = 20;
const MAX_DIGITS = 20;
const MAX_RECORDING_S = 3600;
const BEEP = { tone: 1000, duration: '300ms' };

class NccoImport extends JsonVerbList {
  protected promptsOf(verb: JsonVerb, node: ImportedNode): Json[] | undefined {
    const prompt = this.#promptOf(verb, node);
    if (prompt === undefined) return undefined;
    const isEndless = numberAt(verb.fields, 'loop') === 0;
    const most = isInterrupted(verb) ? MAX_PIECES : MAX_LOOPS;
    const times = isEndless ? most : countAt(node, verb.fields, 'loop', { most, otherwise: 1 });
    if (times === 1) return [prompt];
    if (!isInterrupted(verb)) return undefined;
    if (isEndless) worked(node, `it is said ${MAX_PIECES} times, not until a key is pressed`);
    const count = times === 0 ? MAX_PIECES : countAt(node, verb.fields, 'loop', { most: MAX_PIECES, otherwise: 1 });
    return Array<Json>(count!).fill(prompt);
  }

  /** Prompts with barge-in belong to the input that follows, and so do the prompts just before it. */
  protected override asksWithWordsBefore({ name }: JsonVerb): boolean {
    return name === 'input';
  }

  protected override leadsTo({ name, fields: view }: JsonVerb): string[] {
    const fields = unviewed(view);
    const isAsked = ['input', 'notify', 'pay'].includes(name) || fields['eventType'] === 'synchronous';
    return isAsked ? listAt(fields, 'eventUrl').slice(0, 1) : [];
  }

  protected override asidesOf(verb: JsonVerb): string[] {
    return verb.name === 'connect' ? whispersOf(verb) : [];
  }

  protected override areOne(before: JsonVerb, verb: JsonVerb): boolean {
    return isInterrupted(before) === isInterrupted(verb);
  }

  #promptOf({ name, fields }: JsonVerb, node: ImportedNode): Json | undefined {
    if (name !== 'talk' && name !== 'stream') return undefined;
    // It has been read where prompts are joined, by `isInterrupted`.
    passOver(fields, ['bargeIn', 'loop']);
    if ((numberAt(fields, 'level') ?? 0) !== 0) worked(node, 'it is as loud as the others');
    if (name === 'stream') {
      const [url] = listAt(fields, 'streamUrl');
      return url === undefined ? undefined : soundOf(url, this.options.sounds);
    }
    const text = wordsAt(fields, 'text');
    if (text === undefined) return undefined;
    const language = localeOf(wordsAt(fields, 'language'));
    const voice = voiceOf(wordsAt(fields, 'voiceName'), node);
    if ((numberAt(fields, 'style') ?? 0) !== 0) noted(node, `the voice of style ${fields['style']} is our voice`);
    if (fields['premium'] === true) noted(node, 'the premium voice is a voice of an engine of yours');
    if (/^<speak[\s>]/.test(text)) return defined<JsonObject>({ ssml: textOf(text), voice, language });
    return spoken(textOf(text), voice, language);
  }

  protected unitOf(verb: JsonVerb, node: ImportedNode, question: readonly Said<JsonVerb>[]): Unit {
    const { name, fields } = verb;
    const prompt = this.#promptOf(verb, node);
    if (prompt !== undefined) return this.loop(node, prompt, fields);
    switch (name) {
      case 'talk':
        return this.todo(verb, node, 'it has no text or sound to play');
      case 'stream':
        return this.todo(verb, node, missingSound(listAt(fields, 'streamUrl')[0] ?? 'a sound'));
      case 'wait':
        return this.unit('pause', node, (next) => ({
          pause: timeAt(node, fields, 'timeout', { otherwise: '10s' }),
          next,
        }));
      case 'input':
        return this.#input(verb, node, question);
      case 'record':
        return this.#record(fields, node);
      case 'conversation':
        return this.#conversation(verb, node);
      case 'connect':
        return connectUnit(this, verb, node, this.options.sounds);
      case 'notify':
        return this.#notify(verb, node);
      case 'transfer':
        return this.#transfer(verb, node);
      case 'pay':
        return this.#pay(verb, node);
      default:
        return this.todo(verb, node, `do what the action ${name.slice(0, 60)} does`);
    }
  }

  #input(verb: JsonVerb, node: ImportedNode, question: readonly Said<JsonVerb>[]): Unit {
    const { fields } = verb;
    const written = listAt(fields, 'type').map((type) => type.toLowerCase());
    const types = written.length > 0 ? written : fields['speech'] === undefined ? ['dtmf'] : ['dtmf', 'speech'];
    const prompts = question.flatMap((said) => said.prompts);
    const isFinal = question.some((said) => !isInterrupted(said.verb));
    const step = defined<JsonObject>({
      prompt: promptOf(prompts),
      attempts: 1,
      ...(types.includes('speech') ? speechOf(fields, node) : {}),
      ...(types.includes('dtmf') ? digitsOf(fields, types.includes('speech'), node) : {}),
      ...(isFinal ? { barge_in: false, typeahead: 'flush' } : {}),
    });
    const isKnown = types.every((type) => type === 'dtmf' || type === 'speech');
    const isBeside = fields['mode'] === 'asynchronous';
    passOver(fields, METHODS);
    const wanted = `ask_${nameOfPrompt(prompts)}`;
    if (!isKnown || isBeside) {
      const what = isBeside ? 'take keys beside the actions that follow' : `take input of ${types.join(', ')}`;
      return this.todo(verb, node, what.slice(0, 200));
    }
    return this.unit(wanted, node, (next, own) => {
      const sent = { dtmf: `steps.${own}.digits`, speech: `steps.${own}.speech` };
      const answered = this.#answered(fields, node, { sent, next });
      return { collect: step, exits: { collected: answered, exhausted: answered } };
    });
  }

  /**
   * The payment provider of the project takes the payment. The result is sent to `eventUrl`, whose response may replace
   * the document.
   */
  #pay(verb: JsonVerb, node: ImportedNode): Unit {
    const { fields } = verb;
    const amount = amountOf(wordsAt(fields, 'amount') ?? '');
    const currency = currencyOf(wordsAt(fields, 'currency'));
    if (amount === undefined || currency === undefined) return this.todo(verb, node, 'take the payment');
    passOver(fields, METHODS);
    const voice = objectAt(fields, 'voice');
    if ((numberAt(voice, 'style') ?? 0) !== 0) noted(node, `the voice of style ${voice['style']} is our voice`);
    const language = localeOf(wordsAt(voice, 'language'));
    const { prompts, others } = payPrompts(fields['prompts'], 'type', (prompt) => {
      const text = wordsAt(prompt, 'text');
      return text === undefined ? undefined : spoken(textOf(text), undefined, language);
    });
    if (others.length > 0) worked(node, `it says its own words for ${others.join(', ')}`.slice(0, 300));
    noted(node, 'a provider of the configuration takes it');
    const pay = defined<JsonObject>({
      amount,
      currency,
      prompts: Object.keys(prompts).length > 0 ? prompts : undefined,
    });
    const [url] = listAt(fields, 'eventUrl');
    return this.unit('pay', node, (next) => {
      const there = url === undefined ? next : this.target(url, node, {}, next);
      return { pay, exits: { paid: there, declined: there, cancelled: there, exhausted: there, failed: there } };
    });
  }

  /**
   * Silence is reported too; the response decides how to continue. Without actions in the response, the document
   * continues.
   */
  #answered(fields: JsonObject, node: ImportedNode, { sent, next }: { sent: SentAlong; next: string }): string {
    const [url] = listAt(fields, 'eventUrl');
    if (url !== undefined) return this.target(url, node, sent, next);
    return this.application('ask_event_url', 'the event URL of the application', node, next);
  }

  /** A recording without an end condition runs in the background of the following actions. */
  #record(fields: JsonObject, node: ImportedNode): Unit {
    lost(node, fields, 'transcription', 'the recording is not written down');
    if (listAt(fields, 'eventUrl').length > 0) noted(node, informed('of the recording'));
    passOver(fields, METHODS);
    if (!/^wav$/i.test(wordsAt(fields, 'format') ?? 'wav')) worked(node, 'the recording is a WAV file');
    // A recording of the call has a channel for each side.
    passOver(fields, ['split']);
    passOver(fields, ['channels']);
    const silence = timeAt(node, fields, 'endOnSilence');
    const key = wordsAt(fields, 'endOnKey');
    if (silence === undefined && key === undefined && numberAt(fields, 'timeOut') === undefined) {
      const start = this.unit('start_recording', node, (next) => ({
        recording: 'start',
        exits: { started: next, failed: next },
      }));
      if (fields['beepStart'] !== true) return start;
      return inARow([this.unit('beep', node, (next) => ({ play: BEEP, next })), start]);
    }
    const record = defined<JsonObject>({
      max_length: `${countAt(node, fields, 'timeOut', { most: MAX_RECORDING_S, otherwise: MAX_RECORDING_S })}s`,
      end_silence: silence ?? '0s',
      terminator: key === undefined ? '' : key === '#' ? undefined : key.slice(0, 1),
      beep: fields['beepStart'] === true ? undefined : false,
    });
    return this.unit('record', node, (next) => ({ record, exits: { recorded: next, silence: next } }));
  }

  #conversation(verb: JsonVerb, node: ImportedNode): Unit {
    const { fields } = verb;
    const name = wordsAt(fields, 'name');
    if (name === undefined) return this.todo(verb, node, 'meet others in a conversation without a name');
    return conferenceUnit(this, node, { name, ...this.#meetingOf(fields, node) }, (next) => next);
  }

  /**
   * Moves all legs of the conversation, also that of the caller, into an existing conversation, whose own document
   * controls it: the caller joins it as a plain member. The remaining actions are not executed.
   */
  #transfer(verb: JsonVerb, node: ImportedNode): Unit {
    const { fields } = verb;
    const name = wordsAt(fields, 'conversation_id');
    if (name === undefined) return this.todo(verb, node, 'move the call into another conversation: it names none');
    worked(node, 'only the caller moves, to the conference of this name: lead the members of the conversation there');
    const muted = this.#isMuted(fields, node);
    return this.unit('meet', node, () => ({
      conference: defined<JsonObject>({ name: textOf(name), muted: muted ? true : undefined }),
      exits: { left: END, ended: END, full: END },
    }));
  }

  #meetingOf(fields: JsonObject, node: ImportedNode): Omit<Meeting, 'name'> {
    const [url] = listAt(fields, 'musicOnHoldUrl');
    const music = url === undefined ? undefined : soundOf(url, this.options.sounds);
    if (url !== undefined && music === undefined) worked(node, `${missingSound(url)}; until then there is a melody`);
    lost(node, fields, 'transcription', 'what is said is not written down');
    if (listAt(fields, 'eventUrl').length > 0) noted(node, informed('of it'));
    passOver(fields, METHODS);
    const more = defined<JsonObject>({
      muted: this.#isMuted(fields, node) ? true : undefined,
      music,
      record: fields['record'] === true ? true : undefined,
    });
    return { waits: fields['startOnEnter'] === false, endsWithMember: fields['endOnExit'] === true, more };
  }

  /** Fields that say which members hear the caller, and whom the caller hears. */
  #isMuted(fields: JsonObject, node: ImportedNode): boolean {
    lost(node, fields, 'canHear', 'all participants are heard');
    const speaksTo = whole(fields['canSpeak']);
    const isHeardByNobody = Array.isArray(speaksTo) && speaksTo.length === 0;
    if (speaksTo !== undefined && !isHeardByNobody) worked(node, 'all participants hear this party');
    return fields['mute'] === true || isHeardByNobody;
  }

  #notify(verb: JsonVerb, node: ImportedNode): Unit {
    const { fields } = verb;
    const [url] = listAt(fields, 'eventUrl');
    const payload = whole(fields['payload']);
    const body = payload === undefined ? undefined : (escapedTexts({ payload })['payload'] as Json);
    if (url === undefined) {
      return this.unit('notify', node, (next) => ({ notify: defined<JsonObject>({ event: 'notify', body }), next }));
    }
    passOver(fields, METHODS);
    if (!/^https?:\/\//.test(url) || /^get$/i.test(wordsAt(fields, 'eventMethod') ?? '')) {
      return this.todo(verb, node, `send the payload to ${url.slice(0, 300)}`);
    }
    const isKnown = this.documentAt(url) !== undefined;
    if (!isKnown) worked(node, 'the flow continues here, also if the URL answers with actions that replace the rest');
    const request = defined<JsonObject>({ post: textOf(url), body });
    return this.unit('notify', node, (next) => {
      const there = isKnown ? this.target(url, node) : next;
      return { request, exits: { ok: there, not_found: next, failed: next } };
    });
  }
}

const isInterrupted = ({ fields }: JsonVerb): boolean => /^true$/i.test(String(unviewed(fields)['bargeIn']));

/** HTTP methods of requests that a flow does not make, because it contains their answers. */
const METHODS = ['eventMethod'];

const informed = (about: string): string => `your project’s webhook is informed ${about}, not \`eventUrl\``;

/** Older documents have the fields of `dtmf` in the action itself. */
function digitsOf(fields: JsonObject, isSpeechToo: boolean, node: ImportedNode): JsonObject {
  const dtmf = fields['dtmf'] === undefined ? fields : objectAt(fields, 'dtmf');
  const timeout = timeAt(node, dtmf, 'timeOut', { otherwise: '3s' });
  const endsByKey = dtmf['submitOnHash'] === true || dtmf['submitOnHash'] === 'true';
  return {
    digits: defined<JsonObject>({
      max: countAt(node, dtmf, 'maxDigits', { most: MAX_DIGITS, otherwise: 4 }),
      terminator: endsByKey ? undefined : '',
    }),
    ...(isSpeechToo ? {} : { start_timeout: timeout }),
    inter_digit_timeout: timeout,
  };
}

function speechOf(fields: JsonObject, node: ImportedNode): JsonObject {
  const speech = objectAt(fields, 'speech');
  const hints = listAt(speech, 'context').map(textOf);
  if (speech['saveAudio'] === true) worked(node, 'what the caller says is not kept as a sound');
  lost(node, speech, 'maxDuration', 'the caller may speak as long as he or she likes');
  lost(node, speech, 'sensitivity', 'the recogniser decides how loud speech must be');
  lost(node, speech, 'provider', 'your engine recognises speech');
  passOver(speech, ['uuid', 'providerOptions']);
  return defined<JsonObject>({
    speech: defined<JsonObject>({
      hints: hints.length > 0 ? hints : undefined,
      language: localeOf(wordsAt(speech, 'language')),
    }),
    start_timeout: timeAt(node, speech, 'startTimeout', { otherwise: '10s' }),
    recognizer_timeout: timeAt(node, speech, 'endOnSilence'),
  });
}
