/**
 * Names of a certificate (RFC 5922 §7.1): its SIP URIs; without SIP URIs its DNS names and addresses; without
 * alternative names its common name. Wildcards do not count (§7.2).
 */
import type { PeerCertificate } from 'node:tls';

/** Names with special characters are quoted as JSON, so that one cannot look like two. */
const ALTERNATIVE_NAME = /(?:^|, )([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^,"]*)/gy;
const MAX_NAMES = 100;

export function namesOf({
  subject,
  subjectaltname = '',
}: Pick<PeerCertificate, 'subject' | 'subjectaltname'>): string[] {
  const given = alternativeNames(subjectaltname);
  const ofKind = (kind: string): string[] => given.flatMap((name) => (name.kind === kind ? [name.value] : []));
  const domains = ofKind('URI').flatMap((uri) => /^sip:([^@;?:]+)$/i.exec(uri)?.[1] ?? []);
  if (domains.length > 0) return domains.map(lower);
  const names = given.length === 0 ? [subject?.CN ?? []].flat() : [...ofKind('DNS'), ...ofKind('IP Address')];
  return names.filter((name) => name !== '' && !name.includes('*')).map(lower);
}

function alternativeNames(text: string): { kind: string; value: string }[] {
  return [...text.matchAll(ALTERNATIVE_NAME)].slice(0, MAX_NAMES).map(([, kind = '', value = '']) => ({
    kind,
    value: value.startsWith('"') ? quoted(value) : value,
  }));
}

function quoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return '';
  }
}

const lower = (name: string): string => name.toLowerCase();
