/**
 * Converts `text_to_speech_option` of the Play object to an SSML document. Members are spoken in the order in which the
 * interface lists them, whatever their order in the JSON: silence, text, break, text2, express-as, prosody, say-as.
 *
 * Not specified by the interface: `text` of the option replaces `text` of the Play object; `express-as`, `prosody` and
 * `say-as` without their own text apply to that text. Unknown keys are ignored.
 */
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { Voice } from '../../../base/core/leg.ts';
import { SAY_AS } from '../../../language/ssml/interpret-as.ts';
import { escapeSsml, silenceKind } from '../../../language/ssml/read-ssml.ts';
import { breakMs, offsetMs, pitchOf, rateOf, volumeOf } from '../../../language/ssml/ssml-values.ts';
import { SPEECH_STYLES } from '../../../language/ssml/styles.ts';

export interface SpeechOptionContext {
  /** `text` of the Play object. */
  text?: string | undefined;
  voice: Voice;
  language: string;
}

/** `path` is a JSON pointer within the option. */
export type SpeechOptionReading =
  | { ssml: string; problem?: undefined }
  | { ssml?: undefined; problem: { path: string; message: string } };

const MAX_TEXT_LENGTH = 4000;
/** The interface says 5000 microseconds, which would be inaudible: milliseconds are meant. */
const MAX_BREAK_MS = 5000;
const SILENCES = ['leading', 'tailing', 'sentenceboundary'];

class Refusal extends Error {
  readonly path: string;
  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

export function ssmlOfOption(option: Json, context: SpeechOptionContext): SpeechOptionReading {
  try {
    const said = document(objectAt(option, ''), context);
    if (textLength(said) > MAX_TEXT_LENGTH) throw new Refusal('', `has more than ${MAX_TEXT_LENGTH} characters`);
    if (textLength(said) === 0) throw new Refusal('', 'has no text, and there is none beside it');
    const language = escapeSsml(context.language);
    return { ssml: `<speak version="1.1" xml:lang="${language}">${said}</speak>` };
  } catch (error) {
    if (error instanceof Refusal) return { problem: { path: error.path, message: error.message } };
    throw error;
  }
}

function document(option: JsonObject, { text, voice }: SpeechOptionContext): string {
  const own = escapedText(option, 'text', '');
  const main = own === '' ? escapeSsml(text ?? '') : own;
  const express = objectOf(option, 'express-as', '');
  const style = express && styleOf(express);
  const expressed = express ? escapedText(express, 'text', '/express-as') : '';
  const prosody = objectOf(option, 'prosody', '');
  const change = prosody && prosodyOf(prosody, voice);
  const changed = prosody ? prosodyWords(prosody) : '';
  const sayAs = objectOf(option, 'say-as', '');
  const figure = sayAs ? escapedText(sayAs, 'text', '/say-as') : '';
  const reading = sayAs && sayAsOf(sayAs, '/say-as');

  const first = reading && figure === '' ? `${reading}${main}</say-as>` : main;
  const parts = [
    silenceOf(option),
    first,
    breakOf(option, ''),
    escapedText(option, 'text2', ''),
    style && expressed !== '' ? `${style}${expressed}</mstts:express-as>` : '',
    change && changed !== '' ? `${change}${changed}</prosody>` : '',
    reading && figure !== '' ? `${reading}${figure}</say-as>` : '',
  ];
  const plain = parts.filter((part) => part !== '').join(' ');
  const styled = style && expressed === '' ? `${style}${plain}</mstts:express-as>` : plain;
  return change && changed === '' ? `${change}${styled}</prosody>` : styled;
}

function prosodyWords(prosody: JsonObject): string {
  const at = '/prosody';
  const sayAs = objectOf(prosody, 'say-as', at);
  const figure = sayAs ? escapedText(sayAs, 'text', `${at}/say-as`) : '';
  if (sayAs && figure === '') throw new Refusal(`${at}/say-as/text`, 'is missing');
  const parts = [
    escapedText(prosody, 'text', at),
    breakOf(prosody, at),
    escapedText(prosody, 'text2', at),
    sayAs ? `${sayAsOf(sayAs, `${at}/say-as`)}${figure}</say-as>` : '',
    escapedText(prosody, 'text3', at),
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function styleOf(express: JsonObject): string {
  const style = textOf(express, 'style', '/express-as')?.toLowerCase();
  if (style === undefined) throw new Refusal('/express-as/style', 'is missing');
  if (!SPEECH_STYLES.includes(style)) throw new Refusal('/express-as/style', `must be ${anyOf(SPEECH_STYLES)}`);
  return `<mstts:express-as style="${style}">`;
}

function prosodyOf(prosody: JsonObject, voice: Voice): string {
  const checks: readonly [name: string, isRight: (value: string) => boolean, wanted: string][] = [
    ['rate', (value) => rateOf(value) !== undefined, 'slow, medium, fast, a percentage such as +10%, or a factor'],
    ['pitch', (value) => pitchOf(value, voice) !== undefined, 'low, medium, high, a percentage, +2st or 180Hz'],
    [
      'volume',
      (value) => volumeOf(value) !== undefined,
      'a percentage, or one of silent, x-soft, soft, medium, loud, x-loud, default',
    ],
  ];
  const attributes = checks.flatMap(([name, isRight, wanted]) => {
    const value = textOf(prosody, name, '/prosody');
    if (value === undefined) return [];
    if (!isRight(value)) throw new Refusal(`/prosody/${name}`, `must be ${wanted}`);
    return [` ${name}="${escapeSsml(value)}"`];
  });
  return `<prosody${attributes.join('')}>`;
}

function sayAsOf(sayAs: JsonObject, at: string): string {
  const interpretAs = textOf(sayAs, 'interpret-as', at)?.toLowerCase();
  if (interpretAs === undefined) throw new Refusal(`${at}/interpret-as`, 'is missing');
  const formats = Object.hasOwn(SAY_AS, interpretAs) ? SAY_AS[interpretAs]! : undefined;
  if (!formats) throw new Refusal(`${at}/interpret-as`, `must be ${anyOf(Object.keys(SAY_AS))}`);
  const format = textOf(sayAs, 'format', at)?.toLowerCase();
  if (format === undefined) return `<say-as interpret-as="${interpretAs}">`;
  if (formats === 'none') throw new Refusal(`${at}/format`, `is not for ${interpretAs}, which has no formats`);
  if (formats === 'country code') {
    if (!/^\+?\d{1,4}$/.test(format)) throw new Refusal(`${at}/format`, 'must be the digits of a country code');
  } else if (!formats.includes(format)) {
    throw new Refusal(`${at}/format`, `must be ${anyOf(formats)}`);
  }
  return `<say-as interpret-as="${interpretAs}" format="${format}">`;
}

function silenceOf(option: JsonObject): string {
  const silence = objectOf(option, 'silence', '');
  if (!silence) return '';
  const type = textOf(silence, 'type', '/silence') ?? 'Leading';
  if (!SILENCES.includes(silenceKind(type))) {
    throw new Refusal('/silence/type', 'must be Leading, Tailing or Sentenceboundary');
  }
  const durationMs = durationOf(textOf(silence, 'value', '/silence'), '/silence/value');
  return `<mstts:silence type="${silenceKind(type)}" value="${durationMs}ms"/>`;
}

function breakOf(owner: JsonObject, at: string): string {
  const pause = objectOf(owner, 'break', at);
  if (!pause) return '';
  const key = pause['value'] === undefined ? 'time' : 'value';
  const value = textOf(pause, key, `${at}/break`);
  const strength = value ?? textOf(pause, 'strength', `${at}/break`);
  const byStrength = strength === undefined ? undefined : breakMs({ strength });
  const durationMs = byStrength ?? durationOf(value, `${at}/break/${key}`);
  return `<break time="${durationMs}ms"/>`;
}

function durationOf(value: string | undefined, path: string): number {
  if (value === undefined) throw new Refusal(path, 'is missing');
  const durationMs = offsetMs(value, 'ms');
  if (durationMs === undefined) throw new Refusal(path, 'must be a duration such as 500ms or 1s');
  return Math.min(MAX_BREAK_MS, Math.round(durationMs));
}

function objectAt(value: Json | undefined, path: string): JsonObject {
  if (!isObject(value)) throw new Refusal(path, 'must be an object');
  return value;
}

const objectOf = (owner: JsonObject, key: string, at: string): JsonObject | undefined =>
  owner[key] === undefined || owner[key] === null ? undefined : objectAt(owner[key], `${at}/${key}`);

/** Numbers are accepted as strings, because clients send them. */
function textOf(owner: JsonObject, key: string, at: string): string | undefined {
  const value = owner[key];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string' && typeof value !== 'number') throw new Refusal(`${at}/${key}`, 'must be a string');
  return String(value).trim();
}

const escapedText = (owner: JsonObject, key: string, at: string): string => escapeSsml(textOf(owner, key, at) ?? '');

const textLength = (ssml: string): number => ssml.replace(/<[^>]*>/g, '').trim().length;

const anyOf = (names: readonly string[]): string => `one of ${names.join(', ')}`;
