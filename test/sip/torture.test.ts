/**
 * Torture messages of RFC 4475 and RFC 5118, sent to an engine with users that accepts all calls, and the answer to
 * each. `offered`: the call reaches the host. `silence`: the engine does not answer (responses without a transaction,
 * and malformed data).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseMessage } from '../../src/media/telephony/sip/parser.ts';
import { PHONE_HOST, Rig } from './rig.ts';

const FOLDER = join(import.meta.dirname, '../fixtures/sip-torture');
const files = ['msgs4475', 'msgs5118'].flatMap((folder) =>
  readdirSync(join(FOLDER, folder)).map((file) => `${folder}/${file}`),
);

type Kind = 'request' | 'response' | 'malformed' | 'garbage';
const VERDICTS: Record<string, [kind: Kind, answer: string, why: string]> = {
  // RFC 4475 §3.1.1: valid messages
  'msgs4475/wsinv.dat': ['request', '481', 'white space wherever the grammar allows it; its To tag names no dialog'],
  'msgs4475/intmeth.dat': ['request', '405', 'a method of every character that a token may have'],
  'msgs4475/esc01.dat': ['request', 'offered', 'escaped characters, an escaped @ among them'],
  'msgs4475/escnull.dat': ['request', '401', 'escaped nulls'],
  'msgs4475/esc02.dat': ['request', '405', 'percent signs that escape nothing'],
  'msgs4475/lwsdisp.dat': ['request', '200', 'no space between display name and <'],
  'msgs4475/longreq.dat': ['request', 'offered', 'long values'],
  'msgs4475/dblreq.dat': ['request', '401', 'bytes after the end are not a second request'],
  'msgs4475/semiuri.dat': ['request', '200', 'semicolons in the user part'],
  'msgs4475/transports.dat': ['request', '200', 'all kinds of transports in Via'],
  'msgs4475/mpart01.dat': ['request', '405', 'a multipart MESSAGE with binary parts'],
  'msgs4475/unreason.dat': ['response', 'silence', 'a reason in UTF-8'],
  'msgs4475/noreason.dat': ['response', 'silence', 'an empty reason'],
  // RFC 4475 §3.1.2: invalid messages
  'msgs4475/badinv01.dat': ['malformed', '400', 'stray separators in Via and Contact'],
  'msgs4475/clerr.dat': ['malformed', '400', 'Content-Length beyond the datagram'],
  'msgs4475/ncl.dat': ['malformed', '400', 'negative Content-Length'],
  'msgs4475/scalar02.dat': ['malformed', '400', 'CSeq beyond 2^31'],
  'msgs4475/scalarlg.dat': ['garbage', 'silence', 'a response with a CSeq beyond 2^31'],
  'msgs4475/quotbal.dat': ['malformed', '400', 'a quote that never closes'],
  'msgs4475/ltgtruri.dat': ['malformed', '400', 'angle brackets around the Request-URI'],
  'msgs4475/lwsruri.dat': ['malformed', '400', 'white space inside the Request-URI'],
  'msgs4475/lwsstart.dat': ['malformed', '400', 'white space around the Request-URI'],
  'msgs4475/trws.dat': ['malformed', '400', 'white space after the version'],
  'msgs4475/escruri.dat': ['malformed', '400', 'headers in the Request-URI'],
  'msgs4475/baddate.dat': ['request', 'offered', 'a Date in another time zone, which nobody reads'],
  'msgs4475/regbadct.dat': ['malformed', '400', 'a Contact with ? and no angle brackets'],
  'msgs4475/badaspec.dat': ['malformed', '400', 'spaces inside angle brackets'],
  'msgs4475/baddn.dat': ['malformed', '400', 'a display name that needs quotes and has none'],
  'msgs4475/badvers.dat': ['malformed', '505', 'SIP/7.0'],
  'msgs4475/mismatch01.dat': ['malformed', '400', 'CSeq names another method'],
  'msgs4475/mismatch02.dat': ['malformed', '400', 'CSeq names another method than an unknown one'],
  'msgs4475/bigcode.dat': ['garbage', 'silence', 'a status of ten digits'],
  // RFC 4475 §3.2: transaction layer
  'msgs4475/badbranch.dat': ['request', '200', 'a branch of nothing but the cookie'],
  // RFC 4475 §3.3: application layer
  'msgs4475/insuf.dat': ['malformed', '400', 'no Call-ID, From or To'],
  'msgs4475/unkscm.dat': ['request', '416', 'unknown scheme in the Request-URI'],
  'msgs4475/novelsc.dat': ['request', '416', 'known scheme of another world'],
  'msgs4475/unksm2.dat': ['request', '400', 'unknown schemes in To and Contact of a REGISTER'],
  'msgs4475/bext01.dat': ['request', '420', 'Require of what nobody supports'],
  'msgs4475/invut.dat': ['request', '415', 'a body of an unknown type'],
  'msgs4475/regaut01.dat': ['request', '401', 'an unknown authentication scheme'],
  'msgs4475/multi01.dat': ['malformed', '400', 'single headers many times'],
  'msgs4475/mcl01.dat': ['malformed', '400', 'two Content-Lengths'],
  'msgs4475/bcast.dat': ['response', 'silence', 'a response with two Vias'],
  'msgs4475/zeromf.dat': ['request', '200', 'Max-Forwards 0, and it is for us'],
  'msgs4475/cparam01.dat': ['request', '401', 'a Contact with an unknown header parameter'],
  'msgs4475/cparam02.dat': ['request', '401', 'a Contact with an unknown URI parameter'],
  'msgs4475/regescrt.dat': ['request', '401', 'a Contact with escaped headers'],
  'msgs4475/sdp01.dat': ['request', '406', 'Accept without a description of sessions'],
  'msgs4475/inv2543.dat': ['request', 'offered', 'an INVITE of RFC 2543'],
  // Not in the RFC
  'msgs4475/test.dat': ['garbage', 'silence', 'no version, no Via, headers that are none'],
  // RFC 5118
  'msgs5118/ipv6-good': ['request', '401', 'an IPv6 reference as Request-URI'],
  'msgs5118/ipv6-bad': ['malformed', '400', 'an IPv6 reference without brackets'],
  'msgs5118/port-ambiguous': ['request', '401', 'brackets around address and port read as one address'],
  'msgs5118/port-unambiguous': ['request', '401', 'a port after the brackets'],
  'msgs5118/via-received-param-with-delim': ['request', '481', 'received with brackets'],
  'msgs5118/via-received-param-no-delim': ['request', '200', 'received without brackets'],
  'msgs5118/ipv6-in-sdp': ['malformed', '400', 'a Content-Length beyond the body, as the RFC prints it'],
  'msgs5118/mult-ip-in-header': ['request', '481', 'both families in Via'],
  'msgs5118/mult-ip-in-sdp': ['request', 'offered', 'both families in the description'],
  'msgs5118/ipv4-mapped-ipv6': ['request', '488', 'mapped addresses; no codec of ours'],
  'msgs5118/ipv6-bug-abnf-3-colons': ['request', '200', 'three colons, as the old grammar had it'],
  'msgs5118/ipv6-correct-abnf-2-colons': ['request', '200', 'two colons'],
};

describe('torture messages', () => {
  it('are all in the table', () => {
    expect(files).toHaveLength(62);
    expect(Object.keys(VERDICTS).sort()).toEqual([...files].sort());
  });

  it.each(Object.entries(VERDICTS))('is parsed as expected: %s', async (file, [kind, answer]) => {
    const bytes = readFileSync(join(FOLDER, file));
    expect(parseMessage(bytes).kind).toBe(kind);

    const rig = await new Rig({ users: [{ name: 'user', password: 'secret' }], requireAuth: false }).start();
    const far = rig.far(5060);
    // Ports named in the Via headers of some messages, to which their answers are sent.
    const elsewhere = [rig.far(5050), rig.far(6050), rig.far(19_823), rig.far(5070)];
    far.sendBytes(bytes);
    await rig.settle();
    const answers = [far, ...elsewhere].flatMap((one) => one.statuses);
    if (answer === 'offered') {
      expect(rig.incoming).toHaveLength(1);
      rig.engine.send('leg-1', { type: 'answer' });
      await rig.settle();
      const [ok] = [far, ...elsewhere].flatMap((one) => one.inbox);
      expect(ok?.response?.status).toBe(200);
    } else {
      expect(rig.incoming).toEqual([]);
      expect(answers).toEqual(answer === 'silence' ? [] : [expect.stringMatching(`^${answer} `)]);
    }
    // The engine still answers the next request.
    far.clear();
    far.send([
      'OPTIONS sip:192.0.2.1 SIP/2.0',
      `Via: SIP/2.0/UDP ${PHONE_HOST};branch=z9hG4bKalive`,
      'From: <sip:a@b>;tag=1',
      'To: <sip:192.0.2.1>',
      'Call-ID: alive',
      'CSeq: 1 OPTIONS',
    ]);
    await rig.settle();
    expect(far.log).toEqual(['200 OPTIONS']);
    expect(rig.engine.counts().crashed).toBe(0);
    await rig.finish();
  });
});
