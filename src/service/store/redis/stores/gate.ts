/**
 * Permits to dial in Redis: calls per second by the clock of Redis, concurrent calls as reported by all nodes, equal
 * shares for those with work. See `cw_grant` in `broadcasts.lua`.
 */
import type { DialGate } from '../../../calls/broadcast/dial-gate.ts';
import type { CommandGroups } from '../connection/command-groups.ts';

/** One hash tag, because all lanes are checked in one step. */
const TAG = 'cw:{gate}';

export function redisDialGate({ groups, node }: { groups: CommandGroups; node: string }): DialGate {
  return {
    async grant(lanes, most) {
      const args = lanes.flatMap(({ name, callsPerSecond = 0, maxConcurrent = 0, liveCalls }) =>
        [name, callsPerSecond, maxConcurrent, liveCalls].map(String),
      );
      const [granted, waitMs] = (await groups.call('cw_grant', TAG, [node, String(most), ...args])) as [number, number];
      return { granted, waitMs };
    },
  };
}
