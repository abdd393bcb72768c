/** Claims of nodes on webhook receivers: an expiring key for each. Port: `service/cluster/receiver-ownership.ts`. */
import type { ReceiverClaims } from '../../../cluster/receiver-ownership.ts';
import type { CommandGroups } from '../connection/command-groups.ts';
import { tagOf } from '../connection/shards.ts';

export const redisReceiverClaims = (groups: Pick<CommandGroups, 'call'>): ReceiverClaims => ({
  async claim(receiver, { node, from = '', lastsMs }) {
    return String(await groups.call('cw_serve', tagOf(receiver), [receiver, node, from, `${lastsMs}`]));
  },
  async release(receiver, node) {
    await groups.call('cw_unserve', tagOf(receiver), [receiver, node]);
  },
});
