/** Telephony for calls that an Asterisk carries; speech synthesis is that of this service. */
import { createHttpClient } from '../base/http/http-client.ts';
import type { AsteriskConfig } from '../config/asterisk-config.ts';
import type { Config } from '../config.ts';
import { AsteriskEngine } from '../media/telephony/asterisk/engine.ts';
import type { NodeLease } from '../media/telephony/asterisk/leg-guard.ts';
import { createRoutability } from '../service/calls/numbers/routability.ts';
import { userKey } from '../service/calls/settings/settings.ts';
import type { Base } from './base.ts';
import type { Provisioning } from './provisioning.ts';
import { createSounds } from './sounds.ts';
import type { Telephony } from './telephony.ts';

const CONNECTIONS = 64;
/** Asterisk queues ten connections that wait for acceptance, for all nodes together. */
const OPENING = 4;

/** In a cluster, other nodes resume the calls of a lost node; each node has its own Asterisk application. */
export function asteriskTelephony(
  base: Base,
  { settings, targets }: Provisioning,
  cluster: NodeLease,
  options: AsteriskConfig,
): Telephony {
  const { config, clock, ids, log, state } = base;
  const { audio, speech, close } = createSounds(base, { targets });
  // Private addresses are allowed, because the operator configures the address.
  const limits = { connections: CONNECTIONS, opening: OPENING };
  const http = createHttpClient({ clock, policy: { privateTargets: 'allowed' }, ...limits });
  const engine = new AsteriskEngine(
    { ...options, ...ofNode(config, cluster), recordDirectory: config.dataDirectory },
    { http, audio, clock, ids, log: (level, message, fields) => log[level](message, fields) },
  );
  return {
    engine,
    ...(config.cluster ? { surviving: engine } : {}),
    sounds: audio,
    reaches: createRoutability({
      allowSipUris: () => state.config.sip.allowSipUris,
      // The routing of numbers is configured in the trunk of Asterisk.
      routes: () => [{ prefix: '' }],
      hasUser: (name) => settings.users.find(userKey(name)) !== undefined,
    }),
    figures: [engine.figures, speech],
    registrations: () => ({ wanted: 1, registered: engine.isConnected ? 1 : 0 }),
    acceptCalls: (isAccepting) => engine.acceptCalls(isAccepting),
    async release() {
      await close();
      await http.close();
    },
  };
}

const ofNode = ({ cluster, asterisk }: Config, lease: NodeLease): { application?: string; lease?: NodeLease } =>
  cluster && asterisk ? { application: `${asterisk.application}-${cluster.node}`, lease } : {};
