/**
 * Addresses on which the service itself listens: its ports on every address of this machine. A request that others
 * cause must not reach the service as if it were local (`admin` from this machine, phones on loopback).
 */
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import type { Clock } from '../core/clock.ts';

/** Addresses change, so that they are read again after this time. */
const FRESH_MS = 5000;

export interface OwnListeners {
  /** Adds a port that was not known before the start. */
  addPort(port: number): void;
  isOwn(address: string, port: number): boolean;
}

export interface ListenAddresses {
  http: { host: string; port: number };
  sip: { host: string; port: number; advertisedHost?: string; tls?: { port: number } };
}

export function ownListeners(
  { http, sip }: ListenAddresses,
  clock: Pick<Clock, 'monotonicMs'>,
  addressesOf = systemAddresses,
): OwnListeners {
  const ports = new Set([http.port, sip.port, ...(sip.tls ? [sip.tls.port] : [])]);
  const named = [http.host, sip.host, sip.advertisedHost ?? ''].filter((host) => isIP(host) !== 0).map(canonical);
  let known: Set<string> | undefined;
  let knownAtMs = 0;
  const addresses = (): Set<string> => {
    const nowMs = clock.monotonicMs();
    if (!known || nowMs - knownAtMs > FRESH_MS) {
      known = new Set([...named, ...addressesOf().map(canonical)]);
      knownAtMs = nowMs;
    }
    return known;
  };
  return {
    addPort: (port) => void ports.add(port),
    isOwn(address, port) {
      if (!ports.has(port)) return false;
      const parsed = ipaddr.process(address.split('%')[0]!);
      const range = parsed.range();
      return range === 'loopback' || range === 'unspecified' || addresses().has(parsed.toString());
    },
  };
}

const canonical = (address: string): string => ipaddr.process(address.split('%')[0]!).toString();

const systemAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
