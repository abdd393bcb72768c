/**
 * The older export of Amazon Connect: a list of `modules` with branches and named parameters. Translates it to the flow
 * language of today (2019-10-30), which `connect.ts` imports. Names without a counterpart are kept as they are, so that
 * they are reported at their places in the source.
 */
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { childPointer, type SourceDocument } from '../../base/schema/document.ts';
import { kindOf, type ModuleKind, type ModuleParameter, parameterValue } from './connect-module-kinds.ts';

export const isOlderExport = (value: Json): boolean => isObject(value) && Array.isArray(value['modules']);

/** The document with its modules as actions. Locations are those of the modules. */
export function newerExport(document: SourceDocument): SourceDocument {
  const source = document.value as JsonObject;
  const modules = (source['modules'] as Json[]).map((value) => (isObject(value) ? value : {}));
  const places = new Map<string, string>();
  const translations = modules.map((module, index) => new Translation(module, index, places));
  const { modules: _, start, metadata, version: __, type: ___, ...others } = source;
  const name = isObject(metadata) ? metadata['name'] : undefined;
  const shown = translations.map(({ id, metadata: own }) => [id, own] as const);
  const value: JsonObject = {
    ...others,
    Version: '2019-10-30',
    StartAction: start ?? '',
    Metadata: { name: name ?? '', ActionMetadata: Object.fromEntries(shown) },
    Actions: translations.map(({ action }) => action),
  };
  const placeOf = (pointer: string): string => {
    for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
      const place = places.get(at);
      if (place !== undefined) return place + pointer.slice(at.length);
    }
    return pointer.startsWith('/Actions') ? '/modules' : pointer;
  };
  return {
    file: document.file,
    hasLines: document.hasLines,
    value,
    locationOf: (pointer) => document.locationOf(placeOf(pointer)),
    keyLocationOf: (pointer) => document.keyLocationOf(placeOf(pointer)),
  };
}

/** One module as an action, with the metadata of its editor. */
class Translation {
  readonly id: string;
  readonly metadata: JsonObject;
  readonly action: JsonObject;
  readonly #from: string;
  readonly #to: string;
  readonly #places: Map<string, string>;

  constructor(module: JsonObject, index: number, places: Map<string, string>) {
    this.#from = childPointer('/modules', index);
    this.#to = childPointer('/Actions', index);
    this.#places = places;
    places.set(this.#to, this.#from);
    const { id, type, branches, parameters, metadata, target, ...others } = module;
    this.id = String(id ?? '');
    for (const key of Object.keys(others)) this.#place([key], key);
    const read = this.#parametersIn(parameters);
    const editor = isObject(metadata) ? metadata : {};
    const kind = kindOf(String(type ?? ''), target, { parameters: read, editor });
    this.action = {
      ...others,
      Identifier: this.id,
      Type: kind?.type ?? String(type ?? ''),
      Parameters: this.#parametersFor(kind, read),
      Transitions: this.#transitionsFor(kind, branches),
    };
    this.metadata = kind?.shown === undefined ? {} : { parameters: kind.shown };
  }

  #place(to: readonly (string | number)[], ...from: (string | number)[]): void {
    const pointer = (start: string, keys: readonly (string | number)[]): string =>
      keys.reduce<string>(childPointer, start);
    this.#places.set(pointer(this.#to, to), pointer(this.#from, from));
  }

  #parametersIn(written: Json | undefined): ModuleParameter[] {
    return (Array.isArray(written) ? written : []).flatMap((each, index) => {
      if (!isObject(each)) return [];
      const { name, key, value, namespace, resourceName, ...others } = each;
      return [{ index, name: String(name ?? ''), key, value: parameterValue(value, namespace), resourceName, others }];
    });
  }

  /** Parameters that the kind does not read keep their names. */
  #parametersFor(kind: ModuleKind | undefined, read: readonly ModuleParameter[]): JsonObject {
    const made: JsonObject = { ...kind?.parameters };
    const known = kind?.reads ?? [];
    for (const { index, name, key, value, others } of read) {
      const unknown = known.includes(name) ? others : { [key === undefined ? name : String(key)]: value, ...others };
      for (const [other, each] of Object.entries(unknown)) {
        made[other] = each;
        this.#place(['Parameters', other], 'parameters', index, ...(Object.hasOwn(others, other) ? [other] : []));
      }
    }
    return made;
  }

  #transitionsFor(kind: ModuleKind | undefined, written: Json | undefined): JsonObject {
    const conditions: Json[] = [];
    const errors: Json[] = [];
    /** Keys of the branch that becomes the next action. */
    const unknown: JsonObject = {};
    let next: Json | undefined;
    let before = 0;
    for (const [index, branch] of (Array.isArray(written) ? written : []).entries()) {
      if (!isObject(branch)) continue;
      const { condition, conditionType, conditionValue, transition = '', ...others } = branch;
      const named = String(condition ?? '');
      const error = ERRORS[named];
      before += Number(conditionValue) || 0;
      const operands = kind?.cumulative === true ? [String(before + 1)] : undefined;
      if (named === 'Success') {
        next = transition;
        for (const key of Object.keys(others)) this.#place(['Transitions', key], 'branches', index, key);
        Object.assign(unknown, others);
      } else if (error !== undefined) {
        this.#place(['Transitions', 'Errors', errors.length], 'branches', index);
        errors.push({ ...others, NextAction: transition, ErrorType: error });
      } else {
        const [operator, value] = kind?.conditionOf?.(named, String(conditionType ?? ''), conditionValue) ?? [
          OPERATORS[String(conditionType ?? '')] ?? 'Equals',
          String(conditionValue ?? VALUES[named] ?? named),
        ];
        this.#place(['Transitions', 'Conditions', conditions.length], 'branches', index);
        const made = { Operator: operator, Operands: operands ?? [value] };
        conditions.push({ ...others, NextAction: transition, Condition: made });
      }
    }
    return defined<JsonObject>({ ...unknown, NextAction: next, Conditions: conditions, Errors: errors });
  }
}

/** Branches of modules, as types of errors. */
const ERRORS: Readonly<Record<string, string>> = {
  Error: 'NoMatchingError',
  NoMatch: 'NoMatchingCondition',
  Timeout: 'InputTimeLimitExceeded',
  AtCapacity: 'QueueAtCapacity',
  InvalidNumber: 'InvalidPhoneNumber',
  InvalidPhoneNumber: 'InvalidCallbackNumber',
  NonDialableNumber: 'CallbackNumberNotDialable',
  CallFailure: 'CallFailed',
};

/** Branches of modules, as values of conditions. */
const VALUES: Readonly<Record<string, string>> = {
  Looping: 'ContinueLooping',
  Complete: 'DoneLooping',
  TimerExpired: 'WaitCompleted',
};

const OPERATORS: Readonly<Record<string, string>> = {
  Equals: 'Equals',
  Contains: 'TextContains',
  StartsWith: 'TextStartsWith',
  GreaterThan: 'NumberGreaterThan',
  GreaterOrEqualTo: 'NumberGreaterOrEqualTo',
  GreaterThanOrEqualTo: 'NumberGreaterOrEqualTo',
  LessThan: 'NumberLessThan',
  LessOrEqualTo: 'NumberLessOrEqualTo',
  LessThanOrEqualTo: 'NumberLessOrEqualTo',
};
