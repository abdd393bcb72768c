/** ICE and DTLS parameters in session descriptions (RFC 8839, RFC 8122, RFC 8842). The input is untrusted. */
import { attributeOf, attributesOf, linesOf } from './lines.ts';

/** Parameters of one end of a connection. */
export interface IceParameters {
  ufrag: string;
  password: string;
  /** Hash function and hash of the certificate. */
  fingerprint: string;
  /** Role in DTLS: `actpass`, `active` or `passive`. */
  setup: string;
}

/** Tokens that are repeated in an answer: without spaces and line ends. */
export const TOKEN = /^[\w+/.:!#$%&'*^`{|}~-]{1,256}$/;
const FINGERPRINT = /^[\w-]+ [\w:]+$/;
const SETUP = /^(actpass|active|passive)\b/;

/** Parameters of the first medium, because browsers bundle all media. Undefined if one of the parameters is missing. */
export function iceOf(sdp: string): IceParameters | undefined {
  const section = linesOf(sdp);
  const ufrag = attributeOf(section, 'ice-ufrag') ?? '';
  const password = attributeOf(section, 'ice-pwd') ?? '';
  const fingerprint = attributesOf(section, 'fingerprint').find((value) => FINGERPRINT.test(value));
  const setup = SETUP.exec(attributesOf(section, 'setup').find((value) => SETUP.test(value)) ?? '')?.[1];
  if (!fingerprint || !setup || !TOKEN.test(ufrag) || !TOKEN.test(password)) return undefined;
  return { ufrag, password, fingerprint, setup };
}

/** Candidates, each with `candidate:` in front, as they are signalled. */
export const candidatesOf = (sdp: string): string[] =>
  attributesOf(linesOf(sdp), 'candidate').map((value) => `candidate:${value}`);

export const iceLines = ({ ufrag, password, fingerprint }: IceParameters, setup: string): string[] => [
  ...[`a=ice-ufrag:${ufrag}`, `a=ice-pwd:${password}`],
  ...[`a=fingerprint:${fingerprint}`, `a=setup:${setup}`],
];

export const candidateLines = (candidates: readonly string[]): string[] => [
  ...candidates.map((candidate) => `a=${candidate}`),
  'a=end-of-candidates',
];
