/** Opening hours defined in a flow, by name or in the step itself. Without a time zone they use the flow's. */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import type { CompiledFlow } from './compiled-flow.ts';

export function ownHours(
  { schedules, timezone }: Pick<CompiledFlow, 'schedules' | 'timezone'>,
  written: Json,
): JsonObject | undefined {
  const hours =
    typeof written !== 'string' ? written : Object.hasOwn(schedules, written) ? schedules[written] : undefined;
  return isObject(hours) ? { ...(timezone !== undefined && { timezone }), ...hours } : undefined;
}
