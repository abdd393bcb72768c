/**
 * Numbers, prompts, schedules, users and routes of the configuration file and of the admin API, as calls see them. A
 * change applies to the next call; live calls keep the values of their start.
 */
import type { Json, JsonObject } from '../../../base/core/json.ts';
import type { SipHeaders } from '../../../base/core/sip-headers.ts';
import { type NumberDirectory, normalizeNumber, type ProvisionedNumber } from '../numbers/numbers.ts';
import { type NamedPrompt, type NamedPrompts, namedPrompt } from '../prompts/prompts.ts';
import { Collection } from './collection.ts';
import type { SettingStore } from './setting-store.ts';

/** Encrypted media: never, if both ends support it, or required. */
export type SrtpSetting = 'off' | 'optional' | 'required';

/** A phone that may register. */
export interface SipUser {
  name: string;
  password: string;
  srtp?: SrtpSetting;
  /** Project whose calls the user may take over; default: the first project. */
  projectId?: string;
}

/** A route to a carrier, in the terms of the engine. */
export interface CarrierRouteSetting {
  prefix: string;
  gateways: readonly string[];
  username?: string;
  password?: string;
  transport?: 'udp' | 'tcp' | 'tls';
  register?: boolean;
  failoverOn?: readonly (number | string)[];
  tryTimeoutMs?: number;
  callsPerSecond?: number;
  maxCalls?: number;
  strip?: number;
  add?: string;
  fromDomain?: string;
  fromUser?: string;
  /** Country code by which the numbers of its calls are completed. */
  country?: string;
  identity?: 'pai' | 'ppi' | 'from';
  headers?: SipHeaders;
  keepaliveMs?: number;
  srtp?: SrtpSetting;
}

/** A prompt in one language. */
export interface PromptVariety extends NamedPrompt {
  name: string;
  /** A language tag, or `default`. */
  variety: string;
  durationMs?: number;
}

/** Settings of the configuration file. */
export interface ConfiguredSettings {
  numbers: readonly ProvisionedNumber[];
  prompts: NamedPrompts;
  schedules: Readonly<Record<string, Json>>;
  users: readonly SipUser[];
  routes: readonly CarrierRouteSetting[];
}

export type Settings = ReturnType<typeof createSettings>;

/** Keys ignore formatting characters and case. */
export const numberKey = normalizeNumber;
export const userKey = (name: string): string => name.toLowerCase();
export const promptKey = (name: string, variety: string): string => `${name}/${variety.toLowerCase()}`;

export function createSettings(store: SettingStore, configured: ConfiguredSettings) {
  let promptsByName: NamedPrompts | undefined;
  let schedulesByName: Readonly<Record<string, Json>> | undefined;
  let shared = sharedNumbers(configured);
  const sharersOf = (number: string): readonly ProvisionedNumber[] => shared.get(numberKey(number)) ?? [];
  const ofFile = entriesOf(configured);
  const numbers = new Collection<ProvisionedNumber>({ kind: 'number', store, configured: ofFile.numbers });
  const prompts = new Collection<PromptVariety>({ kind: 'prompt', store, configured: ofFile.prompts });
  const schedules = new Collection<JsonObject>({ kind: 'schedule', store, configured: ofFile.schedules });
  const users = new Collection<SipUser>({ kind: 'user', store, configured: ofFile.users });
  const routes = new Collection<CarrierRouteSetting>({ kind: 'route', store, configured: ofFile.routes });
  prompts.watch(() => {
    promptsByName = undefined;
  });
  schedules.watch(() => {
    schedulesByName = undefined;
  });
  const promptsNow = (): NamedPrompts => {
    promptsByName ??= byName(prompts.values());
    return promptsByName;
  };
  /** Lookups of numbers by calls. */
  const numberDirectory: NumberDirectory = {
    find(number) {
      const found = numbers.find(numberKey(number));
      // A number shared in the file hides one of the admin API. The key of a shared entry is not a number.
      if (!found || found.value.pin !== undefined || sharersOf(number).length > 0) return undefined;
      return greetingOf(found.value, promptsNow());
    },
    shared: (number) => sharersOf(number).map((one) => greetingOf(one, promptsNow())),
    belongsTo(projectId, number) {
      const sharers = sharersOf(number);
      if (sharers.length > 0) return sharers.some((one) => one.projectId === projectId);
      return numbers.find(numberKey(number))?.value.projectId === projectId;
    },
    of: (projectId) => numbers.values().flatMap((one) => (one.projectId === projectId ? [one.number] : [])),
    outboundGreeting(projectId, number) {
      const found = numbers.find(numberKey(number))?.value;
      const entries = [...sharersOf(number), ...(found ? [found] : [])];
      const own = entries.find((one) => one.projectId === projectId && one.outboundGreeting !== undefined);
      return own?.outboundGreeting === undefined
        ? undefined
        : { prompt: greetingPrompt(own.outboundGreeting, promptsNow()) };
    },
  };
  return {
    numbers,
    prompts,
    schedules,
    users,
    routes,
    /** Replaces the settings of the file. */
    configure(next: ConfiguredSettings): void {
      const entries = entriesOf(next);
      shared = sharedNumbers(next);
      numbers.configure(entries.numbers);
      prompts.configure(entries.prompts);
      schedules.configure(entries.schedules);
      users.configure(entries.users);
      routes.configure(entries.routes);
    },
    numberDirectory,
    namedPrompts: promptsNow,
    schedulesByName(): Readonly<Record<string, Json>> {
      schedulesByName ??= Object.fromEntries(schedules.list().map(({ key, value }) => [key, value]));
      return schedulesByName;
    },
  };
}

/** Entries of numbers that are shared by PIN. */
const sharedNumbers = ({ numbers }: ConfiguredSettings): ReadonlyMap<string, readonly ProvisionedNumber[]> =>
  Map.groupBy(
    numbers.filter(({ pin }) => pin !== undefined),
    ({ number }) => numberKey(number),
  );

/** Entries of the file, with the keys of each kind. */
const entriesOf = (configured: ConfiguredSettings) => ({
  numbers: [
    ...configured.numbers.filter(({ pin }) => pin === undefined).map((one) => [numberKey(one.number), one] as const),
    // Keyed by position, so that no PIN appears in a key.
    ...[...sharedNumbers(configured)].flatMap(([key, sharers]) =>
      sharers.map((one, index) => [`${key}~${index + 1}`, one] as const),
    ),
  ],
  prompts: varietiesOf(configured.prompts).map((one) => [promptKey(one.name, one.variety), one] as const),
  schedules: Object.entries(configured.schedules) as [string, JsonObject][],
  users: configured.users.map((one) => [userKey(one.name), one] as const),
  routes: configured.routes.map((one, index) => [`file-${index + 1}`, one] as const),
});

/** Settings without those of the admin API: of a configuration, or of a copy of all effective settings. */
export const settingsOfFile = (configured: ConfiguredSettings) => createSettings(NOTHING_ADDED, configured);

const NOTHING_ADDED: SettingStore = {
  find: () => undefined,
  list: () => [],
  put: async () => undefined,
  remove: async () => undefined,
};

const greetingOf = (number: ProvisionedNumber, prompts: NamedPrompts): ProvisionedNumber =>
  number.greeting === undefined ? number : { ...number, greeting: greetingPrompt(number.greeting, prompts) };

/** Resolves a plain string, which is the name of a prompt or a text. */
function greetingPrompt(greeting: Json, prompts: NamedPrompts): Json {
  if (typeof greeting !== 'string') return greeting;
  return { ...(namedPrompt(prompts, greeting, undefined) ?? { text: greeting }) };
}

const varietiesOf = (prompts: NamedPrompts): PromptVariety[] =>
  Object.entries(prompts).flatMap(([name, varieties]) =>
    Object.entries(varieties).map(([variety, prompt]) => ({ ...prompt, name, variety })),
  );

function byName(varieties: readonly PromptVariety[]): NamedPrompts {
  const named: Record<string, Record<string, NamedPrompt>> = {};
  for (const { name, variety, ...prompt } of varieties) {
    if (!Object.hasOwn(named, name)) named[name] = {};
    named[name]![variety] = prompt;
  }
  return named;
}
