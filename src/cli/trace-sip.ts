/** `callweave trace --sip` and `--pcap`: SIP messages of a call, from the data directory or the running service. */
import { writeFileSync } from 'node:fs';
import { encodeText } from '../base/core/byte-text.ts';
import { isObject, type Json, type JsonObject } from '../base/core/json.ts';
import { reasonOf } from '../base/core/reason-of.ts';
import type { CapturedSip } from '../base/core/sip-capture.ts';
import { ladderLines, messageLines } from '../service/observers/sip/ladder.ts';
import { pcapOf } from '../service/observers/sip/pcap.ts';
import { withAdministrator } from './administrator.ts';
import { requireDataConfig } from './config-option.ts';
import { readCall } from './journal-file.ts';
import type { ServiceClient, ServiceOptions } from './service-client.ts';
import { type Terminal, UsageError } from './terminal.ts';

interface TraceSipOptions extends ServiceOptions {
  sip?: boolean;
  pcap?: string;
}

export async function traceSip(call: string, options: TraceSipOptions, terminal: Terminal): Promise<void> {
  if (options.url === undefined) {
    const config = requireDataConfig(options, terminal);
    show(await readCall(call, config, ({ callId }, store) => store.sipTraces.list(callId)), options, terminal);
    return;
  }
  await withAdministrator(options, terminal, async (service) =>
    show(await sipOfService(call, service), options, terminal),
  );
}

function show(messages: readonly CapturedSip[], { sip, pcap, json }: TraceSipOptions, terminal: Terminal): void {
  if (messages.length === 0) {
    const hint = 'set sip.trace to failed or all';
    throw new UsageError('no SIP messages of this call are stored', hint);
  }
  if (pcap !== undefined) {
    write(pcap, pcapOf(messages));
    terminal.printError(`callweave: ${messages.length} messages written to ${pcap}`);
  }
  if (!sip) return;
  if (json) terminal.printJson({ messages: messages as unknown as Json });
  else for (const line of [...ladderLines(messages), ...messageLines(messages)]) terminal.print(line);
}

/** The file contains phone numbers, so only its owner may read it. */
function write(file: string, bytes: Buffer): void {
  try {
    writeFileSync(file, bytes, { mode: 0o600 });
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${reasonOf(error)}`);
  }
}

async function sipOfService(call: string, service: ServiceClient): Promise<CapturedSip[]> {
  const { messages } = await service.request('GET', `/admin/v1/calls/${encodeURIComponent(call)}/sip`);
  return (Array.isArray(messages) ? messages : []).filter(isObject).map(messageOf);
}

const messageOf = ({ at, text, ...message }: JsonObject): CapturedSip =>
  ({
    ...message,
    atMs: Date.parse(String(at)),
    text: encodeText(String(text)),
  }) as unknown as CapturedSip;
