/** Admin routes for the SIP messages of a call. `service/observers/sip/` captures them. */
import { decodeText } from '../../../base/core/byte-text.ts';
import type { HangupBy } from '../../../base/core/hangup.ts';
import { defined, type JsonObject } from '../../../base/core/json.ts';
import { snakeCased } from '../../../base/core/key-case.ts';
import type { LegSip, SipPeer } from '../../../base/core/leg.ts';
import type { CapturedSip, SipEnd } from '../../../base/core/sip-capture.ts';
import { findCall } from '../../calls/control/control-call.ts';
import { ladderLines, messageLines } from '../../observers/sip/ladder.ts';
import { pcapOf } from '../../observers/sip/pcap.ts';
import type { CallRecord } from '../../runtime/journal.ts';
import { readQuery, SIP_QUERY } from '../query-parameters.ts';
import { iso } from '../response-bodies.ts';
import { type AdminRoute, adminRoute, one } from './admin-route.ts';

export const SIP_ROUTES: readonly AdminRoute[] = [
  adminRoute('GET', '/calls/{voice_id}/sip', {
    summary: 'returns the SIP messages of a call that `sip.trace` stored, without secrets, as JSON or a capture file',
    query: SIP_QUERY,
    response: one('call-sip'),
    errors: ['bad_request', 'unknown_call'],
    async handle({ params, url, res }, { calls, sipOf, now }) {
      const { format } = readQuery<{ format: string }>(url, SIP_QUERY);
      const record = await findCall(undefined, params.voice_id, calls);
      const messages = sipOf(record.callId);
      if (format === 'pcap') {
        res.attachment(`${record.callId}.pcap`).type('application/vnd.tcpdump.pcap').send(pcapOf(messages));
        return undefined;
      }
      if (format === 'text') {
        const lines = [...ladderLines(messages), ...messageLines(messages)];
        res.type('text/plain').send(lines.map((line) => `${line}\n`).join(''));
        return undefined;
      }
      return {
        app_id: record.projectId,
        voice_id: record.callId,
        legs: legsOf(record),
        messages: messages.map(messageBody),
        timestamp: now(),
      };
    },
  }),
];

const messageBody = (message: CapturedSip): JsonObject => ({
  at: iso(message.atMs),
  direction: message.direction,
  transport: message.transport,
  local: endBody(message.local),
  remote: endBody(message.remote),
  text: decodeText(message.text),
});

const endBody = ({ host, port }: SipEnd): JsonObject => ({ host, port });

/** The main leg, if it has ended, and the legs of its bridges. */
const legsOf = ({ from, to, direction, sip, hangupBy, bridges = [] }: CallRecord): JsonObject[] => [
  ...(sip ? [legBody(direction === 'inbound' ? from : to, { sip, hangupBy })] : []),
  ...bridges.flatMap((bridge) => (bridge.sip ? [legBody(bridge.to, { ...bridge, sip: bridge.sip })] : [])),
];

const legBody = (party: string, { sip, hangupBy }: { sip: LegSip; hangupBy?: HangupBy | undefined }): JsonObject =>
  defined({
    ...{ party, hangup_by: hangupBy, ...peerBody(sip), post_dial_ms: sip.postDialMs, ring_ms: sip.ringMs },
    attempts: sip.attempts?.map(peerBody),
  });

const peerBody = (peer: SipPeer): JsonObject =>
  snakeCased(peer, ['callId', 'remote', 'route', 'gateway', 'userAgent', 'status', 'reason']);
