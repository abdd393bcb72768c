/** A collector of traces: takes OTLP over HTTP (protobuf) and decodes what a test looks at; and a server that flows ask. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ReceivedSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  /** Empty: a root. */
  parentSpanId: string;
  traceState: string;
  startMs: number;
  endMs: number;
  attributes: Record<string, string | number>;
  events: { name: string; atMs: number }[];
  /** 2: error. */
  status: number;
}

export interface Collector {
  url: string;
  spans: ReceivedSpan[];
  /** All that was received, as it came. */
  bytes: Buffer[];
  headers: IncomingHttpHeaders[];
  resource: Record<string, string | number>;
  /** Requests to any other path. */
  asked: { path: string; headers: IncomingHttpHeaders }[];
  /** Status of the collector. */
  status: number;
  /** Statuses of other paths, if not 200. */
  statusOf: Record<string, number>;
}

export async function startCollector(): Promise<Collector> {
  const collector: Collector = {
    url: '',
    spans: [],
    bytes: [],
    headers: [],
    resource: {},
    asked: [],
    status: 200,
    statusOf: {},
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url !== '/v1/traces') {
      collector.asked.push({ path: request.url ?? '', headers: request.headers });
      response.writeHead(collector.statusOf[request.url ?? ''] ?? 200, { 'content-type': 'application/json' });
      response.end('{"ok":true}');
      return;
    }
    const bytes = Buffer.concat(chunks);
    collector.headers.push(request.headers);
    if (collector.status === 200) {
      collector.bytes.push(bytes);
      read(bytes, collector);
    }
    response.writeHead(collector.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return collector;
}

type Fields = Map<number, (Buffer | bigint)[]>;

/** The fields of a protobuf message, by number: lengths are bytes, all else is a number. */
function decode(bytes: Buffer): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const type = tag & 7;
    const length = type === 1 ? 8 : type === 5 ? 4 : type === 2 ? Number(varint()) : 0;
    const part = bytes.subarray(at, at + length);
    const value =
      type === 0 ? varint() : type === 1 ? part.readBigUInt64LE() : type === 5 ? BigInt(part.readUInt32LE()) : part;
    at += length;
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

const messages = (fields: Fields, field: number): Fields[] =>
  (fields.get(field) ?? []).map((value) => decode(value as Buffer));
const bytesOf = (fields: Fields, field: number): Buffer => (fields.get(field)?.[0] as Buffer) ?? Buffer.alloc(0);
const numberOf = (fields: Fields, field: number): number => Number(fields.get(field)?.[0] ?? 0);
/** Nanoseconds: more than a number holds. */
const msOf = (fields: Fields, field: number): number =>
  Number(((fields.get(field)?.[0] as bigint) ?? 0n) / 1000n) / 1000;

const attributesOf = (fields: Fields, field: number): Record<string, string | number> =>
  Object.fromEntries(
    messages(fields, field).map((pair) => {
      const value = decode(bytesOf(pair, 2));
      return [bytesOf(pair, 1).toString(), value.has(1) ? bytesOf(value, 1).toString() : numberOf(value, 3)];
    }),
  );

/** `ExportTraceServiceRequest` of opentelemetry-proto. */
function read(bytes: Buffer, collector: Collector): void {
  for (const ofResource of messages(decode(bytes), 1)) {
    collector.resource = attributesOf(decode(bytesOf(ofResource, 1)), 1);
    for (const ofScope of messages(ofResource, 2)) {
      for (const span of messages(ofScope, 2)) {
        collector.spans.push({
          traceId: bytesOf(span, 1).toString('hex'),
          spanId: bytesOf(span, 2).toString('hex'),
          traceState: bytesOf(span, 3).toString(),
          parentSpanId: bytesOf(span, 4).toString('hex'),
          name: bytesOf(span, 5).toString(),
          kind: numberOf(span, 6),
          startMs: msOf(span, 7),
          endMs: msOf(span, 8),
          attributes: attributesOf(span, 9),
          events: messages(span, 11).map((event) => ({ atMs: msOf(event, 1), name: bytesOf(event, 2).toString() })),
          status: numberOf(decode(bytesOf(span, 15)), 3),
        });
      }
    }
  }
}
