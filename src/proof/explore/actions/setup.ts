/** Conditions at the start of a call: time, caller, input, rooms, mocks that exist from the start. */
import type { JsonObject } from '../../../base/core/json.ts';
import type { ScenarioForm } from '../../testkit/scenario-form.ts';
import { FIRST_MOMENT } from '../../testkit/virtual-clock.ts';

export type Setup = Omit<ScenarioForm, 'test' | 'doc' | 'flow' | 'script' | 'expect' | 'limit'>;

export const withCall = (setup: Setup, more: NonNullable<Setup['call']>): Setup => ({
  ...setup,
  call: { ...setup.call, ...more },
});

export const withMocks = (setup: Setup, more: NonNullable<Setup['mocks']>): Setup => ({
  ...setup,
  mocks: { ...setup.mocks, ...more },
});

/** Sets what other members do in the queue, conference or room of this name. */
export const withOthers = (
  setup: Setup,
  kind: keyof NonNullable<Setup['others']>,
  name: string,
  look: unknown,
): Setup => ({
  ...setup,
  others: { ...setup.others, [kind]: { ...setup.others?.[kind], [name]: look } } as Setup['others'] & {},
});

/** True if a name is not known before the call. */
export const isMadeOnCall = (name: unknown): boolean => typeof name !== 'string' || name === '' || name.includes('${');

/** Start of a call without `at`. */
export const FIRST_MS = Date.parse(FIRST_MOMENT);

/** Time after the caller joined at which another member acts. */
export const AFTER = '1m';
/** Maximum size of a queue or conference that is tried as full. */
export const MAX_OTHERS = 50;
/** Hours of a schedule that is not known. */
export const ALWAYS_OPEN: JsonObject = { open: [{ from: '00:00', to: '24:00' }] };
