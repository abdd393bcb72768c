/** Checks that the configured ports are available. If the service is running, it uses them itself. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { reasonOf } from '../../base/core/reason-of.ts';
import type { Config } from '../../config.ts';
import { urlOf } from '../service-client.ts';
import { type DoctorResult, failed, ok, warning } from './finding.ts';

interface Port {
  subject: string;
  /** Key in the configuration. */
  key: string;
  host: string;
  port: number;
  protocol: 'udp' | 'tcp';
}

const HEALTH_TIMEOUT_MS = 2000;
/** Maximum number of RTP ports to test: testing all would take seconds. */
const MAX_RTP_TRIED = 50;

export async function checkPorts(config: Config): Promise<DoctorResult[]> {
  const { http } = config;
  if (await isServiceAt(urlOf(http))) {
    return [ok('ports', `a service answers at ${http.host}:${http.port}: its ports were not checked`)];
  }
  const ofRtp = config.asterisk ? [] : [await checkRtpPorts(config)];
  return [...(await Promise.all(portsOf(config).map(checkPort))), ...ofRtp];
}

function portsOf(config: Config): Port[] {
  const { http, video } = config;
  return [
    { subject: 'port of HTTP', key: 'http.port', host: http.host, port: http.port, protocol: 'tcp' },
    // With Asterisk, SIP and RTP ports belong to Asterisk.
    ...(config.asterisk ? [] : sipPorts(config)),
    ...(video.engine === 'embedded' ? roomPorts(config) : []),
  ];
}

/** One port for each engine process. */
const roomPorts = ({ video: { host, port, engineProcesses } }: Config): Port[] =>
  Array.from({ length: engineProcesses }, (_, index) => ({
    ...({ subject: 'port of rooms', key: 'video.port', protocol: 'udp' } as const),
    ...{ host, port: port + index },
  }));

function sipPorts({ sip: { host, port, tcp, tls } }: Config): Port[] {
  const sipPort = { subject: 'port of SIP', key: 'sip.port', host, port };
  return [
    { ...sipPort, protocol: 'udp' },
    ...(tcp ? [{ ...sipPort, protocol: 'tcp' } as const] : []),
    ...(tls ? [{ subject: 'port of SIP', key: 'sip.tls.port', host, port: tls.port, protocol: 'tcp' } as const] : []),
  ];
}

async function checkPort({ subject, key, host, port, protocol }: Port): Promise<DoctorResult> {
  const at = `${host}:${port}/${protocol}`;
  const error = await problemOf(host, port, protocol);
  if (error === undefined) return ok(subject, `${at} is free`);
  switch (error.code) {
    case 'EADDRINUSE':
      return failed(subject, `${at} is in use by another program`, `find it with ss -lnp, or set ${key}`);
    case 'EACCES':
      return failed(
        subject,
        `${at} needs a permission that this user does not have`,
        `give the service CAP_NET_BIND_SERVICE, or set ${key} to 1024 or higher`,
      );
    case 'EADDRNOTAVAIL':
      return failed(subject, `${host} is not an address of this machine`, 'list its addresses with: ip address');
    default:
      return failed(subject, `${at}: ${reasonOf(error)}`, `set ${key}`);
  }
}

async function checkRtpPorts({ sip: { host, rtpPorts }, limits }: Config): Promise<DoctorResult> {
  const subject = 'ports of RTP';
  const [first, last] = rtpPorts;
  const pairs = Math.floor((last - first + 1) / 2);
  const step = 2 * Math.max(1, Math.ceil(pairs / MAX_RTP_TRIED));
  const tried = Array.from({ length: Math.ceil((last - first) / step) }, (_, index) => first + index * step);
  const problems = await Promise.all(tried.map((port) => problemOf(host, port, 'udp')));
  const taken = problems.filter((error) => error?.code === 'EADDRINUSE').length;
  const found = `${host}:${first}-${last}/udp, for ${pairs} concurrent calls`;
  const remedy = 'choose other ports with sip.rtp_ports';
  if (taken === tried.length) return failed(subject, `${found}, all in use by other programs`, remedy);
  if (taken > 0) return warning(subject, `${found}, some in use by other programs`, remedy);
  if (pairs >= limits.calls) return ok(subject, found);
  return warning(subject, `${found}, but limits.calls is ${limits.calls}`, 'widen sip.rtp_ports: two ports a call');
}

/** Binds the port for a moment. */
async function problemOf(
  host: string,
  port: number,
  protocol: 'udp' | 'tcp',
): Promise<NodeJS.ErrnoException | undefined> {
  const socket =
    protocol === 'tcp'
      ? createServer().listen({ host, port, exclusive: true })
      : createSocket(host.includes(':') ? 'udp6' : 'udp4').bind({ address: host, port, exclusive: true });
  try {
    await once(socket, 'listening');
    return undefined;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  } finally {
    // A socket that could not be bound is already closed.
    await new Promise<void>((resolve) => {
      try {
        socket.close(() => resolve());
      } catch {
        resolve();
      }
    });
  }
}

async function isServiceAt(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
  try {
    const body = (await (await fetch(`${url}/health`, { signal })).json()) as { checks?: object };
    return body.checks !== undefined;
  } catch {
    return false;
  }
}
