/** RTP sockets of the tests: with `RTP_SOCKETS=node` in the environment, all run on the sockets of Node. */
import type { RtpSockets } from '../src/media/telephony/media/datagrams.ts';

export const rtpSockets: RtpSockets = process.env['RTP_SOCKETS'] === 'node' ? 'node' : 'auto';
